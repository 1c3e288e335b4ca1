"""How two bonus hands compare where a win must beat the designated player's hand."""

from __future__ import annotations

import itertools
import random
from typing import Literal

import pytest
from naive_ranking import naive_rank

from firmware_app.cards import DECK, hand_text, parse_hand
from firmware_app.rules.fortune import (
    BonusRank,
    FortuneEvaluator,
    bonus_rank,
    payment_order,
    posted_wager,
)
from firmware_app.rules.lines import Line
from firmware_app.rules.profile import PostedLine, Ranking, load_profile

PAY_TABLE = posted_wager(load_profile("daytona")).pay_table
Compare = Literal["printed", "pay-table"]


def rank(hand: str, compare: Compare = "printed", ranking: Ranking | None = None) -> BonusRank:
    cards = parse_hand(hand, count=7)
    return bonus_rank(cards, compare, PAY_TABLE, ranking or Ranking())


# Each beats all that follow, in the ranking that the sheet prints.
PRINTED_ORDER = [
    "8H 9H TH JH QH KH AH",
    "AC 2C 3C 4C 5C 6C 7C",
    "AS KS QS JS TS KH QH",
    "JK KH QH JH TH 9H 8H",
    "JK 2H 3H 4H 5H 6H AH",
    "AS AH AD AC JK 2H 3D",
    "AS KS QS JS TS AH AD",
    "KS QS JS TS 9S KH KD",
    "AD 2D 3D 4D 5D 9C JS",
    "AS AH AD JK KS 2D 3C",
    "AS AH AD AC QS 2D 3C",
    "2S 2H 2D 2C AS KD QC",
    "2S 2H 2D 2C KS QD JC",
    "AS AH JK KS KD 3C 4D",
    "KS KH KD JK AC 7H 9D",
    "KS KH KD QD QC 7H 9D",
    "KS KH KD 2D 2C 7H 9D",
    "JK KH 9H 5H 2H 3D 4C",
    "AH QH 9H 5H 2H 3D 4C",
    "AS KD QH JC TS 3H 2D",
    "JK KC QS JD 9H 8C 7D",
    "2H 3D 4S 5C 6D QH KS",
    "AS 2D 3H 4C 5S 9H KD",
    "AS AH JK 9C 7D 4H 2S",
    "KS KH KD JK 2C 7H 9D",
    "KS KH KD QC 2C 7H 9D",
    "KS KH 9S 9D 4C 4H AD",
    "KS KH 9S 9D 8C 8H QD",
    "KS KH 4S 4D 3C 3H AD",
    "JK AD KC 9S 7H 5D 2C",
    "2S 2H AD KC 9S 8H 5D",
    "JK KD QC 9S 8H 5D 4C",
    "AS KD QC 9S 7H 4D 3C",
    "KS QD JC 9S 8H 3D 2C",
]


def test_higher_hands_of_the_printed_ranking_rank_higher() -> None:
    ranks = [rank(hand) for hand in PRINTED_ORDER]
    for (higher, high), (lower, low) in itertools.combinations(
        zip(PRINTED_ORDER, ranks, strict=True), 2
    ):
        assert high > low, f"{higher} must beat {lower}"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("AS KS QS JS TS KH QH", "AC KC QC JC TC KD QD"),
        ("JK KS QS JS TS 2H 3D", "AC KC QC JC TC 9D 4D"),
        ("9S 8H 7D 6C 5S AS AD", "9H 8D 7C 6S 5H 2C 2D"),
        ("KS KH 9S 9D AC 4H 3D", "KD KC 9H 9C AS 2H 3C"),
        ("AS QD JC 9S 7H 3D 2C", "AH QC JD 9H 7D 4C 2S"),
    ],
)
def test_hands_whose_five_cards_match_are_a_tie(one: str, other: str) -> None:
    assert rank(one) == rank(other)
    assert rank(one, "pay-table") == rank(other, "pay-table")


def test_trips_beat_a_straight_only_where_the_pay_table_compares() -> None:
    straight, trips = "AS KD QH JC TS 3H 2D", "2S 2H 2D 9C 7H 5D KC"
    assert rank(straight) > rank(trips)
    assert rank(straight, "pay-table") < rank(trips, "pay-table")
    # A hand that holds both is a straight to the one reading, three of a kind to the other.
    both = "9S 9H 9D 8C 7S 6H 5D"
    assert rank("TS 9C 8D 7H 6S 2C 2D") > rank(both) > rank(trips)
    assert rank(straight, "pay-table") < rank(both, "pay-table")


def test_a_line_that_is_not_posted_stands_below_those_that_are() -> None:
    without_straight = [row for row in PAY_TABLE if row.line is not Line.STRAIGHT]
    straight = parse_hand("AS KD QH JC TS 3H 2D", count=7)
    trips = parse_hand("2S 2H 2D 9C 7H 5D KC", count=7)
    two_pair = parse_hand("AS AH KS KD 7H 5D 2C", count=7)
    ranks = [
        bonus_rank(hand, "pay-table", without_straight) for hand in (trips, straight, two_pair)
    ]
    assert ranks == sorted(ranks, reverse=True)
    assert len(set(ranks)) == 3


def test_the_wheel_stands_where_the_ranking_puts_it() -> None:
    wheel, six_high, king_high = (
        "AS 2D 3H 4C 5S 9H KD",
        "2H 3D 4S 5C 6D QH KS",
        "9S TH JD QC KH 2D 3C",
    )
    second = Ranking(wheel="second")
    assert rank(king_high) > rank(six_high) > rank(wheel)
    assert (
        rank(wheel, ranking=second)
        > rank(king_high, ranking=second)
        > rank(six_high, ranking=second)
    )


def test_comparison_agrees_with_the_best_of_all_five_card_hands() -> None:
    dealer = random.Random(7)
    dealt = [dealer.sample(DECK, 7) for _ in range(150)]
    # Enough of the hands that are rare in a fair deal.
    dealt += [dealer.sample([c for c in DECK if c.is_joker or c.rank > 9], 7) for _ in range(60)]
    dealt += [dealer.sample([c for c in DECK if c.is_joker or c.suit == 2], 7) for _ in range(15)]
    seven_card_lines = {0, 1, 2}  # no five cards tell these
    ours_and_naive = []
    for cards in dealt:
        ours = bonus_rank(cards, "printed", PAY_TABLE)
        if -ours[0] not in seven_card_lines:
            fives = itertools.combinations(hand_text(cards).split(), 5)
            ours_and_naive.append((ours, max(naive_rank(five) for five in fives)))
    for (ours, naive), (our_other, naive_other) in itertools.combinations(ours_and_naive, 2):
        assert (ours > our_other) == (naive > naive_other)
        assert (ours == our_other) == (naive == naive_other)


def test_in_pay_table_order_a_better_hand_is_never_paid_less() -> None:
    dealer = random.Random(11)
    pays: dict[Line | None, int] = {row.line: row.pays for row in PAY_TABLE} | {None: 0}
    evaluator = FortuneEvaluator(PAY_TABLE)
    paid = []
    for _ in range(2_000):
        cards = dealer.sample([card for card in DECK if card.is_joker or card.rank > 7], 7)
        paid.append((bonus_rank(cards, "pay-table", PAY_TABLE), pays[evaluator.line(cards)]))
    assert {0, 2, 3, 4, 5, 25, 50} <= {amount for _, amount in paid}
    amounts = [amount for _, amount in sorted(paid)]
    assert amounts == sorted(amounts)


def test_ties_of_pay_stand_in_printed_order() -> None:
    rows = [PostedLine(line=line, pays=3) for line in (Line.STRAIGHT, Line.THREE_OF_A_KIND)]
    assert payment_order(rows) == (Line.THREE_OF_A_KIND, Line.STRAIGHT)
