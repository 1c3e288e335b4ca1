"""Bets before and after the lock: sensors are followed always, money only while bets are open."""

from __future__ import annotations

from dataclasses import replace

from firmware_app.table import events
from firmware_app.table.facts import EnvyButtonChanged, WagerChanged
from firmware_app.table.state import Bets, SpotState, TableRules, TableState
from firmware_app.table.step import Step, raised, unchanged
from firmware_app.table.values import Alarm, Phase

LATE_BET = "late-bet"


def with_wager(bets: Bets, wager: str, cents: int | None) -> Bets:
    """Return ``bets`` with one wager changed; an amount is unknown for Fortune only."""
    if wager == "fortune":
        return replace(bets, fortune_cents=cents)
    if wager == "main":
        return replace(bets, main_cents=cents or 0)
    return replace(bets, ace_high_cents=cents or 0)


def wager_changed(rules: TableRules, state: TableState, fact: WagerChanged) -> Step:
    """A wager lies differently now. Live while bets are open, late after the lock."""
    spot = state.spot(fact.spot)
    live = with_wager(spot.live, fact.wager, fact.cents)
    return _bets_changed(
        state,
        spot,
        live,
        moved=events.WagerMoved(
            round=state.round_number, spot=fact.spot, wager=fact.wager, cents=fact.cents
        ),
        late=events.LateBet(
            round=state.round_number,
            spot=fact.spot,
            wager=fact.wager,
            cents=fact.cents,
            envy_placed=None,
        ),
    )


def envy_button_changed(rules: TableRules, state: TableState, fact: EnvyButtonChanged) -> Step:
    """An envy button was placed or taken. It counts as it lay at the lock."""
    spot = state.spot(fact.spot)
    return _bets_changed(
        state,
        spot,
        replace(spot.live, envy_button=fact.placed),
        moved=events.EnvyMoved(round=state.round_number, spot=fact.spot, placed=fact.placed),
        late=events.LateBet(
            round=state.round_number,
            spot=fact.spot,
            wager=None,
            cents=None,
            envy_placed=fact.placed,
        ),
    )


def _bets_changed(
    state: TableState,
    spot: SpotState,
    live: Bets,
    *,
    moved: events.WagerMoved | events.EnvyMoved,
    late: events.LateBet,
) -> Step:
    if live == spot.live:
        return unchanged(state)
    followed = state.with_spot(replace(spot, live=live))
    # A round that waits is as locked as it was: chips moved while the power was off are told too.
    stands = state.phase if state.suspension is None else state.suspension.phase
    if stands is Phase.BETTING:
        return Step(followed, (moved,))
    if stands in (Phase.DEALING, Phase.DEALT):
        return Step(followed, (late,)).then(
            lambda now: raised(
                now,
                Alarm(
                    code=LATE_BET,
                    spot=spot.number,
                    text=f"Spot {spot.number}: bet changed after the lock; the locked bet stands",
                ),
            )
        )
    return Step(followed)


def adds_a_bet(state: TableState, fact: WagerChanged | EnvyButtonChanged) -> bool:
    """Tell whether ``fact`` puts something down, as the first bet of a new round does."""
    live = state.spot(fact.spot).live
    if isinstance(fact, EnvyButtonChanged):
        return fact.placed and not live.envy_button
    before = {
        "main": live.main_cents,
        "fortune": live.fortune_cents,
        "ace_high": live.ace_high_cents,
    }[fact.wager]
    if fact.cents is None:
        return before is not None
    return before is not None and fact.cents > before


def forgotten(rules: TableRules, spot: SpotState) -> SpotState:
    """Return ``spot`` between rounds: told wagers and toggled envy buttons start anew."""
    live = spot.live
    if rules.forgets_wagers:
        live = replace(live, main_cents=0, fortune_cents=0, ace_high_cents=0)
    if rules.envy_input == "momentary":
        live = replace(live, envy_button=False)
    return replace(spot, live=live)
