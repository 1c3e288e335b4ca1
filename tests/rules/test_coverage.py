"""Coverage by a designated player's bank: the worked examples, and the bounds that always hold."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from settling import played, spot, venue

from firmware_app.rules.coverage import Coverage, cover, exposure
from firmware_app.rules.play import Result, Settlement, SpotPlay, WagerResult
from firmware_app.rules.profile import load_profile
from firmware_app.rules.verdict import Verdict

# The designated player sets J-9 in front and queen high behind: low enough to lose to most hands.
DESIGNATED = "QD JH 9C 8D 5D 3H 2D"
WINS_WITH_STRAIGHT_FLUSH = "4C 5C 6C 7C 8C AD KD"
LOSES_BOTH = "JC TD 7D 6S 4H 3C 2H"
PUSHES = "KC TH 7S 6D 4S 3S 2S"
ROYAL_MATCH = "AS KS QS JS TS KH QH"
WINS_WITH_TRIPS = "KS KH KD AC TC 6D 4S"
FULL_HOUSE = "7S 7H 7C 4C 4D 9S 8H"
WINS_WITH_ACES = "AS AD QC JS 9H 5S 3S"


def _figures(wager: WagerResult) -> tuple[Result, int, int, int]:
    return wager.result, wager.paid_cents, wager.collected_cents, wager.returned_cents


def _example_a(coverage: Coverage) -> Settlement:
    return played(
        venue("daytona", designated_player={"coverage": coverage}),
        spot(1, ROYAL_MATCH, low="KH QH", main_cents=300_00, fortune_cents=20_00),
        spot(2, DESIGNATED),
        spot(3, "AH AC 9D 8H 6H 5S 3D", main_cents=100_00, fortune_cents=10_00),
        spot(4, "9S 9H 7H 5H QC JD 8S", main_cents=50_00),
        spot(5, WINS_WITH_STRAIGHT_FLUSH, main_cents=100_00, fortune_cents=25_00),
        spot(6, LOSES_BOTH, main_cents=200_00, fortune_cents=10_00),
        spot(7, PUSHES, main_cents=500_00, fortune_cents=5_00),
        designated_player=2,
        first_spot=5,
        bank_cents=30_000_00,
    )


def test_gross_coverage_pays_a_royal_match_what_is_left_and_returns_all_later_wagers() -> None:
    settlement = _example_a("gross")
    assert _figures(settlement.spot(5).main) == (Result.WIN, 100_00, 0, 0)
    assert _figures(settlement.spot(5).fortune) == (Result.WIN, 1_250_00, 0, 0)
    assert _figures(settlement.spot(6).main) == (Result.LOSE, 0, 200_00, 0)
    assert _figures(settlement.spot(6).fortune) == (Result.LOSE, 0, 10_00, 0)
    assert _figures(settlement.spot(7).main) == (Result.PUSH, 0, 0, 0)
    assert _figures(settlement.spot(7).fortune) == (Result.LOSE, 0, 5_00, 0)
    assert _figures(settlement.spot(1).main) == (Result.WIN, 300_00, 0, 0)
    royal_match = settlement.spot(1).fortune
    assert _figures(royal_match) == (Result.WIN, 28_135_00, 0, 0)
    assert royal_match.reason == "short $11,865: the bank is used up"
    assert _figures(settlement.spot(3).main) == (Result.RETURNED, 0, 0, 100_00)
    assert _figures(settlement.spot(3).fortune) == (Result.RETURNED, 0, 0, 10_00)
    assert _figures(settlement.spot(4).main) == (Result.RETURNED, 0, 0, 50_00)
    assert settlement.bank_left_cents == 0


def test_net_coverage_adds_what_was_collected() -> None:
    settlement = _example_a("net")
    assert settlement.spot(1).fortune.paid_cents == 28_565_00
    assert settlement.bank_left_cents == 0


@pytest.mark.parametrize(("coverage", "left"), [("gross", 9_625_00), ("net", 10_025_00)])
def test_the_cap_of_a_spot_comes_before_the_bank(coverage: str, left: int) -> None:
    settlement = played(
        venue("daytona", designated_player={"coverage": coverage}),
        spot(1, "QD JC 9C 8D 5D 3H 2D"),
        spot(3, "8H 9H TH JH QH KH AH", main_cents=50_00, fortune_cents=25_00),
        spot(4, "6S 6H 6D 6C AS 7S 4S", main_cents=200_00, fortune_cents=5_00, folded=True),
        designated_player=1,
        first_spot=3,
        bank_cents=60_000_00,
    )
    natural = settlement.spot(3).fortune
    assert settlement.spot(3).main.paid_cents == 50_00
    assert natural.paid_cents == 50_000_00
    assert natural.reason == "$125,000 is due; a spot is paid at most $50,000"
    assert settlement.spot(4).main.collected_cents == 200_00
    assert settlement.spot(4).fortune.paid_cents == 125_00
    assert settlement.bank_left_cents == left


def _example_c(coverage: Coverage) -> Settlement:
    return played(
        venue("daytona", designated_player={"coverage": coverage}),
        spot(1, LOSES_BOTH, main_cents=100_00, fortune_cents=10_00),
        spot(2, WINS_WITH_TRIPS, main_cents=200_00, fortune_cents=5_00),
        spot(3, FULL_HOUSE, main_cents=100_00, fortune_cents=5_00, folded=True),
        spot(4, WINS_WITH_ACES, main_cents=50_00),
        spot(7, DESIGNATED),
        designated_player=7,
        first_spot=1,
        bank_cents=350_00,
    )


def test_a_small_bank_collects_a_loss_in_part_and_gives_no_action_after() -> None:
    settlement = _example_c("gross")
    assert _figures(settlement.spot(1).main) == (Result.LOSE, 0, 100_00, 0)
    assert _figures(settlement.spot(1).fortune) == (Result.LOSE, 0, 10_00, 0)
    assert _figures(settlement.spot(2).main) == (Result.WIN, 200_00, 0, 0)
    assert _figures(settlement.spot(2).fortune) == (Result.WIN, 15_00, 0, 0)
    partly = settlement.spot(3).main
    assert _figures(partly) == (Result.LOSE, 0, 25_00, 75_00)
    assert partly.reason == "folded; $75 is not covered by the bank and returned"
    assert _figures(settlement.spot(3).fortune) == (Result.RETURNED, 0, 0, 5_00)
    assert _figures(settlement.spot(4).main) == (Result.RETURNED, 0, 0, 50_00)
    assert settlement.bank_left_cents == 0


def test_a_small_bank_covers_all_of_the_same_wagers_net() -> None:
    settlement = _example_c("net")
    assert _figures(settlement.spot(3).main) == (Result.LOSE, 0, 100_00, 0)
    assert _figures(settlement.spot(3).fortune) == (Result.WIN, 25_00, 0, 0)
    assert settlement.spot(4).main.paid_cents == 50_00
    assert settlement.bank_left_cents == 270_00


def test_the_rake_comes_off_the_bank_before_the_first_wager() -> None:
    house = venue("daytona", designated_player={"rake_cents": 5_00})
    settlement = played(
        house,
        spot(1, DESIGNATED),
        spot(2, LOSES_BOTH, main_cents=100_00),
        designated_player=1,
        bank_cents=30_000_00,
    )
    assert settlement.bank_left_cents == 29_895_00


def test_a_bank_under_the_required_minimum_plays_and_the_floor_is_told() -> None:
    settlement = _example_c("gross")
    assert settlement.discrepancies == (
        "the designated player's bank of $350 is under the $30,000 to bring",
    )


def test_a_misdeal_leaves_the_bank_untouched() -> None:
    settlement = played(
        "daytona",
        spot(1, DESIGNATED),
        spot(2, LOSES_BOTH, main_cents=100_00),
        designated_player=1,
        bank_cents=30_000_00,
        misdeal="the shuffler blinks red",
    )
    assert settlement.bank_left_cents == 30_000_00
    assert settlement.spot(2).main.returned_cents == 100_00


def test_a_bank_of_thirty_thousand_covers_five_thousand_to_one_up_to_a_six_dollar_wager() -> None:
    assert exposure(load_profile("daytona"), [], 30_000_00).full_fortune_cents == 6_00


def test_a_bank_that_covers_the_cap_of_a_spot_covers_any_wager() -> None:
    daytona = load_profile("daytona")
    assert daytona.fortune is not None
    maximum = daytona.fortune.limits.maximum_cents
    assert exposure(daytona, [], 50_000_00).full_fortune_cents == maximum
    assert exposure(daytona, [], 49_999_99).full_fortune_cents == 9_00


def test_exposure_adds_up_the_worst_and_names_the_spots_that_alone_break_the_bank() -> None:
    wagers = [
        SpotPlay(1, main_cents=200_00, fortune_cents=5_00),
        SpotPlay(2, main_cents=100_00, fortune_cents=8_00),
        SpotPlay(3, main_cents=100_00),
    ]
    shown = exposure(load_profile("daytona"), wagers, 30_000_00)
    # 200 + 25,000 + 100 + 40,000 + 100
    assert shown.worst_cents == 65_400_00
    assert shown.short_spots == (2,)
    assert not shown.covered
    assert exposure(load_profile("daytona"), wagers, 65_400_00).covered
    assert exposure(load_profile("daytona"), wagers, 40_000_00).short_spots == ()


def test_a_wager_of_unknown_amount_is_exposed_as_the_maximum() -> None:
    shown = exposure(load_profile("daytona"), [SpotPlay(1, fortune_cents=None)], 30_000_00)
    assert shown.worst_cents == 50_000_00  # 100 dollars at 5000 to 1 is over the cap of a spot
    assert shown.short_spots == (1,)


def test_a_game_without_a_bonus_exposes_the_main_wagers_alone() -> None:
    shown = exposure(load_profile("commission"), [SpotPlay(1, main_cents=100_00)], 100_00)
    assert (shown.worst_cents, shown.full_fortune_cents, shown.covered) == (100_00, 0, True)


WINS = st.builds(
    lambda stake, odds: Verdict(Result.WIN, stake, due_cents=stake * odds),
    st.integers(1, 500_00),
    st.integers(1, 5000),
)
LOSSES = st.builds(
    lambda stake, over: Verdict(Result.LOSE, stake, over, lost_cents=stake),
    st.integers(1, 500_00),
    st.integers(0, 100_00),
)
PUSHES_AND_NONE = st.sampled_from(
    [Verdict(Result.PUSH, 50_00), Verdict(), Verdict(Result.DEAD, 10_00)]
)


@given(
    st.lists(WINS | LOSSES | PUSHES_AND_NONE, max_size=14),
    st.integers(0, 100_000_00),
    st.sampled_from(["gross", "net"]),
)
def test_a_bank_never_pays_what_it_does_not_hold_and_every_stake_is_accounted_for(
    verdicts: list[Verdict], bank: int, coverage: Coverage
) -> None:
    remaining, paid, collected = bank, 0, 0
    for verdict in verdicts:
        before = remaining
        result, remaining = cover(verdict, remaining, coverage)
        assert result.collected_cents + result.returned_cents + result.kept_cents == (
            verdict.stake_cents + verdict.over_cents
        )
        assert remaining >= 0
        assert result.paid_cents <= before
        if before == 0:
            assert (result.paid_cents, result.collected_cents) == (0, 0)
        paid += result.paid_cents
        collected += result.collected_cents
    assert remaining == bank - paid + (collected if coverage == "net" else -collected)
