"""What holds of every hand however it falls, judged by the slow ranking beside these tests."""

import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from naive_ranking import CATEGORIES, DECK, STRAIGHTS_WHEEL_LOW, STRAIGHTS_WHEEL_SECOND, naive_rank

from firmware_app.cards import HandError, parse_card
from firmware_app.rules.house_way import set_hand
from firmware_app.rules.profile import Ranking

SIX_CARD = Ranking(wheel="second", wheel_straight_flush="second")
RANKINGS = {"low": (Ranking(), STRAIGHTS_WHEEL_LOW), "second": (SIX_CARD, STRAIGHTS_WHEEL_SECOND)}

# Whole decks seldom deal anything; short decks deal pairs, straights and flushes.
SHORT_DECKS = [
    DECK,
    [card for card in DECK if card[0] in "TJQKA" or card == "JK"],
    [card for card in DECK if card[0] in "A23456" or card == "JK"],
    [card for card in DECK if card[1] == "S" or card in ("JK", "AH", "KD", "QC", "2H")],
]
# With the joker in most hands: it is in one of seven or eight otherwise.
JOKER_HANDS = st.sampled_from([[], ["JK"], ["JK"], ["JK", "AS"]])


def hands(count):
    def dealt(held, short):
        rest = [card for card in short if card not in held]
        need = count - len(held)
        return st.lists(st.sampled_from(rest), min_size=need, max_size=need, unique=True).map(
            lambda drawn: held + drawn
        )

    return st.tuples(JOKER_HANDS, st.sampled_from(SHORT_DECKS)).flatmap(lambda pair: dealt(*pair))


def set_texts(way, hand, ranking):
    answer = set_hand(way, [parse_card(card) for card in hand], ranking)
    return [str(card) for card in answer.low], [str(card) for card in answer.high]


def splits(hand, front):
    for low in itertools.combinations(hand, front):
        yield list(low), [card for card in hand if card not in low]


def is_complete(high):
    return CATEGORIES[naive_rank(high)[0]] in {"STRAIGHT", "FLUSH", "STRAIGHT_FLUSH", "ROYAL_FLUSH"}


@pytest.mark.parametrize("way", ["daytona", "commission", "best-high"])
@settings(max_examples=400, deadline=None)
@given(data=st.data(), wheel=st.sampled_from(sorted(RANKINGS)))
def test_no_house_way_fouls_or_loses_a_card_or_minds_the_order_of_the_deal(way, data, wheel):
    ranking, straights = RANKINGS[wheel]
    hand = data.draw(hands(7))
    low, high = set_texts(way, hand, ranking)
    assert (len(low), len(high)) == (2, 5)
    assert sorted(low + high) == sorted(hand)
    assert naive_rank(low, straights) <= naive_rank(high, straights)
    assert set_texts(way, data.draw(st.permutations(hand)), ranking) == (low, high)


@settings(max_examples=400, deadline=None)
@given(hand=hands(7))
def test_daytona_always_plays_a_complete_hand_that_has_one_pair_or_none_and_its_best_front(hand):
    ranks = ["A" if card == "JK" else card[0] for card in hand]
    fronts = [low for low, high in splits(hand, 2) if is_complete(high)]
    low, high = set_texts("daytona", hand, Ranking())
    if fronts and len(set(ranks)) >= 6:
        assert is_complete(high)
        assert naive_rank(low) == max(naive_rank(front) for front in fronts)


@pytest.mark.parametrize("count", [6, 7])
@settings(max_examples=150, deadline=None)
@given(data=st.data(), wheel=st.sampled_from(sorted(RANKINGS)))
def test_best_high_is_the_highest_hand_of_all_and_then_the_highest_front(count, data, wheel):
    ranking, straights = RANKINGS[wheel]
    hand = data.draw(hands(count))
    ranked = [
        (naive_rank(high, straights), naive_rank(low, straights))
        for low, high in splits(hand, count - 5)
    ]
    low, high = set_texts("best-high", hand, ranking)
    assert (naive_rank(high, straights), naive_rank(low, straights)) == max(
        (high_rank, low_rank) for high_rank, low_rank in ranked if low_rank <= high_rank
    )
    assert sorted(low + high) == sorted(hand)
    assert set_texts("best-high", data.draw(st.permutations(hand)), ranking) == (low, high)


def test_best_high_leaves_the_joker_in_front_of_six_cards_where_an_ace_would_do_behind():
    # Alone in front a player's joker beats the dealer's ace; a natural ace would tie and lose.
    hand = ["AS", "KH", "QD", "JC", "TS", "JK"]
    assert set_texts("best-high", hand, SIX_CARD) == (["JK"], ["AS", "KH", "QD", "JC", "TS"])


def test_best_high_leaves_the_joker_behind_of_seven_cards_where_an_ace_would_do_in_front():
    hand = ["AS", "KH", "QD", "JC", "TS", "JK", "4H"]
    assert set_texts("best-high", hand, Ranking()) == (
        ["AS", "4H"],
        ["JK", "KH", "QD", "JC", "TS"],
    )


@pytest.mark.parametrize("count", [5, 8])
def test_best_high_sets_six_or_seven_cards_and_no_other_count(count):
    with pytest.raises(HandError, match=f"six or seven cards, not {count}"):
        set_texts("best-high", DECK[:count], Ranking())
