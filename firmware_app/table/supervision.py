"""What a supervisor asks for: whether it may be done now, and the record of who and why.

Every attempt is recorded, a refused one with the reason of its refusal. A hand is corrected or set
only once the hands are revealed: before that, the answers to a few guesses would tell a hand.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from firmware_app.cards import Card
from firmware_app.table import deal
from firmware_app.table.events import DealerAction, Event
from firmware_app.table.facts import CardCorrected, Fact, LowHandSet, SupervisorActed
from firmware_app.table.round import step
from firmware_app.table.state import DEALER, TableRules, TableState
from firmware_app.table.values import Phase
from firmware_app.table.view import TableView

_HIGH_HAND_CARDS = 5


@dataclass(frozen=True, slots=True)
class Asked:
    """What a supervisor asks for. ``fact`` is None where no round depends on it."""

    record: SupervisorActed
    fact: Fact | None = None

    def refused(self, why: str) -> Asked:
        """Return it as refused for a reason that lies outside the round: a record, and no more."""
        return Asked(self.record.model_copy(update={"refused": why}))


@dataclass(frozen=True, slots=True)
class Ruling:
    """What becomes of it: the facts to record, and why it is refused, None where it is done.

    ``told`` is what the table says of its doing, where it says something.
    """

    facts: tuple[Fact, ...]
    refused: str | None
    told: str | None


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of it, with the table as it may be shown right after.

    ``recorded`` False: the controller has taken it and not recorded it yet; it counts as soon as
    it is recorded.
    """

    shown: TableView
    refused: str | None = None
    told: str | None = None
    recorded: bool = True


def ruling(rules: TableRules, state: TableState, asked: Asked) -> Ruling:
    """Return what becomes of ``asked`` in ``state``. Pure."""
    if asked.fact is None:
        return Ruling((asked.record,), asked.record.refused, None)
    refused = _too_early_or_wrong(rules, state, asked.fact)
    if refused is None:
        after = step(rules, state, asked.fact)
        if after.events:
            return Ruling((asked.record, asked.fact), None, _words(after.events))
        # Whatever is done is announced. What is not done is told to the one who asked, and leaves
        # the table's sign alone.
        refused = _stale(state) if after.state is state else after.state.notice or _stale(state)
    return Ruling((asked.refused(refused).record,), refused, None)


def _words(events: Sequence[Event]) -> str | None:
    return next((event.text for event in events if isinstance(event, DealerAction)), None)


def _stale(state: TableState) -> str:
    return (
        f"Nothing was done: the table has gone on, and round {state.round_number} is "
        f"{state.phase.value} now"
    )


def _too_early_or_wrong(rules: TableRules, state: TableState, fact: Fact) -> str | None:
    match fact:
        case CardCorrected():
            return _not_open(state, "a card is corrected") or _elsewhere(rules, state, fact)
        case LowHandSet():
            return _not_open(state, "a hand is set") or _no_low_hand(rules, fact.low)
        case _:
            return None


def _not_open(state: TableState, what: str) -> str | None:
    if state.phase is Phase.REVEALED:
        return None
    return f"Not now: {what} once the hands are revealed, and before they are paid"


def _elsewhere(rules: TableRules, state: TableState, fact: CardCorrected) -> str | None:
    """A card that lies elsewhere would make the deck not add up, and void the round."""
    holder = next(
        (place for place in deal.positions(rules) if fact.now in deal.hand_at(state, place)), None
    )
    if holder is None:
        return None
    where = "the dealer" if holder == DEALER else f"spot {holder}"
    return f"{fact.now} is on record at {where}: correct that card first, or void the round"


def _no_low_hand(rules: TableRules, low: tuple[Card, ...]) -> str | None:
    wanted = rules.profile.cards_per_hand - _HIGH_HAND_CARDS
    if len(set(low)) == len(low) == wanted:
        return None
    return f"A low hand is {wanted} different cards here"
