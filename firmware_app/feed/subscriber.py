"""A subscriber to the feed with its own connection: what any consumer of the casino would run."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from types import TracebackType
from uuid import uuid4

from paho.mqtt.client import Client, ConnectFlags, MQTTMessage
from paho.mqtt.properties import Properties
from paho.mqtt.reasoncodes import ReasonCode

from firmware_app.feed.connection import LinkLostError, connect, new_client, refusal
from firmware_app.feed.settings import BrokerSettings

logger = logging.getLogger(__name__)

_KEEPALIVE_S = 20
_SESSION_EXPIRY_S = 3600


class Subscriber:
    """Calls ``on_message(topic, payload)`` for each message under ``topic_filter``, at QoS 1.

    ``on_message`` runs in paho's thread; what it raises is logged and does not end the
    subscription. The broker keeps what arrives during a broken connection of up to an hour.
    ``client_name`` left out is a name that nobody else has.
    """

    def __init__(
        self,
        broker: BrokerSettings,
        topic_filter: str,
        on_message: Callable[[str, bytes], None],
        *,
        client_name: str | None = None,
    ) -> None:
        self._broker = broker
        self._filter = topic_filter
        self._handle = on_message
        self._client = new_client(
            broker, client_name or f"fpg-reader-{uuid4().hex[:12]}", reconnects=True
        )
        self._subscribed = threading.Event()
        self._refused: str | None = None

    def start(self, timeout_s: float = 10) -> None:
        """Connect and subscribe. Raises :class:`LinkLostError` where that fails in the time."""
        client = self._client
        client.on_connect = self._on_connect
        client.on_subscribe = self._on_subscribe
        client.on_message = self._on_message
        client.reconnect_delay_set(1, 20)
        connect(
            client,
            self._broker,
            keepalive_s=_KEEPALIVE_S,
            expiry_s=_SESSION_EXPIRY_S,
            timeout_s=timeout_s,
        )
        client.loop_start()
        if not self._subscribed.wait(timeout_s) or self._refused is not None:
            self.stop()
            reason = self._refused or "does not answer the subscription"
            raise LinkLostError(f"broker {self._broker.address}: {reason}")

    def stop(self) -> None:
        """Disconnect; no message is handled after it."""
        self._client.disconnect()
        self._client.loop_stop()

    def __enter__(self) -> Subscriber:
        self.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.stop()

    def _on_connect(
        self,
        client: Client,
        _userdata: object,
        _flags: ConnectFlags,
        reason: ReasonCode,
        _properties: Properties | None,
    ) -> None:
        if reason.is_failure:
            self._refused = f"refuses us: {refusal(reason)}"
            self._subscribed.set()
        else:
            # On every connection: a broker that lost its memory has lost the subscription too.
            client.subscribe(self._filter, qos=1)

    def _on_subscribe(
        self,
        _client: Client,
        _userdata: object,
        _packet_id: int,
        reasons: list[ReasonCode],
        _properties: Properties | None,
    ) -> None:
        if any(reason.is_failure for reason in reasons):
            self._refused = f"refuses the subscription to {self._filter}"
        self._subscribed.set()

    def _on_message(self, _client: Client, _userdata: object, message: MQTTMessage) -> None:
        try:
            self._handle(message.topic, bytes(message.payload))
        except Exception:
            logger.exception("a message of %d bytes could not be handled", len(message.payload))
