"""The order of the main hands: the five-card high hand and the low hand of two cards or one.

A rank says only how a hand compares with another; what a Fortune line pays is decided elsewhere.
The joker is an ace, or the one card that completes a straight, a flush, a straight flush or a
royal flush, whichever makes the best hand. What the sheets leave open about the order is a
:class:`~firmware_app.rules.profile.Ranking`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from enum import IntEnum
from functools import cache
from typing import Final, NamedTuple

from firmware_app.cards import ACE, DECK, JOKER, KING, RANKS, Card, HandError
from firmware_app.rules.profile import Ranking

HIGH_HAND_CARDS: Final = 5


class Category(IntEnum):
    """What a main hand is, in ascending order."""

    HIGH_CARD = 1
    PAIR = 2
    TWO_PAIR = 3
    THREE_OF_A_KIND = 4
    STRAIGHT = 5
    FLUSH = 6
    FULL_HOUSE = 7
    FOUR_OF_A_KIND = 8
    STRAIGHT_FLUSH = 9
    ROYAL_FLUSH = 10
    FIVE_ACES = 11


class HandRank(NamedTuple):
    """How high a hand stands: a higher hand compares greater, a copy compares equal.

    ``standing`` is the place of the category under the table's ranking. ``kickers`` decide within
    a category: ranks, the grouped cards first; of a straight its place among the straights. A low
    hand compares with a five-card hand too: equal as far as it goes, the five-card hand is higher.
    """

    standing: int
    kickers: tuple[int, ...]
    category: Category


STRAIGHT_RANKS: Final[Mapping[int, frozenset[int]]] = {
    top: frozenset(ACE if rank == 1 else rank for rank in range(top - 4, top + 1))
    for top in range(5, ACE + 1)
}
"""The ranks of each straight by its top card; the wheel, A-2-3-4-5, is topped by its five."""

_WHEEL: Final = 5
_STRAIGHTS_UPWARDS: Final[Mapping[str, tuple[int, ...]]] = {
    "low": (_WHEEL, *range(6, KING + 1), ACE),
    "second": (*range(6, KING + 1), _WHEEL, ACE),
}
_CATEGORY_OF_SHAPE: Final = {
    (5,): Category.FIVE_ACES,
    (4, 1): Category.FOUR_OF_A_KIND,
    (3, 2): Category.FULL_HOUSE,
    (3, 1, 1): Category.THREE_OF_A_KIND,
    (2, 2, 1): Category.TWO_PAIR,
    (2, 1, 1, 1): Category.PAIR,
    (1, 1, 1, 1, 1): Category.HIGH_CARD,
}
# Indexed by card; the joker counts as an ace until it completes something.
_RANK_OF: Final = tuple(ACE if card.is_joker else card.rank for card in DECK)
_SUIT_OF: Final = tuple(None if card.is_joker else card.suit for card in DECK)


def grouping_rank(card: Card) -> int:
    """Return the rank that ``card`` has in pairs, trips and kickers: the joker's is the ace's."""
    return _RANK_OF[card]


def rank_high(cards: Sequence[Card], ranking: Ranking) -> HandRank:
    """Return the rank of a five-card hand; raise :class:`HandError` for any other count."""
    if len(cards) != HIGH_HAND_CARDS:
        raise HandError(f"a high hand has {HIGH_HAND_CARDS} cards, not {len(cards)}")
    suits = {_SUIT_OF[card] for card in cards}
    suits.discard(None)
    return _rank_of_five(
        tuple(sorted([_RANK_OF[card] for card in cards], reverse=True)),
        JOKER in cards,
        len(suits) == 1,
        ranking.wheel,
        ranking.wheel_straight_flush,
        ranking.five_aces_high,
    )


def rank_low(cards: Sequence[Card], ranking: Ranking) -> HandRank:
    """Return the rank of a low hand: a pair or high cards, the joker an ace.

    Raises :class:`HandError` unless there are two cards, or one (six-card game).
    """
    if len(cards) not in (1, 2):
        raise HandError(f"a low hand has two cards, or one in the six-card game, not {len(cards)}")
    ranks = sorted([_RANK_OF[card] for card in cards], reverse=True)
    if len(ranks) == 2 and ranks[0] == ranks[1]:
        return _hand_rank(Category.PAIR, (ranks[0],), ranking.five_aces_high)
    return _hand_rank(Category.HIGH_CARD, tuple(ranks), ranking.five_aces_high)


def player_wins_low(player: Sequence[Card], dealer: Sequence[Card], ranking: Ranking) -> bool:
    """Say whether the player's low hand beats the dealer's; a copy goes to the dealer.

    In the six-card game, where a low hand is one card, the joker in front of a player beats any
    card of the dealer, an ace too (58 Pa. Code § 670a.6 (c)). No flag is needed for it: the count
    of cards tells the games apart, and the dealer's own joker is an ace in both.
    """
    if len(player) == 1 and player[0] == JOKER:
        return True
    return rank_low(player, ranking) > rank_low(dealer, ranking)


def is_foul(low: Sequence[Card], high: Sequence[Card], ranking: Ranking) -> bool:
    """Say whether a set hand loses as it lies: wrong counts, or the low hand above the high hand.

    Low hands of two cards and of one are both right counts here; which of them the game deals is
    for the caller to check.
    """
    if len(high) != HIGH_HAND_CARDS or len(low) not in (1, 2):
        return True
    return rank_low(low, ranking) > rank_high(high, ranking)


# Five cards fall into a few thousand rank patterns, so remembering them all is cheap and makes
# ranking quick enough to try every way of setting a hand.
@cache
def _rank_of_five(
    ranks: tuple[int, ...],
    joker: bool,
    one_suit: bool,
    wheel: str,
    wheel_straight_flush: str,
    five_aces_high: bool,
) -> HandRank:
    """Rank five cards by their falling ranks, the joker among them as an ace."""
    natural = ranks[1:] if joker else ranks
    completed: tuple[Category, tuple[int, ...]] | None
    if one_suit:
        completed = _straight_flush(natural, wheel_straight_flush) or _flush(natural)
    else:
        completed = _straight(natural, wheel)
    # Cards that complete a straight or flush hold no group above an ace and the joker, a pair.
    category, kickers = completed or _grouped(ranks)
    return _hand_rank(category, kickers, five_aces_high)


def _hand_rank(category: Category, kickers: tuple[int, ...], five_aces_high: bool) -> HandRank:
    standing = int(category)
    if not five_aces_high:
        # The royal flush is the highest hand, and five aces come next.
        if category is Category.ROYAL_FLUSH:
            standing = int(Category.FIVE_ACES)
        elif category is Category.FIVE_ACES:
            standing = int(Category.ROYAL_FLUSH)
    return HandRank(standing, kickers, category)


def _grouped(ranks: tuple[int, ...]) -> tuple[Category, tuple[int, ...]]:
    """Rank by pairs, trips and fours alone; kickers fall by size of group, then by rank."""
    groups = sorted(((count, rank) for rank, count in Counter(ranks).items()), reverse=True)
    shape = tuple(count for count, _ in groups)
    return _CATEGORY_OF_SHAPE[shape], tuple(rank for _, rank in groups)


def _straight(natural: tuple[int, ...], wheel: str) -> tuple[Category, tuple[int, ...]] | None:
    top = _best_straight_top(natural, wheel)
    if top is None:
        return None
    return Category.STRAIGHT, (_STRAIGHTS_UPWARDS[wheel].index(top),)


def _straight_flush(
    natural: tuple[int, ...], wheel: str
) -> tuple[Category, tuple[int, ...]] | None:
    top = _best_straight_top(natural, wheel)
    if top is None:
        return None
    if top == ACE:
        return Category.ROYAL_FLUSH, ()
    return Category.STRAIGHT_FLUSH, (_STRAIGHTS_UPWARDS[wheel].index(top),)


def _flush(natural: tuple[int, ...]) -> tuple[Category, tuple[int, ...]]:
    """Rank a flush; a joker in it, the fifth card, is the highest rank that the flush lacks."""
    if len(natural) == HIGH_HAND_CARDS:
        return Category.FLUSH, natural
    joker_rank = max(rank for rank in RANKS if rank not in natural)
    return Category.FLUSH, tuple(sorted((*natural, joker_rank), reverse=True))


def _best_straight_top(natural: tuple[int, ...], wheel: str) -> int | None:
    """Return the top of the highest straight that five naturals, or four and a joker, make."""
    if len(set(natural)) < len(natural):
        return None
    for top in reversed(_STRAIGHTS_UPWARDS[wheel]):
        if STRAIGHT_RANKS[top].issuperset(natural):
            return top
    return None
