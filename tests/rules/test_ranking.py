"""The order of the main hands, by the ranking sections of the rule sheets."""

import itertools
from collections import Counter
from math import comb

import pytest
from hypothesis import given
from hypothesis import strategies as st
from naive_ranking import (
    CATEGORIES,
    DECK,
    STRAIGHTS_WHEEL_LOW,
    STRAIGHTS_WHEEL_SECOND,
    naive_rank,
)

from firmware_app import cards as deck
from firmware_app.cards import HandError, parse_card
from firmware_app.rules.profile import Ranking
from firmware_app.rules.ranking import (
    Category,
    is_foul,
    player_wins_low,
    rank_high,
    rank_low,
)

PLAIN = Ranking()
SIX_CARD = Ranking(wheel="second", wheel_straight_flush="second")


def cards(text):
    return tuple(parse_card(word) for word in text.split())


def high(text, ranking=PLAIN):
    return rank_high(cards(text), ranking)


def low(text, ranking=PLAIN):
    return rank_low(cards(text), ranking)


# One row per step of the printed order, lowest first; the sheets name the first and last of each.
ASCENDING = [
    "7S 5H 4D 3C 2S",
    "AS KH QD JC 9S",
    "2S 2H 5D 4C 3S",
    "2S 2H AD KC QS",
    "AS AH 4D 3C 2S",
    "3S 3H 2D 2C 4S",
    "AS AH KD KC QS",
    "2S 2H 2D 4C 3S",
    "AS AH AD KC QS",
    "AS 2H 3D 4C 5S",
    "2S 3H 4D 5C 6S",
    "KS QH JD TC 9S",
    "AS KH QD JC TS",
    "7S 5S 4S 3S 2S",
    "AS KS QS JS 9S",
    "2S 2H 2D 3C 3S",
    "AS AH AD KC KS",
    "2S 2H 2D 2C 3S",
    "AS AH AD AC KS",
    "AS 2S 3S 4S 5S",
    "2S 3S 4S 5S 6S",
    "KS QS JS TS 9S",
    "AS KS QS JS TS",
    "AS AH AD AC JK",
]


def test_hands_rank_in_the_printed_order_whatever_the_order_of_their_cards():
    ranked = [high(text) for text in ASCENDING]
    assert ranked == sorted(set(ranked))
    assert ranked == [high(" ".join(reversed(text.split()))) for text in ASCENDING]


@pytest.mark.parametrize(
    ("text", "category"),
    [
        ("KS KH KD JK 9S", Category.THREE_OF_A_KIND),
        ("KS KH KD JK AS", Category.FULL_HOUSE),
        ("KS KH KD KC JK", Category.FOUR_OF_A_KIND),
        ("AS AH AD JK KS", Category.FOUR_OF_A_KIND),
        ("AS AH AD AC JK", Category.FIVE_ACES),
        ("5S 5H JK AD 9S", Category.TWO_PAIR),
        ("5S 5H JK KD 9S", Category.PAIR),
        ("AS JK KD 9C 5S", Category.PAIR),
        ("KS JK QD 9C 5S", Category.HIGH_CARD),
        ("KS QH JD JK 9S", Category.STRAIGHT),
        ("KS AH 2D 3C JK", Category.PAIR),
        ("KS 9S 4S 2S JK", Category.FLUSH),
        ("9S 8S 6S 5S JK", Category.STRAIGHT_FLUSH),
        ("AS KS QS TS JK", Category.ROYAL_FLUSH),
        ("KS QS JS TS JK", Category.ROYAL_FLUSH),
    ],
)
def test_the_joker_is_an_ace_or_completes_and_nothing_else(text, category):
    assert high(text).category is category


def test_the_joker_in_a_straight_is_its_best_card():
    assert high("KS QH JD TC JK") == high("AS KH QD JC TS")
    assert high("5S 4H 3D 2C JK") == high("6S 5H 4D 3C 2S")
    assert high("AS 4H 3D 2C JK") == high("AS 2H 3D 4C 5S")


def test_the_joker_in_a_flush_is_the_highest_rank_that_the_flush_lacks():
    assert high("KS 9S 4S 2S JK") == high("AS KS 9S 4S 2S")
    assert high("AS 9S 4S 2S JK") == high("AS KS 9S 4S 2S")
    assert high("AS KS QS 2S JK") == high("AS KS QS JS 2S")


def test_there_is_no_wrap_round_the_ace():
    assert high("KS AH 2D 3C 4S").category is Category.HIGH_CARD
    assert high("QS KS AS 2S 3S").category is Category.FLUSH


def test_suits_do_not_rank_so_equal_ranks_are_a_copy():
    assert high("KS KH 9D 4C 2S") == high("KD KC 9S 4H 2D")


def test_wheel_can_be_the_second_highest_straight_or_straight_flush_each_by_itself():
    wheel, king_high, ace_high = "AS 2H 3D 4C 5S", "KS QH JD TC 9S", "AS KH QD JC TS"
    second = Ranking(wheel="second")
    assert high(king_high, second) < high(wheel, second) < high(ace_high, second)
    suited_wheel, suited_king_high, royal = "AS 2S 3S 4S 5S", "KS QS JS TS 9S", "AS KS QS JS TS"
    assert high(suited_wheel, second) < high("2S 3S 4S 5S 6S", second)
    highest = Ranking(wheel_straight_flush="second")
    assert high(suited_king_high, highest) < high(suited_wheel, highest) < high(royal, highest)
    assert high(wheel, highest) < high("2S 3H 4D 5C 6S", highest)


def test_the_joker_makes_the_wheel_rather_than_the_six_high_straight_where_it_ranks_higher():
    assert high("5S 4H 3D 2C JK", SIX_CARD) == high("AS 2H 3D 4C 5S", SIX_CARD)
    assert high("5S 4S 3S 2S JK", SIX_CARD) == high("AS 2S 3S 4S 5S", SIX_CARD)


def test_a_table_may_rank_the_royal_flush_above_five_aces():
    five_aces, royal, lower = "AS AH AD AC JK", "AS KS QS JS TS", "KS QS JS TS 9S"
    royal_first = Ranking(five_aces_high=False)
    assert high(royal) < high(five_aces)
    assert high(lower, royal_first) < high(five_aces, royal_first) < high(royal, royal_first)


@pytest.mark.parametrize("text", ["", "AS KS QS JS", "AS KS QS JS TS 9S"])
def test_a_high_hand_of_another_count_is_refused(text):
    with pytest.raises(HandError, match="high hand has 5 cards"):
        high(text)


@pytest.mark.parametrize("text", ["", "AS KS QS"])
def test_a_low_hand_of_another_count_is_refused(text):
    with pytest.raises(HandError, match="low hand has two cards"):
        low(text)


def test_low_hands_rank_as_pairs_then_high_cards_with_the_joker_an_ace():
    ascending = ["3S 2H", "KS 2H", "KS QH", "AS 2H", "AS KH", "2S 2H", "KS KH", "AS AH"]
    ranked = [low(text) for text in ascending]
    assert ranked == sorted(set(ranked))
    assert low("JK KH") == low("AS KD")
    assert low("JK AH") == low("AS AD")
    assert low("JK").category is Category.HIGH_CARD


def test_the_higher_low_hand_wins_and_a_copy_goes_to_the_dealer():
    assert player_wins_low(cards("KS QH"), cards("KD JC"), PLAIN)
    assert not player_wins_low(cards("KS QH"), cards("KD QC"), PLAIN)
    assert not player_wins_low(cards("JK QH"), cards("AD QC"), PLAIN)


def test_alone_in_front_the_players_joker_beats_even_the_dealers_ace():
    assert player_wins_low(cards("JK"), cards("AS"), SIX_CARD)
    assert not player_wins_low(cards("AS"), cards("JK"), SIX_CARD)
    assert not player_wins_low(cards("AS"), cards("AD"), SIX_CARD)
    assert player_wins_low(cards("AS"), cards("KD"), SIX_CARD)


@pytest.mark.parametrize(
    ("front", "behind", "foul"),
    [
        ("KS KH", "QS QH 9D 5C 2S", True),
        ("AS KH", "AD QC 9S 5H 2D", True),
        ("AS AH", "KS KH QD QC 2S", False),
        ("KS KH", "KD KC 9S 5H 2D", False),
        ("AS KH", "AD KC 9S 5H 2D", False),
        ("2S 2H", "AS KH QD JC 9S", True),
        ("AS", "KS QH JD 9C 7S", True),
        ("KS", "AS QH JD 9C 7S", False),
        ("AS KH QD", "9S 9H 5D 2C", True),
        ("AS KH", "9S 9H 5D 2C", True),
        ("", "AS AH 9D 5C 2S", True),
    ],
)
def test_a_low_hand_above_the_high_hand_or_a_wrong_count_is_a_foul(front, behind, foul):
    assert is_foul(cards(front), cards(behind), PLAIN) is foul


def test_every_hand_with_the_joker_falls_into_its_category_as_often_as_counted_by_hand():
    """All C(52,4) = 270,725 of them, against counts by ranks and suits."""
    runs = 10 * 5 - 9  # sets of four ranks inside a straight; neighbours share one
    runs_without_ace = 8 * 5 - 7
    runs_with_ace_beside_three = 4 + 4
    mixed_suits = 4**4 - 4
    expected = {
        Category.FIVE_ACES: 1,
        Category.ROYAL_FLUSH: 4 * 5,
        Category.STRAIGHT_FLUSH: 4 * (runs - 5),
        Category.FOUR_OF_A_KIND: 12 + 4 * 48,
        Category.FULL_HOUSE: 12 * 4 * 4 + 6 * 12 * 6,
        Category.FLUSH: 4 * (comb(13, 4) - runs),
        Category.STRAIGHT: runs * mixed_suits,
        Category.THREE_OF_A_KIND: 12 * 4 * 11 * 4 + 6 * comb(12, 2) * 16,
        Category.TWO_PAIR: 12 * 6 * 4 * 11 * 4 + comb(12, 2) * 36,
        Category.PAIR: (comb(12, 3) - runs_with_ace_beside_three) * mixed_suits
        + 12 * 6 * comb(11, 2) * 16,
        Category.HIGH_CARD: (comb(12, 4) - runs_without_ace) * mixed_suits,
    }
    found = Counter(
        rank_high((*natural, deck.JOKER), PLAIN).category
        for natural in itertools.combinations(deck.DECK[:52], 4)
    )
    assert sum(expected.values()) == comb(52, 4)
    assert found == expected


# Whole decks seldom deal anything; short decks deal straights, flushes and full houses.
short_decks = st.sampled_from(
    [
        DECK,
        [card for card in DECK if card[0] in "TJQKA" or card == "JK"],
        [card for card in DECK if card[0] in "A2345" or card == "JK"],
        [card for card in DECK if card[1] == "S" or card == "JK" or card in ("AH", "KD")],
    ]
)
five_cards = short_decks.flatmap(
    lambda short: st.lists(st.sampled_from(short), min_size=5, max_size=5, unique=True)
)


@given(one=five_cards, other=five_cards, wheel_second=st.booleans())
def test_any_two_hands_compare_as_in_a_slow_ranking_that_tries_every_legal_joker(
    one, other, wheel_second
):
    ranking = SIX_CARD if wheel_second else PLAIN
    straights = STRAIGHTS_WHEEL_SECOND if wheel_second else STRAIGHTS_WHEEL_LOW
    quick = [high(" ".join(hand), ranking) for hand in (one, other)]
    slow = [naive_rank(hand, straights) for hand in (one, other)]
    assert [rank.category.name for rank in quick] == [CATEGORIES[rank[0]] for rank in slow]
    assert (quick[0] > quick[1]) == (slow[0] > slow[1])
    assert (quick[0] == quick[1]) == (slow[0] == slow[1])
