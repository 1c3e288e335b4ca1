"""One MQTT connection, driven by the thread that uses it.

paho is used without its thread: :meth:`Wire.turn` waits on the socket and lets paho read and
write. So nothing can end the loop but the caller's own code, one lock is enough for another thread
to publish too, and a new client for each connection leaves paho no queue of its own to resend from.
"""

from __future__ import annotations

import logging
import selectors
import socket
import threading
import time
from collections.abc import Callable
from typing import Any

from paho.mqtt.client import Client, ConnectFlags, DisconnectFlags, MQTTMessage
from paho.mqtt.enums import MQTTErrorCode
from paho.mqtt.properties import Properties
from paho.mqtt.reasoncodes import ReasonCode

from firmware_app.feed.connection import (
    LinkLostError,
    connect,
    event_properties,
    new_client,
    refusal,
    unanswered,
)
from firmware_app.feed.mailbox import Doorbell
from firmware_app.feed.settings import FeedSettings

logger = logging.getLogger(__name__)

_RETAINED_TOPICS = 3
"""The status, state and meters: one message each may be under way beside the events."""
_TCP_CORK: int | None = getattr(socket, "TCP_CORK", None)  # Linux alone has it
_TCP_QUICKACK: int | None = getattr(socket, "TCP_QUICKACK", None)
_PROTOCOL_BYTES = 64
"""Room for the header and properties of a PUBLISH, in comparing with the broker's limit."""


class Wire:
    """A connection to the broker.

    ``on_answer(packet_id, refused)`` is called for each acknowledgement; ``refused`` is None, or
    the broker's reason for not taking the message. ``on_message(payload, retained)`` is called for
    what arrives; ``retained`` says that it was left there before.

    Not thread-safe, but for what :meth:`turn` says of its wait. Whatever finds the connection at
    an end raises :class:`LinkLostError`.
    """

    def __init__(
        self,
        settings: FeedSettings,
        doorbell: Doorbell,
        on_answer: Callable[[int, str | None], None],
        on_message: Callable[[bytes, bool], None],
        *,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._settings = settings
        self._doorbell = doorbell
        self._on_answer = on_answer
        self._on_payload = on_message
        self._clock = clock
        self._client = new_client(settings, settings.client_name)
        self._event_properties = event_properties(settings)
        self._selector = selectors.DefaultSelector()
        self._watched = selectors.EVENT_READ
        self._accepted = False
        self._lost: str | None = None
        self._unwritten = 0
        self.heard_at_s: float | None = None
        """When the broker last sent anything, by ``clock``."""
        self.window = settings.in_flight
        """How many messages may wait for an acknowledgement: ours, or the broker's limit."""
        self.largest_bytes: int | None = None
        """The largest message that the broker takes; None where it sets no limit."""

    def open(self, *, will_topic: str, will: bytes, stopping: Callable[[], bool]) -> bool:
        """Connect and wait until the broker accepts; False if asked to stop before it did.

        ``will`` is what the broker says on ``will_topic`` if the table vanishes.
        """
        client = self._client
        client.on_connect = self._guarded(self._on_connect)
        client.on_disconnect = self._guarded(self._on_disconnect)
        client.on_publish = self._guarded(self._on_publish)
        client.on_message = self._guarded(self._on_message)
        # With this set, paho queues what is published; it is written in our own turn.
        client.on_socket_register_write = lambda *_: None
        # The window is ours to keep, and paho need not look for queued messages at each answer.
        # Were it ever too wide, paho refuses the message and nothing is lost.
        client.max_inflight_messages = 0
        client.max_queued_messages_set(self._settings.in_flight + _RETAINED_TOPICS)
        client.will_set(will_topic, will, qos=1, retain=True)
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
        deadline_s = self._clock() + self._settings.connect_timeout_s
        while not (self._accepted or stopping()):
            left_s = deadline_s - self._clock()
            if left_s <= 0:
                raise LinkLostError(f"broker {self._settings.address}: does not answer CONNECT")
            self.turn(left_s)
        return self._accepted

    def close(self, *, goodbye: bool) -> None:
        """End the connection; with ``goodbye`` the broker forgets the will."""
        if goodbye:
            self._client.disconnect()
            self._client.loop_write()
        self._selector.close()
        sock = self._client.socket()
        if sock is not None:
            sock.close()

    # -- publishing ------------------------------------------------------------------------------

    def publish_event(self, topic: str, payload: bytes) -> int | None:
        """Queue an event at QoS 1; return its packet id, None where it must wait."""
        return self._publish(topic, payload, retain=False, properties=self._event_properties)

    def publish_retained(self, topic: str, payload: bytes) -> int | None:
        """Queue a retained message at QoS 1; return its packet id, None where it must wait."""
        return self._publish(topic, payload, retain=True, properties=None)

    def publish_unheeded(self, topic: str, payload: bytes) -> None:
        """Publish at QoS 0, unless earlier messages still wait to be written."""
        if not self._client.want_write():
            self._client.publish(topic, payload, qos=0)

    def subscribe(self, topic: str) -> None:
        """Ask for the messages on ``topic``, at QoS 1."""
        self._client.subscribe(topic, qos=1)

    def excess_bytes(self, topic: str, payload: bytes) -> int:
        """Return by how many bytes a message is above the broker's limit, 0 if it fits."""
        if self.largest_bytes is None:
            return 0
        return max(0, len(payload) + len(topic) + _PROTOCOL_BYTES - self.largest_bytes)

    def _publish(
        self, topic: str, payload: bytes, *, retain: bool, properties: Properties | None
    ) -> int | None:
        info = self._client.publish(topic, payload, qos=1, retain=retain, properties=properties)
        if info.rc == MQTTErrorCode.MQTT_ERR_QUEUE_SIZE:
            return None
        if info.rc != MQTTErrorCode.MQTT_ERR_SUCCESS:
            raise LinkLostError(f"cannot publish: {info.rc.name}")
        self._unwritten += 1
        return info.mid

    # -- the network's turn ----------------------------------------------------------------------

    def write(self) -> None:
        """Write what is queued, as far as the network takes it now."""
        several, self._unwritten = self._unwritten > 1, 0
        if not self._client.want_write():
            return
        # paho writes message by message; the kernel is to send them together.
        if several:
            self._cork(True)
        self._client.loop_write()
        if several:
            self._cork(False)

    @property
    def unfinished(self) -> bool:
        """Whether there is something to do for :meth:`turn` that no answer will call it to."""
        return self._lost is not None or self._client.want_write()

    def turn(self, patience_s: float, right_to_publish: threading.Lock | None = None) -> bool:
        """Write what is queued, wait up to ``patience_s``, read what is there.

        ``right_to_publish`` is let go for the time of the wait: another thread that holds it then
        may publish and :meth:`write`. Returns whether the doorbell was rung.
        """
        client = self._client
        self.write()
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
        readable = hasattr(sock, "pending") and sock.pending() > 0
        rung = False
        for key, mask in self._waited(0 if readable else patience_s, right_to_publish):
            if key.fileobj is self._doorbell:
                rung = self._doorbell.answer()
            elif mask & selectors.EVENT_READ:
                readable = True
        if readable:
            code = client.loop_read()
            self._raise_if_lost()
            if code != MQTTErrorCode.MQTT_ERR_SUCCESS:
                raise LinkLostError(f"connection lost: {code.name}")
            self._confirm_at_once()
            self.heard_at_s = self._clock()
        client.loop_misc()
        self._raise_if_lost()
        return rung

    def _waited(
        self, patience_s: float, right_to_publish: threading.Lock | None
    ) -> list[tuple[selectors.SelectorKey, int]]:
        if right_to_publish is None:
            return self._selector.select(patience_s)
        right_to_publish.release()
        try:
            return self._selector.select(patience_s)
        finally:
            right_to_publish.acquire()

    def _cork(self, closed: bool) -> None:
        sock = self._client.socket()
        if _TCP_CORK is not None and isinstance(sock, socket.socket):
            sock.setsockopt(socket.IPPROTO_TCP, _TCP_CORK, closed)

    def _confirm_at_once(self) -> None:
        """Have the kernel confirm what was read now, and not with what we send next.

        Where the broker's side gathers small packets, its next acknowledgement waits for that: 40
        ms whenever an event and the state go out together. The kernel forgets the wish by itself.
        """
        sock = self._client.socket()
        if _TCP_QUICKACK is not None and isinstance(sock, socket.socket):
            sock.setsockopt(socket.IPPROTO_TCP, _TCP_QUICKACK, True)

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
            self._lost = f"broker {self._settings.address} refuses the table: {refusal(reason)}"
            return
        self._accepted = True
        self.window = min(self.window, getattr(properties, "ReceiveMaximum", self.window))
        self.largest_bytes = getattr(properties, "MaximumPacketSize", None)

    def _on_disconnect(
        self,
        _client: Client,
        _userdata: object,
        flags: DisconnectFlags,
        reason: ReasonCode,
        _properties: Properties | None,
    ) -> None:
        if self._lost is not None:
            return
        if flags.is_disconnect_packet_from_server:
            self._lost = f"broker ended the connection: {refusal(reason)}"
        elif self._accepted:
            self._lost = f"connection to the broker lost: {refusal(reason)}"
        else:
            self._lost = unanswered(self._settings)

    def _on_publish(
        self,
        _client: Client,
        _userdata: object,
        packet_id: int,
        reason: ReasonCode,
        _properties: Properties | None,
    ) -> None:
        self._on_answer(packet_id, refusal(reason) if reason.is_failure else None)

    def _on_message(self, _client: Client, _userdata: object, message: MQTTMessage) -> None:
        self._on_payload(bytes(message.payload), message.retain)
