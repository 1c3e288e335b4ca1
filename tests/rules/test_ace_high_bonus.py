"""Ace-high hands and the Ace High Bonus of rule sheet 003."""

from __future__ import annotations

import itertools
from math import comb

import pytest
from settling import cards, played, spot, venue

from firmware_app.cards import DECK, JOKER, Card
from firmware_app.rules.ace_high import is_ace_high
from firmware_app.rules.play import Result

ACE_HIGH = "AS KH JD 9C 7S 4H 2D"
JOKER_HIGH = "JK QH TD 8C 6S 4C 3D"
OTHER_ACE_HIGH = "AC QC TS 8D 6H 4D 3H"
KING_HIGH = "KC QD TC 8S 6D 4S 3S"


@pytest.mark.parametrize("hand", [ACE_HIGH, JOKER_HIGH, OTHER_ACE_HIGH])
def test_no_pair_no_straight_no_flush_and_an_ace_or_the_joker_is_ace_high(hand: str) -> None:
    assert is_ace_high(cards(hand))


@pytest.mark.parametrize(
    ("hand", "why"),
    [
        (KING_HIGH, "king high"),
        ("AS KH JD 9C 7S 4H 4D", "a pair"),
        ("AS JK JD 9C 7S 4H 2D", "the joker beside an ace is a pair of aces"),
        ("AS 2H 3D 4C 5S 9H JD", "a straight with the ace low"),
        ("JK KH QD JC 9S 4H 2D", "the joker completes a straight"),
        ("AS KS 9S 4S 2S JD 7C", "a flush"),
        ("JK KS 9S 4S 2S JD 7C", "the joker completes a flush"),
    ],
)
def test_anything_more_is_not_ace_high(hand: str, why: str) -> None:
    assert not is_ace_high(cards(hand)), why


def test_the_share_of_ace_high_hands_is_the_exact_one() -> None:
    """Seven different ranks are or are not a straight; seven suits are or are not a flush.

    One hand of each kind is asked, and counts for all suits of its kind. Without the joker 7 cards
    have 4 * (C(7,5) * 9 + C(7,6) * 3 + 1) flush suits; with it 4 of 6 suited cards are enough.
    """
    flush_of_seven = 4 * (comb(7, 5) * 9 + comb(7, 6) * 3 + 1)
    flush_of_six = 4 * (comb(6, 4) * 9 + comb(6, 5) * 3 + 1)

    def count(ranks: tuple[int, ...], joker: bool) -> int:
        suited_ways = flush_of_six if joker else flush_of_seven
        plain = [Card.of(rank, place % 4) for place, rank in enumerate(ranks)]
        suited = [Card.of(rank, 0) for rank in ranks]
        extra = [JOKER] if joker else []
        mixed_ways = 4 ** len(ranks) - suited_ways
        return mixed_ways * is_ace_high(plain + extra) + suited_ways * is_ace_high(suited + extra)

    lower = range(2, 14)
    natural = sum(count((14, *ranks), False) for ranks in itertools.combinations(lower, 6))
    with_joker = sum(count(ranks, True) for ranks in itertools.combinations(range(2, 15), 6))
    hands = comb(len(DECK), 7)
    assert round(100 * with_joker / hands, 5) == 0.96401
    assert round(100 * (natural + with_joker) / hands, 5) == 9.36194


@pytest.mark.parametrize(
    ("dealer", "player", "line", "pays"),
    [
        (ACE_HIGH, OTHER_ACE_HIGH, "dealer_and_player_ace_high", 30),
        # Both, and the dealer's joker: the first test that holds pays, not the second.
        (JOKER_HIGH, ACE_HIGH, "dealer_and_player_ace_high", 30),
        (JOKER_HIGH, KING_HIGH, "dealer_ace_high_with_joker", 15),
        (ACE_HIGH, KING_HIGH, "dealer_ace_high", 6),
    ],
)
def test_one_line_pays_in_the_posted_order(dealer: str, player: str, line: str, pays: int) -> None:
    wager = played("face-up", spot(1, player, ace_high_cents=10_00), dealer=dealer).spot(1).ace_high
    assert (wager.result, wager.line, wager.pays) == (Result.WIN, line, pays)
    assert (wager.paid_cents, wager.kept_cents) == (10_00 * pays, 10_00)


def test_it_loses_where_only_the_player_has_ace_high() -> None:
    wager = played("face-up", spot(1, ACE_HIGH, ace_high_cents=10_00), dealer=KING_HIGH).spot(1)
    assert (wager.ace_high.result, wager.ace_high.collected_cents) == (Result.LOSE, 10_00)


def test_it_is_independent_of_a_folded_main_wager() -> None:
    result = played(
        "face-up",
        spot(1, KING_HIGH, main_cents=50_00, ace_high_cents=5_00, folded=True),
        dealer=ACE_HIGH,
    ).spot(1)
    assert result.ace_high.paid_cents == 30_00


def test_it_is_returned_where_the_table_does_not_offer_it() -> None:
    wager = (
        played("envy", spot(1, KING_HIGH, ace_high_cents=5_00), dealer=ACE_HIGH).spot(1).ace_high
    )
    assert (wager.result, wager.returned_cents) == (Result.RETURNED, 5_00)
    assert wager.reason == "this table has no Ace High wager"


def test_a_venue_posts_its_own_odds() -> None:
    house = venue("face-up", ace_high={"dealer_and_player_pays": 40, "dealer_with_joker_pays": 12})
    result = played(house, spot(1, OTHER_ACE_HIGH, ace_high_cents=5_00), dealer=ACE_HIGH).spot(1)
    assert result.ace_high.paid_cents == 200_00
