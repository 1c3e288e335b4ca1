"""All hands counted a second way, with the naive evaluator: multiset by multiset of ranks.

Nothing is shared with the code under test, not the cards, the joker rule or the classes. Each
multiset of ranks is judged once on a hand without a flush, each set of suited ranks once by itself.
"""

from __future__ import annotations

import itertools
import random
from collections import Counter
from collections.abc import Iterator
from math import comb, prod

import pytest
from naive_fortune import JOKER, NaiveCard, categories, read

from firmware_app.cards import DECK, hand_text, parse_hand
from firmware_app.rules.counting import count_categories, count_lines
from firmware_app.rules.fortune import FortuneEvaluator
from firmware_app.rules.lines import Line
from firmware_app.rules.profile import PostedLine
from firmware_app.rules.satisfied import lines_in, satisfied_lines

Ranks = tuple[int, ...]
ALL_RANKS = range(2, 15)
# Highest first as on the pay tables, then what is below them.
ORDER = [
    *("seven_card_straight_flush", "royal_flush_plus_royal_match"),
    *("seven_card_straight_flush_with_joker", "five_aces", "royal_flush", "straight_flush"),
    *("four_of_a_kind", "full_house", "flush", "three_of_a_kind", "straight"),
    *("three_pair", "two_pair", "one_pair", "no_pair"),
]
TRIPS, STRAIGHT = ORDER.index("three_of_a_kind"), ORDER.index("straight")
STANDARD_ORDER = [*ORDER[:TRIPS], ORDER[STRAIGHT], ORDER[TRIPS], *ORDER[STRAIGHT + 1 :]]
EVERY_LINE = [PostedLine(line=line, pays=100 - place) for place, line in enumerate(Line)]


def multisets(natural: int) -> Iterator[Ranks]:
    for ranks in itertools.combinations_with_replacement(ALL_RANKS, natural):
        if max(Counter(ranks).values()) <= 4:
            yield ranks


def without_flush(ranks: Ranks, joker: bool) -> list[NaiveCard]:
    """A hand of these ranks whose suits rotate: no suit has more than two cards of it."""
    return [(rank, "SHDC"[place % 4]) for place, rank in enumerate(ranks)] + [JOKER] * joker


@pytest.fixture(scope="module", params=[7, 6], ids=["seven cards", "six cards"])
def by_ranks(request: pytest.FixtureRequest) -> dict[tuple[Ranks, bool], set[str]]:
    """What every multiset of ranks makes without a flush."""
    cards: int = request.param
    return {
        (ranks, joker): categories(without_flush(ranks, joker))
        for joker in (False, True)
        for ranks in multisets(cards - joker)
    }


def suited_sets(cards: int) -> Iterator[tuple[Ranks, bool, set[str]]]:
    """Every set of ranks in one suit that makes a flush, with what that suit makes by itself."""
    for joker in (False, True):
        for natural in range(5 - joker, cards - joker + 1):
            for ranks in itertools.combinations(ALL_RANKS, natural):
                suited = [(rank, "S") for rank in ranks] + [JOKER] * joker
                made = categories(suited) & {
                    *("flush", "straight_flush", "royal_flush", "seven_card_straight_flush"),
                    "seven_card_straight_flush_with_joker",
                }
                yield ranks, joker, made


def count_all(by_ranks: dict[tuple[Ranks, bool], set[str]], order: list[str]) -> dict[str, int]:
    place = {name: number for number, name in enumerate(order)}
    best_by_ranks = {key: min(place[name] for name in made) for key, made in by_ranks.items()}
    cards = max(len(ranks) for ranks, _ in by_ranks)
    counts: Counter[int] = Counter()
    for (ranks, _), best in best_by_ranks.items():
        counts[best] += prod(comb(4, size) for size in Counter(ranks).values())
    for suited, joker, made in suited_sets(cards):
        best_suited = min(place[name] for name in made)
        others = cards - joker - len(suited)
        for rest in itertools.combinations_with_replacement(ALL_RANKS, others):
            best = best_by_ranks[tuple(sorted(suited + rest)), joker]
            # The other cards lie in the three other suits, the flush in any of four.
            ways = 4 * prod(comb(3, size) for size in Counter(rest).values())
            counts[best] -= ways
            if rest == (12, 13) and "royal_flush" in made:
                matches = 4 * 3
                counts[place["royal_flush_plus_royal_match"]] += matches
                ways -= matches
            counts[min(best, best_suited)] += ways
    return {order[number]: hands for number, hands in counts.items() if hands}


def test_both_ways_count_the_same(by_ranks: dict[tuple[Ranks, bool], set[str]]) -> None:
    cards = max(len(ranks) for ranks, _ in by_ranks)
    ours = count_lines(EVERY_LINE, cards)
    naive = count_all(by_ranks, ORDER)
    assert {line.value: n for line, n in ours.items() if line and n} == {
        name: hands for name, hands in naive.items() if name in set(Line)
    }
    standard = {str(name): hands for name, hands in count_categories(cards).items() if hands}
    assert standard == count_all(by_ranks, STANDARD_ORDER)


def test_every_multiset_of_ranks_has_the_line_of_the_naive_evaluator(
    by_ranks: dict[tuple[Ranks, bool], set[str]],
) -> None:
    evaluator = FortuneEvaluator(EVERY_LINE)
    letters = dict(enumerate("23456789TJQKA", start=2))
    for (ranks, joker), made in by_ranks.items():
        texts = [letters[rank] + suit for rank, suit in without_flush(ranks, joker) if rank]
        cards = parse_hand(" ".join(texts + ["JK"] * joker), count=len(ranks) + joker)
        assert {name.value for name in lines_in(satisfied_lines(cards))} == made
        best = next((name for name in ORDER[:11] if name in made), None)
        assert evaluator.line(cards) == best


def test_dealt_hands_satisfy_the_lines_of_the_naive_evaluator() -> None:
    dealer = random.Random(2)
    evaluator = FortuneEvaluator(EVERY_LINE)
    for number in range(9_000):
        suit = dealer.randrange(4)
        # Two of three hands from a deck where flushes and royal matches are common.
        deck = [
            card
            for card in DECK
            if number % 3 == 0 or card.is_joker or card.suit == suit or card.rank in (12, 13)
        ]
        cards = dealer.sample(deck, 7)
        made = categories(read(hand_text(cards)))
        assert {name.value for name in lines_in(satisfied_lines(cards))} == made
        assert evaluator.line(cards) == next((name for name in ORDER[:11] if name in made), None)
