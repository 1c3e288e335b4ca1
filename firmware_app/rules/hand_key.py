"""One sum over the cards of a hand that tells its ranks and whether a suit makes a flush.

Each card has a weight. The low ``RANK_BITS`` bits of the sum of a hand's weights are different for
every multiset of ranks (joker included), so that they serve as a key; the bits above, taken as a
signed number, tell which suit holds a flush, if any. Both tables of numbers were found by
search: the rank weights are the smallest known whose sums of seven stay distinct with four cards
of a rank (the ``SpecialK`` evaluator uses the same thirteen), the joker's is the smallest that
keeps them so, and the suit weights are the smallest that tell the flush suit by their sum. The
tests try every multiset of ranks and every distribution of suits.

Why sums as small as this: CPython adds numbers of one 30-bit digit twice as fast as longer ones,
and nearly every sum of seven of these weights fits in one.
"""

from __future__ import annotations

import itertools
from typing import Final

from firmware_app.cards import DECK, SUITS

RANK_BITS: Final = 24
RANK_MASK: Final = (1 << RANK_BITS) - 1

_RANK_WEIGHTS: Final = (
    *(0, 1, 5, 22, 98, 453, 2031, 8698, 22854),
    *(83661, 262349, 636345, 1479181),
)
_JOKER_RANK_WEIGHT: Final = 3262558
_SUIT_WEIGHTS: Final = (-27, -24, 22, 26)
_JOKER_SUIT_WEIGHT: Final = 1
_CARDS: Final = 7
_LARGEST_SUIT_SUM: Final = _CARDS * max(abs(weight) for weight in _SUIT_WEIGHTS)

WEIGHTS: Final[list[int]] = [
    (_JOKER_SUIT_WEIGHT << RANK_BITS) + _JOKER_RANK_WEIGHT
    if card.is_joker
    else (_SUIT_WEIGHTS[card.suit] << RANK_BITS) + _RANK_WEIGHTS[card.rank - 2]
    for card in DECK
]
"""The weight of each card, indexed by its number 0 to 52."""


def _flush_suits() -> list[int | None]:
    # A list is indexed from its end by negative numbers: the sums need no offset to be an index.
    suits: list[int | None] = [None] * (2 * _LARGEST_SUIT_SUM + 1)
    for counts in itertools.product(range(_CARDS + 1), repeat=len(SUITS)):
        joker = _CARDS - sum(counts)
        if joker in (0, 1) and max(counts) + joker >= 5:
            suit_sum = joker * _JOKER_SUIT_WEIGHT + sum(
                count * weight for count, weight in zip(counts, _SUIT_WEIGHTS, strict=True)
            )
            suits[suit_sum] = counts.index(max(counts))
    return suits


FLUSH_SUIT: Final[list[int | None]] = _flush_suits()
"""The suit that holds a flush of seven cards, joker included, or None; indexed by the suit sum."""
