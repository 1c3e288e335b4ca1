"""The first hand by random number or dice, as rule sheet 001 and the posted table of sums say."""

from __future__ import annotations

import pytest
from settling import venue

from firmware_app.rules.first_hand import delivery, position_of_dice, position_of_number
from firmware_app.rules.profile import load_profile

ENVY = load_profile("envy")

POSTED_SUMS = {
    1: (8, 15),
    2: (9, 16),
    3: (3, 10, 17),
    4: (4, 11, 18),
    5: (5, 12),
    6: (6, 13),
    7: (7, 14),
}


def _dice(total: int) -> tuple[int, int, int]:
    first = min(6, total - 2)
    second = min(6, total - first - 1)
    return first, second, total - first - second


@pytest.mark.parametrize(
    ("position", "total"),
    [(position, total) for position, totals in POSTED_SUMS.items() for total in totals],
)
def test_three_dice_point_to_the_posted_position(position: int, total: int) -> None:
    assert position_of_dice(ENVY, _dice(total)) == position


def test_a_random_number_is_counted_as_a_sum_is() -> None:
    assert [position_of_number(ENVY, number) for number in (1, 7, 8, 53)] == [1, 7, 1, 4]


@pytest.mark.parametrize(("positions", "number", "position"), [(6, 7, 1), (8, 8, 8), (8, 18, 2)])
def test_a_house_may_count_another_number_of_positions(
    positions: int, number: int, position: int
) -> None:
    house = venue("face-up", spots=7, first_hand={"positions": positions})
    assert position_of_number(house, number) == position


@pytest.mark.parametrize("dice", [(1, 2), (1, 2, 3, 4), (0, 3, 3), (7, 1, 1)])
def test_other_than_three_dice_are_refused(dice: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match=r"not three numbers from 1 to 6"):
        position_of_dice(ENVY, dice)


def test_a_number_below_one_is_refused() -> None:
    with pytest.raises(ValueError, match="random number 0 is below 1"):
        position_of_number(ENVY, 0)


def test_positions_count_counter_clockwise_from_the_house_dealer_empty_spots_included() -> None:
    # Spot 1 is at the dealer's left, so spot 6 is next counter-clockwise.
    firsts = [delivery(ENVY, position).first_place for position in range(1, 8)]
    assert firsts == [0, 6, 5, 4, 3, 2, 1]


def test_hands_go_on_in_the_direction_of_delivery() -> None:
    assert delivery(ENVY, 3).order == (5, 4, 3, 2, 1, 0, 6)


def test_where_the_dealer_is_first_the_action_starts_at_the_next_spot() -> None:
    first = delivery(ENVY, 1)
    assert (first.first_place, first.first_spot) == (0, 6)


def test_counting_and_delivery_turn_independently() -> None:
    house = venue("envy", first_hand={"counting": "clockwise", "delivery": "clockwise"})
    assert delivery(house, 2).order == (1, 2, 3, 4, 5, 6, 0)
    house = venue("envy", first_hand={"counting": "clockwise"})
    assert delivery(house, 2).order == (1, 0, 6, 5, 4, 3, 2)


def test_a_designated_player_is_position_one() -> None:
    daytona = load_profile("daytona")
    assert [delivery(daytona, position, 2).first_place for position in (1, 2, 3, 7)] == [2, 1, 7, 3]
    assert delivery(daytona, 1, 2).order == (2, 3, 4, 5, 6, 7, 1)


def test_a_player_banker_of_a_house_table_is_position_one_and_the_dealer_is_counted() -> None:
    assert [delivery(ENVY, position, 2).first_place for position in (1, 2, 3, 4)] == [2, 1, 0, 6]


@pytest.mark.parametrize(
    ("profile", "position", "banker", "complaint"),
    [
        ("envy", 8, None, "position 8 is unknown; give 1 to 7"),
        ("daytona", 1, 8, "designated_player 8 is unknown; give a spot, 1 to 7"),
        ("daytona", 1, None, "designated_player is missing"),
    ],
)
def test_a_place_that_the_table_lacks_is_refused(
    profile: str, position: int, banker: int | None, complaint: str
) -> None:
    with pytest.raises(ValueError, match=complaint):
        delivery(load_profile(profile), position, banker)
