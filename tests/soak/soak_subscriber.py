"""An independent subscriber: PORT PROTOCOL TOPIC FILE. Writes every event it receives to FILE.

A program of the casino's side that knows MQTT and nothing of the table. Its session outlives
broken connections; an event is acknowledged when it is written down, one JSON text a line.
Says ``up`` when it is subscribed and ``down`` when the connection is lost, and answers each line
of its standard input with ``read`` once it has written down all that has reached this machine.
"""

from __future__ import annotations

import os
import select
import sys
import time
from typing import Any

from paho.mqtt.client import MQTT_CLEAN_START_FIRST_ONLY, Client
from paho.mqtt.enums import CallbackAPIVersion, MQTTProtocolVersion
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties

NAME = "soak-subscriber"
_A_DAY_S = 86_400
_TURN_S = 0.01
_RETRY_S = 0.05


def say(word: str) -> None:
    sys.stdout.write(word + "\n")
    sys.stdout.flush()


def readable(stream: Any) -> bool:
    return stream is not None and bool(select.select([stream], [], [], 0)[0])


def follow(client: Client) -> None:
    """Keep the connection, and answer what is asked, without end."""
    while True:
        if client.loop(_TURN_S):
            reconnect(client)
        if readable(sys.stdin):
            if not sys.stdin.readline():
                return
            while readable(client.socket()) and not client.loop_read():
                pass
            say("read")


def reconnect(client: Client) -> None:
    while True:
        time.sleep(_RETRY_S)
        try:
            client.reconnect()
        except OSError:
            continue
        return


def main() -> None:
    port, protocol, topic, path = sys.argv[1:]
    version5 = protocol == "5"
    file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
    client = Client(
        CallbackAPIVersion.VERSION2,
        client_id=NAME,
        protocol=MQTTProtocolVersion.MQTTv5 if version5 else MQTTProtocolVersion.MQTTv311,
        clean_session=None if version5 else False,
    )

    def on_connect(client: Client, *_: Any) -> None:
        client.subscribe(topic, qos=1)

    def on_message(_client: Client, _userdata: object, message: Any) -> None:
        os.write(file, message.payload + b"\n")

    client.on_connect = on_connect
    client.on_subscribe = lambda *_: say("up")
    client.on_disconnect = lambda *_: say("down")
    client.on_message = on_message
    properties = None
    if version5:
        properties = Properties(PacketTypes.CONNECT)  # type: ignore[no-untyped-call]
        properties.SessionExpiryInterval = _A_DAY_S
    client.connect(
        "127.0.0.1",
        int(port),
        keepalive=10,
        clean_start=False if version5 else MQTT_CLEAN_START_FIRST_ONLY,
        properties=properties,
    )
    follow(client)


main()
