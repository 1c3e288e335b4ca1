"""The cards that make a line."""

from __future__ import annotations

import random

import naive_fortune
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from firmware_app.cards import DECK, Card, HandError, hand_text, parse_hand
from firmware_app.rules.fortune import FortuneEvaluator, made_of, posted_wager
from firmware_app.rules.lines import Line
from firmware_app.rules.profile import Ranking, load_profile

EVALUATOR = FortuneEvaluator(posted_wager(load_profile("face-up")).pay_table)
SEVEN_CARD_LINES = {
    Line.SEVEN_CARD_STRAIGHT_FLUSH,
    Line.ROYAL_FLUSH_PLUS_ROYAL_MATCH,
    Line.SEVEN_CARD_STRAIGHT_FLUSH_WITH_JOKER,
}


@pytest.mark.parametrize(
    ("hand", "line", "cards"),
    [
        # A run stands from its top card down, the joker in the place that it fills.
        ("8H 9H TH JH QH KH AH", "seven_card_straight_flush", "AH KH QH JH TH 9H 8H"),
        ("5C 6C 7C 9C TC JC JK", "seven_card_straight_flush_with_joker", "JC TC 9C JK 7C 6C 5C"),
        ("KH QS JK TS QH KS JS", "royal_flush_plus_royal_match", "JK KS QS JS TS KH QH"),
        ("AD 2D 3D 4D 5D 6C 9S", "straight_flush", "5D 4D 3D 2D AD"),
        ("3C 4C 5C 6C 8D KD JK", "straight_flush", "JK 6C 5C 4C 3C"),
        # The highest straight, and the natural card before the joker.
        ("4D 5C 6H 7D 8C KS KH", "straight", "8C 7D 6H 5C 4D"),
        ("5C 6H 7D 8C 9S JK 2D", "straight", "JK 9S 8C 7D 6H"),
        ("AS KD QH JC TS JK 2D", "straight", "AS KD QH JC TS"),
        # In a flush the joker is the highest rank that the flush lacks.
        ("2H 5H 9H KH JK KD KC", "flush", "JK KH 9H 5H 2H"),
        ("AH 5H 9H QH JK KD 2H", "flush", "AH JK QH 9H 5H"),
        ("AH 5H 9H QH TH 7H 2S", "flush", "AH QH TH 9H 7H"),
        # Groups first, then the best kickers; of equal cards the lowest numbered.
        ("AS AH AD AC JK 7H 9D", "five_aces", "AS AH AD AC JK"),
        ("KS KH KD KC JK 2C 9D", "four_of_a_kind", "KS KH KD KC JK"),
        ("AS AH AD JK 2C 7H 9D", "four_of_a_kind", "AS AH AD JK 9D"),
        ("8S 8H 8D 4S 4H 4C KD", "full_house", "8S 8H 8D 4S 4H"),
        ("KS KH KD 9S 9D JK AC", "full_house", "KS KH KD AC JK"),
        ("9S 9H 9D 8C 7S 6H 5D", "three_of_a_kind", "9S 9H 9D 8C 7S"),
        ("AS AH JK 9C 7D 4H 2S", "three_of_a_kind", "AS AH JK 9C 7D"),
    ],
)
def test_line_is_made_of_its_best_cards_in_order(hand: str, line: str, cards: str) -> None:
    dealt = list(parse_hand(hand, count=7))
    orders = random.Random(hand)
    for _ in range(20):
        orders.shuffle(dealt)
        assert hand_text(made_of(dealt, Line(line))) == cards


def test_a_table_where_the_wheel_is_high_shows_the_wheel() -> None:
    hand = parse_hand("AD 2D 3D 4D 5D 6D", count=6)
    assert hand_text(made_of(hand, Line.STRAIGHT_FLUSH)) == "6D 5D 4D 3D 2D"
    six_card = load_profile("six-card").ranking
    assert hand_text(made_of(hand, Line.STRAIGHT_FLUSH, six_card)) == "5D 4D 3D 2D AD"
    high = parse_hand("AD KD QD JD TD 9D", count=6)
    assert hand_text(made_of(high, Line.STRAIGHT_FLUSH, six_card)) == "AD KD QD JD TD"


def test_a_wheel_straight_is_judged_apart_from_a_wheel_straight_flush() -> None:
    hand = parse_hand("AD 2D 3C 4D 5S 6D 9H", count=7)
    only_flush = Ranking(wheel="low", wheel_straight_flush="second")
    assert hand_text(made_of(hand, Line.STRAIGHT, only_flush)) == "6D 5S 4D 3C 2D"
    assert hand_text(made_of(hand, Line.STRAIGHT, Ranking(wheel="second"))) == "5S 4D 3C 2D AD"


def test_a_line_that_the_hand_does_not_make_is_refused() -> None:
    with pytest.raises(HandError, match="does not make full_house"):
        made_of(parse_hand("AS AH AD JK 2C 7H 9D", count=7), Line.FULL_HOUSE)


def hands(count: int = 7) -> st.SearchStrategy[list[Card]]:
    """Hands in which lines are common: a suit and a stretch of ranks are dealt more often."""

    def favoured(choice: tuple[int, int, int]) -> st.SearchStrategy[list[Card]]:
        suit, low, kind = choice
        pools = (
            DECK,
            [card for card in DECK if card.is_joker or card.suit == suit or card.rank >= 13],
            [card for card in DECK if card.is_joker or low <= card.rank <= low + 3],
        )
        return st.lists(st.sampled_from(pools[kind]), min_size=count, max_size=count, unique=True)

    kinds = st.tuples(st.integers(0, 3), st.integers(2, 11), st.integers(0, 2))
    return kinds.flatmap(favoured)


@settings(max_examples=300, deadline=None)
@given(hands(), st.randoms(use_true_random=False))
def test_line_and_its_cards_do_not_depend_on_the_order(
    cards: list[Card], orders: random.Random
) -> None:
    line = EVALUATOR.line(cards)
    shuffled = orders.sample(cards, len(cards))
    assert EVALUATOR.line(shuffled) == line
    if line is not None:
        assert made_of(shuffled, line) == made_of(cards, line)


@settings(max_examples=300, deadline=None)
@given(hands())
def test_the_cards_of_a_line_are_of_the_hand_and_make_it_alone(cards: list[Card]) -> None:
    names = naive_fortune.categories(naive_fortune.read(hand_text(cards)))
    for line in Line:
        if line.value in names:
            made = made_of(cards, line)
            assert set(made) <= set(cards)
            assert len(set(made)) == len(made) == (7 if line in SEVEN_CARD_LINES else 5)
            assert line.value in naive_fortune.categories(naive_fortune.read(hand_text(made)))
        else:
            with pytest.raises(HandError):
                made_of(cards, line)
