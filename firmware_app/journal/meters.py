"""Meters: what the table took in and paid out, for its lifetime and for the shift.

A meter is a whole number under a dotted name; a name that is missing counts 0. Lifetime meters
only ever rise and are never cleared; the shift is lifetime less what it was at the last closing.

======================================= ==========================================================
``rounds.opened|settled|voided``        rounds
``alarms``, ``late_bets``               what went wrong
``spot.N.rounds``                       settled rounds in which spot N was played
``spot.N.W.wagers``                     wagers W (``main``, ``fortune``, ``ace_high``) of known
                                        amount, and with ``in_cents`` what they amounted to
``spot.N.W.unknown``                    wagers of unknown amount (a presence sensor)
``spot.N.W.paid_cents``                 winnings, stakes aside; likewise ``collected_cents`` and
                                        ``returned_cents``
``spot.N.envy.wins|paid_cents``         envy that was paid to spot N
``spot.N.alarms``                       alarms of spot N
``line.L.hands``                        hands of settled rounds whose best posted line was L
``line.L.wins|paid_cents``              Fortune wagers paid on line L
``line.L.in_cents``                     Fortune wagers on such hands; L is ``no_line`` where there
                                        was none
``line.L.envy_wins|envy_cents``         envy that hands of line L triggered, before any cap
======================================= ==========================================================
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final, cast

from firmware_app.rules.play import Result
from firmware_app.table.events import (
    AlarmStarted,
    BetsLocked,
    Event,
    LateBet,
    LockedSpot,
    RoundOpened,
    RoundSettled,
    RoundVoided,
    SpotOutcome,
    WagerOutcome,
)

NO_LINE = "no_line"


@dataclass(frozen=True, slots=True)
class Meters:
    """Lifetime meters and what they were when the shift began."""

    lifetime: Mapping[str, int]
    shift_base: Mapping[str, int]

    @property
    def shift(self) -> dict[str, int]:
        """What the shift has moved so far."""
        moved = {
            name: value - self.shift_base.get(name, 0) for name, value in self.lifetime.items()
        }
        return {name: value for name, value in moved.items() if value}

    def moved(self, movement: Mapping[str, int]) -> Meters:
        """Return the meters after ``movement``."""
        lifetime = dict(self.lifetime)
        for name, value in movement.items():
            lifetime[name] = lifetime.get(name, 0) + value
        return Meters(lifetime, self.shift_base)

    def shift_closed(self) -> Meters:
        """Return the meters at the start of the next shift."""
        return Meters(self.lifetime, self.lifetime)


def totals(meters: Mapping[str, int]) -> dict[str, int]:
    """Return the sums over all spots: ``in_cents``, ``paid_cents`` (envy too) and so on."""
    sums: Counter[str] = Counter()
    for name, value in meters.items():
        if name.startswith("spot.") and name.endswith("_cents"):
            sums[name.rpartition(".")[2]] += value
    return dict(sums)


def movement_of(
    events: Iterable[Event], locked: BetsLocked | None
) -> tuple[dict[str, int], BetsLocked | None]:
    """Return how ``events`` move the meters, and the bets that are locked after them.

    ``locked`` is the lock of the round being played, None outside of one: what was wagered is told
    at the lock and counts only when the round is settled. Names come in order, none of them 0.
    """
    counts: dict[str, int] = {}
    for event in events:
        # By the very type: asking pydantic models with isinstance costs more than all the rest.
        kind = type(event)
        if kind in _MOVES:
            for name, value in _MOVES[kind](event, locked):
                counts[name] = counts.get(name, 0) + value
        if kind is BetsLocked:
            locked = cast(BetsLocked, event)
        elif kind in _ROUND_ENDS:
            locked = None
    return {name: counts[name] for name in sorted(counts) if counts[name]}, locked


def _alarm_moves(event: AlarmStarted, _: BetsLocked | None) -> Iterator[tuple[str, int]]:
    yield "alarms", 1
    if event.alarm.spot is not None:
        yield f"spot.{event.alarm.spot}.alarms", 1


def _settled_moves(event: RoundSettled, locked: BetsLocked | None) -> Iterator[tuple[str, int]]:
    yield "rounds.settled", 1
    bets = {spot.spot: spot for spot in locked.spots} if locked is not None else {}
    for outcome in event.spots:
        yield from _spot_moves(outcome, bets.get(outcome.spot))


def _spot_moves(outcome: SpotOutcome, locked: LockedSpot | None) -> Iterator[tuple[str, int]]:
    spot = f"spot.{outcome.spot}"
    if locked is not None:
        yield f"{spot}.rounds", int(locked.occupied)
        yield from _stake_moves(f"{spot}.main", locked.main_cents)
        yield from _stake_moves(f"{spot}.fortune", locked.fortune_cents)
        yield from _stake_moves(f"{spot}.ace_high", locked.ace_high_cents)
        yield f"line.{outcome.line or NO_LINE}.in_cents", locked.fortune_cents or 0
    yield from _outcome_moves(f"{spot}.main", outcome.main)
    yield from _outcome_moves(f"{spot}.fortune", outcome.fortune)
    yield from _outcome_moves(f"{spot}.ace_high", outcome.ace_high)
    if outcome.line is not None:
        yield f"line.{outcome.line}.hands", 1
    if outcome.fortune.result is Result.WIN and outcome.fortune.line is not None:
        yield f"line.{outcome.fortune.line}.wins", 1
        yield f"line.{outcome.fortune.line}.paid_cents", outcome.fortune.paid_cents
    yield f"{spot}.envy.wins", len(outcome.envy_triggers)
    yield f"{spot}.envy.paid_cents", outcome.envy_cents
    for trigger in outcome.envy_triggers:
        yield f"line.{trigger.line}.envy_wins", 1
        yield f"line.{trigger.line}.envy_cents", trigger.cents


def _stake_moves(wager: str, cents: int | None) -> Iterator[tuple[str, int]]:
    if cents is None:
        yield f"{wager}.unknown", 1
    elif cents:
        yield f"{wager}.wagers", 1
        yield f"{wager}.in_cents", cents


def _outcome_moves(wager: str, outcome: WagerOutcome) -> Iterator[tuple[str, int]]:
    yield f"{wager}.paid_cents", outcome.paid_cents
    yield f"{wager}.collected_cents", outcome.collected_cents
    yield f"{wager}.returned_cents", outcome.returned_cents


_ROUND_ENDS: Final = frozenset((RoundOpened, RoundSettled, RoundVoided))
_MOVES: Final[
    Mapping[type[Event], Callable[[Any, BetsLocked | None], Iterable[tuple[str, int]]]]
] = {
    RoundOpened: lambda event, locked: [("rounds.opened", 1)],
    RoundSettled: _settled_moves,
    RoundVoided: lambda event, locked: [("rounds.voided", 1)],
    LateBet: lambda event, locked: [("late_bets", 1)],
    AlarmStarted: _alarm_moves,
}
