"""Whether the reader is up, and telling so once per change. No port, no clock, no thread.

    closed ──opened──▶ waiting ──good sentence──▶ up
    waiting, up ──no good sentence for the beat limit──▶ silent
    waiting, up, silent ──only garbage for UNREADABLE_AFTER_NS──▶ unreadable
    silent, unreadable ──good sentence──▶ up              any ──port lost──▶ closed

Entering *up* tells :class:`ReaderUp`, *silent* and *closed* tell :class:`ReaderDown` (once until
the next change), *unreadable* tells :class:`ReaderUnreadable`. A device without beats (a shoe that
only prints cards) is up as soon as its port is open, and is never silent.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from enum import StrEnum
from typing import Final

from hw.reader.statistics import ReaderCounters
from hw.signals import ReaderDown, ReaderSignal, ReaderUnreadable, ReaderUp

Emit = Callable[[ReaderSignal], bool | None]
"""Takes one signal. False, or an exception, means: not accepted, offer it again."""

UNREADABLE_AFTER_NS: Final = 10_000_000_000
GARBAGE_GAP_NS: Final = 3_000_000_000
"""Garbage with a longer pause than this is single disturbances. At a wrong line speed even a reader
that only beats is heard every 2 s."""

_NS_PER_S: Final = 1_000_000_000

_log = logging.getLogger(__name__)


class ReaderStatus(StrEnum):
    """Public states; see the head of the module."""

    CLOSED = "closed"
    WAITING = "waiting"
    UP = "up"
    SILENT = "silent"
    UNREADABLE = "unreadable"


class ReaderHealth:
    """Watches what arrives and tells the changes to ``emit``."""

    def __init__(
        self,
        emit: Emit,
        counters: ReaderCounters,
        *,
        beat_limit_ns: int | None,
        identity: tuple[str, str, str] = ("unknown", "unknown", "unknown"),
        unreadable_after_ns: int = UNREADABLE_AFTER_NS,
    ) -> None:
        """``beat_limit_ns`` None: no beats to expect. ``identity``: model, serial, version."""
        self._emit = emit
        self._counters = counters
        self._beat_limit_ns = beat_limit_ns
        self._identity = identity
        self._unreadable_after_ns = unreadable_after_ns
        self._status = ReaderStatus.CLOSED
        self._told: type[ReaderSignal] | None = None
        self._untold: ReaderSignal | None = None
        self._good_ns: int | None = None
        self._waiting_since_ns = 0
        self._garbage_since_ns: int | None = None
        self._garbage_last_ns = 0
        self._closed_for: set[str] = set()

    @property
    def status(self) -> ReaderStatus:
        return self._status

    @property
    def beats(self) -> bool:
        """Whether the device gives a sign of life by itself."""
        return self._beat_limit_ns is not None

    @property
    def last_good_ns(self) -> int | None:
        """When the last good sentence was read, monotonic ns; None before the first."""
        return self._good_ns

    def offer(self, signal: ReaderSignal) -> bool:
        """Hand one signal to the taker; True if it was accepted. Never raises.

        What the taker raises is logged and counted: it must not end the reader's thread.
        """
        try:
            accepted = self._emit(signal) is not False
        except Exception:
            self._counters.handler_faults += 1
            # Only the kind of signal: a hand must not stand in a log.
            _log.exception("the taker of reader signals failed on %s", type(signal).__name__)
            return False
        return accepted

    def opened(self, at_ns: int) -> None:
        """The port was opened at ``at_ns``."""
        self._waiting_since_ns = at_ns
        if self._beat_limit_ns is None:
            self._closed_for.clear()
            self._become(ReaderStatus.UP, ReaderUp(*self._identity, at_ns))
        elif self._status is ReaderStatus.CLOSED:
            self._status = ReaderStatus.WAITING

    def closed(self, reason: str, at_ns: int) -> None:
        """The port was lost, or could not be opened.

        Told once; but each reason is logged, since it may be another one by the next attempt: the
        cable is in again, and now the rights to the port are missing.
        """
        if reason not in self._closed_for:
            self._closed_for.add(reason)
            self._log(ReaderStatus.CLOSED, reason)
        self._become(ReaderStatus.CLOSED, ReaderDown(reason, at_ns))

    def hello(self, identity: tuple[str, str, str], at_ns: int) -> bool:
        """The reader introduced itself; told even when it was up. True if accepted."""
        self._identity = identity
        up = ReaderUp(*identity, at_ns)
        if not self.offer(up):
            return False
        self._alive(at_ns)
        self._status, self._told, self._untold = ReaderStatus.UP, ReaderUp, None
        return True

    def good(self, at_ns: int) -> None:
        """A good sentence was read."""
        self._alive(at_ns)
        if self._status is not ReaderStatus.UP:
            self._become(ReaderStatus.UP, ReaderUp(*self._identity, at_ns))

    def garbage(self, at_ns: int) -> None:
        """Bytes were read and no good sentence was among them."""
        if self._garbage_since_ns is None or at_ns - self._garbage_last_ns > GARBAGE_GAP_NS:
            self._garbage_since_ns = at_ns
        self._garbage_last_ns = at_ns
        lasting_ns = at_ns - self._garbage_since_ns
        if lasting_ns >= self._unreadable_after_ns:
            reason = (
                f"bytes arrive but no sentence for {lasting_ns / _NS_PER_S:.0f} s; "
                "check the line speed (baud), the protocol setting and the cable"
            )
            self._become(ReaderStatus.UNREADABLE, ReaderUnreadable(reason, at_ns))

    def tick(self, at_ns: int) -> None:
        """Time has passed; call this at least every second."""
        if self._untold is not None:
            self._tell(self._untold)
        if self._status is ReaderStatus.UNREADABLE:
            if at_ns - self._garbage_last_ns > GARBAGE_GAP_NS:
                self._silent(at_ns)
        elif self._status in (ReaderStatus.WAITING, ReaderStatus.UP):
            self._silent(at_ns)

    def _silent(self, at_ns: int) -> None:
        if self._beat_limit_ns is None:
            return
        since_ns = self._waiting_since_ns
        if self._good_ns is not None:
            since_ns = max(since_ns, self._good_ns)
        if at_ns - since_ns > self._beat_limit_ns:
            reason = (
                f"no sentence for {self._beat_limit_ns / _NS_PER_S:g} s; "
                "check that the reader has power and its cable is plugged in"
            )
            self._become(ReaderStatus.SILENT, ReaderDown(reason, at_ns))

    def _alive(self, at_ns: int) -> None:
        self._good_ns = at_ns
        self._garbage_since_ns = None
        self._closed_for.clear()

    def _become(self, status: ReaderStatus, signal: ReaderSignal) -> None:
        self._status = status
        if self._told is not type(signal):
            if status is not ReaderStatus.CLOSED:
                self._log(status, getattr(signal, "reason", ""))
            self._tell(signal)

    def _log(self, status: ReaderStatus, reason: str) -> None:
        _log.log(
            logging.INFO if status is ReaderStatus.UP else logging.WARNING,
            "the reader is %s%s",
            status,
            f": {reason}" if reason else "",
        )

    def _tell(self, signal: ReaderSignal) -> None:
        """Tell the newest change; what is not accepted is offered again at the next tick."""
        self._told = type(signal)
        self._untold = None if self.offer(signal) else signal
