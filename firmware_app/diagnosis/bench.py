"""The hardware of one table, opened to be watched: the panel, the reader, and nothing of the game.

The parts are the table's own: panel, debouncer, reader link. Only what they report goes nowhere.
"""

from __future__ import annotations

import queue
import time
from collections.abc import Collection
from contextlib import suppress
from types import TracebackType
from typing import Final, Self

from firmware_app.diagnosis.observed import LampSwitched, Observed, SerialText
from firmware_app.diagnosis.port_tap import tapped
from hw.inputs import InputBank
from hw.lamps import LampPattern
from hw.lines import ADVANCE
from hw.panel import Panel
from hw.pin_sources import Pins
from hw.reader.link import ReaderLink
from hw.reader.settings import ReaderSettings
from hw.reader.statistics import ReaderStatistics
from hw.settings import PanelSettings
from hw.signals import Edge, LevelChanged, ReaderSignal

READ_LEVELS_EVERY_NS: Final = 250_000_000
_NS_PER_S: Final = 1_000_000_000


class Bench:
    """An open panel and an open reader. Use as a context manager, or call :meth:`close`.

    ``pins`` stay the caller's to close. ``count_pulses`` is whether bet lines carry pulses. A
    reader that is missing is waited for. Raises :class:`hw.panel.PanelError` for lines that
    cannot be opened.
    """

    def __init__(
        self, panel: PanelSettings, reader: ReaderSettings, pins: Pins, *, count_pulses: bool
    ) -> None:
        self._arrived: queue.SimpleQueue[Edge | ReaderSignal | SerialText] = queue.SimpleQueue()
        self._bank = InputBank(panel.inputs, count_pulses=count_pulses)
        self._lit: dict[int, bool] = dict.fromkeys(panel.lamps, False)
        self._levels_due_ns = 0
        self._line = reader.line
        self._panel = Panel(panel, pins, self._arrived.put)
        self._link = ReaderLink(
            reader, self._arrived.put, open_port=tapped(reader, self._arrived.put)
        )
        self._link.start()

    @property
    def lost_edges(self) -> int:
        """Changes that were found by reading the pins, since no edge had told them."""
        return self._bank.healed_edges

    def unreadable(self) -> str | None:
        """Return what the panel says of lines without access, None while all is well."""
        health = self._panel.health()
        return None if health.status == "ok" else health.detail

    def statistics(self) -> ReaderStatistics:
        """Return what the reader's link has counted."""
        return self._link.statistics()

    def show(self, lit: Collection[int]) -> list[LampSwitched]:
        """Light the lamps of these spots and no others; return what was switched."""
        now_ns = time.monotonic_ns()
        self._panel.lamps.show(dict.fromkeys(lit, LampPattern.ON), now_ns)
        switched = [
            LampSwitched(spot, spot in lit, now_ns)
            for spot, was_lit in self._lit.items()
            if was_lit is not (spot in lit)
        ]
        self._lit.update({change.spot: change.lit for change in switched})
        return switched

    def turn(self, wait_s: float) -> list[Observed]:
        """Wait up to ``wait_s`` for something to happen; return all that has happened since."""
        observed: list[Observed] = []
        with suppress(queue.Empty):
            self._take(self._arrived.get(timeout=self._patience_s(wait_s)), observed)
        now_ns = time.monotonic_ns()
        # What arrives meanwhile waits for the next turn: a line that flutters must not hold us.
        for _ in range(self._arrived.qsize()):
            self._take(self._arrived.get(), observed)
        if now_ns >= self._levels_due_ns:
            self._levels_due_ns = now_ns + READ_LEVELS_EVERY_NS
            observed += self._bank.levels(self._panel.levels(), now_ns)
        observed += self._bank.advance(now_ns)
        self._start_deal(observed)
        return observed

    def close(self) -> None:
        """Give everything back; the lamps are dark."""
        self._link.stop()
        self._panel.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        exc_type: type[BaseException] | None,
        exc: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def _take(self, arrived: Edge | ReaderSignal | SerialText, observed: list[Observed]) -> None:
        observed.append(arrived)
        if isinstance(arrived, Edge):
            observed += self._bank.edge(arrived)

    def _patience_s(self, wait_s: float) -> float:
        due_ns = min(self._levels_due_ns, self._bank.next_due_ns or self._levels_due_ns)
        return min(wait_s, max(0, due_ns - time.monotonic_ns()) / _NS_PER_S)

    def _start_deal(self, observed: list[Observed]) -> None:
        """Let a device that only prints cards place them: for it a deal begins with ADVANCE."""
        if self._line is None:
            return
        for event in observed:
            if not isinstance(event, LevelChanged) or event.opening:
                continue
            if event.line == ADVANCE and event.active:
                self._link.start_deal(self._line.positions[0])
