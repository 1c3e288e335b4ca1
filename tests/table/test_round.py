"""A round from the first bet to the payment, and everything that may come between."""

from __future__ import annotations

import random
from typing import Any

import pytest

from firmware_app.cards import DECK, Card, parse_card
from firmware_app.rules.profile import Profile, load_profile
from firmware_app.table import events, facts
from firmware_app.table.facts import Fact
from firmware_app.table.round import step
from firmware_app.table.state import new_table, state_from_json, state_to_json
from firmware_app.table.values import Phase

QUADS = "QS QH QD QC JK 4D 9H"


def test_a_round_goes_from_bet_to_payment(table: Any) -> None:
    story = table("envy")
    story.bet(1, 10_00)
    assert (story.phase, story.state.round_number) == (Phase.BETTING, 1)
    story.lock()
    assert story.phase is Phase.DEALING
    story.deal({1: QUADS})
    assert story.phase is Phase.DEALT
    story.advance()
    assert story.phase is Phase.REVEALED
    assert story.view.spots[0].owed_cents == 250_00  # four of a kind, 25 to 1
    story.advance()
    assert story.phase is Phase.SETTLED
    (settled,) = story.announced(events.RoundSettled)
    assert isinstance(settled, events.RoundSettled)
    assert settled.paid_cents == 250_00
    (paid,) = story.announced(events.Payout)
    assert isinstance(paid, events.Payout)
    assert (paid.spot, paid.fortune_cents, paid.envy_cents) == (1, 250_00, 0)


def test_envy_goes_to_the_other_qualifying_spots_only(table: Any) -> None:
    story = table("envy", envy_input="none")
    story.bet(1, 5_00)
    story.bet(2, 5_00)
    story.bet(3, 4_00)
    story.lock()
    story.deal({1: QUADS})
    story.advance()
    owed = {spot.number: spot.result.envy.paid_cents for spot in story.view.spots}
    assert owed == {1: 0, 2: 5_00, 3: 0, 4: 0, 5: 0, 6: 0}


def test_linked_spots_are_one_player_and_pay_no_envy_for_own_hands(table: Any) -> None:
    story = table("envy", envy_input="none")
    story.tell(facts.SpotsLinked(spots=(1, 2)))
    for spot in (1, 2, 3):
        story.bet(spot, 5_00)
    story.lock()
    story.deal({1: QUADS})
    story.advance()
    owed = {spot.number: spot.result.envy.paid_cents for spot in story.view.spots}
    assert (owed[2], owed[3]) == (0, 5_00)


def test_linking_again_parts_the_spots(table: Any) -> None:
    story = table("envy")
    story.tell(facts.SpotsLinked(spots=(2, 3)))
    assert story.state.spot(3).player == story.state.spot(2).player
    story.tell(facts.SpotsLinked(spots=(3, 2)))
    assert story.state.spot(3).player == "spot 3"


def test_spots_that_are_no_neighbours_are_not_linked(table: Any) -> None:
    story = table("envy")
    story.tell(facts.SpotsLinked(spots=(1, 3)))
    assert story.state.spot(3).player == "spot 3"
    assert "not neighbours" in story.view.notice


def test_a_bet_before_the_lock_counts_and_after_it_is_late(table: Any) -> None:
    story = table("envy")
    story.bet(1, 5_00)
    story.lock()
    late = story.bet(2, 25_00)
    assert [type(event) for event in late] == [events.LateBet, events.AlarmStarted]
    story.bet(1, 0)
    story.deal({1: QUADS, 2: "KS KH KD KC 3H 5D 7S"})
    story.advance()
    assert story.view.spots[0].result.fortune.paid_cents == 125_00
    assert story.view.spots[1].result.fortune.paid_cents == 0
    assert {alarm.code for alarm in story.view.alarms} == {"late-bet"}


def test_fifty_locks_at_once_are_one_lock(table: Any) -> None:
    story = table("envy")
    story.bet(1)
    for _ in range(50):
        story.tell(facts.DealStarted(first_spot=1))
        story.tell(facts.Advanced(phase=Phase.BETTING, round=1))
    assert len(story.announced(events.BetsLocked)) == 1
    assert story.state.round_number == 1


def test_a_start_while_a_round_waits_to_be_paid_is_refused(table: Any) -> None:
    story = table("envy")
    story.bet(1)
    story.lock()
    story.deal({})
    before = story.state.phase
    story.lock()
    assert story.phase is before is Phase.DEALT
    assert [alarm.code for alarm in story.view.alarms] == ["start-refused"]


def test_a_start_from_the_shuffler_after_payment_opens_and_locks_with_the_bets_lying(
    table: Any,
) -> None:
    story = table("envy")
    story.bet(1)
    story.lock()
    story.deal({})
    story.advance()
    story.advance()
    story.lock(first_spot=4)
    assert (story.phase, story.state.round_number, story.state.first_spot) == (Phase.DEALING, 2, 4)
    assert story.state.spot(1).locked.fortune_cents == 5_00


def test_told_wagers_do_not_lie_over_to_the_next_round(table: Any) -> None:
    story = table("envy", wager_source="reader")
    story.bet(1, 25_00)
    story.lock()
    story.deal({})
    story.advance()
    story.advance()
    assert story.state.spot(1).live.fortune_cents == 0


def test_hands_before_the_lock_are_refused_and_say_what_to_do(table: Any) -> None:
    story = table("envy")
    story.bet(1)
    story.hand(1, QUADS)
    assert story.state.spot(1).cards == ()
    assert "lock the bets with ADVANCE" in story.view.alarms[0].text


def test_a_repeated_hand_changes_nothing(table: Any) -> None:
    story = table("envy")
    story.bet(1)
    story.lock()
    story.hand(1, QUADS)
    before = story.state
    assert story.hand(1, QUADS) == []
    assert story.state == before


def test_the_same_card_twice_in_the_deal_voids_the_round(table: Any) -> None:
    story = table("envy")
    story.bet(1)
    story.lock()
    story.deal({1: QUADS, 2: "QS 3H 5D 7C 8S 9C TH"})
    assert story.phase is Phase.VOIDED
    assert "same card" in story.view.void_reason


def test_a_count_of_the_shuffler_that_does_not_add_up_voids_the_round(table: Any) -> None:
    story = table("envy")
    story.bet(1)
    story.lock()
    story.deal({})
    story.tell(facts.DealDone(cards_left=3))  # 49 dealt: 4 must be left
    assert story.phase is Phase.VOIDED
    assert "49 cards dealt and 3 left" in story.view.void_reason


def test_a_right_count_leaves_the_deal_alone(table: Any) -> None:
    story = table("envy")
    story.bet(1)
    story.lock()
    story.deal({})
    story.tell(facts.DealDone(cards_left=4))
    assert story.phase is Phase.DEALT


def test_a_short_hand_at_the_end_of_the_deal_voids_the_round(table: Any) -> None:
    story = table("envy")
    story.bet(1)
    story.lock()
    story.tell(facts.HandRead(position=1, cards=new_cards("QS QH QD")))
    story.tell(facts.DealDone(cards_left=50))
    assert story.phase is Phase.VOIDED


def new_cards(text: str) -> tuple[Card, ...]:
    return tuple(parse_card(word) for word in text.split())


def test_a_misdeal_returns_every_bet(table: Any) -> None:
    story = table("envy")
    story.bet(1)
    story.lock()
    story.tell(facts.Misdealt(reason="red light"))
    assert story.phase is Phase.VOIDED
    assert story.view.void_reason == "misdeal: red light"
    assert story.announced(events.Payout) == []
    story.advance()
    assert (story.phase, story.state.round_number) == (Phase.BETTING, 2)


@pytest.mark.parametrize("acts", [1, 2, 3, 4])
def test_void_ends_a_round_in_any_open_phase_and_pays_nobody(table: Any, acts: int) -> None:
    story = table("envy")
    play = [
        lambda: story.bet(1),
        story.lock,
        lambda: story.deal({1: QUADS}),
        story.advance,
    ]
    for act in play[:acts]:
        act()
    story.void("spilled drink")
    assert story.phase is Phase.VOIDED
    assert story.announced(events.Payout) == []
    assert all(spot.result is None and spot.cards == () for spot in story.view.spots)


def test_one_card_too_many_voids_the_round_at_once(table: Any) -> None:
    story = table("envy")
    story.bet(1)
    story.lock()
    story.hand(1, DECK[:7])
    assert story.phase is Phase.DEALING
    story.hand(2, DECK[7:15])
    assert story.phase is Phase.VOIDED
    assert "8 cards" in str(story.view.void_reason)


def test_power_back_in_mid_round_waits_for_the_dealer_and_goes_on(table: Any) -> None:
    story = table("envy")
    story.bet(1)
    story.lock()
    story.deal({1: QUADS})
    owed = story.state.settlement
    story.tell(facts.PowerReturned(software="1", configuration="c"))
    assert (story.phase, story.view.suspended_from) == (Phase.SUSPENDED, Phase.DEALT)
    story.tell(facts.ReaderFound())
    story.advance()
    assert story.phase is Phase.DEALT
    assert story.state.settlement == owed


@pytest.mark.parametrize(
    ("after_stop", "why"), [(False, "the power came back"), (True, "the table was stopped")]
)
def test_why_a_round_waits_after_a_start_is_told(table: Any, after_stop: bool, why: str) -> None:
    story = table("envy")
    story.bet(1)
    story.tell(facts.PowerReturned(software="1", configuration="c", after_stop=after_stop))
    assert story.view.suspended_reason is not None
    assert story.view.suspended_reason.startswith(why)


def test_power_back_between_rounds_suspends_nothing(table: Any) -> None:
    story = table("envy")
    story.tell(facts.PowerReturned(software="1", configuration="c"))
    assert story.phase is Phase.SETTLED


def test_a_reader_lost_while_dealing_suspends_and_takes_hands_again_when_back(table: Any) -> None:
    story = table("envy")
    story.bet(1)
    story.lock()
    story.hand(1, QUADS)
    story.tell(facts.ReaderLost(reason="unplugged"))
    assert story.phase is Phase.SUSPENDED
    story.advance()
    assert story.phase is Phase.SUSPENDED, "no resume without a reader"
    story.tell(facts.ReaderFound())
    story.deal({1: QUADS})
    assert story.phase is Phase.SUSPENDED, "never goes on by itself"
    story.advance()
    assert story.phase is Phase.DEALT


def test_a_reader_lost_between_rounds_is_an_alarm_only(table: Any) -> None:
    story = table("envy")
    story.bet(1)
    story.tell(facts.ReaderLost(reason="silent for 5 s"))
    assert story.phase is Phase.BETTING
    assert [alarm.code for alarm in story.view.alarms] == ["reader-lost"]
    story.tell(facts.ReaderFound())
    assert story.view.alarms == ()


def test_a_failed_sensor_costs_its_spot_and_no_other(table: Any) -> None:
    story = table("face-up")
    for spot in (1, 2, 3):
        story.bet(spot)
        story.envy(spot)
    story.tell(facts.InputFailed(line="spot3.envy", spot=3, text="spot3.envy is stuck"))
    story.lock()
    story.deal({1: QUADS})
    story.advance()
    envy = {spot.number: spot.result.envy.paid_cents for spot in story.view.spots}
    assert (envy[1], envy[2], envy[3]) == (0, 5_00, 0)
    assert story.view.spots[2].owed_cents == 0
    assert not story.view.spots[2].in_service
    story.tell(facts.InputHealed(line="spot3.envy"))
    assert story.view.spots[2].in_service


def with_both_signs_of_envy() -> Profile:
    """Face Up with envy known by button and amount, and $1 steps."""
    base = load_profile("face-up")
    limits = base.fortune.limits.model_copy(  # type: ignore[union-attr]
        update={"minimum_cents": 1_00, "unit_cents": 1_00}
    )
    return base.model_copy(
        update={
            "fortune": base.fortune.model_copy(update={"limits": limits}),  # type: ignore[union-attr]
            "envy": base.envy.model_copy(update={"qualifies_by": "both"}),  # type: ignore[union-attr]
        }
    )


def test_side_bets_stand_whatever_becomes_of_the_main_hand(table: Any) -> None:
    """A main hand that loses with four of a kind, a bonus with nothing, a bonus under $5, a folded
    hand, a stuck envy sensor without a bonus; and the dealer holds four aces."""
    story = table(with_both_signs_of_envy())
    story.bet(1, 10_00, "main")
    for spot, cents in ((1, 5_00), (2, 5_00), (3, 4_00), (4, 5_00)):
        story.bet(spot, cents)
    for spot in (1, 2, 4, 5):
        story.envy(spot)
    story.tell(facts.InputFailed(line="spot5.envy", spot=5, text="spot5.envy is stuck"))
    story.lock()
    story.deal(
        {
            0: "AS AH AD AC KS KH 2D",
            1: QUADS,
            2: "2S 5H 7C 8D TC JC KD",
            3: "3S 4H 6D 8S 9S TH KC",
            4: "2H 3D 5S 7D 8C TS JH",
            5: "2C 4S 6H 7S 9C TD JS",
            6: "3C 4C 5C 6S 8H 9D JD",
        }
    )
    story.tell(facts.HandFolded(spot=4))
    story.advance()
    result = {spot.number: spot.result for spot in story.view.spots}
    assert result[1].main.result == "lose"
    assert (result[1].fortune.paid_cents, result[1].envy.paid_cents) == (125_00, 0)
    assert (result[2].fortune.collected_cents, result[2].envy.paid_cents) == (5_00, 5_00)
    assert result[3].envy.paid_cents == 0
    assert result[4].envy.paid_cents == 5_00
    assert result[5].owed_cents == 0
    assert "input-failed:spot5.envy" in {alarm.code for alarm in story.view.alarms}


def test_two_hands_of_four_of_a_kind_pay_ten_to_a_third_and_five_to_each_other(table: Any) -> None:
    story = table("envy", envy_input="none")
    for spot in (1, 2, 3):
        story.bet(spot, 5_00)
    story.lock()
    story.deal({1: QUADS, 2: "2S 2H 2D 2C 7S 9D KD", 3: "3S 5H 6C 8D TC JC KC"})
    story.advance()
    owed = {spot.number: spot.result.envy.paid_cents for spot in story.view.spots}
    assert (owed[1], owed[2], owed[3]) == (5_00, 5_00, 10_00)


def test_a_corrected_card_is_settled_anew_and_both_values_stay_on_record(table: Any) -> None:
    story = table("envy")
    story.bet(1, 5_00)
    story.lock()
    story.deal({0: "2S 3H 5D 7C 8S 9C KD", 1: "QS QH QD 2C 5H 4D 9H"}, seed=2)
    (two, queen) = new_cards("2C QC")
    assert all(queen not in spot.cards for spot in story.state.spots), "QC stays in the deck"
    story.advance()
    assert story.view.spots[0].owed_cents == 15_00
    correction = facts.CardCorrected(position=1, was=two, now=queen, by="floor 7", why="misread")
    told = story.tell(correction)
    kinds = [type(event) for event in told]
    assert kinds == [events.DealerAction, events.RoundRevealed, *[events.HandRevealed] * 7]
    assert story.view.spots[0].owed_cents == 125_00
    assert facts.fact_from_json(facts.fact_to_json(correction)) == correction


def test_a_correction_to_a_card_dealt_elsewhere_does_not_add_up(table: Any) -> None:
    story = table("envy")
    story.bet(1, 5_00)
    story.lock()
    story.deal({1: "QS QH QD 2C 5H 4D 9H", 2: "QC 3H 5D 7C 8S 9C KD"})
    (two, queen) = new_cards("2C QC")
    story.tell(facts.CardCorrected(position=1, was=two, now=queen, by="floor 7", why="misread"))
    assert story.phase is Phase.VOIDED


def test_a_dead_hand_triggers_no_envy(table: Any) -> None:
    story = table("envy", envy_input="none")
    story.bet(2, 5_00)
    story.lock()
    story.deal({1: QUADS})
    story.tell(facts.HandDead(spot=1))
    story.advance()
    assert story.view.spots[1].result.envy.paid_cents == 0


def test_short_wagers_are_honoured_once(table: Any) -> None:
    story = table("envy")
    for expected in ("win", "dead"):
        story.bet(1, 50)
        story.lock()
        story.deal({1: "QS QH QD 2C 5H 4D 9H"})
        story.advance()
        assert story.view.spots[0].result.fortune.result == expected
        story.advance()


def test_face_up_opens_the_dealers_hand_and_nothing_else(table: Any) -> None:
    story = table("face-up")
    story.bet(1)
    story.lock()
    story.deal({1: QUADS})
    assert len(story.view.dealer.cards) == 7
    assert len(story.view.dealer.low) == 2
    assert all(spot.cards == () and spot.result is None for spot in story.view.spots)
    (opened,) = story.announced(events.DealerOpened)
    assert isinstance(opened, events.DealerOpened)
    assert opened.cards == story.state.dealer_cards


def test_nothing_of_a_hand_is_told_before_the_reveal(table: Any) -> None:
    """Two deals that differ in every card give the same events and the same view."""
    told = []
    for seed in (1, 2):
        story = table("envy")
        story.bet(1)
        story.bet(2)
        story.lock()
        story.deal({}, seed=seed)
        assert story.phase is Phase.DEALT
        told.append((story.events, story.view))
    assert told[0] == told[1]


def test_any_order_of_bets_hands_and_locks_never_holds_a_bet_outside_its_snapshot(
    table: Any,
) -> None:
    """Ten thousand random interleavings of lock, bet edges and hands."""
    rng = random.Random(24)
    for _ in range(10_000):
        story = table("envy")
        acts: list[Fact] = [facts.DealStarted(first_spot=1), facts.Advanced()] + [
            facts.WagerChanged(spot=spot, wager="fortune", cents=cents)
            for spot in (1, 2)
            for cents in rng.sample((0, 1_00, 5_00, 25_00), 2)
        ]
        rng.shuffle(acts)
        for act in acts:
            story.tell(act)
        for locked in story.announced(events.BetsLocked):
            assert isinstance(locked, events.BetsLocked)
            for spot in locked.spots:
                state = story.state.spot(spot.spot)
                if story.state.round_number == locked.round and state.locked is not None:
                    assert state.locked.fortune_cents == spot.fortune_cents


def test_a_replay_of_the_facts_gives_the_same_state_and_events(table: Any) -> None:
    story = table("face-up")
    for number in range(3):
        story.bet(1 + number)
        story.envy(1 + number)
        story.lock()
        story.deal({1: QUADS}, seed=number)
        story.advance()
        story.advance()
    state, told = new_table(story.rules), []
    for fact in story.facts:
        again = facts.fact_from_json(facts.fact_to_json(fact))
        after = step(story.rules, state, again)
        state, told = after.state, told + list(after.events)
    assert state == story.state
    assert told == story.events


def test_a_state_survives_being_written(table: Any) -> None:
    story = table("face-up")
    story.bet(1, None)
    story.lock()
    story.deal({1: QUADS})
    assert state_from_json(state_to_json(story.state)) == story.state


def test_dice_choose_where_the_first_hand_goes(table: Any) -> None:
    """Sum 11 is position 4, counted counter-clockwise from the dealer as 1: spots 6, 5, 4."""
    story = table("envy")
    story.bet(1)
    story.tell(facts.DiceRolled(dice=(3, 4, 4)))
    story.tell(facts.DealStarted())
    assert story.state.first_spot == 4
    assert any(
        isinstance(event, events.DealerAction) and "spot 4" in event.text for event in story.events
    )


def test_dice_after_the_deal_change_nothing(table: Any) -> None:
    story = table("envy")
    story.bet(1)
    story.lock(first_spot=2)
    story.deal({})
    story.tell(facts.DiceRolled(dice=(1, 1, 1)))
    assert story.state.first_spot == 2
    assert "not used" in story.view.notice


def test_a_first_hand_to_the_dealer_starts_the_action_at_the_spot_after(table: Any) -> None:
    story = table("envy")
    story.bet(1)
    story.lock(first_spot=0)
    assert (story.phase, story.state.first_spot) == (Phase.DEALING, 6)


def test_a_card_without_room_stops_new_rounds_and_not_the_one_in_play(table: Any) -> None:
    story = table("envy")
    story.bet(1)
    story.tell(facts.AlarmRaised(code="space-failed", text="3 MiB free; make room on the card"))
    story.lock()
    story.deal({1: QUADS})
    story.advance()
    story.advance()
    assert story.phase is Phase.SETTLED
    for try_to_open in (story.advance, story.lock, lambda: story.bet(2)):
        try_to_open()
        assert (story.phase, story.state.round_number) == (Phase.SETTLED, 1)
        assert "make room" in story.view.notice
    story.tell(facts.AlarmCleared(code="space-failed"))
    story.lock()
    assert (story.phase, story.state.round_number) == (Phase.DEALING, 2)
    assert story.state.spot(2).locked.fortune_cents == 5_00


@pytest.mark.parametrize(("occupied_by", "phase"), [("main-sensor", "dealt"), ("hand", "voided")])
def test_a_bet_asks_for_a_hand_and_main_sensors_say_whose(
    table: Any, occupied_by: str, phase: str
) -> None:
    """A side bet on a spot that nobody plays is returned; it does not hold up the table."""
    story = table("face-up", occupied_by=occupied_by)
    story.bet(1, 25_00, "main")
    story.bet(4, 5_00)
    story.lock()
    story.hand(1, QUADS)
    story.hand(0, "AS KH JD 9C 7S 4H 2D")
    story.tell(facts.DealDone(cards_left=39))
    assert story.phase == phase


def test_the_hand_of_an_empty_spot_is_never_shown(table: Any) -> None:
    story = table("envy", occupied_by="main-sensor")
    story.bet(1, 10_00, "main")
    story.lock()
    story.deal({2: QUADS})
    story.advance()
    assert [bool(spot.cards) for spot in story.view.spots] == [True] + [False] * 5
