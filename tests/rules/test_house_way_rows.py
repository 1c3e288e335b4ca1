"""The rows "split unless … in front" of both sheets, for every rank that they speak of."""

import itertools

import pytest

from firmware_app.cards import parse_card
from firmware_app.rules.house_way import set_hand
from firmware_app.rules.profile import Ranking

RANKS = "AKQJT98765432"
FRONTS = "AKQJT"

# Ranks, and the highest front cards that keep them whole; none where the sheet says always split.
FOUR_OF_A_KIND = {
    "daytona": {"AKQ": "", "JT9": "AK", "876": "AKQ", "5432": FRONTS},
    "commission": {"A": "", "KQJ": "A", "T987": "AK", "65432": FRONTS},
}
LOW, MEDIUM, HIGH = "65432", "T987", "KQJ"
TWO_PAIR = {
    "daytona": {
        ("AKQ", RANKS): "",
        ("JT9", RANKS): "A",
        ("876", RANKS): "AK",
        ("543", RANKS): "AKQ",
    },
    "commission": {
        (LOW, LOW): "AK",
        (MEDIUM, LOW): "AK",
        (MEDIUM, MEDIUM): "A",
        (HIGH, LOW): "A",
        (HIGH, MEDIUM): "",
        (HIGH, HIGH): "",
        ("A", RANKS): "",
    },
}


def deal(groups, front):
    """Return seven cards: the groups, ``front`` the highest single and the two lowest others.

    None where the front is of a grouped rank.
    """
    grouped = [rank for rank, _ in groups]
    if front in grouped:
        return None
    lowest, second_lowest = [rank for rank in reversed(RANKS) if rank not in grouped][:2]
    return [
        *(rank + suit for rank, suits in groups for suit in suits),
        front + "D",
        second_lowest + "C",
        lowest + "H",
    ]


def four_of_a_kind_hands():
    for way, rows in FOUR_OF_A_KIND.items():
        for (fours, keeps), front in itertools.product(rows.items(), FRONTS):
            for four in fours:
                yield way, deal([(four, "SHDC")], front), four, front in keeps


def two_pair_hands():
    for way, rows in TWO_PAIR.items():
        for ((highs, lows), keeps), front in itertools.product(rows.items(), FRONTS):
            for high, low in itertools.product(highs, lows):
                if RANKS.index(high) < RANKS.index(low):
                    yield way, deal([(high, "SH"), (low, "DC")], front), low, front in keeps


def dealt(hands):
    return [pytest.param(*hand, id=f"{hand[0]} {' '.join(hand[1])}") for hand in hands if hand[1]]


@pytest.mark.parametrize(("way", "cards", "four", "kept"), dealt(four_of_a_kind_hands()))
def test_four_of_a_kind_stay_whole_only_behind_a_front_that_the_row_names(way, cards, four, kept):
    front, second = cards[4][0], cards[5][0]
    assert low_ranks(way, cards) == ([front, second] if kept else [four, four])


@pytest.mark.parametrize(("way", "cards", "low", "kept"), dealt(two_pair_hands()))
def test_two_pair_stay_whole_only_behind_a_front_that_the_row_names(way, cards, low, kept):
    front, second = cards[4][0], cards[5][0]
    assert low_ranks(way, cards) == ([front, second] if kept else [low, low])


def low_ranks(way, cards):
    hand = set_hand(way, [parse_card(card) for card in cards], Ranking())
    return [str(card)[0] for card in hand.low]
