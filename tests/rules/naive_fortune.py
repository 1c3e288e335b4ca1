"""A second evaluator that shares nothing with the first: it tries every five cards of a hand.

Slow and plain. Cards are read from their text, so that not even the card numbers are common.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterable

NaiveCard = tuple[int, str]
JOKER: NaiveCard = (0, "joker")
RANK = {letter: rank for rank, letter in enumerate("23456789TJQKA", start=2)}
STRAIGHTS = [set(range(low, low + 5)) for low in range(2, 11)] + [{14, 2, 3, 4, 5}]
LONG_RUNS = [set(range(low, low + 7)) for low in range(2, 9)] + [{14, 2, 3, 4, 5, 6, 7}]


def read(text: str) -> list[NaiveCard]:
    """Return the cards of a text such as ``KS TH JK``."""
    return [JOKER if word == "JK" else (RANK[word[0]], word[1]) for word in text.split()]


def categories(cards: list[NaiveCard]) -> set[str]:
    """Return the name of every line and lower kind of hand that some five (or seven) cards make."""
    found = {"no_pair"}
    for five in itertools.combinations(cards, 5):
        made = set(_of_five(five))
        if "royal_flush" in made:
            rest = [card for card in cards if card not in five]
            if len(rest) == 2 and {rest[0][0], rest[1][0]} == {13, 12} and rest[0][1] == rest[1][1]:
                made.add("royal_flush_plus_royal_match")
        found |= made
    if len(cards) == 7:
        found |= set(_of_seven(cards))
    ranks = Counter(14 if card == JOKER else card[0] for card in cards)
    pairs = sum(1 for count in ranks.values() if count >= 2)
    found |= set(["one_pair", "two_pair", "three_pair"][:pairs])
    return found


def _of_five(five: tuple[NaiveCard, ...]) -> Iterable[str]:
    yield from _groups([14 if card == JOKER else card[0] for card in five])
    if JOKER not in five:
        yield from _sequence_and_suit(five)
        return
    others = [card for card in five if card != JOKER]
    # The joker in the suit of the first of the others completes all that it can complete.
    for rank in range(2, 15):
        wild = (rank, others[0][1])
        if wild not in others:
            yield from _sequence_and_suit((wild, *others))


def _groups(ranks: list[int]) -> Iterable[str]:
    shape = sorted(Counter(ranks).values(), reverse=True)
    if shape == [5]:
        yield "five_aces"
    if shape[0] >= 4:
        yield "four_of_a_kind"
    if shape[0] >= 3:
        yield "three_of_a_kind"
    if shape == [3, 2]:
        yield "full_house"


def _sequence_and_suit(five: Iterable[NaiveCard]) -> Iterable[str]:
    ranks = {rank for rank, _ in five}
    one_suit = len({suit for _, suit in five}) == 1
    if ranks in STRAIGHTS:
        yield "straight"
        if one_suit:
            yield "straight_flush"
            if ranks == {10, 11, 12, 13, 14}:
                yield "royal_flush"
    if one_suit:
        yield "flush"


def _of_seven(cards: list[NaiveCard]) -> Iterable[str]:
    natural = [card for card in cards if card != JOKER]
    if len({suit for _, suit in natural}) != 1:
        return
    ranks = {rank for rank, _ in natural}
    if any(ranks <= run for run in LONG_RUNS):
        with_joker = JOKER in cards
        yield "seven_card_straight_flush" + ("_with_joker" if with_joker else "")
