"""The aggregate cap of rule sheet 001: $20,000 for the round, Fortune and envy winnings."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st
from settling import played, spot, venue

from firmware_app.rules.caps import share
from firmware_app.rules.profile import Caps

SEVEN_IN_HEARTS = "8H 9H TH JH QH KH AH"
NOTHING_B = "2S 3D 5C 7S 9C JD KC"
NOTHING_C = "2C 3S 5D 7C 9S JC KD"


def _pro_rata(cap: int, unit: int = 1_00) -> Caps:
    return Caps(aggregate_cents=cap, chip_unit_cents=unit)


def test_wins_over_the_cap_are_shared_and_the_chip_left_over_goes_by_largest_fraction() -> None:
    dues = [80_000_00, 5_000_00, 5_000_00]
    assert share(dues, _pro_rata(20_000_00)) == (17_778_00, 1_111_00, 1_111_00)


def test_a_round_over_the_cap_pays_fortune_and_envy_their_shares() -> None:
    settlement = played(
        "envy",
        spot(1, SEVEN_IN_HEARTS, fortune_cents=10_00),
        spot(2, NOTHING_B, fortune_cents=5_00),
        spot(3, NOTHING_C, fortune_cents=5_00),
    )
    first, second, third = settlement.spots
    assert first.fortune.paid_cents == 17_778_00
    assert first.fortune.reason == "$80,000 is due; the round pays at most $20,000 in all"
    assert [spot.envy.paid_cents for spot in (first, second, third)] == [0, 1_111_00, 1_111_00]
    assert second.envy.triggers[0].cents == 1_111_00
    assert second.envy.reason == "$5,000 is due; the round pays at most $20,000 in all"
    assert second.fortune.collected_cents == 5_00


@pytest.mark.parametrize(
    ("delivery", "owed"),
    [
        # Fortune first, since envy is paid at the end of the round; then 1, 6, 5, 4, 3, 2.
        ("counter-clockwise", [80_000_00, 0, 2_000_00]),
        ("clockwise", [80_000_00, 2_000_00, 0]),
    ],
)
def test_in_action_order_wins_are_paid_until_the_cap_is_used_up(
    delivery: str, owed: list[int]
) -> None:
    house = venue(
        "envy",
        caps={"cap_rule": "action_order", "aggregate_cents": 82_000_00},
        first_hand={"delivery": delivery},
    )
    settlement = played(
        house,
        spot(1, SEVEN_IN_HEARTS, fortune_cents=10_00),
        spot(2, NOTHING_B, fortune_cents=5_00),
        spot(3, NOTHING_C, fortune_cents=5_00),
    )
    assert [spot.owed_cents for spot in settlement.spots] == owed


def test_in_action_order_a_later_fortune_win_comes_before_an_earlier_spots_envy() -> None:
    house = venue("envy", caps={"cap_rule": "action_order", "aggregate_cents": 82_000_00})
    settlement = played(
        house,
        spot(1, SEVEN_IN_HEARTS, fortune_cents=10_00),
        spot(2, NOTHING_B, fortune_cents=5_00),
        first_spot=2,
    )
    assert [spot.owed_cents for spot in settlement.spots] == [80_000_00, 2_000_00]


def test_wins_within_the_cap_are_paid_in_full() -> None:
    assert share([15_000_00, 5_000_00], _pro_rata(20_000_00)) == (15_000_00, 5_000_00)


def test_of_equal_fractions_the_earlier_in_the_action_gets_the_chip() -> None:
    assert share([500_00] * 3, _pro_rata(1_000_00)) == (334_00, 333_00, 333_00)


def test_a_larger_chip_unit_shares_in_larger_steps() -> None:
    # 20,000 * 8/9 = 17,777.78 and 1,111.11: 17,775 + 1,110 + 1,110, one $5 chip over to the first.
    dues = [80_000_00, 5_000_00, 5_000_00]
    assert share(dues, _pro_rata(20_000_00, 5_00)) == (17_780_00, 1_110_00, 1_110_00)


DUES = st.lists(st.integers(0, 100_000_00), max_size=20)
CAPS = st.builds(
    lambda chips, unit, rule: Caps(
        aggregate_cents=chips * unit, chip_unit_cents=unit, cap_rule=rule
    ),
    st.integers(1, 50_000),
    st.sampled_from([1, 25, 1_00, 5_00]),
    st.sampled_from(["pro_rata", "action_order"]),
)


@given(DUES, CAPS)
def test_what_is_paid_is_all_that_is_due_or_exactly_the_cap(dues: list[int], caps: Caps) -> None:
    assert caps.aggregate_cents is not None
    assert sum(share(dues, caps)) == min(sum(dues), caps.aggregate_cents)


@given(DUES, CAPS)
def test_nobody_is_paid_more_than_is_due_or_less_than_nothing(dues: list[int], caps: Caps) -> None:
    assert all(0 <= paid <= due for paid, due in zip(share(dues, caps), dues, strict=True))


@given(st.lists(st.integers(0, 100_000).map(lambda dollars: dollars * 1_00), max_size=20))
def test_a_pro_rata_share_is_within_one_chip_of_the_exact_share_and_in_whole_chips(
    dues: list[int],
) -> None:
    caps, total = _pro_rata(20_000_00), sum(dues)
    for paid, due in zip(share(dues, caps), dues, strict=True):
        assert paid % 1_00 == 0
        if total > 20_000_00:
            assert abs(paid - due * 20_000_00 / total) < 1_00


@given(DUES, CAPS.filter(lambda caps: caps.cap_rule == "pro_rata"))
def test_pro_rata_never_pays_a_larger_win_less_than_a_smaller_one(
    dues: list[int], caps: Caps
) -> None:
    paid_by_due = sorted(zip(dues, share(dues, caps), strict=True))
    for (due, paid), (larger, more) in itertools.pairwise(paid_by_due):
        # Equal wins may differ by the chip left over.
        assert more >= paid or larger == due


@pytest.mark.parametrize("rule", ["pro_rata", "action_order"])
def test_without_a_cap_every_win_is_paid(rule: str) -> None:
    assert share([80_000_00, 5_000_00], Caps(cap_rule=rule)) == (80_000_00, 5_000_00)
