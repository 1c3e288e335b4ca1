"""The table's link to the broker: keeps a connection, and never makes the table wait.

Two threads. The feed thread owns the connection and the outbox; while it waits for the network,
whoever commits may publish what was committed, without waiting. The supervisor does nothing but
wait for the feed thread to end, and starts another if it was not asked to.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from firmware_app.feed.backoff import Backoff
from firmware_app.feed.connection import LinkLostError
from firmware_app.feed.mailbox import Doorbell, Mailbox
from firmware_app.feed.outbox import Message, Outbox
from firmware_app.feed.pump import Pump
from firmware_app.feed.session import Session, Vitals
from firmware_app.feed.settings import FeedSettings

logger = logging.getLogger(__name__)

_RESTART_AFTER_S = 1.0
_COUNT_EVERY_S = 5.0
_STEADY_AFTER_S = 10.0
"""A connection that held this long ends a series of failures. One that is made and lost at once,
as with a client id used twice, must not be retried at full speed."""


@dataclass(frozen=True, slots=True)
class LinkHealth:
    """How the link does. Ages in seconds; None where it has not happened yet.

    ``answer_age_s`` is the time since the broker last sent anything: an acknowledgement, a ping's
    answer. ``unsent`` is the outbox's count when last looked at.
    """

    alive: bool
    connected: bool
    answer_age_s: float | None
    unsent: int | None
    problem: str | None
    restarts: int
    answer_limit_s: float

    @property
    def ok(self) -> bool:
        """Whether events flow, as far as can be known without asking the broker again."""
        return (
            self.alive
            and self.connected
            and self.problem is None
            and self.answer_age_s is not None
            and self.answer_age_s <= self.answer_limit_s
        )


class Link:
    """Publishes the outbox and the retained messages. Every method returns at once but those
    with a time-out.

    ``open_outbox`` is called in the feed thread, again after each restart of it: a SQLite
    connection stays with the thread that made it.
    """

    def __init__(
        self,
        settings: FeedSettings,
        open_outbox: Callable[[], Outbox],
        *,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._settings = settings
        self._topics = settings.topics
        self._open_outbox = open_outbox
        self._clock = clock
        self._backoff = Backoff(settings.retry_first_s, settings.retry_cap_s)
        self._mailbox = Mailbox()
        self._doorbell = Doorbell()
        self._vitals = Vitals()
        self._stop = threading.Event()
        self._supervisor: threading.Thread | None = None
        self._worker: threading.Thread | None = None
        self._session: Session | None = None
        self._restarts = 0
        self._reported: set[str] = set()
        self._unsent: int | None = None
        self._resend_from: int | None = None
        self._flush = threading.Condition()
        self._flush_wanted = 0
        self._flush_looked = 0
        self._flush_done = 0
        self._counted_at_s = clock()

    # -- for the table ---------------------------------------------------------------------------

    def start(self) -> None:
        """Start the threads. The broker need not be there. Raises RuntimeError if called twice."""
        if self._supervisor is not None:
            raise RuntimeError("the link is started already")
        self._supervisor = threading.Thread(
            target=self._supervise, name="feed-supervisor", daemon=True
        )
        self._supervisor.start()

    def stop(self, timeout_s: float) -> bool:
        """Say goodbye to the broker and end the threads; False if they did not within the time.

        What is not sent stays in the outbox.
        """
        self._stop.set()
        self._doorbell.ring()
        if self._supervisor is not None:
            self._supervisor.join(timeout_s)
            if self._supervisor.is_alive():
                return False
        self._doorbell.close()
        return True

    def committed(self, messages: Sequence[Message]) -> None:
        """Tell the link what was just committed to the outbox, in the order of the commits.

        It is published here and now where the connection is free and nothing else comes first.
        """
        if messages and not (self._session and self._session.publish_at_once(messages)):
            self._doorbell.ring()

    def wake(self) -> None:
        """Tell the link that the outbox may hold something new."""
        self._doorbell.ring()

    def publish_state(self, payload: bytes) -> None:
        """Publish the retained state. A newer one replaces one that has not gone out yet."""
        self._post(self._topics.state, payload)

    def publish_meters(self, payload: bytes) -> None:
        """Publish the retained meters. A newer one replaces one that has not gone out yet."""
        self._post(self._topics.meters, payload)

    def publish_health(self, payload: bytes) -> None:
        """Publish the health at QoS 0: only what is said while connected is heard."""
        self._post(self._topics.health, payload)

    def resend(self, from_sequence: int) -> None:
        """Send every event from ``from_sequence`` on once more, as far as it is kept."""
        self._resend_from = from_sequence
        self._doorbell.ring()

    def flush(self, timeout_s: float) -> bool:
        """Wait until all that is committed now is acknowledged; False if it took too long."""
        with self._flush:
            self._flush_wanted += 1
            wanted = self._flush_wanted
            self._doorbell.ring()
            return self._flush.wait_for(lambda: self._flush_done >= wanted, timeout_s)

    def health(self) -> LinkHealth:
        """Return how the link does."""
        heard_at_s = self._vitals.heard_at_s
        supervisor, worker = self._supervisor, self._worker
        return LinkHealth(
            alive=(
                supervisor is not None
                and supervisor.is_alive()
                and worker is not None
                and worker.is_alive()
            ),
            connected=self._vitals.connected,
            answer_age_s=None if heard_at_s is None else self._clock() - heard_at_s,
            unsent=self._unsent,
            problem=self._vitals.problem,
            restarts=self._restarts,
            answer_limit_s=2.0 * self._settings.keepalive_s,
        )

    def _post(self, topic: str, payload: bytes) -> None:
        self._mailbox.put(topic, payload)
        # An answer to come will have the feed thread look into the mailbox as well.
        if self._session is None or not self._session.awaits_answer:
            self._doorbell.ring()

    # -- threads -----------------------------------------------------------------------------------

    def _supervise(self) -> None:
        while True:
            try:
                self._worker = threading.Thread(target=self._work, name="feed", daemon=True)
                self._worker.start()
                self._worker.join()
            except RuntimeError:
                logger.exception("the feed thread cannot be started")
            if self._stop.wait(_RESTART_AFTER_S):
                return
            self._restarts += 1
            logger.error("the feed thread has ended by itself and is started again")

    def _work(self) -> None:
        outbox = self._opened_outbox()
        if outbox is None:
            return
        try:
            self._keep_connected(Pump(outbox))
        finally:
            self._vitals.connected = False
            outbox.close()

    def _opened_outbox(self) -> Outbox | None:
        """Return the outbox as soon as it can be opened; None if asked to stop before."""
        failures = 0
        while not self._stop.is_set():
            try:
                return self._open_outbox()
            except Exception as error:
                self._report(f"the outbox cannot be opened: {error}")
            self._stop.wait(self._backoff.delay_s(failures))
            failures += 1
        return None

    def _keep_connected(self, pump: Pump) -> None:
        failures = turn = 0
        while not self._stop.is_set():
            self._vitals.accepted_at_s = None
            try:
                self._run_session(pump, self._settings.node(turn))
            except LinkLostError as error:
                self._report(str(error))
            except Exception as error:
                logger.exception("the feed's connection failed")
                self._report(f"{type(error).__name__}: {error}")
            accepted_at_s = self._vitals.accepted_at_s
            if accepted_at_s is not None and self._clock() - accepted_at_s >= _STEADY_AFTER_S:
                failures = 0
                self._reported.clear()
            self._stop.wait(self._backoff.delay_s(failures))
            failures += 1
            turn += 1

    def _run_session(self, pump: Pump, settings: FeedSettings) -> None:
        pump.rewind()
        self._count(pump)
        self._session = Session(
            settings,
            pump,
            self._mailbox,
            self._doorbell,
            self._vitals,
            clock=self._clock,
            stopping=self._stop.is_set,
            on_turn=self._on_turn,
        )
        self._session.run()

    def _report(self, problem: str) -> None:
        # The same failures every 20 s for a week are a line each, not thirty thousand.
        level = logging.DEBUG if problem in self._reported else logging.WARNING
        logger.log(level, "%s", problem)
        self._reported.add(problem)
        self._vitals.problem = problem

    def _on_turn(self, pump: Pump) -> None:
        if self._clock() - self._counted_at_s >= _COUNT_EVERY_S:
            self._count(pump)
        resend_from, self._resend_from = self._resend_from, None
        if resend_from is not None:
            pump.resend(resend_from)
        wanted = self._flush_wanted
        if wanted == self._flush_done:
            return
        if wanted != self._flush_looked:
            self._flush_looked = wanted
            pump.look_again()
        elif pump.quiet:
            self._count(pump)
            with self._flush:
                self._flush_done = wanted
                self._flush.notify_all()

    def _count(self, pump: Pump) -> None:
        self._counted_at_s = self._clock()
        self._unsent = pump.unsent()
