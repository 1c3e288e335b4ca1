"""What is said over one connection: the birth, the retained messages, the events in order.

Order over a reconnect comes from the outbox alone: a new session begins with the first message
that is not acknowledged.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from firmware_app.feed import status
from firmware_app.feed.connection import LinkLostError
from firmware_app.feed.mailbox import Doorbell, Mailbox
from firmware_app.feed.outbox import Message
from firmware_app.feed.pacer import Pacer
from firmware_app.feed.pump import Pump
from firmware_app.feed.requests import RequestError, parse_resend
from firmware_app.feed.settings import FeedSettings
from firmware_app.feed.wire import Wire

logger = logging.getLogger(__name__)

_TICK_S = 1.0
_LOOK_EVERY_S = 5.0
"""How often the outbox is looked at without a wake-up call, should one have been lost."""
_FAREWELL_S = 2.0
_EVENTS_PER_WRITE = 8
"""In a backlog, the broker works on these while the next are prepared."""


@dataclass(slots=True)
class Vitals:
    """What the link shows of itself to other threads. Written by the one that may publish."""

    connected: bool = False
    accepted_at_s: float | None = None
    heard_at_s: float | None = None
    problem: str | None = None


class Session:
    """One connection. :meth:`run` returns when asked to stop, and raises when the link is lost.

    ``on_turn`` is called at each turn of the loop: at least once a second, and whenever the
    doorbell rings or the broker answers.
    """

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
        self._vitals = vitals
        self._clock = clock
        self._stopping = stopping
        self._on_turn = on_turn
        self._wire = Wire(settings, doorbell, self._on_answer, self._on_request, clock=clock)
        self._stalled = False
        self._refused: str | None = None
        self._retained_in_flight: dict[int, str] = {}
        self._progress_at_s = clock()
        self._looked_at_s = clock()
        # Held by the thread that runs the session, but for the time that it waits: with it goes
        # the right to publish. A session that ended keeps it for good.
        self._right_to_publish = threading.Lock()
        self._right_to_publish.acquire()

    def run(self) -> None:
        """Connect, publish until asked to stop, then say goodbye.

        Raises :class:`LinkLostError` when the connection cannot be made or ends.
        """
        goodbye = False
        try:
            if not self._wire.open(
                will_topic=self._topics.status, will=status.LOST, stopping=self._stopping
            ):
                return
            self._greet()
            while not self._stopping():
                self._publish_retained()
                self._publish_events()
                self._on_turn(self._pump)
                self._turn(self._patience_s(), self._right_to_publish)
            self._farewell()
            goodbye = True
        finally:
            self._vitals.connected = False
            self._wire.close(goodbye=goodbye)

    def publish_at_once(self, messages: Sequence[Message]) -> bool:
        """Publish what was committed just now, in the calling thread: it spares a change of thread.

        False where something is left to do for the thread that runs the session, which must be
        told: it is busy, messages from before come first, or the network does not take all. Never
        waits.
        """
        if not self._right_to_publish.acquire(blocking=False):
            return False
        try:
            if not self._pump.offer(messages):
                return False
            self._publish_events()
            self._wire.write()
            return not (self._pump.waiting or self._wire.unfinished)
        except LinkLostError:
            return False  # the thread that runs the session finds it out too
        finally:
            self._right_to_publish.release()

    @property
    def awaits_answer(self) -> bool:
        """Whether the broker has yet to acknowledge an event, which makes the loop turn."""
        return self._pump.in_flight > 0

    def _greet(self) -> None:
        logger.info("connected to broker %s", self._settings.address)
        self._vitals.connected = True
        self._vitals.accepted_at_s = self._clock()
        self._vitals.problem = None
        self._say(self._topics.status, status.ONLINE)
        if self._settings.accept_resend_requests:
            self._wire.subscribe(self._topics.resend)
        self._mailbox.refresh(self._topics.state)
        self._mailbox.refresh(self._topics.meters)
        self._mailbox.take(self._topics.health)  # from before the connection: stale

    def _farewell(self) -> None:
        deadline_s = self._clock() + _FAREWELL_S
        self._say(self._topics.status, status.STOPPED)
        while self._in_flight and (left_s := deadline_s - self._clock()) > 0:
            self._turn(left_s)

    # -- publishing ------------------------------------------------------------------------------

    @property
    def _in_flight(self) -> int:
        return self._pump.in_flight + len(self._retained_in_flight)

    def _say(self, topic: str, payload: bytes) -> None:
        packet_id = self._wire.publish_retained(topic, payload)
        if packet_id is not None:
            self._retained_in_flight[packet_id] = topic

    def _publish_retained(self) -> None:
        busy = self._retained_in_flight.values()
        for topic in (self._topics.state, self._topics.meters):
            # One at a time on each topic: behind a slow broker only the latest is worth sending.
            if topic in busy or self._in_flight >= self._wire.window:
                continue
            payload = self._mailbox.take(topic)
            if payload is not None and self._fits(topic, payload):
                self._say(topic, payload)
        payload = self._mailbox.take(self._topics.health)
        if payload is not None and self._fits(self._topics.health, payload):
            self._wire.publish_unheeded(self._topics.health, payload)

    def _publish_events(self) -> None:
        room = min(self._wire.window - self._in_flight, self._pacer.allowance(self._clock()))
        if room <= 0:
            return
        if not self._pump.in_flight:
            self._progress_at_s = self._clock()
        self._stalled = False
        sent = 0
        while sent < room and (message := self._pump.next()) is not None:
            topic = self._topics.event(message.type)
            packet_id = None
            if self._fits(topic, message.payload):
                packet_id = self._wire.publish_event(topic, message.payload)
            if packet_id is None:
                self._stalled = True  # it stays the next one
                break
            self._pump.published(packet_id)
            sent += 1
            if sent % _EVENTS_PER_WRITE == 0:
                self._wire.write()
        self._pacer.spend(sent)

    def _fits(self, topic: str, payload: bytes) -> bool:
        # Above the broker's limit, it would end this connection, and the next one, for ever.
        excess = self._wire.excess_bytes(topic, payload)
        if excess:
            self._complain(
                f"a message on {topic} is {excess} bytes above the broker's limit of "
                f"{self._wire.largest_bytes}: raise the broker's maximum packet size"
            )
        return not excess

    def _complain(self, problem: str) -> None:
        if self._vitals.problem != problem:
            logger.error("%s", problem)
        self._vitals.problem = problem

    # -- the network's turn ----------------------------------------------------------------------

    def _patience_s(self) -> float:
        """How long to wait on the socket: until something is due in any case."""
        room = self._in_flight < self._wire.window
        if self._pump.waiting and room and not self._stalled:
            return min(_TICK_S, self._pacer.wait_s())
        return _TICK_S

    def _turn(self, patience_s: float, right_to_publish: threading.Lock | None = None) -> None:
        rung = self._wire.turn(patience_s, right_to_publish)
        self._vitals.heard_at_s = self._wire.heard_at_s
        now_s = self._clock()
        self._pump.settle(now_s)
        if self._refused is not None:
            # Not stored by the broker. The next connection begins with it again, in order.
            raise LinkLostError(f"broker refuses an event: {self._refused}")
        if rung or now_s - self._looked_at_s >= _LOOK_EVERY_S:
            self._looked_at_s = now_s
            self._pump.look_again()
        if self._pump.in_flight and now_s - self._progress_at_s > self._settings.ack_timeout_s:
            raise LinkLostError(f"no acknowledgement for {self._settings.ack_timeout_s:g} s")

    def _on_answer(self, packet_id: int, refused: str | None) -> None:
        topic = self._retained_in_flight.pop(packet_id, None)
        if topic is not None:
            if refused is not None:
                self._complain(f"broker refuses a message on {topic}: {refused}")
        elif refused is not None:
            self._refused = refused
        elif self._refused is None:
            # After a refusal nothing more is taken as sent: it would stand before the refused one.
            self._progress_at_s = self._clock()
            self._pump.acknowledged(packet_id)

    def _on_request(self, payload: bytes, retained: bool) -> None:
        if not self._settings.accept_resend_requests:
            # A broker remembers a subscription from when it was allowed, and may be anybody's.
            logger.warning("%s: refused, accept_resend_requests is off", self._topics.resend)
            return
        if retained:
            # It would come again with every connection, and everything be sent again each time.
            logger.warning("%s: a retained request is refused, clear it", self._topics.resend)
            return
        try:
            request = parse_resend(payload)
        except RequestError as error:
            logger.warning("%s: %s", self._topics.resend, error)
        else:
            self._pump.resend(request.from_sequence)
