"""Opening a round and locking its bets."""

from __future__ import annotations

from dataclasses import replace

from firmware_app.table import bets, deal, events, faults
from firmware_app.table.state import Bets, SpotState, TableRules, TableState
from firmware_app.table.step import Step, cleared, noticed
from firmware_app.table.values import Phase

START_REFUSED = "start-refused"

OF_ONE_ROUND = (bets.LATE_BET, deal.CARD_UNREAD, deal.HAND_REFUSED, START_REFUSED, "reader-alarm")
"""Alarms that say something of one round and end with it."""


def open_round(rules: TableRules, state: TableState) -> Step:
    """Open the next round with the bets that lie there, unless the device has no room for it."""
    stopped = next((alarm for alarm in state.alarms if alarm.code in faults.STOPS_ROUNDS), None)
    if stopped is not None:
        return noticed(state, f"No new round: {stopped.text}")
    opened = replace(
        state,
        phase=Phase.BETTING,
        round_number=state.round_number + 1,
        spots=tuple(_between_rounds(spot) for spot in state.spots),
        dealer_cards=(),
        cards_left=None,
        settlement=None,
        void_reason=None,
        notice=None,
    )
    announced = events.RoundOpened(round=opened.round_number, profile=rules.profile.name)
    return cleared(opened, *OF_ONE_ROUND).then(lambda now: Step(now, (announced,)))


def _between_rounds(spot: SpotState) -> SpotState:
    return replace(
        spot, locked=None, cards=(), low=None, dead=False, folded=False, surrendered=False
    )


def lock(rules: TableRules, state: TableState, first_spot: int | None) -> Step:
    """Lock all bets as one snapshot; ``first_spot`` None leaves the action where it was."""
    bank = rules.profile.designated_player
    if bank is not None and state.designated_player is None:
        return noticed(state, "Name the designated player first: ADVANCE + the spot's envy button")
    locked = replace(
        state,
        phase=Phase.DEALING,
        first_spot=first_spot or state.first_spot,
        bank_cents=state.bank_cents or (bank.minimum_bank_cents if bank is not None else None),
        spots=tuple(_locked(spot) for spot in state.spots),
        notice=None,
    )
    return Step(
        locked,
        (
            events.BetsLocked(
                round=locked.round_number,
                first_spot=locked.first_spot,
                designated_player=locked.designated_player,
                bank_cents=locked.bank_cents,
                spots=tuple(_locked_spot(rules, locked, spot) for spot in locked.spots),
            ),
        ),
    )


def _locked(spot: SpotState) -> SpotState:
    """A spot out of service plays for nothing: its sensors cannot be believed."""
    snapshot = spot.live if spot.in_service else Bets()
    sitting_on = snapshot.has_fortune or snapshot.main_cents > 0
    return replace(spot, locked=snapshot, short_wagers=spot.short_wagers if sitting_on else 0)


def _locked_spot(rules: TableRules, state: TableState, spot: SpotState) -> events.LockedSpot:
    snapshot = spot.locked or Bets()
    return events.LockedSpot(
        spot=spot.number,
        player=spot.player,
        occupied=rules.occupied_by == "hand" or deal.occupied(rules, state, spot.number),
        main_cents=snapshot.main_cents,
        fortune_cents=snapshot.fortune_cents,
        ace_high_cents=snapshot.ace_high_cents,
        envy_button=None if rules.envy_input == "none" else snapshot.envy_button,
    )
