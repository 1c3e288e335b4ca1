"""Tables that only weigh on the broker: real events, in order, over a plain connection each.

A whole table's link costs a processor more than the broker does; hundreds of them on one machine
would measure that machine. These are driven by one thread and speak just enough MQTT: CONNECT,
PUBLISH at QoS 1, and the answers to both. They neither retry nor reconnect.

Source: OASIS MQTT 3.1.1 and MQTT 5.0, sections 3.1 to 3.4.
"""

from __future__ import annotations

import selectors
import socket
import struct
import time
from collections.abc import Sequence

from firmware_app.feed.settings import FeedSettings

_CONNACK, _PUBACK = 2, 4
_VERSION_5 = 5
_LEVELS = {"3.1.1": 4, "5": _VERSION_5}
_CLEAN = 0x02
_NO_KEEPALIVE = 0
_EVENT_PROPERTIES = b"\x01\x01"  # the payload is text
_RECEIVE_BYTES = 65536


class Connection:
    """One client at QoS 1. ``problem`` says why it is of no more use, None while it is."""

    def __init__(self, settings: FeedSettings) -> None:
        self._level = _LEVELS[settings.protocol]
        self._socket = socket.create_connection(
            (settings.host, settings.port_number), timeout=settings.connect_timeout_s
        )
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._received = b""
        self._packet_id = 0
        self.accepted = False
        self.unacknowledged = 0
        self.problem: str | None = None
        self._socket.sendall(self._hello(settings.client_name.encode()))

    def fileno(self) -> int:
        return self._socket.fileno()

    def close(self) -> None:
        self._socket.close()

    def publish(self, topic: bytes, payload: bytes) -> None:
        """Send one message. The kernel holds what the broker does not take at once."""
        self._packet_id = self._packet_id % 0xFFFF + 1
        body = _text(topic) + struct.pack("!H", self._packet_id)
        if self._level == _VERSION_5:
            body += bytes([len(_EVENT_PROPERTIES)]) + _EVENT_PROPERTIES
        self.unacknowledged += 1
        try:
            self._socket.sendall(_packet(0x32, body + payload))
        except OSError as error:
            self.problem = str(error)

    def read(self) -> None:
        """Take what the broker has answered; call it when the socket is readable."""
        try:
            data = self._socket.recv(_RECEIVE_BYTES)
        except OSError as error:
            self.problem = str(error)
            return
        if not data:
            self.problem = "the broker has closed the connection"
        self._received += data
        # All answers are shorter than 128 bytes, so that their length is one byte.
        while len(self._received) >= 2 and len(self._received) >= 2 + self._received[1]:
            kind, end = self._received[0] >> 4, 2 + self._received[1]
            self._take(kind, self._received[2:end])
            self._received = self._received[end:]

    def _take(self, kind: int, body: bytes) -> None:
        if kind == _CONNACK:
            self.accepted = body[1] == 0
            if not self.accepted:
                self.problem = f"the broker refuses the connection with code {body[1]}"
        elif kind == _PUBACK:
            self.unacknowledged -= 1
            if len(body) > 2 and body[2] >= 0x80:
                self.problem = f"the broker refuses an event with code {body[2]}"

    def _hello(self, name: bytes) -> bytes:
        body = _text(b"MQTT") + bytes([self._level, _CLEAN]) + struct.pack("!H", _NO_KEEPALIVE)
        if self._level == _VERSION_5:
            body += b"\0"
        return _packet(0x10, body + _text(name))


class Load:
    """Many connections, read by whoever calls :meth:`turn`."""

    def __init__(self, tables: Sequence[FeedSettings]) -> None:
        self._selector = selectors.DefaultSelector()
        self.connections = [Connection(settings) for settings in tables]
        for connection in self.connections:
            self._selector.register(connection, selectors.EVENT_READ, connection)

    def turn(self, patience_s: float) -> None:
        """Wait up to ``patience_s`` for answers, and take them."""
        for key, _ in self._selector.select(patience_s):
            connection: Connection = key.data
            connection.read()
            if connection.problem is not None:
                self._selector.unregister(connection)

    def settle(self, timeout_s: float) -> None:
        """Wait until all are accepted and everything is acknowledged, or the time is over."""
        deadline_s = time.monotonic() + timeout_s
        while any(
            connection.problem is None and (connection.unacknowledged or not connection.accepted)
            for connection in self.connections
        ):
            left_s = deadline_s - time.monotonic()
            if left_s <= 0:
                return
            self.turn(left_s)

    def close(self) -> None:
        for connection in self.connections:
            connection.close()
        self._selector.close()


def _text(text: bytes) -> bytes:
    return struct.pack("!H", len(text)) + text


def _packet(first: int, body: bytes) -> bytes:
    length, digits = len(body), bytearray()
    while True:
        length, low = divmod(length, 128)
        digits.append(low | (0x80 if length else 0))
        if not length:
            return bytes([first]) + digits + body
