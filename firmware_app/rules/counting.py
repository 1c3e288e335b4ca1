"""How many hands satisfy which lines: exact, computed from the rules, not looked up.

Hands are counted by classes. First every hand is counted by its ranks alone: which ranks are there
(8,192 sets) and how many cards of each. Then the hands that hold a flush are counted by the ranks
of the flush suit and of the other cards, and moved from the lines that their ranks make to the
lines that their ranks and their suit make. That takes a fraction of a second, and rests on the
same few functions that judge a dealt hand (:mod:`firmware_app.rules.satisfied`).
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cache
from math import comb, prod
from typing import TypeVar

from firmware_app.cards import DECK_SIZE, SUITS
from firmware_app.rules.fortune import payment_order
from firmware_app.rules.lines import Line
from firmware_app.rules.profile import PostedLine
from firmware_app.rules.satisfied import (
    ACE_INDEX,
    ALL_RANKS,
    BIT,
    KING_QUEEN,
    PRINTED_ORDER,
    RANKS_PER_SUIT,
    Category,
    group_lines,
    straight_line,
    suited_lines,
)

_Order = TypeVar("_Order", bound=Category)
_SUIT_COUNT = len(SUITS)
_OTHER_SUITS = _SUIT_COUNT - 1
_ACE = 1 << ACE_INDEX


def all_hands(cards_per_hand: int = 7) -> int:
    """Return the number of hands: C(53, 7) = 154,143,080 or, with six cards, 22,957,480."""
    return comb(DECK_SIZE, cards_per_hand)


def count_lines(pay_table: Sequence[PostedLine], cards_per_hand: int = 7) -> Counter[Line | None]:
    """Return how many of all hands are paid on each posted line, and under None on none."""
    return count_first(payment_order(pay_table), cards_per_hand)


def count_categories(cards_per_hand: int = 7) -> Counter[Category | None]:
    """Return how many of all hands are what at best, in the printed ranking of hands."""
    return count_first(PRINTED_ORDER, cards_per_hand)


def count_first(order: Sequence[_Order], cards_per_hand: int = 7) -> Counter[_Order | None]:
    """Return how many hands satisfy each category of ``order`` and none before it.

    Hands that satisfy none are counted under None. Every category of ``order`` is a key, also
    where no hand has it.
    """
    counts: Counter[_Order | None] = Counter(dict.fromkeys((*order, None), 0))
    for satisfied, hands in _satisfied_counts(cards_per_hand).items():
        first = next((category for category in order if satisfied & BIT[category]), None)
        counts[first] += hands
    return counts


@cache
def _satisfied_counts(cards_per_hand: int) -> Counter[int]:
    """Return the number of hands by the exact set of lines that they satisfy, as a bit mask."""
    counts: Counter[int] = Counter()
    for joker in (0, 1):
        natural = cards_per_hand - joker
        straights = [straight_line(ranks, joker) for ranks in range(ALL_RANKS + 1)]
        _count_by_ranks(counts, natural, joker, straights)
        _move_flushes(counts, natural, joker, straights)
    return counts


def _count_by_ranks(
    counts: Counter[int], natural: int, joker: int, straights: Sequence[int]
) -> None:
    """Count every hand of ``natural`` cards and the joker under the lines that its ranks make."""
    kinds = Counter(
        (ranks.bit_count(), bool(ranks & _ACE), straight)
        for ranks, straight in enumerate(straights)
        if ranks
    )
    for (distinct, has_ace, straight), rank_sets in kinds.items():
        for sizes in _group_sizes(natural, distinct):
            suits = prod(comb(_SUIT_COUNT, size) for size in sizes)
            # The sizes come in every order, so any of them, the first, can be the aces'; a joker
            # without an ace beside it is a single card and makes no line of a group.
            aces = joker if has_ace else 0
            lines = group_lines((sizes[0] + aces, *sizes[1:]))
            counts[lines | straight] += rank_sets * suits


def _group_sizes(cards: int, distinct: int) -> Iterator[tuple[int, ...]]:
    """Return every way to have ``cards`` cards of ``distinct`` ranks, in order of the ranks."""
    for cuts in itertools.combinations(range(1, cards), distinct - 1):
        sizes = tuple(high - low for low, high in itertools.pairwise((0, *cuts, cards)))
        if max(sizes) <= _SUIT_COUNT:
            yield sizes


def _move_flushes(counts: Counter[int], natural: int, joker: int, straights: Sequence[int]) -> None:
    """Move the hands that hold a flush from the lines of their ranks to all of their lines."""
    for suited in range(5 - joker, natural + 1):
        flushes = [ranks for ranks in range(ALL_RANKS + 1) if ranks.bit_count() == suited]
        by_suit = {
            match: [suited_lines(ranks, joker, match) for ranks in flushes]
            for match in (False, True)
        }
        for others, ways, match in _other_cards(natural - suited):
            grouped = (*others, ACE_INDEX) if joker else others
            touched, added = _set_of(grouped), _set_of(others)
            groups = _lines_by_overlap(grouped)
            tally = Counter(
                (groups[ranks & touched] | straights[ranks | added], flush)
                for ranks, flush in zip(flushes, by_suit[match], strict=True)
            )
            for (lines, flush), rank_sets in tally.items():
                hands = _SUIT_COUNT * ways * rank_sets
                counts[lines] -= hands
                counts[lines | flush] += hands


def _other_cards(count: int) -> Iterator[tuple[tuple[int, ...], int, bool]]:
    """Return the ranks of ``count`` cards of the three other suits, and in how many suits.

    The third is whether they are a royal match: a king and a queen of one suit.
    """
    for ranks in itertools.combinations_with_replacement(range(RANKS_PER_SUIT), count):
        ways = prod(comb(_OTHER_SUITS, size) for size in Counter(ranks).values())
        if count == 2 and _set_of(ranks) == KING_QUEEN:
            yield ranks, _OTHER_SUITS, True
            yield ranks, ways - _OTHER_SUITS, False
        else:
            yield ranks, ways, False


def _lines_by_overlap(grouped: tuple[int, ...]) -> dict[int, int]:
    """Return the lines that ``grouped`` ranks make with one card of each rank of a flush.

    They depend only on which of these ranks the flush holds too: that set of ranks is the key.
    """
    lines = {}
    own = Counter(grouped)
    for held in itertools.product((0, 1), repeat=len(own)):
        overlap = sum(1 << rank for rank, has in zip(own, held, strict=True) if has)
        # The flush's own cards are singles: a group of one stands for them.
        sizes = (1, *(size + has for size, has in zip(own.values(), held, strict=True)))
        lines[overlap] = group_lines(sizes)
    return lines


def _set_of(ranks: Sequence[int]) -> int:
    return sum(1 << rank for rank in set(ranks))
