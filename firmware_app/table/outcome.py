"""From a whole deal to what every spot is owed, and its events."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from firmware_app.rules.play import RoundPlay, SpotPlay, SpotResult, WagerResult
from firmware_app.rules.settlement import settle
from firmware_app.table import events
from firmware_app.table.deal import occupied
from firmware_app.table.state import DEALER, Bets, SpotState, TableRules, TableState


def settled_state(rules: TableRules, state: TableState) -> TableState:
    """Return ``state`` with what every wager is owed. Pure: replay gives the same."""
    return replace(state, settlement=settle(rules.profile, round_play(rules, state)))


def round_play(rules: TableRules, state: TableState) -> RoundPlay:
    """Return the round in the words of settlement."""
    banker_plays = rules.profile.banker == "designated-player"
    return RoundPlay(
        spots=tuple(_spot_play(rules, state, spot) for spot in state.spots),
        first_spot=state.first_spot,
        dealer=None if banker_plays else state.dealer_cards,
        designated_player=state.designated_player if banker_plays else None,
        bank_cents=state.bank_cents if banker_plays else None,
    )


def _spot_play(rules: TableRules, state: TableState, spot: SpotState) -> SpotPlay:
    bets = spot.locked or Bets()
    return SpotPlay(
        number=spot.number,
        cards=spot.cards or None,
        player=spot.player,
        occupied=occupied(rules, state, spot.number),
        main_cents=bets.main_cents,
        fortune_cents=bets.fortune_cents,
        ace_high_cents=bets.ace_high_cents,
        envy_button=None if rules.envy_input == "none" else bets.envy_button,
        low=spot.low,
        folded=spot.folded,
        dead=spot.dead,
        surrendered=spot.surrendered,
        short_before=spot.short_wagers > 0,
    )


def revealed(state: TableState) -> tuple[events.Event, ...]:
    """Return the reveal of a settled deal: the round as a whole, then every hand."""
    settlement = state.settlement
    assert settlement is not None
    outcomes = tuple(_outcomes(state))
    whole = events.RoundRevealed(
        round=state.round_number,
        dealer_cards=state.dealer_cards,
        dealer_low=settlement.dealer_low,
        dealer_high=settlement.dealer_high,
        spots=outcomes,
    )
    return (whole, *_hands(state, outcomes))


def _hands(
    state: TableState, outcomes: tuple[events.SpotOutcome, ...]
) -> Iterator[events.HandRevealed]:
    if state.dealer_cards:
        yield events.HandRevealed(
            round=state.round_number,
            position=DEALER,
            player=None,
            cards=state.dealer_cards,
            line=None,
            made_of=(),
        )
    for outcome in outcomes:
        if outcome.cards:
            yield events.HandRevealed(
                round=state.round_number,
                position=outcome.spot,
                player=outcome.player,
                cards=outcome.cards,
                line=outcome.line,
                made_of=outcome.made_of,
            )


def dealer_opened(state: TableState) -> events.DealerOpened:
    """Return the opening of the dealer's hand, on a table where it is opened first."""
    settlement = state.settlement
    assert settlement is not None
    return events.DealerOpened(
        round=state.round_number,
        cards=state.dealer_cards,
        low=settlement.dealer_low,
        high=settlement.dealer_high,
        clause=settlement.dealer_clause,
    )


def paid(state: TableState) -> tuple[events.Event, ...]:
    """Return a payout for every spot owed something, then the round as settled."""
    settlement = state.settlement
    assert settlement is not None
    payouts = tuple(
        events.Payout(
            round=state.round_number,
            spot=result.number,
            player=state.spot(result.number).player,
            main_cents=result.main.paid_cents,
            fortune_cents=result.fortune.paid_cents,
            ace_high_cents=result.ace_high.paid_cents,
            envy_cents=result.envy.paid_cents,
            owed_cents=result.owed_cents,
        )
        for result in settlement.spots
        if result.owed_cents > 0
    )
    wagers = [
        wager
        for result in settlement.spots
        for wager in (result.main, result.fortune, result.ace_high)
    ]
    return (
        *payouts,
        events.RoundSettled(
            round=state.round_number,
            spots=tuple(_outcomes(state)),
            paid_cents=sum(result.owed_cents for result in settlement.spots),
            collected_cents=sum(wager.collected_cents for wager in wagers),
            bank_left_cents=settlement.bank_left_cents,
        ),
    )


def _outcomes(state: TableState) -> Iterator[events.SpotOutcome]:
    assert state.settlement is not None
    for result in state.settlement.spots:
        spot = state.spot(result.number)
        yield events.SpotOutcome(
            spot=result.number,
            player=spot.player,
            cards=spot.cards,
            line=result.line,
            made_of=result.made_of,
            main=_wager(result.main),
            fortune=_wager(result.fortune),
            ace_high=_wager(result.ace_high),
            envy_cents=result.envy.paid_cents,
            envy_triggers=_triggers(result),
            owed_cents=result.owed_cents,
        )


def _triggers(result: SpotResult) -> tuple[events.EnvyTriggered, ...]:
    return tuple(
        events.EnvyTriggered(spot=trigger.spot, line=trigger.line, cents=trigger.cents)
        for trigger in result.envy.triggers
    )


def _wager(result: WagerResult) -> events.WagerOutcome:
    return events.WagerOutcome(
        result=result.result,
        paid_cents=result.paid_cents,
        collected_cents=result.collected_cents,
        returned_cents=result.returned_cents,
        kept_cents=result.kept_cents,
        line=result.line,
        pays=result.pays,
        reason=result.reason,
    )
