"""The house way of a table whose sheet prints none: the highest five-card hand behind.

It cannot foul: a low hand above the highest five-card hand would, with three cards of that hand,
make a higher one still.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence

from firmware_app.cards import JOKER, Card
from firmware_app.rules.house_way.grouping import SetHand, reading_order
from firmware_app.rules.profile import Ranking
from firmware_app.rules.ranking import HIGH_HAND_CARDS, HandRank, rank_high, rank_low

CLAUSE = "the highest five-card hand behind, the highest front that leaves it"


def set_best_high(cards: Sequence[Card], ranking: Ranking) -> SetHand:
    """Set six or seven cards: the highest high hand, then the highest low hand beside it."""
    dealt = reading_order(cards)
    ways = [
        (low, tuple(card for card in dealt if card not in low))
        for low in itertools.combinations(dealt, len(dealt) - HIGH_HAND_CARDS)
    ]

    def worth(way: tuple[tuple[Card, ...], tuple[Card, ...]]) -> tuple[HandRank, HandRank, bool]:
        low, high = way
        # Alone in front the joker beats an ace (58 Pa. Code § 670a.6 (c)); one of two it does not.
        joker_is_better_in_front = len(low) == 1
        joker_well_placed = (JOKER in low) == joker_is_better_in_front
        return rank_high(high, ranking), rank_low(low, ranking), joker_well_placed

    low, high = max(ways, key=worth)
    return SetHand(low, high, CLAUSE)
