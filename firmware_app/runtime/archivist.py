"""The archivist: a thread that moves old entries out of the journal while nothing waits for it.

It looks a few times a day and mostly finds nothing to do. What it does comes in small steps with
pauses between, and only between rounds or while bets are placed, so that no commit of a round waits
longer than for another one. That it cannot go on is a warning and no alarm: everything is still in
the journal, and it tries again.
"""

from __future__ import annotations

import logging
import sqlite3
import threading
from collections.abc import Callable, Generator, Iterator
from contextlib import closing
from typing import Final

from firmware_app.journal.errors import JournalError
from hw.health import Reading

log = logging.getLogger(__name__)

FIRST_AFTER_S: Final = 60.0
"""A start has other things to do than to clean up."""
LOOK_EVERY_S: Final = 3_600.0
PAUSE_S: Final = 0.1
_END: Final = object()


class Archivist:
    """Takes ``steps`` of archiving, begun anew at every look, whenever ``quiet`` says so."""

    def __init__(
        self,
        steps: Callable[[], Generator[None, None, None]],
        quiet: Callable[[], bool],
        *,
        first_after_s: float = FIRST_AFTER_S,
        look_every_s: float = LOOK_EVERY_S,
        pause_s: float = PAUSE_S,
    ) -> None:
        self._steps = steps
        self._quiet = quiet
        self._first_after_s = first_after_s
        self._look_every_s = look_every_s
        self._pause_s = pause_s
        self._stopping = threading.Event()
        self._fault: str | None = None
        self._thread = threading.Thread(target=self._run, name="archivist", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self, timeout_s: float) -> bool:
        """Let the present step end; False where it did not in time."""
        self._stopping.set()
        if self._thread.ident is not None:
            self._thread.join(timeout_s)
        return not self._thread.is_alive()

    def health(self) -> Iterator[Reading]:
        """Tell whether old entries could be archived at the last look."""
        if self._fault is None:
            yield Reading("archive", "ok", "old entries are archived when they are due")
        else:
            yield Reading("archive", "warning", self._fault)

    def _run(self) -> None:
        wait_s = self._first_after_s
        while not self._stopping.wait(wait_s):
            wait_s = self._look_every_s
            try:
                self._look()
            except (JournalError, OSError, sqlite3.Error) as error:
                self._report(str(error))
            except Exception as error:
                # Whatever it was, the thread goes on: years of entries must not stay for one fault.
                log.exception("archiving failed")
                self._report(f"archiving failed ({type(error).__name__})")
            else:
                self._fault = None

    def _look(self) -> None:
        # Closed at once, not when it is collected: that takes an unfinished file away.
        with closing(self._steps()) as steps:
            while self._may_go_on():
                if next(steps, _END) is _END:
                    return

    def _may_go_on(self) -> bool:
        """Wait for the next moment at which nothing waits for the journal; False to stop."""
        while not self._stopping.wait(self._pause_s):
            if self._quiet():
                return True
        return False

    def _report(self, fault: str) -> None:
        if fault != self._fault:
            log.warning("%s", fault)
        self._fault = fault
