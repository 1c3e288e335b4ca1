"""Hands as the reader tells them, and whether the deal is whole."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from firmware_app.cards import DECK_SIZE, Card
from firmware_app.table import events
from firmware_app.table.facts import CardCorrected, CardRead, CardUnread, HandRead
from firmware_app.table.state import DEALER, TableRules, TableState
from firmware_app.table.step import Step, acted, noticed, raised, unchanged
from firmware_app.table.values import Alarm, Phase

CARD_UNREAD = "card-unread"
HAND_REFUSED = "hand-refused"

_CORRECTABLE = (Phase.DEALING, Phase.DEALT, Phase.REVEALED)


def dealing(state: TableState) -> bool:
    """Tell whether hands are taken now: while dealing, or dealing suspended."""
    return state.phase is Phase.DEALING or (
        state.suspension is not None and state.suspension.phase is Phase.DEALING
    )


def hand_at(state: TableState, position: int) -> tuple[Card, ...]:
    """Return the cards read for ``position`` so far (0 is the dealer)."""
    return state.dealer_cards if position == DEALER else state.spot(position).cards


def with_hand(state: TableState, position: int, cards: tuple[Card, ...]) -> TableState:
    """Return the state with ``cards`` at ``position``."""
    if position == DEALER:
        return replace(state, dealer_cards=cards)
    return state.with_spot(replace(state.spot(position), cards=cards))


def positions(rules: TableRules) -> range:
    """Return every position that the table can deal to."""
    first = DEALER if rules.profile.banker == "dealer" else 1
    return range(first, rules.profile.spots + 1)


def hand_read(rules: TableRules, state: TableState, fact: HandRead) -> Step:
    """A whole hand. A repeat changes nothing; a second reading replaces the first."""
    return _take(rules, state, fact.position, fact.cards)


def card_read(rules: TableRules, state: TableState, fact: CardRead) -> Step:
    """One card more at a position."""
    if fact.position not in positions(rules):
        return _take(rules, state, fact.position, (fact.card,))
    before = hand_at(state, fact.position)
    if fact.card in before:
        return unchanged(state)
    return _take(rules, state, fact.position, (*before, fact.card))


def _take(rules: TableRules, state: TableState, position: int, cards: tuple[Card, ...]) -> Step:
    if position not in positions(rules):
        return raised(
            state,
            Alarm(
                code=HAND_REFUSED,
                text=f"The reader dealt to position {position}, which this table does not have; "
                "check the reader's positions",
            ),
        )
    if hand_at(state, position) == cards:
        return unchanged(state)
    if not dealing(state):
        return raised(
            state,
            Alarm(
                code=HAND_REFUSED,
                text=f"A hand for position {position} came while the table was "
                f"{state.phase.value}; lock the bets with ADVANCE, then deal",
            ),
        )
    return Step(
        with_hand(state, position, cards),
        (events.HandReceived(round=state.round_number, position=position),)
        if len(cards) == rules.profile.cards_per_hand
        else (),
    )


def card_unread(rules: TableRules, state: TableState, fact: CardUnread) -> Step:
    """A card passed unread: the dealer is asked to pass it again."""
    where = "A card" if fact.position is None else f"A card of position {fact.position}"
    return raised(
        state,
        Alarm(
            code=CARD_UNREAD,
            text=f"{where} was not read ({fact.detail}); pass it through the reader again",
        ),
    )


def card_corrected(rules: TableRules, state: TableState, fact: CardCorrected) -> Step:
    """The floor replaces a misread card; the correction says who, why, and both values."""
    cards = hand_at(state, fact.position) if fact.position in positions(rules) else ()
    if fact.was not in cards or state.phase not in _CORRECTABLE:
        return noticed(
            state, f"Position {fact.position} holds no such card that could be corrected now"
        )
    corrected = tuple(fact.now if card == fact.was else card for card in cards)
    return Step(with_hand(state, fact.position, corrected)).then(
        lambda now: acted(
            now,
            action="card-corrected",
            by=fact.by,
            spot=fact.position or None,
            text=f"A card of position {fact.position} was corrected: {fact.why}",
        )
    )


def occupied(rules: TableRules, state: TableState, number: int) -> bool:
    """Tell whether the spot is played in this round, by the table's own way of knowing."""
    spot = state.spot(number)
    if rules.occupied_by == "hand":
        return bool(spot.cards)
    bets = spot.locked or spot.live
    return bets.main_cents > 0 if rules.occupied_by == "main-sensor" else bets.has_fortune


def missing(rules: TableRules, state: TableState) -> tuple[int, ...]:
    """Return the positions whose hand must still come before results can be computed."""
    return tuple(
        position
        for position in _must_hold(rules, state)
        if len(hand_at(state, position)) != rules.profile.cards_per_hand
    )


def _must_hold(rules: TableRules, state: TableState) -> Iterator[int]:
    for position in positions(rules):
        if (
            position in (DEALER, state.designated_player)
            or rules.profile.deal_all_spots
            or hand_at(state, position)
            or _must_be_dealt(rules, state, position)
        ):
            yield position


def _must_be_dealt(rules: TableRules, state: TableState, number: int) -> bool:
    """A spot with a bet gets a hand; where main sensors tell who plays, the main bet decides."""
    bets = state.spot(number).locked
    if bets is None:
        return False
    if bets.main_cents > 0 or rules.occupied_by == "main-sensor":
        return bets.main_cents > 0
    return bets.has_fortune or bets.ace_high_cents > 0 or bets.envy_button


def fault_of_deal(rules: TableRules, state: TableState) -> str | None:
    """Return why the deck does not add up, or None: each card once, no hand too long, and the
    cards left (where the reader counts them) make 53."""
    seen: dict[Card, int] = {}
    for position in positions(rules):
        cards = hand_at(state, position)
        if len(cards) > rules.profile.cards_per_hand:
            return f"{_place(position)} holds {len(cards)} cards"
        for card in cards:
            if card in seen:
                return f"the same card was read at {_place(seen[card])} and {_place(position)}"
            seen[card] = position
    if state.cards_left is not None and len(seen) + state.cards_left != DECK_SIZE:
        return (
            f"{len(seen)} cards dealt and {state.cards_left} left make "
            f"{len(seen) + state.cards_left}, not {DECK_SIZE}"
        )
    return None


def _place(position: int) -> str:
    return "the dealer" if position == DEALER else f"spot {position}"
