"""Whether the broker can be reached, accepts the table, and lets it publish; so for each fallback.

A connection of its own beside the table's, under another client name: a broker ends the older of
two connections of one name, and the nodes of a cluster know each other's. What it publishes is a
true message of the device's health, on the topic where such messages come and go; no event, nothing
retained.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import replace
from typing import Final

from paho.mqtt.client import Client, ConnectFlags, DisconnectFlags
from paho.mqtt.properties import Properties
from paho.mqtt.reasoncodes import ReasonCode

from firmware_app.diagnosis.finding import Finding, split_cure
from firmware_app.feed.connection import (
    LinkLostError,
    connect,
    new_client,
    refusal,
    unanswered,
)
from firmware_app.feed.settings import FeedSettings

ANSWER_AT_MOST_S: Final = 2.5
_KEEPALIVE_S: Final = 10
_CURE: Final = "check mqtt.host and mqtt.port, and that the broker runs"
_FALLBACK_CURE: Final = "check mqtt.fallbacks, and that the broker runs"
_REFUSED_CURE: Final = (
    "check mqtt.username, mqtt.password_file and mqtt.tls, and what the broker's operator allows "
    "this table"
)


def broker_names(settings: FeedSettings) -> list[str]:
    """Return what the checks of the broker and of its fallbacks are called, in their order."""
    return ["broker", *(f"fallback {place}" for place in settings.fallbacks)]


def check_broker(settings: FeedSettings, health: bytes | None, *, turn: int = 0) -> Finding:
    """Return how one broker answers: ``mqtt.host`` at turn 0, then its fallbacks.

    ``health`` is a health message to publish, None for none.
    """
    name = broker_names(settings)[turn]
    client_name = f"{settings.client_name}-check" + (f"-{turn}" if turn else "")
    try:
        found = _Visit(settings.node(turn), client_name).make(health)
    except LinkLostError as error:
        detail, own_cure = split_cure(str(error))
        cure = own_cure or (_FALLBACK_CURE if turn else _CURE)
        found = Finding(name, "warning", detail, f"{cure}; the table plays on and keeps its events")
    return replace(found, check=name)


class _Visit:
    """One connection: its callbacks run in paho's thread and leave what they learn here."""

    def __init__(self, settings: FeedSettings, client_name: str) -> None:
        self._settings = settings
        self._client = new_client(settings, client_name)
        self._client.on_connect = self._on_connect
        self._client.on_disconnect = self._on_disconnect
        self._client.on_publish = self._on_publish
        self._changed = threading.Event()
        self._accepted = False
        self._over = False
        self._refused: str | None = None
        self._answer: ReasonCode | None = None

    def make(self, health: bytes | None) -> Finding:
        timeout_s = min(self._settings.connect_timeout_s, ANSWER_AT_MOST_S / 2)
        connect(
            self._client,
            self._settings,
            keepalive_s=_KEEPALIVE_S,
            expiry_s=0,
            timeout_s=timeout_s,
        )
        self._client.loop_start()
        try:
            return self._judged(health)
        finally:
            self._client.disconnect()
            self._client.loop_stop()

    def _judged(self, health: bytes | None) -> Finding:
        address = f"broker {self._settings.address}"
        if not self._wait(lambda: self._accepted or self._over):
            raise LinkLostError(f"{address} does not answer; does MQTT run on this port?")
        if self._refused is not None:
            detail = f"{address} refuses the table: {self._refused}"
            return Finding("broker", "warning", detail, _REFUSED_CURE)
        if not self._accepted:
            raise LinkLostError(unanswered(self._settings))
        welcome = f"{address} accepts the table, {self._how()}"
        if health is None:
            return Finding("broker", "ok", welcome)
        return self._published(welcome, health)

    def _published(self, welcome: str, health: bytes) -> Finding:
        topics = self._settings.topics
        self._client.publish(topics.health, health, qos=1)
        if not self._wait(lambda: self._answer is not None or self._over):
            raise LinkLostError(f"{welcome}, and acknowledges no message; look at its log")
        if self._answer is None or self._answer.is_failure:
            reason = "ends the connection" if self._answer is None else refusal(self._answer)
            return Finding(
                "broker",
                "warning",
                f"{welcome}, and does not let it publish on {topics.health}: {reason}",
                f"let the broker's operator allow {topics.base}/# to this table",
            )
        if self._settings.protocol == "5":
            return Finding("broker", "ok", f"{welcome}, and lets it publish")
        return Finding(
            "broker", "ok", f"{welcome}; MQTT 3.1.1 does not tell whether it may publish"
        )

    def _how(self) -> str:
        sock = self._client.socket()
        version = getattr(sock, "version", None)
        tls = "without TLS" if version is None else f"with {version()}"
        return f"MQTT {self._settings.protocol} {tls}"

    def _wait(self, happened: Callable[[], bool]) -> bool:
        deadline_s = time.monotonic() + ANSWER_AT_MOST_S / 2
        while not happened():
            if not self._changed.wait(max(0.0, deadline_s - time.monotonic())):
                return happened()
            self._changed.clear()
        return True

    def _on_connect(
        self,
        _client: Client,
        _userdata: object,
        _flags: ConnectFlags,
        reason: ReasonCode,
        _properties: Properties | None,
    ) -> None:
        if reason.is_failure:
            self._refused = refusal(reason)
            self._over = True
        else:
            self._accepted = True
        self._changed.set()

    def _on_disconnect(
        self,
        _client: Client,
        _userdata: object,
        _flags: DisconnectFlags,
        _reason: ReasonCode,
        _properties: Properties | None,
    ) -> None:
        self._over = True
        self._changed.set()

    def _on_publish(
        self,
        _client: Client,
        _userdata: object,
        _packet_id: int,
        reason: ReasonCode,
        _properties: Properties | None,
    ) -> None:
        self._answer = reason
        self._changed.set()
