"""What the dealer or the floor declares: links, dead hands, the designated player, a setting.

Each declaration says when it may be made; made at another time it is echoed as refused and
changes nothing.
"""

from __future__ import annotations

from dataclasses import replace

from firmware_app.table import events
from firmware_app.table.facts import (
    ActionButtonMoved,
    BankDeclared,
    HandDead,
    HandFolded,
    HandSurrendered,
    LowHandSet,
    SpotDesignated,
    SpotsLinked,
    SupervisorActed,
)
from firmware_app.table.state import SpotState, TableRules, TableState
from firmware_app.table.step import Step, acted, noticed
from firmware_app.table.values import Phase

_BEFORE_LOCK = (Phase.BETTING, Phase.SETTLED, Phase.VOIDED)
_AFTER_LOCK = (Phase.DEALING, Phase.DEALT, Phase.REVEALED)


def _refused(what: str, when: str) -> str:
    return f"Not now: {what} is declared {when}"


def spot_designated(rules: TableRules, state: TableState, fact: SpotDesignated) -> Step:
    """The button moves: this spot holds the bank from the next lock on."""
    if rules.profile.banker != "designated-player":
        return noticed(state, "This table plays against the house: no designated player")
    if state.phase not in _BEFORE_LOCK:
        return noticed(state, _refused("the designated player", "before bets are locked"))
    return acted(
        replace(state, designated_player=fact.spot),
        action="spot-designated",
        by=fact.by,
        spot=fact.spot,
        text=f"Spot {fact.spot} is the designated player",
    )


def bank_declared(rules: TableRules, state: TableState, fact: BankDeclared) -> Step:
    """The designated player's bank, counted before the lock."""
    if rules.profile.banker != "designated-player":
        return noticed(state, "This table plays against the house: no bank to declare")
    if state.phase not in _BEFORE_LOCK:
        return noticed(state, _refused("the bank", "before bets are locked"))
    return acted(
        replace(state, bank_cents=fact.cents),
        action="bank-declared",
        by=fact.by,
        text=f"The bank is ${fact.cents / 100:,.2f}",
    )


def action_button_moved(rules: TableRules, state: TableState, fact: ActionButtonMoved) -> Step:
    """The action button tells where all action starts."""
    if state.phase not in (*_BEFORE_LOCK, Phase.DEALING):
        return noticed(state, _refused("the action button", "before the hands are in"))
    return acted(
        replace(state, first_spot=fact.spot),
        action="action-button-moved",
        by=fact.by,
        spot=fact.spot,
        text=f"Action starts at spot {fact.spot}",
    )


def spots_linked(rules: TableRules, state: TableState, fact: SpotsLinked) -> Step:
    """Two neighbouring spots become one player's, or part again."""
    low, high = sorted(fact.spots)
    if high - low != 1:
        return noticed(state, f"Spots {low} and {high} are not neighbours: not linked")
    if state.phase not in _BEFORE_LOCK:
        return noticed(state, _refused("a link of spots", "before bets are locked"))
    first, second = state.spot(low), state.spot(high)
    if first.player == second.player:
        parted = tuple(
            replace(spot, player=f"spot {high}")
            if spot.player == second.player and spot.number >= high
            else spot
            for spot in state.spots
        )
        text = f"Spots {low} and {high} are two players again"
        return acted(
            replace(state, spots=parted), action="spots-parted", by=fact.by, spot=low, text=text
        )
    joined = tuple(
        replace(spot, player=first.player) if spot.player == second.player else spot
        for spot in state.spots
    )
    text = f"Spots {low} and {high} are one player"
    return acted(
        replace(state, spots=joined), action="spots-linked", by=fact.by, spot=low, text=text
    )


def hand_dead(rules: TableRules, state: TableState, fact: HandDead) -> Step:
    """A hand is dead, or alive again when declared a second time."""
    spot = state.spot(fact.spot)
    text = f"Spot {fact.spot}: hand is {'alive again' if spot.dead else 'dead'}"
    return _of_hand(state, replace(spot, dead=not spot.dead), "hand-dead", fact.by, text)


def hand_folded(rules: TableRules, state: TableState, fact: HandFolded) -> Step:
    """The player left the hand: the main wager loses; Fortune and envy stand."""
    spot = state.spot(fact.spot)
    text = f"Spot {fact.spot}: hand is folded"
    return _of_hand(state, replace(spot, folded=True), "hand-folded", fact.by, text)


def hand_surrendered(rules: TableRules, state: TableState, fact: HandSurrendered) -> Step:
    """Half the main wager is given up, where the sheet offers it."""
    if not rules.profile.main.surrender:
        return noticed(state, "This table offers no surrender")
    spot = state.spot(fact.spot)
    text = f"Spot {fact.spot}: surrender"
    return _of_hand(state, replace(spot, surrendered=True), "hand-surrendered", fact.by, text)


def low_hand_set(rules: TableRules, state: TableState, fact: LowHandSet) -> Step:
    """The player's own setting replaces the house way."""
    spot = state.spot(fact.spot)
    if not set(fact.low) <= set(spot.cards):
        return noticed(state, f"Spot {fact.spot} does not hold those cards: setting refused")
    text = f"Spot {fact.spot}: hand is set"
    return _of_hand(state, replace(spot, low=fact.low), "low-hand-set", fact.by, text)


def supervisor_acted(rules: TableRules, state: TableState, fact: SupervisorActed) -> Step:
    """Who acted and why is announced; what was done, the fact behind this one does."""
    announced = events.SupervisorAction(
        round=state.round_number,
        action=fact.action,
        text=fact.text,
        by=fact.by,
        why=fact.why,
        login=fact.login,
        refused=fact.refused,
    )
    return Step(state, (announced,))


def _of_hand(state: TableState, spot: SpotState, action: str, by: str, text: str) -> Step:
    if state.phase not in _AFTER_LOCK:
        return noticed(state, _refused("that", "between the lock and the payment"))
    return acted(state.with_spot(spot), action=action, by=by, spot=spot.number, text=text)
