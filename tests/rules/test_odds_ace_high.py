"""Odds of the Ace High Bonus, published, and counted a second way."""

from __future__ import annotations

import itertools
import random
from fractions import Fraction
from math import comb

import naive_fortune

from firmware_app.cards import DECK, hand_text
from firmware_app.rules.ace_high_odds import ace_high_odds
from firmware_app.rules.profile import load_profile


def percent(share: Fraction, digits: int) -> float:
    return round(float(share * 100), digits)


def test_chances_and_edge_are_the_published_ones() -> None:
    odds = ace_high_odds()
    bonus = load_profile("face-up").ace_high
    assert bonus is not None
    assert percent(odds.dealer_ace_high, 5) == 9.36194
    assert percent(odds.dealer_ace_high_with_joker, 5) == 0.96401
    assert percent(odds.both_ace_high, 6) == 0.869044
    assert percent(odds.house_edge(bonus), 4) == 5.8502


def test_rows_of_two_pay_tables_mixed_favour_the_player() -> None:
    bonus = load_profile("face-up").ace_high
    assert bonus is not None
    for both, joker, plain in ((40, 15, 6), (50, 15, 5)):
        mixed = bonus.model_copy(
            update={
                "dealer_and_player_pays": both,
                "dealer_with_joker_pays": joker,
                "dealer_pays": plain,
            }
        )
        assert ace_high_odds().house_edge(mixed) < 0


def test_dealers_chance_is_what_counting_rank_by_rank_finds() -> None:
    straights = naive_fortune.STRAIGHTS
    no_flush = 4**7 - 4 * sum(comb(7, suited) * 3 ** (7 - suited) for suited in (5, 6, 7))
    no_joker_flush = 4**6 - 4 * sum(comb(6, suited) * 3 ** (6 - suited) for suited in (4, 5, 6))
    natural = sum(
        no_flush
        for others in itertools.combinations(range(2, 14), 6)
        if not any(run <= {14, *others} for run in straights)
    )
    joker = sum(
        no_joker_flush
        for ranks in itertools.combinations(range(2, 14), 6)
        if not any(len(run & set(ranks)) >= 4 for run in straights)
    )
    odds = ace_high_odds()
    assert odds.dealer_ace_high_with_joker == Fraction(joker, 154_143_080)
    assert odds.dealer_ace_high == Fraction(natural + joker, 154_143_080)


def naive_ace_high(hand: str) -> bool:
    made = naive_fortune.categories(naive_fortune.read(hand))
    return made == {"no_pair"} and ("A" in hand or "JK" in hand)


def test_both_ace_high_agrees_with_dealt_hands() -> None:
    """Given one ace-high hand, count how many second hands are ace-high: by dealing them."""
    dealer = random.Random(4)
    dealers = tried = both = 0
    while dealers < 400:
        cards = dealer.sample(DECK, 7)
        # An ace-high hand has no pair; the naive evaluator is too slow for all the others.
        if len({card % 13 for card in cards}) == 7 and naive_ace_high(hand_text(cards)):
            dealers += 1
            rest = [card for card in DECK if card not in cards]
            for _ in range(25):
                other = dealer.sample(rest, 7)
                tried += 1
                pairs = len({12 if card.is_joker else card % 13 for card in other}) < 7
                both += not pairs and naive_ace_high(hand_text(other))
    odds = ace_high_odds()
    expected = float(odds.both_ace_high / odds.dealer_ace_high)
    # Four standard errors of the sampled share; the hands of one dealer are nearly independent.
    assert abs(both / tried - expected) < 4 * (expected * (1 - expected) / tried) ** 0.5
