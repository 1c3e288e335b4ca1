"""Intake of the panel: what sensors and buttons mean at this table.

Holds only what is pressed since when; the money is in the table's state. Times are the signals'
own monotonic nanoseconds, so a replay of the same signals gives the same facts.

The dealer's panel:

============================================== ================================
ADVANCE pressed and released                   advance the round
VOID held 2 s                                  void the round
ADVANCE held, one envy button pressed          that spot is the designated player
ADVANCE held, two neighbouring buttons pressed those spots are one player
VOID held, an envy button pressed              that spot's hand is dead
two neighbouring envy buttons held 1 s         those spots are one player (momentary
                                               buttons: a placed marker is no chord)
============================================== ================================
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import Literal

from firmware_app.table import facts
from firmware_app.table.facts import Fact
from firmware_app.table.state import TableState
from hw import signals
from hw.lines import ADVANCE, SHUFFLER_FAULT, VOID, role_of, spot_of
from hw.signals import InputSignal

VOID_HOLD_NS = 2_000_000_000
LINK_HOLD_NS = 1_000_000_000
ADVANCE_GUARD_NS = 500_000_000
"""A second ADVANCE sooner than this is a slip of the hand, never a reveal."""


@dataclass(frozen=True, slots=True)
class IntakeRules:
    """How this table's inputs are to be read. Amounts in cents.

    ``unit_cents`` is what a chip on the Fortune sensor (``fixed``) or one pulse (``pulses``) is
    worth; ``main_unit_cents`` what a chip on the main sensor is worth.
    """

    wager_source: Literal["fixed", "pulses", "reader", "odds-only"]
    envy_input: Literal["button", "momentary", "none"]
    unit_cents: int
    main_unit_cents: int


class Intake:
    """Turns signals into facts. Not thread-safe: the engine is its only user."""

    def __init__(self, rules: IntakeRules) -> None:
        self._rules = rules
        self._held_since: dict[str, int] = {}
        self._envy_levels: dict[int, bool] = {}
        self._chord: list[int] = []
        self._void_done = False
        self._linked: set[int] = set()
        self._last_advance_ns: int | None = None

    @property
    def next_due_ns(self) -> int | None:
        """When :meth:`advance` has something to say without a signal; None: not before one."""
        due = []
        if VOID in self._held_since and not self._void_done and not self._chord:
            due.append(self._held_since[VOID] + VOID_HOLD_NS)
        pair = self._held_pair()
        if pair is not None:
            due.append(self._pair_since(pair) + LINK_HOLD_NS)
        return min(due, default=None)

    def advance(self, now_ns: int) -> tuple[Fact, ...]:
        """Time has come to ``now_ns``: a hold may be long enough now."""
        found: list[Fact] = []
        void_since = self._held_since.get(VOID)
        if (
            void_since is not None
            and not self._void_done
            and not self._chord
            and now_ns - void_since >= VOID_HOLD_NS
        ):
            self._void_done = True
            found.append(facts.Voided())
        pair = self._held_pair()
        if pair is not None and now_ns - self._pair_since(pair) >= LINK_HOLD_NS:
            self._linked.update(pair)
            found.append(facts.SpotsLinked(spots=pair))
        return tuple(found)

    def input_signal(self, signal: InputSignal, state: TableState) -> tuple[Fact, ...]:
        """Return the facts of a sensor or button."""
        match signal:
            case signals.LevelChanged():
                return self._level(signal, state)
            case signals.Pulse():
                return self._pulse(signal, state)
            case signals.LineStuck():
                return (_stuck(signal),)
            case signals.LineHealed():
                self._held_since.pop(signal.line, None)
                return (facts.InputHealed(line=signal.line),)

    # --- sensors and buttons ---------------------------------------------------------------

    def _level(self, signal: signals.LevelChanged, state: TableState) -> tuple[Fact, ...]:
        spot = spot_of(signal.line)
        match role_of(signal.line):
            case "bet" if spot is not None:
                return self._bet_level(spot, signal.active)
            case "main" if spot is not None:
                cents = self._rules.main_unit_cents if signal.active else 0
                return (facts.WagerChanged(spot=spot, wager="main", cents=cents),)
            case "envy" if spot is not None:
                return self._envy(spot, signal, state)
            case "shuffler-fault":
                return _shuffler_fault(signal.active)
            case "advance" | "void":
                return self._control(signal)
            case _:
                return ()

    def _bet_level(self, spot: int, active: bool) -> tuple[Fact, ...]:
        match self._rules.wager_source:
            case "fixed":
                cents: int | None = self._rules.unit_cents if active else 0
            case "odds-only":
                cents = None if active else 0
            case _:
                return ()
        return (facts.WagerChanged(spot=spot, wager="fortune", cents=cents),)

    def _pulse(self, signal: signals.Pulse, state: TableState) -> tuple[Fact, ...]:
        spot = spot_of(signal.line)
        if spot is None or self._rules.wager_source != "pulses" or spot > len(state.spots):
            return ()
        before = state.spot(spot).live.fortune_cents or 0
        cents = before + self._rules.unit_cents
        return (facts.WagerChanged(spot=spot, wager="fortune", cents=cents),)

    def _envy(self, spot: int, signal: signals.LevelChanged, state: TableState) -> tuple[Fact, ...]:
        self._envy_levels[spot] = signal.active
        if signal.active and not signal.opening:
            self._held_since[signal.line] = signal.at_ns
        else:
            self._held_since.pop(signal.line, None)
            self._linked.discard(spot)
        if signal.active and (ADVANCE in self._held_since or VOID in self._held_since):
            return self._chord_with(spot)
        if spot in self._chord or self._rules.envy_input == "none":
            return ()
        if self._rules.envy_input == "button":
            return (facts.EnvyButtonChanged(spot=spot, placed=signal.active),)
        if not signal.active or signal.opening or spot > len(state.spots):
            return ()
        placed = not state.spot(spot).live.envy_button
        return (facts.EnvyButtonChanged(spot=spot, placed=placed),)

    def _chord_with(self, spot: int) -> tuple[Fact, ...]:
        if spot in self._chord:
            return ()
        self._chord.append(spot)
        return (facts.HandDead(spot=spot),) if VOID in self._held_since else ()

    def _control(self, signal: signals.LevelChanged) -> tuple[Fact, ...]:
        if signal.active:
            if not signal.opening:
                self._held_since[signal.line] = signal.at_ns
            return ()
        if self._held_since.pop(signal.line, None) is None:
            return ()
        chord, self._chord = self._chord, []
        found = self._advance_released(chord, signal.at_ns) if signal.line == ADVANCE else ()
        if signal.line == VOID:
            self._void_done = False
        return found + self._markers_after(chord)

    def _advance_released(self, chord: list[int], at_ns: int) -> tuple[Fact, ...]:
        match sorted(chord):
            case []:
                last, self._last_advance_ns = self._last_advance_ns, at_ns
                if last is not None and at_ns - last < ADVANCE_GUARD_NS:
                    return ()
                return (facts.Advanced(),)
            case [spot]:
                return (facts.SpotDesignated(spot=spot),)
            case [first, second]:
                return (facts.SpotsLinked(spots=(first, second)),)
            case _:
                return ()

    def _markers_after(self, chord: list[int]) -> tuple[Fact, ...]:
        """A placed marker that moved during a chord counts as it lies after it."""
        if self._rules.envy_input != "button":
            return ()
        return tuple(
            facts.EnvyButtonChanged(spot=spot, placed=self._envy_levels[spot]) for spot in chord
        )

    def _held_pair(self) -> tuple[int, int] | None:
        """Return two neighbouring momentary buttons held together and not yet linked so."""
        if self._rules.envy_input != "momentary":
            return None
        held = sorted(
            spot
            for line in self._held_since
            if role_of(line) == "envy" and (spot := spot_of(line)) not in self._chord
            if spot is not None and spot not in self._linked
        )
        return next(((a, b) for a, b in itertools.pairwise(held) if b - a == 1), None)

    def _pair_since(self, pair: tuple[int, int]) -> int:
        return max(self._held_since[f"spot{spot}.envy"] for spot in pair)


def _stuck(signal: signals.LineStuck) -> Fact:
    spot = spot_of(signal.line)
    cure = "free the button or check its wiring" if spot is None else "check sensor and wiring"
    return facts.InputFailed(
        line=signal.line,
        spot=spot,
        text=f"{signal.line} has been active for {signal.limit_s:g} s; {cure}",
    )


def _shuffler_fault(active: bool) -> tuple[Fact, ...]:
    if not active:
        return (facts.AlarmCleared(code=SHUFFLER_FAULT),)
    return (
        facts.AlarmRaised(code=SHUFFLER_FAULT, text="The shuffler shows a fault; clear it"),
        facts.Misdealt(reason="the shuffler shows a fault"),
    )
