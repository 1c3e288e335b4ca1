"""The inputs of a whole panel: debouncing, pulses and stuck lines, in the order of time.

Pure, like the debouncer: edges, readings and the time go in, signals come out, and the same
input gives the same signals on every replay.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Final

from hw.debounce import Confirmed, Debouncer
from hw.lines import role_of
from hw.settings import InputLine
from hw.signals import Edge, InputSignal, LevelChanged, LineHealed, LineStuck, Pulse

_SECOND_NS: Final = 1_000_000_000
# lgpio hands edges on in batches; 6 to 14 ms from pin to handler were seen on a slow machine.
DELIVERY_MS: Final = 20


class _Line:
    """One line: its debouncer, and since when it has been active."""

    __slots__ = ("debouncer", "name", "pulse_begun", "pulses", "stuck", "stuck_limit", "stuck_ns")

    def __init__(self, wired: InputLine, pulses: bool) -> None:
        self.name = wired.name
        self.debouncer = Debouncer(wired.debounce_ms * 1_000_000)
        self.stuck_limit = wired.stuck_after_s
        self.stuck_ns: int | None = None
        self.stuck = False
        self.pulses = pulses
        self.pulse_begun = False

    @property
    def due_ns(self) -> int | None:
        due = [at_ns for at_ns in (self.debouncer.due_ns, self.stuck_ns) if at_ns is not None]
        return min(due, default=None)

    def confirmed(self, level: Confirmed) -> list[InputSignal]:
        signals: list[InputSignal] = [
            LevelChanged(self.name, level.active, level.at_ns, level.opening)
        ]
        if level.active:
            self.pulse_begun = self.pulses and not level.opening
            if self.stuck_limit is not None:
                self.stuck_ns = level.at_ns + round(self.stuck_limit * _SECOND_NS)
            return signals
        if self.pulse_begun:
            signals.append(Pulse(self.name, level.at_ns))
        if self.stuck:
            # Healed comes first: the release is then a change of a line that counts again.
            signals.insert(0, LineHealed(self.name, level.at_ns))
        self.pulse_begun = self.stuck = False
        self.stuck_ns = None
        return signals

    def check_stuck(self, now_ns: int) -> list[InputSignal]:
        if self.stuck_ns is None or self.stuck_limit is None or self.stuck_ns > now_ns:
            return []
        at_ns, self.stuck_ns = self.stuck_ns, None
        self.stuck = True
        self.pulse_begun = False
        return [LineStuck(self.name, self.stuck_limit, at_ns)]


class InputBank:
    """Turns the edges and readings of all lines into signals.

    How to feed it, in one turn of the consumer: first every edge that is waiting, then
    :meth:`levels` when the pins were read again, then :meth:`advance`. Only time that has passed
    without an edge confirms a level, and an edge is on its way for some milliseconds before it is
    handed in: so the bank looks ``delivery_ms`` back. Signals carry the time at which they came
    true, which is that much earlier.

    :param lines: the wired inputs, ``PanelSettings.inputs``.
    :param count_pulses: whether bet lines carry pulses (each a unit of the wager) and not
        presence. A pulse counts when both its edges were confirmed; a line found active at the
        opening, or stuck, has made no pulse.
    :param delivery_ms: how long an edge may take from the pin to this bank.
    """

    def __init__(
        self,
        lines: Iterable[InputLine],
        *,
        count_pulses: bool = False,
        delivery_ms: int = DELIVERY_MS,
    ) -> None:
        self._lines = {
            line.name: _Line(line, count_pulses and role_of(line.name) == "bet") for line in lines
        }
        self._delivery_ns = delivery_ms * 1_000_000
        # The earliest of all lines: asked at every turn of the consumer, and seldom another.
        self._due_ns: int | None = None
        self._last_ns = 0
        self.healed_edges = 0

    @property
    def next_due_ns(self) -> int | None:
        """When :meth:`advance` must be called next; None when only an edge can change anything."""
        return None if self._due_ns is None else self._due_ns + self._delivery_ns

    def active(self, line: str) -> bool | None:
        """The confirmed level of a line; None while it is still unknown."""
        return self._lines[line].debouncer.active

    def edge(self, edge: Edge) -> tuple[InputSignal, ...]:
        """One raw edge, with the time it was stamped with."""
        found = self._due_until(edge.at_ns - self._delivery_ns)
        line = self._lines[edge.line]
        level = line.debouncer.edge(edge.active, edge.at_ns)
        if level is not None:
            found += line.confirmed(level)
        self._note_due()
        return self._in_order(found)

    def levels(self, levels: Mapping[str, bool], at_ns: int) -> tuple[InputSignal, ...]:
        """The pins were read: the snapshot after opening, and each reading that heals lost edges.

        Lines that could not be read are left out. ``healed_edges`` counts the readings that
        contradicted the last report of a line, the opening snapshot apart.
        """
        for name, active in levels.items():
            debouncer = self._lines[name].debouncer
            if debouncer.raw not in (None, active):
                self.healed_edges += 1
            debouncer.level(active, at_ns)
        self._note_due()
        return self.advance(at_ns)

    def advance(self, now_ns: int) -> tuple[InputSignal, ...]:
        """Time has come to ``now_ns``: confirms what has held and finds what is stuck."""
        return self._in_order(self._due_until(now_ns - self._delivery_ns))

    def _due_until(self, now_ns: int) -> list[InputSignal]:
        found: list[InputSignal] = []
        if self._due_ns is None or self._due_ns > now_ns:
            return found
        for line in self._lines.values():
            # A line can owe two signals in one jump of time: confirmed active, and then stuck.
            while (due_ns := line.due_ns) is not None and due_ns <= now_ns:
                level = line.debouncer.advance(due_ns)
                found += line.confirmed(level) if level else line.check_stuck(due_ns)
        self._note_due()
        return found

    def _note_due(self) -> None:
        due = (line.due_ns for line in self._lines.values())
        self._due_ns = min((at_ns for at_ns in due if at_ns is not None), default=None)

    def _in_order(self, found: list[InputSignal]) -> tuple[InputSignal, ...]:
        """Sorted by time, and never before a signal that has already gone out."""
        signals = []
        for signal in sorted(found, key=lambda signal: signal.at_ns):
            if signal.at_ns < self._last_ns:
                signal = replace(signal, at_ns=self._last_ns)
            self._last_ns = signal.at_ns
            signals.append(signal)
        return tuple(signals)
