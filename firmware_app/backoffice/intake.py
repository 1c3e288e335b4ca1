"""From the broker into the books: nothing is acknowledged before it is on the disk.

Messages are booked many at a time, since every transaction is a write. What is not acknowledged
when the consumer dies, the broker delivers again.
"""

from __future__ import annotations

import logging
import queue
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from paho.mqtt.client import Client, MQTTMessage
from paho.mqtt.reasoncodes import ReasonCode

from firmware_app.backoffice.repairs import Repairs
from firmware_app.backoffice.store import Message, Store
from firmware_app.feed.connection import LinkLostError, connect, new_client, refusal
from firmware_app.feed.requests import ResendRequest
from firmware_app.feed.settings import BrokerSettings
from firmware_app.feed.topics import ALL_EVENTS, ROOT, TableTopics

logger = logging.getLogger(__name__)

_KEEPALIVE_S = 20
_SESSION_EXPIRY_S = 7 * 86_400
_CONNECT_S = 10.0
_MOST_AT_ONCE = 500
_PATIENCE_S = 0.5


@dataclass(frozen=True, slots=True)
class _Arrival:
    connection: int
    packet_id: int
    qos: int
    message: Message


class Intake:
    """One consumer of the floor's feed, with a session that the broker keeps while it is away.

    ``name`` is its client id, the same at each start. Consumers of one ``group`` share the
    events between them; each must have its own name. With ``repairs`` it asks tables for what
    is missing, where they allow that.
    """

    def __init__(
        self,
        broker: BrokerSettings,
        store: Store,
        *,
        name: str,
        group: str | None = None,
        repairs: Repairs | None = None,
    ) -> None:
        self._broker = broker
        self._store = store
        self._repairs = repairs
        events = ALL_EVENTS if group is None else f"$share/{group}/{ALL_EVENTS}"
        self._filters = [(events, 1), (f"{ROOT}/+/+/status", 1), (f"{ROOT}/+/+/bridge", 1)]
        self._client = new_client(broker, name, reconnects=True)
        self._client.manual_ack_set(True)
        self._client.on_connect = self._on_connect
        self._client.on_subscribe = self._on_subscribe
        self._client.on_message = self._on_message
        self._client.reconnect_delay_set(1, 20)
        self._arrivals: queue.SimpleQueue[_Arrival] = queue.SimpleQueue()
        self._connection = 0
        self._refused: str | None = None
        self._looked_at_s = time.monotonic()
        self.booked = 0
        """How many new events it has booked."""
        self.subscribed = 0
        """How often the broker has granted the subscriptions: once for each connection."""

    def run(self, stopping: Callable[[], bool]) -> None:
        """Consume until asked to stop; connections that break are made again.

        Raises :class:`~firmware_app.feed.connection.LinkLostError` where the broker cannot be
        reached at first, or refuses this consumer; :class:`sqlite3.Error` where the books fail.
        """
        connect(
            self._client,
            self._broker,
            keepalive_s=_KEEPALIVE_S,
            expiry_s=_SESSION_EXPIRY_S,
            timeout_s=_CONNECT_S,
        )
        self._client.loop_start()
        try:
            while not stopping():
                self._book(self._wait_for_some())
                self._ask_for_missing()
                if self._refused is not None:
                    raise LinkLostError(f"broker {self._broker.address} {self._refused}")
        finally:
            self._client.disconnect()
            self._client.loop_stop()

    def _wait_for_some(self) -> list[_Arrival]:
        arrivals = []
        try:
            arrivals.append(self._arrivals.get(timeout=_PATIENCE_S))
            while len(arrivals) < _MOST_AT_ONCE:
                arrivals.append(self._arrivals.get_nowait())
        except queue.Empty:
            pass
        return arrivals

    def _book(self, arrivals: list[_Arrival]) -> None:
        if not arrivals:
            return
        self.booked += self._store.take(arrival.message for arrival in arrivals)
        for arrival in arrivals:
            # A packet id means nothing on another connection; there the broker sends it again.
            if arrival.connection == self._connection:
                self._client.ack(arrival.packet_id, arrival.qos)

    def _ask_for_missing(self) -> None:
        now_s = time.monotonic()
        if self._repairs is None or now_s - self._looked_at_s < self._repairs.grace_s / 2:
            return
        self._looked_at_s = now_s
        for source, sequence in self._repairs.due(self._store.gaps(), now_s).items():
            site, table = source.split("/")[-2:]
            request = ResendRequest(from_sequence=sequence)
            logger.warning("%s: asked to send again from event %d on", source, sequence)
            self._client.publish(
                TableTopics(site, table).resend, request.model_dump_json().encode(), qos=1
            )

    # -- in paho's thread ------------------------------------------------------------------------

    def _on_connect(
        self, client: Client, _data: object, _flags: object, reason: ReasonCode, _rest: object
    ) -> None:
        if reason.is_failure:
            logger.warning("broker %s refuses us: %s", self._broker.address, refusal(reason))
            if not self._connection:
                self._refused = f"refuses the consumer: {refusal(reason)}"
            return
        self._connection += 1
        client.subscribe(self._filters)

    def _on_subscribe(
        self, _client: Client, _data: object, _id: int, reasons: list[ReasonCode], _rest: Any
    ) -> None:
        answers = zip(self._filters, reasons, strict=True)
        refused = [name for (name, _), reason in answers if reason.is_failure]
        if refused:
            self._refused = f"refuses the subscription to {', '.join(refused)}"
        else:
            self.subscribed += 1

    def _on_message(self, _client: Client, _data: object, message: MQTTMessage) -> None:
        arrived = Message(message.topic, bytes(message.payload))
        self._arrivals.put(_Arrival(self._connection, message.mid, message.qos, arrived))
