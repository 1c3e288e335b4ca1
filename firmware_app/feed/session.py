"""One connection to the broker, from CONNECT to its end: all of it in the link's own thread.

paho is used without its thread: this module waits on the socket and lets paho read and write.
So nothing can end the loop but its own code, acknowledgements and the outbox need no locks, and
a new client for each connection leaves paho no queue of its own to resend from. Order over a
reconnect comes from the outbox alone.
"""

from __future__ import annotations

import logging
import selectors
import socket
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from paho.mqtt.client import Client, ConnectFlags, DisconnectFlags
from paho.mqtt.enums import MQTTErrorCode
from paho.mqtt.properties import Properties
from paho.mqtt.reasoncodes import ReasonCode

from firmware_app.feed import status
from firmware_app.feed.connection import (
    LinkLostError,
    connect,
    event_properties,
    new_client,
    refusal,
)
from firmware_app.feed.mailbox import Doorbell, Mailbox
from firmware_app.feed.pump import Pacer, Pump
from firmware_app.feed.settings import FeedSettings

logger = logging.getLogger(__name__)

_TICK_S = 1.0
_LOOK_EVERY_S = 5.0
"""How often the outbox is looked at without a wake-up call, should one have been lost."""
_FAREWELL_S = 2.0
_PROTOCOL_BYTES = 64
"""Room for the header and properties of a PUBLISH, in comparing with the broker's limit."""


@dataclass(slots=True)
class Vitals:
    """What the link shows of itself to other threads. Written by the link's thread alone."""

    connected_at_s: float | None = None
    heard_at_s: float | None = None
    problem: str | None = None


class Session:
    """One connection. :meth:`run` returns when asked to stop, and raises when the link is lost."""

    def __init__(
        self,
        settings: FeedSettings,
        pump: Pump,
        mailbox: Mailbox,
        doorbell: Doorbell,
        vitals: Vitals,
        *,
        clock: Callable[[], float],
        stopping: Callable[[], bool],
        on_turn: Callable[[Pump], None],
    ) -> None:
        self._settings = settings
        self._topics = settings.topics
        self._pump = pump
        self._pacer = Pacer(settings.events_per_s)
        self._mailbox = mailbox
        self._doorbell = doorbell
        self._vitals = vitals
        self._clock = clock
        self._stopping = stopping
        self._on_turn = on_turn
        self._client = new_client(settings, settings.client_name)
        self._selector = selectors.DefaultSelector()
        self._watched = selectors.EVENT_READ
        self._window = settings.in_flight
        self._largest_bytes: int | None = None
        self._accepted = False
        self._lost: str | None = None
        self._stalled = False
        self._retained_in_flight: dict[int, str] = {}
        self._progress_at_s = clock()
        self._looked_at_s = clock()
        self._event_properties = event_properties(settings)

    # -- life ------------------------------------------------------------------------------------

    def run(self) -> None:
        """Connect, publish until asked to stop, then say goodbye.

        Raises :class:`LinkLostError` when the connection cannot be made or ends.
        """
        try:
            self._open()
            self._greet()
            while not self._stopping():
                self._publish_retained()
                self._publish_events()
                if self._pump.marking_due(self._clock()):
                    self._pump.mark(self._clock())
                self._on_turn(self._pump)
                self._turn(self._patience_s())
            self._farewell()
        finally:
            self._vitals.connected_at_s = None
            self._close()

    def _open(self) -> None:
        client = self._client
        client.on_connect = self._guarded(self._on_connect)
        client.on_disconnect = self._guarded(self._on_disconnect)
        client.on_publish = self._guarded(self._on_publish)
        # With this set, paho queues what is published; it is written in our own turn.
        client.on_socket_register_write = lambda *_: None
        # Our window is the smaller one. Were it ever not, paho refuses and nothing is lost.
        client.max_inflight_messages = self._settings.in_flight + 4
        client.max_queued_messages_set(self._settings.in_flight + 4)
        client.will_set(self._topics.status, status.LOST, qos=1, retain=True)
        connect(
            client,
            self._settings,
            keepalive_s=self._settings.keepalive_s,
            expiry_s=self._settings.session_expiry_s,
            timeout_s=self._settings.connect_timeout_s,
        )
        sock = client.socket()
        if not isinstance(sock, socket.socket):
            raise LinkLostError(f"broker {self._settings.address}: closed the connection at once")
        # An event is a few hundred bytes and complete: it must not wait for company.
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._selector.register(sock, self._watched)
        self._selector.register(self._doorbell, selectors.EVENT_READ)

    def _greet(self) -> None:
        deadline_s = self._clock() + self._settings.connect_timeout_s
        while not self._accepted:
            if self._stopping():
                return
            left_s = deadline_s - self._clock()
            if left_s <= 0:
                raise LinkLostError(f"broker {self._settings.address}: does not answer CONNECT")
            self._turn(min(left_s, _TICK_S))
        logger.info("connected to broker %s", self._settings.address)
        self._vitals.connected_at_s = self._clock()
        self._vitals.problem = None
        self._publish(self._topics.status, status.ONLINE)
        self._mailbox.refresh(self._topics.state)
        self._mailbox.refresh(self._topics.meters)
        self._mailbox.take(self._topics.health)  # from before the connection: stale

    def _farewell(self) -> None:
        if self._accepted:
            deadline_s = self._clock() + _FAREWELL_S
            self._publish(self._topics.status, status.STOPPED)
            while self._in_flight and (left_s := deadline_s - self._clock()) > 0:
                self._turn(left_s)
        self._pump.mark(self._clock())
        # A normal DISCONNECT: the broker forgets the will.
        self._client.disconnect()
        self._client.loop_write()

    def _close(self) -> None:
        self._selector.close()
        sock = self._client.socket()
        if sock is not None:
            sock.close()

    # -- publishing ------------------------------------------------------------------------------

    @property
    def _in_flight(self) -> int:
        return self._pump.in_flight + len(self._retained_in_flight)

    def _publish(self, topic: str, payload: bytes) -> None:
        info = self._client.publish(topic, payload, qos=1, retain=True, properties=None)
        if info.rc != MQTTErrorCode.MQTT_ERR_SUCCESS:
            raise LinkLostError(f"cannot publish {topic}: {info.rc.name}")
        self._retained_in_flight[info.mid] = topic

    def _publish_retained(self) -> None:
        busy = set(self._retained_in_flight.values())
        for topic in (self._topics.state, self._topics.meters):
            # One at a time on each topic: behind a slow broker only the latest is worth sending.
            if topic in busy or self._in_flight >= self._window:
                continue
            payload = self._mailbox.take(topic)
            if payload is not None and self._fits(topic, payload):
                self._publish(topic, payload)
        if not self._client.want_write():
            payload = self._mailbox.take(self._topics.health)
            if payload is not None and self._fits(self._topics.health, payload):
                self._client.publish(self._topics.health, payload, qos=0)

    def _publish_events(self) -> None:
        room = min(self._window - self._in_flight, self._pacer.allowance(self._clock()))
        if room <= 0:
            return
        if not self._pump.in_flight:
            self._progress_at_s = self._clock()
        self._stalled = False
        sent = 0
        while sent < room and (message := self._pump.next()) is not None:
            topic = self._topics.event(message.type)
            if not self._fits(topic, message.payload):
                self._stalled = True
                break
            info = self._client.publish(
                topic, message.payload, qos=1, properties=self._event_properties
            )
            if info.rc == MQTTErrorCode.MQTT_ERR_QUEUE_SIZE:
                self._stalled = True  # not taken: it stays the next one
                break
            if info.rc != MQTTErrorCode.MQTT_ERR_SUCCESS:
                raise LinkLostError(f"cannot publish: {info.rc.name}")
            self._pump.published(info.mid)
            sent += 1
        self._pacer.spend(sent)

    def _fits(self, topic: str, payload: bytes) -> bool:
        # Larger than the broker's limit, it would end the connection, and the next one too.
        if self._largest_bytes is None:
            return True
        size = len(payload) + len(topic) + _PROTOCOL_BYTES
        if size <= self._largest_bytes:
            return True
        problem = (
            f"a message of {size} bytes on {topic} is above the broker's limit of "
            f"{self._largest_bytes}: raise the broker's maximum packet size"
        )
        if self._vitals.problem != problem:
            logger.error("%s", problem)
        self._vitals.problem = problem
        return False

    # -- the network's turn ----------------------------------------------------------------------

    def _patience_s(self) -> float:
        """How long to wait on the socket: until something is due in any case."""
        if self._pump.waiting and not self._stalled and self._in_flight < self._window:
            return min(_TICK_S, self._pacer.wait_s())
        return _TICK_S

    def _turn(self, patience_s: float) -> None:
        """Write what is queued, wait up to ``patience_s``, read what is there."""
        client = self._client
        if client.want_write():
            client.loop_write()
        self._raise_if_lost()
        sock = client.socket()
        if sock is None:
            raise LinkLostError("connection lost")
        wanted = selectors.EVENT_READ
        if client.want_write():
            wanted |= selectors.EVENT_WRITE
        if wanted != self._watched:
            self._selector.modify(sock, wanted)
            self._watched = wanted
        # Decrypted bytes that TLS holds already do not make the socket readable.
        held = sock.pending() if hasattr(sock, "pending") else 0
        ready = self._selector.select(0 if held else patience_s)
        now_s = self._clock()
        readable = bool(held)
        for key, mask in ready:
            if key.fileobj is self._doorbell:
                self._doorbell.answer()
                self._look()
            elif mask & selectors.EVENT_READ:
                readable = True
        if now_s - self._looked_at_s >= _LOOK_EVERY_S:
            self._look()
        if readable:
            code = client.loop_read()
            self._raise_if_lost()
            if code != MQTTErrorCode.MQTT_ERR_SUCCESS:
                raise LinkLostError(f"connection lost: {code.name}")
            self._vitals.heard_at_s = now_s
        client.loop_misc()
        self._raise_if_lost()
        if self._pump.in_flight and now_s - self._progress_at_s > self._settings.ack_timeout_s:
            raise LinkLostError(f"no acknowledgement for {self._settings.ack_timeout_s:g} s")

    def _look(self) -> None:
        self._looked_at_s = self._clock()
        self._pump.look_again()

    def _raise_if_lost(self) -> None:
        if self._lost is not None:
            raise LinkLostError(self._lost)

    # -- callbacks: called by paho within our own turn ---------------------------------------------

    def _guarded(self, handler: Callable[..., None]) -> Callable[..., None]:
        """Turn an error in ``handler`` into the end of this connection, with a reason."""

        def call(*arguments: Any) -> None:
            try:
                handler(*arguments)
            except Exception as error:
                logger.exception("the feed's %s failed", handler.__name__)
                self._lost = f"{handler.__name__} failed: {error}"

        return call

    def _on_connect(
        self,
        _client: Client,
        _userdata: object,
        _flags: ConnectFlags,
        reason: ReasonCode,
        properties: Properties | None,
    ) -> None:
        if reason.is_failure:
            self._lost = f"broker {self._settings.address} refuses us: {refusal(reason)}"
            return
        self._accepted = True
        self._window = min(self._window, getattr(properties, "ReceiveMaximum", self._window))
        self._largest_bytes = getattr(properties, "MaximumPacketSize", None)

    def _on_disconnect(
        self,
        _client: Client,
        _userdata: object,
        flags: DisconnectFlags,
        reason: ReasonCode,
        _properties: Properties | None,
    ) -> None:
        if self._lost is None:
            by = "broker ended the connection" if flags.is_disconnect_packet_from_server else "lost"
            self._lost = f"{by}: {refusal(reason)}"

    def _on_publish(
        self,
        _client: Client,
        _userdata: object,
        packet_id: int,
        reason: ReasonCode,
        _properties: Properties | None,
    ) -> None:
        if reason.is_failure:
            # Not stored by the broker. The next connection begins with it again, in order.
            self._lost = f"broker refuses a message: {refusal(reason)}"
            return
        now_s = self._clock()
        if self._pump.acknowledged(packet_id, now_s):
            self._progress_at_s = now_s
        else:
            self._retained_in_flight.pop(packet_id, None)
