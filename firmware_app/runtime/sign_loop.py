"""The main thread's loop: feeds the sign, looks after health, and ends on a signal.

The engine leaves views here and never waits; the sign takes the latest when it comes round.
"""

from __future__ import annotations

import logging
import math
import queue
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from typing import TypeVar

from firmware_app.signage.past_rounds import RoundSummary
from firmware_app.signage.window import SignWindow
from firmware_app.table.values import StopReason
from firmware_app.table.view import TableView
from hw.health import Reading

log = logging.getLogger(__name__)

_Result = TypeVar("_Result")

HEARTBEAT_S = 1.0
"""The loop comes round at least this often, so that the watchdog can see it alive."""
RECALL_S = 30.0
"""How long the last rounds stay on the sign where nothing happens at the table."""


class SignLoop:
    """Owns the sign on the thread that calls :meth:`run`; other methods are for any thread."""

    def __init__(self, window: SignWindow) -> None:
        self._window = window
        self._latest: TableView | None = None
        self._shown: TableView | None = None
        self._asked_for: tuple[RoundSummary, ...] = ()
        self._recall_ends_s: float | None = None
        self._jobs: queue.SimpleQueue[Callable[[], None]] = queue.SimpleQueue()
        self._wake = threading.Event()
        self._stop = threading.Event()
        self.last_turn_ns = time.monotonic_ns()
        self.stop_reason: StopReason = "closed"

    def show(self, view: TableView) -> None:
        """Leave ``view`` for the sign. Observers of the engine are called so."""
        self._latest = view
        self._wake.set()

    def recall(self, rounds: tuple[RoundSummary, ...]) -> None:
        """Show ``rounds`` until something happens at the table, or for :data:`RECALL_S`."""
        self._asked_for = rounds
        self._wake.set()

    def health(self) -> tuple[Reading, ...]:
        """Tell whether players see the sign."""
        status = self._window.status
        if status.state == "down":
            detail = f"{status.detail or 'no display'}; check the screen and its cable"
            return (Reading("display", "failed", detail),)
        return (Reading("display", "ok", status.detail or status.state),)

    def stop(self, reason: StopReason = "closed") -> None:
        """End the loop; ``reason`` is why."""
        self.stop_reason = reason
        self._stop.set()
        self._wake.set()

    def call(self, job: Callable[[SignWindow], _Result], timeout_s: float) -> _Result:
        """Run ``job`` with the window on the loop's thread, and return what it returns.

        Raises what ``job`` raises, and TimeoutError when the loop did not come to it in time.
        """
        done: Future[_Result] = Future()

        def run() -> None:
            try:
                done.set_result(job(self._window))
            except Exception as error:
                done.set_exception(error)

        self._jobs.put(run)
        self._wake.set()
        return done.result(timeout_s)

    def run(self, every_turn: Callable[[], None]) -> None:
        """Serve the sign until :meth:`stop`; no fault of the display ends the loop.

        ``every_turn`` is called at least once a second, on this thread.
        """
        self._window.open()
        try:
            while not self._stop.is_set():
                self.last_turn_ns = time.monotonic_ns()
                wait_s = self._turn(every_turn)
                self._wake.wait(wait_s)
        finally:
            self._window.close()

    def _turn(self, every_turn: Callable[[], None]) -> float:
        self._wake.clear()
        try:
            recall_s = self._take_views()
            while not self._jobs.empty():
                self._jobs.get()()
            every_turn()
            wanted_s = self._window.tick(time.monotonic_ns())
        except Exception:
            # The sign is a guest here: whatever it does, the loop and the table go on.
            log.exception("a turn of the main loop failed")
            return HEARTBEAT_S
        return min(HEARTBEAT_S if wanted_s is None else wanted_s, HEARTBEAT_S, recall_s)

    def _take_views(self) -> float:
        """Put on the sign what was left for it; return how long a recall stays, if there is one.

        A view equal to the one before says that nothing happened: the table repeats its views.
        """
        latest, self._latest = self._latest, None
        rounds, self._asked_for = self._asked_for, ()
        now_s = time.monotonic()
        ended = self._recall_ends_s is not None and now_s >= self._recall_ends_s
        if latest is not None and latest != self._shown:
            self._shown, ended = latest, True
        if self._shown is None:
            return math.inf
        if rounds:
            self._recall_ends_s = now_s + RECALL_S
            self._window.show_rounds(self._shown, rounds)
        elif ended:
            self._recall_ends_s = None
            self._window.show(self._shown)
        return math.inf if self._recall_ends_s is None else self._recall_ends_s - now_s
