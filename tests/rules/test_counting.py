"""Exact counts of all hands against the published ones."""

from __future__ import annotations

import pytest

from firmware_app.rules.counting import all_hands, count_categories, count_first, count_lines
from firmware_app.rules.fortune import posted_wager
from firmware_app.rules.lines import Line
from firmware_app.rules.profile import PostedLine, load_profile
from firmware_app.rules.satisfied import PRINTED_ORDER, Category

# Published for all C(53, 7) hands by Wizard of Odds.
PUBLISHED = {
    "seven_card_straight_flush": 32,
    "royal_flush_plus_royal_match": 72,
    "seven_card_straight_flush_with_joker": 196,
    "five_aces": 1_128,
    "royal_flush": 26_020,
    "straight_flush": 184_644,
    "four_of_a_kind": 307_472,
    "full_house": 4_188_528,
    "flush": 6_172_088,
    "three_of_a_kind": 7_672_500,
    "straight": 11_034_204,
}
PUBLISHED_BELOW = {
    "three_pair": 2_862_000,
    "two_pair": 32_691_816,
    "one_pair": 64_221_960,
    "no_pair": 24_780_420,
}
# Published for all C(53, 6) hands: the best five-card hand, a straight above three of a kind.
PUBLISHED_SIX = {
    "royal_flush": 1_132,
    "five_aces": 48,
    "straight_flush": 8_248,
    "four_of_a_kind": 19_752,
    "full_house": 196_896,
    "flush": 314_944,
    "straight": 696_228,
    "three_of_a_kind": 853_264,
    "one_pair": 10_809_876,
    "no_pair": 7_183_140,
}


def posted(rules: str) -> tuple[PostedLine, ...]:
    return posted_wager(load_profile(rules)).pay_table


def swapped(one: Category, other: Category, order: tuple[Category, ...]) -> tuple[Category, ...]:
    exchange = {one: other, other: one}
    return tuple(exchange.get(category, category) for category in order)


FORTUNE_ORDER = swapped(Line.STRAIGHT, Line.THREE_OF_A_KIND, PRINTED_ORDER)


def test_there_are_as_many_hands_as_the_binomial_says() -> None:
    assert all_hands() == 154_143_080
    assert all_hands(6) == 22_957_480


def test_full_pay_table_counts_as_published() -> None:
    counts = count_lines(posted("face-up"))
    assert {line.value: hands for line, hands in counts.items() if line} == PUBLISHED
    assert counts[None] == 124_556_196


def test_hands_below_the_lines_count_as_published() -> None:
    counts = count_first(FORTUNE_ORDER)
    assert {str(category): hands for category, hands in counts.items() if category} == (
        PUBLISHED | PUBLISHED_BELOW
    )
    assert sum(counts.values()) == 154_143_080


def test_a_sheet_without_a_line_for_seven_with_joker_counts_them_below() -> None:
    counts = count_lines(posted("envy"))
    assert counts[Line.ROYAL_FLUSH] == 26_056
    assert counts[Line.STRAIGHT_FLUSH] == 184_804
    assert Line.SEVEN_CARD_STRAIGHT_FLUSH_WITH_JOKER not in counts
    assert sum(counts.values()) == 154_143_080


def test_in_the_standard_order_a_straight_takes_hands_from_three_of_a_kind() -> None:
    counts = count_categories()
    assert counts[Line.THREE_OF_A_KIND] == 7_470_676
    assert counts[Line.STRAIGHT] == 11_236_028


@pytest.mark.parametrize(
    ("line", "also", "hands"),
    [
        (Line.THREE_OF_A_KIND, Line.STRAIGHT, 201_824),
        (Line.FULL_HOUSE, Line.FLUSH, 30_528),
    ],
)
def test_hands_that_satisfy_two_lines_and_no_higher_one(line: Line, also: Line, hands: int) -> None:
    # What the line loses when the other is put before it is what satisfies both.
    usual = count_first(FORTUNE_ORDER)[line]
    second = count_first(swapped(line, also, FORTUNE_ORDER))[line]
    assert usual - second == hands


def test_flushes_that_hold_a_straight_but_no_straight_flush() -> None:
    without_trips = tuple(line for line in FORTUNE_ORDER if line is not Line.THREE_OF_A_KIND)
    usual = count_first(without_trips)[Line.FLUSH]
    second = count_first(swapped(Line.FLUSH, Line.STRAIGHT, without_trips))[Line.FLUSH]
    assert usual - second == 836_496


def test_four_of_a_kind_or_better_is_as_rare_as_published() -> None:
    envy_hands = sum(list(PUBLISHED.values())[:7])
    counts = count_lines(posted("face-up"))
    counted = sum(counts[line] for line in list(Line)[:7])
    assert counted == envy_hands
    assert round(100 * counted / all_hands(), 6) == 0.337066


def test_six_card_hands_count_as_published() -> None:
    counts = {str(category): hands for category, hands in count_categories(6).items() if hands}
    # Three pair is two pair to a five-card hand.
    assert counts.pop("two_pair") + counts.pop("three_pair") == 2_873_952
    assert counts == PUBLISHED_SIX


def test_a_line_that_no_hand_has_is_counted_as_none() -> None:
    counts = count_lines([PostedLine(line=Line.ROYAL_FLUSH_PLUS_ROYAL_MATCH, pays=2)], 6)
    assert counts == {Line.ROYAL_FLUSH_PLUS_ROYAL_MATCH: 0, None: 22_957_480}


def test_counting_again_finds_the_same() -> None:
    # What a caller does with the answer must not reach the next caller.
    first = count_lines(posted("envy"))
    first.clear()
    assert count_lines(posted("envy"))[Line.STRAIGHT] == 11_034_204
