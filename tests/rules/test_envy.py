"""Envy, as rule sheets 001 and 003 pay it: who qualifies, what triggers it, how it adds up."""

from __future__ import annotations

from typing import Any

import pytest
from settling import played, spot, venue

from firmware_app.rules.lines import Line
from firmware_app.rules.play import EnvyTrigger, SpotPlay

# One deck: four queens, four jacks, a straight flush, a royal, and hands of nothing.
QUEENS = "QS QH QD QC 9D 4H 2C"
JACKS = "JS JH JD JC 9H 4D 2H"
FIVE_TO_NINE_CLUBS = "5C 6C 7C 8C 9C KD 3H"
ROYAL_IN_SPADES = "AS KS QS JK TS 8D 3D"
NOTHING = "2S 3C 5D 7H TD KC AD"
NOTHING_TOO = "2D 4S 6H 7D TC KH AH"
FULL_HOUSE = "8S 8H 6S 6C 6D TH AC"


def _wager(number: int, hand: str, cents: int | None = 5_00, **play: Any) -> SpotPlay:
    return spot(number, hand, fortune_cents=cents, **play)


def _envy_by_spot(*spots: SpotPlay, profile: str = "envy", **play: Any) -> dict[int, int]:
    settlement = played(profile, *spots, **play)
    return {result.number: result.envy.paid_cents for result in settlement.spots}


@pytest.mark.parametrize(
    ("profile", "hand", "cents"),
    [
        ("envy", "3H 4H 5H 6H 7H 8H 9H", 5_000_00),
        ("face-up", "3H 4H 5H 6H 7H 8H 9H", 3_000_00),
        ("envy", "AS KS QS JS TS KH QH", 1_000_00),
        ("face-up", "JK KS QS JS TS KH QH", 1_000_00),
        ("face-up", "3H 4H 5H JK 7H 8H 9H", 500_00),
        # Sheet 001 posts no line for it: a straight flush there.
        ("envy", "3H 4H 5H JK 7H 8H 9H", 20_00),
        ("envy", "AS AH AD AC JK 7H 9D", 250_00),
        ("envy", "AS KS QS JS TS KH 9D", 50_00),
        ("envy", "5H 6H 7H 8H 9H KS QD", 20_00),
        ("envy", "QS QH QD QC 9D 4H 3C", 5_00),
        ("envy", "QS QH QD 9C 9D 4H 3C", 0),
        ("envy", "QS TS 8S 6S 4S 4H 3C", 0),
    ],
)
def test_each_line_pays_the_posted_fixed_amount(profile: str, hand: str, cents: int) -> None:
    envy = _envy_by_spot(spot(1, hand), _wager(2, "2C 3D 5C 7D 8C JC KD", 25_00), profile=profile)
    assert envy == {1: 0, 2: cents}


def test_any_wager_of_five_dollars_qualifies_and_a_larger_one_wins_no_more() -> None:
    envy = _envy_by_spot(
        spot(1, QUEENS),
        _wager(2, NOTHING, 4_00),
        _wager(3, NOTHING_TOO, 5_00),
        _wager(4, FULL_HOUSE, 25_00),
    )
    assert envy == {1: 0, 2: 0, 3: 5_00, 4: 5_00}


def test_a_hand_triggers_whether_or_not_its_player_made_a_fortune_wager() -> None:
    assert _envy_by_spot(spot(1, QUEENS), _wager(2, NOTHING))[2] == 5_00


def test_several_triggers_add_up_and_each_names_its_source() -> None:
    settlement = played("envy", spot(1, QUEENS), spot(4, JACKS), _wager(2, NOTHING))
    envy = settlement.spot(2).envy
    assert envy.paid_cents == 10_00
    assert envy.triggers == (
        EnvyTrigger(1, Line.FOUR_OF_A_KIND, 5_00),
        EnvyTrigger(4, Line.FOUR_OF_A_KIND, 5_00),
    )


def test_two_players_with_trigger_hands_pay_each_other_but_not_themselves() -> None:
    envy = _envy_by_spot(_wager(1, QUEENS), _wager(2, JACKS), _wager(3, NOTHING))
    assert envy == {1: 5_00, 2: 5_00, 3: 10_00}


def test_linked_spots_are_one_players_own_hands() -> None:
    envy = _envy_by_spot(
        _wager(1, QUEENS, player="Ann"),
        _wager(2, NOTHING, player="Ann"),
        _wager(3, NOTHING_TOO, player="Ben"),
    )
    assert envy == {1: 0, 2: 0, 3: 5_00}


def test_each_qualifying_button_of_one_player_is_paid() -> None:
    spots = (
        spot(1, QUEENS),
        _wager(3, NOTHING, player="Ann"),
        _wager(4, NOTHING_TOO, player="Ann"),
    )
    assert _envy_by_spot(*spots) == {1: 0, 3: 5_00, 4: 5_00}


def test_a_venue_may_pay_a_player_once_by_the_first_qualifying_spot_in_the_action() -> None:
    house = venue("envy", envy={"envy_per": "player"}, first_hand={"delivery": "clockwise"})
    settlement = played(
        house,
        spot(1, QUEENS),
        _wager(2, FULL_HOUSE, 1_00, player="Ann"),
        _wager(3, NOTHING, player="Ann"),
        _wager(4, NOTHING_TOO, player="Ann"),
    )
    assert [result.envy.paid_cents for result in settlement.spots] == [0, 0, 5_00, 0]


def test_the_dealers_hand_pays_nobody() -> None:
    assert _envy_by_spot(_wager(1, NOTHING), _wager(2, NOTHING_TOO), dealer=QUEENS) == {1: 0, 2: 0}


def test_a_player_bankers_hand_is_another_players_hand() -> None:
    envy = _envy_by_spot(spot(1, QUEENS), _wager(2, NOTHING), designated_player=1, dealer=JACKS)
    assert envy == {1: 0, 2: 5_00}


@pytest.mark.parametrize("state", [{"dead": True}, {"occupied": False}])
def test_a_dead_hand_and_an_unplayed_spots_hand_pay_nobody(state: dict[str, bool]) -> None:
    assert _envy_by_spot(spot(1, QUEENS, **state), _wager(2, NOTHING)) == {1: 0, 2: 0}


@pytest.mark.parametrize("state", [{"folded": True}, {"surrendered": True}])
def test_a_folded_or_surrendered_spot_keeps_its_envy(state: dict[str, bool]) -> None:
    envy = _envy_by_spot(
        spot(1, QUEENS), _wager(2, NOTHING, main_cents=10_00, **state), dealer=JACKS
    )
    assert envy[2] == 5_00


def test_a_folded_hand_still_pays_the_others() -> None:
    assert _envy_by_spot(spot(1, QUEENS, folded=True), _wager(2, NOTHING))[2] == 5_00


def test_a_losing_fortune_wager_is_taken_and_its_envy_stays() -> None:
    result = played("envy", spot(1, QUEENS), _wager(2, NOTHING)).spot(2)
    assert (result.fortune.collected_cents, result.envy.paid_cents) == (5_00, 5_00)


def test_a_dead_spots_envy_goes_with_its_wager() -> None:
    settlement = played("envy", spot(1, QUEENS), _wager(2, NOTHING, dead=True, envy_button=True))
    result = settlement.spot(2)
    assert (result.fortune.returned_cents, result.envy.paid_cents) == (5_00, 0)
    assert settlement.discrepancies == ()


def test_a_fouled_hand_stands_for_envy_unless_the_profile_voids_its_bonus() -> None:
    fouled = spot(1, QUEENS, low="QS QH QD", main_cents=5_00)
    watcher = _wager(2, NOTHING)
    assert played("envy", fouled, watcher, dealer=JACKS).spot(2).envy.paid_cents == 5_00
    strict = venue("envy", fortune={"foul_voids_bonus": True})
    assert played(strict, fouled, watcher, dealer=JACKS).spot(2).envy.paid_cents == 0


# Rows: who decides, button, wager in cents (None unknown), is envy paid, is a discrepancy raised.
@pytest.mark.parametrize(
    ("decides", "button", "cents", "paid", "raised"),
    [
        ("amount", None, 5_00, True, False),
        ("amount", None, 4_00, False, False),
        ("amount", True, 5_00, True, False),
        ("amount", True, 4_00, False, True),
        ("amount", True, 0, False, True),
        ("amount", False, 5_00, True, True),
        ("amount", None, None, False, False),
        ("amount", True, None, False, True),
        ("button", True, None, True, False),
        ("button", False, None, False, False),
        ("button", True, 5_00, True, False),
        ("button", True, 4_00, False, True),
        ("button", True, 0, False, True),
        ("button", False, 5_00, False, True),
        ("button", False, 0, False, False),
        ("button", None, 5_00, True, False),
        ("button", None, 4_00, False, False),
        ("both", True, 5_00, True, False),
        ("both", True, 4_00, False, True),
        ("both", False, 5_00, False, True),
        ("both", False, 4_00, False, False),
        ("both", True, None, False, True),
        ("both", None, 5_00, False, False),
    ],
)
def test_nobody_is_paid_on_a_button_that_the_wager_contradicts(
    decides: str, button: bool | None, cents: int | None, paid: bool, raised: bool
) -> None:
    house = venue("envy", envy={"qualifies_by": decides})
    settlement = played(house, spot(1, QUEENS), _wager(2, NOTHING, cents, envy_button=button))
    assert settlement.spot(2).envy.paid_cents == (5_00 if paid else 0)
    assert any("envy button" in text for text in settlement.discrepancies) == raised


def test_a_button_stuck_at_a_spot_that_nobody_plays_is_a_discrepancy_and_pays_nothing() -> None:
    stuck = spot(5, NOTHING, occupied=False, envy_button=True)
    settlement = played("face-up", spot(1, QUEENS), stuck)
    assert settlement.spot(5).envy.paid_cents == 0
    assert settlement.discrepancies == (
        "spot 5: envy button on a Fortune wager of $0, under the $5 for envy or not known to "
        "reach it; nothing is paid on the button alone",
    )


def test_a_discrepancy_names_the_spot_and_says_what_is_paid() -> None:
    settlement = played("face-up", spot(1, QUEENS), _wager(2, NOTHING, 5_00, envy_button=False))
    assert settlement.discrepancies == (
        "spot 2: Fortune wager of $5 without an envy button; no envy is paid",
    )


def test_higher_lines_pay_their_own_amount_beside_each_other() -> None:
    envy = _envy_by_spot(
        _wager(1, ROYAL_IN_SPADES),
        _wager(2, FIVE_TO_NINE_CLUBS),
        _wager(3, JACKS),
        _wager(4, "2S 3C 5D 7H TD KC AD"),
    )
    # Royal $50, straight flush $20, four of a kind $5; everybody gets all but their own.
    assert envy == {1: 25_00, 2: 55_00, 3: 70_00, 4: 75_00}


def test_seven_seats_with_a_losing_main_hand_a_fold_a_stuck_button_and_a_dealer_with_aces() -> None:
    house = venue("face-up", spots=7, envy={"qualifies_by": "both"})
    settlement = played(
        house,
        # Four queens, split, lose to a dealer who splits four aces.
        _wager(1, "QS QH QD QC JK 4D 9H", low="QS QH", main_cents=5_00, envy_button=True),
        _wager(2, "2S 3C 5D 7H TD KC 8D", main_cents=5_00, envy_button=True),
        _wager(3, "2D 4S 6H 7D TC KH 8S", 4_00, main_cents=5_00, envy_button=False),
        _wager(4, "2H 3D 5C 6S JD 8H KD", main_cents=5_00, folded=True, envy_button=True),
        spot(5, "2C 4C 6D 7C JH 9S 3H", main_cents=5_00, envy_button=True),
        spot(6, main_cents=0, occupied=False),
        spot(7, main_cents=0, occupied=False),
        dealer="AS AH AD AC KS JS 9C",
    )
    first = settlement.spot(1)
    assert first.main.collected_cents == 5_00
    assert first.fortune.paid_cents == 125_00
    assert [settlement.spot(number).envy.paid_cents for number in range(1, 8)] == [
        0,
        5_00,
        0,
        5_00,
        0,
        0,
        0,
    ]
    assert settlement.spot(2).fortune.collected_cents == 5_00
    assert settlement.spot(4).main.reason == "folded"
    assert any(text.startswith("spot 5: envy button") for text in settlement.discrepancies)


def test_two_seats_with_quads_pay_each_other_and_a_third_seat_twice() -> None:
    house = venue("face-up", spots=7, envy={"qualifies_by": "both"})
    settlement = played(
        house,
        _wager(1, QUEENS, envy_button=True),
        _wager(2, JACKS, envy_button=True),
        _wager(7, NOTHING, envy_button=True),
    )
    assert [result.envy.paid_cents for result in settlement.spots] == [5_00, 5_00, 10_00]
