"""Which line a hand is paid on: the traps that poker evaluators and pay tables fall into."""

from __future__ import annotations

import random

import pytest

from firmware_app.cards import Card, HandError, parse_hand
from firmware_app.rules.fortune import FortuneEvaluator, made_of, posted_wager
from firmware_app.rules.lines import Line
from firmware_app.rules.profile import PostedLine, load_profile

SHUFFLES = 20

# Posted at many tables; envy in dollars. Line, odds to 1, envy.
COMMON_TABLE = {
    "seven_card_straight_flush": (8000, 5000),
    "royal_flush_plus_royal_match": (2000, 1000),
    "seven_card_straight_flush_with_joker": (1000, 500),
    "five_aces": (400, 250),
    "royal_flush": (150, 50),
    "straight_flush": (50, 20),
    "four_of_a_kind": (25, 5),
    "full_house": (5, 0),
    "flush": (4, 0),
    "three_of_a_kind": (3, 0),
    "straight": (2, 0),
}


def table(rows: dict[str, tuple[int, int]]) -> tuple[PostedLine, ...]:
    return tuple(
        PostedLine(line=Line(name), pays=pays, envy_cents=envy * 100)
        for name, (pays, envy) in rows.items()
    )


def lines_in_many_orders(pay_table: tuple[PostedLine, ...], hand: str, count: int = 7) -> set[str]:
    evaluator = FortuneEvaluator(pay_table)
    cards = list(parse_hand(hand, count=count))
    orders = random.Random(hand)
    found = {evaluator.line(cards)}
    for _ in range(SHUFFLES):
        orders.shuffle(cards)
        found.add(evaluator.line(cards))
    return {"loses" if line is None else line.value for line in found}


STRAIGHT_AND_FLUSH_IN_DIFFERENT_CARDS = [
    ("9C TD JD QD KD 2D 4D", "flush"),
    ("9C JK JD QD KD 2D 4D", "flush"),
    ("AD 2D 3D 4D 5D 6C 9S", "straight_flush"),
    ("AD 2D 3D 4D 5D 6C 7H", "straight_flush"),
    ("5S 6S 7S 8S 9S TH JD", "straight_flush"),
]
ACE_LOW_ACE_HIGH_AND_NO_WRAP = [
    ("AS 2D 3H 4C 5S 9H KD", "straight"),
    ("AS 2D 4C 5S JK 9H KD", "straight"),
    ("KD AS 2H 3C 4D 5S QH", "straight"),
    ("AS KD QH JC TS 3H 2D", "straight"),
    ("KD AS 2H 3C 4D 9S JH", "loses"),
    ("QS KD AH 2C 3S 8D 8H", "loses"),
]
MORE_GROUPS_THAN_FIVE_CARDS_HOLD = [
    ("8S 8H 8D 4S 4H 4C KD", "full_house"),
    ("TS TH 2S 3S 2H 3H 3D", "full_house"),
    ("KS KH KD 9S 9D 4C 4H", "full_house"),
    ("AS AH 8S 8H 8D 4C JK", "full_house"),
    ("AS AH 9S 9D 4C 7H JK", "full_house"),
    ("KS KH 9S 9D 4C 4H AD", "loses"),
    ("KS KH 9S 9D 4C 4H JK", "loses"),
]
JOKER_IS_AN_ACE_OR_COMPLETES = [
    ("5C 5H JK AD 3S 8H TC", "loses"),
    ("QS QH JK 3C 8D 9S KD", "loses"),
    ("KS KH KD JK 2C 7H 9D", "three_of_a_kind"),
    ("KS KH KD JK AC 7H 9D", "full_house"),
    ("KS KH KD KC JK 2C 9D", "four_of_a_kind"),
    ("AS AH AD JK 2C 7H 9D", "four_of_a_kind"),
    ("AS AH AD AC JK 7H 9D", "five_aces"),
    ("2H 5H 9H JH JK KD KC", "flush"),
]
RUNS_OF_SIX_AND_SEVEN = [
    ("5C 6C 7C 9C TC JC JK", "seven_card_straight_flush_with_joker"),
    ("4C 5C 6C 7C 8C 9C JK", "seven_card_straight_flush_with_joker"),
    ("AH 2H 3H 4H 5H 6H JK", "seven_card_straight_flush_with_joker"),
    ("9H TH JH QH KH AH JK", "seven_card_straight_flush_with_joker"),
    ("4C 5C 6C 7C 8C 9C TC", "seven_card_straight_flush"),
    ("8H 9H TH JH QH KH AH", "seven_card_straight_flush"),
    ("4D 5C 6H 7D 9C TC JK", "straight"),
    ("3C 5C 6C 7C 8C TC JK", "straight_flush"),
    ("QS KS AS 2S 3S 4S 5S", "straight_flush"),
    ("JC QC KC AC 2C 3C JK", "royal_flush"),
]
ROYAL_MATCHES = [
    ("AS KS QS JS TS KH QH", "royal_flush_plus_royal_match"),
    ("AS JK QS JS TS KH QH", "royal_flush_plus_royal_match"),
    ("AS KS JK JS TS KD QD", "royal_flush_plus_royal_match"),
    ("AS KS QS JS JK KC QC", "royal_flush_plus_royal_match"),
    ("AS KS QS JS TS KH QD", "royal_flush"),
    ("AS KS QS JS TS KH JK", "royal_flush"),
    ("AS KS QS JS TS AH KH", "royal_flush"),
    ("AS KS QS JS TS JK 9S", "seven_card_straight_flush_with_joker"),
    ("KS QS JS TS 9S KH QH", "straight_flush"),
]


@pytest.mark.parametrize(
    ("hand", "line"),
    [
        *STRAIGHT_AND_FLUSH_IN_DIFFERENT_CARDS,
        *ACE_LOW_ACE_HIGH_AND_NO_WRAP,
        *MORE_GROUPS_THAN_FIVE_CARDS_HOLD,
        *JOKER_IS_AN_ACE_OR_COMPLETES,
        *RUNS_OF_SIX_AND_SEVEN,
        *ROYAL_MATCHES,
    ],
)
def test_hand_has_its_line_in_any_order(hand: str, line: str) -> None:
    assert lines_in_many_orders(table(COMMON_TABLE), hand) == {line}


def test_a_sheet_without_a_line_for_seven_with_joker_pays_what_else_the_hand_holds() -> None:
    as_printed = posted_wager(load_profile("envy")).pay_table
    assert lines_in_many_orders(as_printed, "9H TH JH QH KH AH JK") == {"royal_flush"}
    assert lines_in_many_orders(as_printed, "8H 9H TH JH QH KH JK") == {"royal_flush"}
    assert lines_in_many_orders(as_printed, "4C 5C 6C 7C 8C 9C JK") == {"straight_flush"}


def test_four_aces_and_a_royal_are_paid_as_the_royal() -> None:
    # The joker is the fourth ace to the one line and the ten to the other.
    hand = "AS AH AD JK KS QS JS"
    assert lines_in_many_orders(table(COMMON_TABLE), hand) == {"royal_flush"}


def test_the_posted_pays_choose_between_lines_not_their_rank() -> None:
    trips_and_straight = "9S 9H 9D 8C 7S 6H 5D"
    assert lines_in_many_orders(table(COMMON_TABLE), trips_and_straight) == {"three_of_a_kind"}
    straight_pays_more = table({**COMMON_TABLE, "straight": (4, 0), "three_of_a_kind": (3, 0)})
    assert lines_in_many_orders(straight_pays_more, trips_and_straight) == {"straight"}


def test_of_lines_that_pay_the_same_the_one_printed_first_is_paid() -> None:
    # Rows in another order than the sheets print them: three of a kind stands above the straight.
    same = table({"straight": (3, 0), "three_of_a_kind": (3, 0)})
    assert lines_in_many_orders(same, "9S 9H 9D 8C 7S 6H 5D") == {"three_of_a_kind"}


def test_without_a_line_for_five_aces_they_are_paid_as_four() -> None:
    short = table({name: row for name, row in COMMON_TABLE.items() if name != "five_aces"})
    assert lines_in_many_orders(short, "AS AH AD AC JK 7H 9D") == {"four_of_a_kind"}


def test_five_aces_alone_are_no_full_house() -> None:
    only = table({"full_house": (5, 0)})
    assert lines_in_many_orders(only, "AS AH AD AC JK 7H 9D") == {"loses"}
    assert lines_in_many_orders(only, "AS AH AD AC JK 7H 7D") == {"full_house"}


@pytest.mark.parametrize(
    ("hand", "line"),
    [
        ("AS KS QS TS JK 2D", "royal_flush"),
        ("AS 2S 3S 4S 5S 6S", "straight_flush"),
        ("AS AH AD AC JK 2D", "five_aces"),
        ("KS KH KD JK 7C 9D", "three_of_a_kind"),
        ("KS KH KD JK AC 9D", "full_house"),
        ("AS 2D 3H 5C JK 9H", "straight"),
        ("2H 5H 9H JH JK KD", "flush"),
        ("KS KH 9S 9D 4C 4H", "loses"),
    ],
)
def test_six_cards_have_the_line_of_their_best_five(hand: str, line: str) -> None:
    assert lines_in_many_orders(table(COMMON_TABLE), hand, count=6) == {line}


@pytest.mark.parametrize("count", [0, 5, 8])
def test_a_wrong_number_of_cards_is_refused(count: int) -> None:
    with pytest.raises(HandError, match=f"six or seven cards, not {count}"):
        FortuneEvaluator(table(COMMON_TABLE)).line(list(range(count)))


def test_plain_numbers_are_read_as_cards_are() -> None:
    cards = parse_hand("AS KS QS JS TS KH QH", count=7)
    evaluator = FortuneEvaluator(table(COMMON_TABLE))
    assert evaluator.line([int(card) for card in cards]) == evaluator.line(cards)
    assert all(
        type(card) is Card for card in made_of([int(card) for card in cards], Line.ROYAL_FLUSH)
    )
