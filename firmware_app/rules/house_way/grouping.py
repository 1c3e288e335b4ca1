"""Seven cards as the house ways speak of them, and how a clause picks the cards to put in front."""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final, NamedTuple, Self

from firmware_app.cards import ACE, JOKER, SUITS, Card
from firmware_app.rules.profile import Ranking
from firmware_app.rules.ranking import (
    STRAIGHT_RANKS,
    Category,
    HandRank,
    grouping_rank,
    rank_high,
    rank_low,
)


@dataclass(frozen=True, slots=True)
class SetHand:
    """A hand as set: ``low`` in front, the five cards of ``high`` behind, both in reading order.

    ``clause`` names the clause of the rule sheet that decided, for the dealer and for disputes.
    """

    low: tuple[Card, ...]
    high: tuple[Card, ...]
    clause: str


def reading_order(cards: Iterable[Card]) -> tuple[Card, ...]:
    """Return the cards from high to low, the joker before the aces, clubs first in a rank."""
    return tuple(
        sorted(cards, key=lambda card: (grouping_rank(card), int(card)), reverse=True),
    )


@dataclass(frozen=True)
class DealtHand:
    """Seven cards in reading order, grouped by rank with the joker as an ace.

    ``fours``, ``trips``, ``pairs`` and ``singles`` hold the ranks of which there are that many
    cards, from high to low. Five aces are in none of them.
    """

    cards: tuple[Card, ...]
    of_rank: dict[int, tuple[Card, ...]]
    ranking: Ranking
    fours: tuple[int, ...]
    trips: tuple[int, ...]
    pairs: tuple[int, ...]
    singles: tuple[int, ...]

    @classmethod
    def of(cls, cards: Sequence[Card], ranking: Ranking) -> Self:
        in_order = reading_order(cards)
        of_rank: defaultdict[int, tuple[Card, ...]] = defaultdict(tuple)
        for card in in_order:
            of_rank[grouping_rank(card)] += (card,)

        def ranks_held(count: int) -> tuple[int, ...]:
            return tuple(rank for rank, held in of_rank.items() if len(held) == count)

        return cls(
            cards=in_order,
            of_rank=dict(of_rank),
            ranking=ranking,
            fours=ranks_held(4),
            trips=ranks_held(3),
            pairs=ranks_held(2),
            singles=ranks_held(1),
        )

    @property
    def has_five_aces(self) -> bool:
        return len(self.of_rank.get(ACE, ())) == 5

    def front_of_ranks(self, first: int, second: int, clause: str) -> SetHand:
        """Put a card of each of the two ranks in front, or a pair where they are equal.

        Where several cards would do, the choice leaves the best five-card hand, and the joker
        stays behind if that is equal.
        """
        if first == second:
            fronts: Iterable[tuple[Card, ...]] = itertools.combinations(self.of_rank[first], 2)
        else:
            fronts = itertools.product(self.of_rank[first], self.of_rank[second])
        return self.front_of(max(fronts, key=self._worth_behind), clause)

    def front_of(self, low: tuple[Card, ...], clause: str) -> SetHand:
        """Put exactly these cards in front."""
        return SetHand(reading_order(low), self._behind(low), clause)

    def highest_front(self, leaves: Callable[[tuple[Card, ...]], bool]) -> tuple[Card, ...] | None:
        """Return the highest two cards that leave five of which ``leaves`` is true, if any do.

        A pair counts above any two singles; equal fronts are chosen between by what is behind.
        """
        fronts = [low for low in itertools.combinations(self.cards, 2) if leaves(self._behind(low))]
        return max(
            fronts,
            key=lambda low: (rank_low(low, self.ranking), self._worth_behind(low)),
            default=None,
        )

    @cached_property
    def front_of_complete_hand(self) -> tuple[Card, ...] | None:
        """The highest two cards that leave a straight, a flush or better behind, if any do."""
        if not self._holds_straight_or_flush():
            return None
        return self.highest_front(
            lambda high: rank_high(high, self.ranking).category >= Category.STRAIGHT
        )

    def _behind(self, low: tuple[Card, ...]) -> tuple[Card, ...]:
        return tuple(card for card in self.cards if card not in low)

    def _worth_behind(self, low: tuple[Card, ...]) -> tuple[HandRank, bool]:
        return rank_high(self._behind(low), self.ranking), JOKER not in low

    def _holds_straight_or_flush(self) -> bool:
        """A quick look that spares most hands the search through every way of setting them."""
        natural = [card for card in self.cards if card != JOKER]
        jokers = len(self.cards) - len(natural)
        suits = [card.suit for card in natural]
        ranks = {card.rank for card in natural}
        longest_flush = max(suits.count(suit) for suit in SUITS)
        longest_straight = max(len(ranks & straight) for straight in STRAIGHT_RANKS.values())
        return max(longest_flush, longest_straight) + jokers >= 5


ALWAYS_SPLIT: Final = ACE + 1
NEVER_SPLIT: Final = 0


class SplitRow(NamedTuple):
    """A row "split unless … in front": ``unless`` is the lowest rank that keeps the hand whole.

    The joker counts as an ace; ``ALWAYS_SPLIT`` is above every card, ``NEVER_SPLIT`` below.
    """

    unless: int
    clause: str


def split_unless(hand: DealtHand, pair: int, row: SplitRow) -> SetHand:
    """Put a pair of rank ``pair`` in front, unless the two highest singles may keep it behind."""
    highest, second = hand.singles[:2]
    if highest >= row.unless:
        return hand.front_of_ranks(highest, second, row.clause)
    return hand.front_of_ranks(pair, pair, row.clause)


Clause = Callable[[DealtHand], SetHand | None]
"""A clause of a sheet: the hand as it sets it, or None where it does not speak of such a hand."""


def first_that_applies(sheet: Iterable[Clause], hand: DealtHand) -> SetHand:
    """Set ``hand`` by the first clause of ``sheet`` that speaks of it."""
    for clause in sheet:
        answer = clause(hand)
        if answer is not None:
            return answer
    raise AssertionError("the last clause of every sheet, no pair, speaks of any hand")
