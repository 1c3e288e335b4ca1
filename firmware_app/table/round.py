"""The round: one fact at a time, from the first bet to the payment.

======== ============================== =======================================
phase    leaves by                      to
======== ============================== =======================================
settled  a new bet, ADVANCE, deal start betting (a deal start goes on to dealing)
betting  ADVANCE, deal start            dealing: the bets are locked
dealing  the deal is whole              dealt: results computed, and secret
dealt    ADVANCE                        revealed
revealed ADVANCE, after paying          settled
any open VOID, misdeal, a bad deal      voided: every bet goes back
any open power back, reader lost        suspended: ADVANCE resumes, VOID voids
voided   ADVANCE, deal start            betting
======== ============================== =======================================

:func:`step` is pure. Nothing that the rules forbid changes the state beyond a notice or an alarm.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from firmware_app.rules.first_hand import delivery, position_of_dice
from firmware_app.table import bets, deal, declarations, events, facts, faults, outcome
from firmware_app.table.facts import Fact
from firmware_app.table.opening import OF_ONE_ROUND, START_REFUSED, lock, open_round
from firmware_app.table.state import DEALER, SpotState, TableRules, TableState
from firmware_app.table.step import Step, acted, cleared, noticed, raised, unchanged
from firmware_app.table.values import Alarm, Phase

_BANKER_FIRST = 1
"""The position of the banker, in the counting of first hands."""


def step(rules: TableRules, state: TableState, fact: Fact) -> Step:
    """Return the state after ``fact``, and its announcements. The same in, the same out."""
    kind = type(fact)
    # By the type: asking a pydantic model for what it has not costs as much as the step itself.
    named = getattr(fact, _NAMES_SPOTS[kind]) if kind in _NAMES_SPOTS else None
    for spot in named if isinstance(named, tuple) else (named,):
        if spot is not None and spot > len(state.spots):
            return noticed(state, f"This table has no spot {spot}")
    return _HANDLERS[kind](rules, state, fact)


# --- bets ----------------------------------------------------------------------------------


def _bet(rules: TableRules, state: TableState, fact: Any) -> Step:
    change: Callable[[TableState], Step] = (
        (lambda now: bets.wager_changed(rules, now, fact))
        if isinstance(fact, facts.WagerChanged)
        else (lambda now: bets.envy_button_changed(rules, now, fact))
    )
    if state.phase is Phase.SETTLED and bets.adds_a_bet(state, fact):
        return open_round(rules, state).then(change)
    return change(state)


def _deal_started(rules: TableRules, state: TableState, fact: facts.DealStarted) -> Step:
    first_spot = fact.first_spot
    if first_spot == DEALER and rules.profile.banker == "dealer":
        # The dealer's own hand goes out first; the action starts at the spot after it.
        first_spot = delivery(rules.profile, _BANKER_FIRST).first_spot
    if first_spot is not None and not 1 <= first_spot <= len(state.spots):
        return noticed(state, f"This table has no spot {first_spot} to deal to first")
    if state.phase in (Phase.SETTLED, Phase.VOIDED):
        return open_round(rules, state).then(
            lambda now: lock(rules, now, first_spot) if now.phase is Phase.BETTING else Step(now)
        )
    if state.phase is Phase.BETTING:
        return lock(rules, state, first_spot)
    if state.phase is Phase.DEALING:
        return unchanged(state)
    return raised(
        state,
        Alarm(
            code=START_REFUSED,
            text=f"The shuffler started while the round was {state.phase.value}; "
            "finish this round with ADVANCE or VOID, then start again",
        ),
    )


# --- hands ---------------------------------------------------------------------------------


def _hands(
    handler: Callable[[TableRules, TableState, Any], Step],
) -> Callable[[TableRules, TableState, Any], Step]:
    """After a hand or card: a deal that holds every position is whole without being told."""

    def handle(rules: TableRules, state: TableState, fact: Any) -> Step:
        return handler(rules, state, fact).then(lambda now: _whole_by_itself(rules, now))

    return handle


def _whole_by_itself(rules: TableRules, state: TableState) -> Step:
    if state.phase is not Phase.DEALING:
        return unchanged(state)
    counts = [len(deal.hand_at(state, position)) for position in deal.positions(rules)]
    whole = rules.profile.cards_per_hand
    full_or_overfull = min(counts) == whole or max(counts) > whole
    return _finish_deal(rules, state) if full_or_overfull else unchanged(state)


def _deal_done(rules: TableRules, state: TableState, fact: facts.DealDone) -> Step:
    counted = replace(state, cards_left=fact.cards_left)
    if state.phase is Phase.DEALING:
        return _finish_deal(rules, counted)
    if state.phase is Phase.DEALT:
        fault = deal.fault_of_deal(rules, counted)
        return unchanged(counted) if fault is None else _void(rules, counted, fault, "controller")
    return Step(counted) if deal.dealing(state) else unchanged(state)


def _finish_deal(rules: TableRules, state: TableState) -> Step:
    fault = deal.fault_of_deal(rules, state)
    if fault is not None:
        return _void(rules, state, f"the deck does not add up: {fault}", "controller")
    missing = deal.missing(rules, state)
    if missing and state.cards_left is not None:
        return _void(rules, state, f"no whole hand at {_places(missing)}", "controller")
    if missing:
        return noticed(state, f"Still to come: {_places(missing)}")
    return _dealt(rules, state)


def _places(positions: tuple[int, ...]) -> str:
    return ", ".join("the dealer" if number == 0 else f"spot {number}" for number in positions)


def _dealt(rules: TableRules, state: TableState) -> Step:
    dealt = outcome.settled_state(rules, replace(state, phase=Phase.DEALT, notice=None))
    hands = sum(bool(deal.hand_at(dealt, position)) for position in deal.positions(rules))
    opened = (outcome.dealer_opened(dealt),) if rules.profile.dealer_opens_first else ()
    return cleared(dealt, deal.CARD_UNREAD, deal.HAND_REFUSED).then(
        lambda now: Step(now, (events.HandsDealt(round=dealt.round_number, hands=hands), *opened))
    )


# --- ADVANCE and VOID ----------------------------------------------------------------------


def _advanced(rules: TableRules, state: TableState, fact: facts.Advanced) -> Step:
    meant_otherwise = (fact.phase is not None and fact.phase is not state.phase) or (
        fact.round is not None and fact.round != state.round_number
    )
    if meant_otherwise:
        return unchanged(state)
    match state.phase:
        case Phase.SETTLED | Phase.VOIDED:
            return open_round(rules, state)
        case Phase.BETTING:
            return lock(rules, state, None)
        case Phase.DEALING:
            return _finish_deal(rules, state)
        case Phase.DEALT:
            return _reveal(state)
        case Phase.REVEALED:
            return _pay(rules, state)
        case Phase.SUSPENDED:
            return _resume(rules, state, fact.by)


def _reveal(state: TableState) -> Step:
    shown = replace(state, phase=Phase.REVEALED, notice=None)
    settlement = state.settlement
    told = settlement.discrepancies if settlement is not None else ()
    return Step(
        shown,
        (
            *outcome.revealed(shown),
            *(events.Discrepancy(round=state.round_number, text=text) for text in told),
        ),
    )


def _pay(rules: TableRules, state: TableState) -> Step:
    paid = outcome.paid(state)
    return Step(
        replace(
            state,
            phase=Phase.SETTLED,
            spots=tuple(
                bets.forgotten(rules, _noted_if_short(state, spot)) for spot in state.spots
            ),
            notice=None,
        ),
        paid,
    )


def _noted_if_short(state: TableState, spot: SpotState) -> SpotState:
    settlement = state.settlement
    short = settlement is not None and settlement.spot(spot.number).short
    return replace(spot, short_wagers=spot.short_wagers + short)


def _voided(rules: TableRules, state: TableState, fact: facts.Voided) -> Step:
    if state.phase in (Phase.SETTLED, Phase.VOIDED):
        return noticed(state, "There is no round to void")
    return _void(rules, state, fact.reason, fact.by)


def _misdealt(rules: TableRules, state: TableState, fact: facts.Misdealt) -> Step:
    if not deal.dealing(state) and state.phase is not Phase.DEALT:
        return noticed(state, f"The reader reports a misdeal: {fact.reason}")
    return _void(rules, state, f"misdeal: {fact.reason}", "reader")


def _void(rules: TableRules, state: TableState, reason: str, by: str) -> Step:
    stood = state.suspension.phase if state.suspension is not None else state.phase
    voided = replace(
        state,
        phase=Phase.VOIDED,
        suspension=None,
        settlement=None,
        dealer_cards=(),
        void_reason=reason,
        spots=tuple(
            bets.forgotten(rules, replace(spot, cards=(), low=None)) for spot in state.spots
        ),
        notice=None,
    )
    announced = events.RoundVoided(round=state.round_number, phase=stood, reason=reason, by=by)
    return cleared(voided, *OF_ONE_ROUND).then(lambda now: Step(now, (announced,)))


def _resume(rules: TableRules, state: TableState, by: str) -> Step:
    suspension = state.suspension
    assert suspension is not None
    if suspension.phase is Phase.DEALING and not state.reader_up:
        return noticed(state, "The reader is not there yet: reconnect it, or void the round")
    resumed = replace(state, phase=suspension.phase, suspension=None, notice=None)
    announced = events.RoundResumed(round=state.round_number, phase=suspension.phase, by=by)
    if resumed.phase is not Phase.DEALING:
        return Step(resumed, (announced,))
    whole = resumed.cards_left is not None
    return Step(resumed, (announced,)).then(
        lambda now: _finish_deal(rules, now) if whole else _whole_by_itself(rules, now)
    )


def _dice_rolled(rules: TableRules, state: TableState, fact: facts.DiceRolled) -> Step:
    """Three dice choose where the first hand goes, where the shuffler did not."""
    rolled = "Dice " + " ".join(map(str, fact.dice))
    if state.phase not in (Phase.SETTLED, Phase.BETTING, Phase.DEALING):
        return noticed(state, f"{rolled}: not used, the hands are in")
    try:
        position = position_of_dice(rules.profile, fact.dice)
        first_spot = delivery(rules.profile, position, state.designated_player).first_spot
    except ValueError as error:
        return noticed(state, str(error))
    return acted(
        replace(state, first_spot=first_spot),
        action="dice-rolled",
        by="reader",
        spot=first_spot,
        text=f"{rolled}: position {position}, the first hand goes to spot {first_spot}",
    )


# --- facts that change what is owed --------------------------------------------------------


def _corrects(
    handler: Callable[[TableRules, TableState, Any], Step],
) -> Callable[[TableRules, TableState, Any], Step]:
    """Once results exist, a fact that changes a hand has them computed, and shown, anew."""

    def handle(rules: TableRules, state: TableState, fact: Any) -> Step:
        return handler(rules, state, fact).then(
            lambda now: _resettled(rules, now) if _hands_differ(state, now) else unchanged(now)
        )

    return handle


def _hands_differ(before: TableState, after: TableState) -> bool:
    return before.spots != after.spots or before.dealer_cards != after.dealer_cards


def _resettled(rules: TableRules, state: TableState) -> Step:
    if state.phase not in (Phase.DEALT, Phase.REVEALED):
        return unchanged(state)
    fault = deal.fault_of_deal(rules, state)
    if fault is not None:
        return _void(rules, state, f"the deck does not add up: {fault}", "controller")
    settled = outcome.settled_state(rules, state)
    return Step(settled, outcome.revealed(settled) if state.phase is Phase.REVEALED else ())


Handler = Callable[[TableRules, TableState, Any], Step]

_HANDLERS: dict[type[Any], Handler] = {
    facts.WagerChanged: _bet,
    facts.EnvyButtonChanged: _bet,
    facts.DealStarted: _deal_started,
    facts.DiceRolled: _dice_rolled,
    facts.HandRead: _hands(deal.hand_read),
    facts.CardRead: _hands(deal.card_read),
    facts.CardUnread: deal.card_unread,
    facts.CardCorrected: _corrects(deal.card_corrected),
    facts.DealDone: _deal_done,
    facts.Misdealt: _misdealt,
    facts.Advanced: _advanced,
    facts.Voided: _voided,
    facts.SpotDesignated: declarations.spot_designated,
    facts.BankDeclared: declarations.bank_declared,
    facts.ActionButtonMoved: declarations.action_button_moved,
    facts.SpotsLinked: declarations.spots_linked,
    facts.SupervisorActed: declarations.supervisor_acted,
    facts.HandDead: _corrects(declarations.hand_dead),
    facts.HandFolded: _corrects(declarations.hand_folded),
    facts.HandSurrendered: _corrects(declarations.hand_surrendered),
    facts.LowHandSet: _corrects(declarations.low_hand_set),
    facts.InputFailed: faults.input_failed,
    facts.InputHealed: faults.input_healed,
    facts.ReaderLost: faults.reader_lost,
    facts.ReaderFound: faults.reader_found,
    facts.AlarmRaised: faults.alarm_raised,
    facts.AlarmCleared: faults.alarm_cleared,
    facts.PowerReturned: faults.power_returned,
    facts.ConfigurationApplied: faults.configuration_applied,
    facts.ControllerStopped: faults.controller_stopped,
}

_NAMES_SPOTS: dict[type[Any], str] = {
    kind: field for kind in _HANDLERS for field in ("spot", "spots") if field in kind.model_fields
}
"""The facts that name a spot, or several, and the field that does."""
