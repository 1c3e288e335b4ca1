"""A round that waits is as open, or as locked, as it was when it was suspended."""

from __future__ import annotations

from typing import Any

from firmware_app.table import events, facts
from firmware_app.table.values import Phase

QUADS = "QS QH QD QC JK 4D 9H"


def test_a_bet_moved_while_a_locked_round_waits_is_late_and_changes_no_money(table: Any) -> None:
    story = table("envy")
    story.bet(1, 5_00)
    story.lock()
    story.tell(facts.ReaderLost(reason="pulled"))
    assert story.phase is Phase.SUSPENDED
    taken, laid = story.bet(1, 0), story.bet(2, 25_00)
    for told in (taken, laid):
        assert [type(event) for event in told] == [events.LateBet, events.AlarmStarted]
    story.tell(facts.ReaderFound())
    story.advance()
    story.deal({1: QUADS})
    story.advance()
    settlement = story.state.settlement
    assert settlement.spot(1).fortune.paid_cents == 125_00
    assert settlement.spot(2).fortune.paid_cents == 0


def test_a_chip_moved_while_the_power_was_off_is_told(table: Any) -> None:
    story = table("envy")
    story.bet(1, 5_00)
    story.lock()
    story.tell(facts.PowerReturned(software="1", configuration="c"))
    assert [type(event) for event in story.bet(1, 0)] == [events.LateBet, events.AlarmStarted]


def test_bets_stay_open_while_a_betting_round_waits(table: Any) -> None:
    story = table("envy")
    story.bet(1, 5_00)
    story.tell(facts.PowerReturned(software="1", configuration="c"))
    assert [type(event) for event in story.bet(2, 5_00)] == [events.WagerMoved]
    story.advance()
    story.lock()
    locked = story.announced(events.BetsLocked)[-1]
    assert [spot.fortune_cents for spot in locked.spots[:2]] == [5_00, 5_00]
