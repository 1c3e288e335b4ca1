"""The cards that make a line, and how they compare with another hand's.

:func:`firmware_app.rules.satisfied.satisfied_lines` says *that* a hand satisfies a line; this
module says *with which cards*: always the highest way to make the line, and among equal cards of
a rank the one with the lowest card number, so that the answer is the same on every device.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from firmware_app.cards import ACE, DECK, JOKER, KING, QUEEN, RANKS, SUITS, Card
from firmware_app.rules.lines import Line
from firmware_app.rules.profile import Ranking
from firmware_app.rules.satisfied import BelowLines, Category

_WHEEL_TOP: Final = 5
_ACE_LOW: Final = 1


@dataclass(frozen=True, slots=True)
class Made:
    """The cards that make a line, most important first, and what they compare by.

    ``values`` of two hands of the same category compare as the hands do.
    """

    cards: tuple[Card, ...]
    values: tuple[int, ...]


class _Hand:
    """A hand sorted by rank and suit. The joker is the last of the aces."""

    def __init__(self, cards: Sequence[int], ranking: Ranking) -> None:
        self.ranking = ranking
        natural = [DECK[number] for number in sorted(cards) if number != JOKER]
        self.joker = len(natural) < len(cards)
        self.of_suit: list[dict[int, Card]] = [{} for _ in SUITS]
        self.of_rank: dict[int, list[Card]] = {}
        for card in natural:
            self.of_suit[card.suit][card.rank] = card
            self.of_rank.setdefault(card.rank, []).append(card)
        self.lowest_of_rank = {rank: cards[0] for rank, cards in self.of_rank.items()}
        if self.joker:
            self.of_rank.setdefault(ACE, []).append(JOKER)

    def suits(self) -> Iterable[dict[int, Card]]:
        """The suits that make a flush, by rank of their natural cards: one or none."""
        return (suit for suit in self.of_suit if len(suit) + self.joker >= 5)

    def run(self, by_rank: Mapping[int, Card], length: int, tops: Iterable[int]) -> Made | None:
        """Return the first run of ``length`` in the order of ``tops`` that the cards fill."""
        standing = 0
        for top in tops:
            standing -= 1
            ranks = [ACE if rank == _ACE_LOW else rank for rank in range(top, top - length, -1)]
            if sum(rank in by_rank for rank in ranks) + self.joker >= length:
                cards = tuple(by_rank.get(rank, JOKER) for rank in ranks)
                return Made(cards, (standing,))
        return None

    def groups(self, *sizes: int) -> Made | None:
        """Return groups of these sizes and different ranks, filled up to five by the best cards."""
        chosen: list[Card] = []
        values: list[int] = []
        for size in sizes:
            rank = max(
                (r for r, cards in self.of_rank.items() if len(cards) >= size and r not in values),
                default=None,
            )
            if rank is None:
                return None
            chosen += self.of_rank[rank][:size]
            values.append(rank)
        for rank in sorted(self.of_rank, reverse=True):
            for card in self.of_rank[rank]:
                if card not in chosen and len(chosen) < 5:
                    chosen.append(card)
                    values.append(rank)
        return Made(tuple(chosen), tuple(values))


def _tops(wheel: str) -> tuple[int, ...]:
    """The top ranks of five-card runs, highest run first, with A-2-3-4-5 where the table has it."""
    if wheel == "second":
        return (ACE, _WHEEL_TOP, *range(KING, _WHEEL_TOP, -1))
    return tuple(range(ACE, _WHEEL_TOP - 1, -1))


def _seven_card_straight_flush(hand: _Hand) -> Made | None:
    tops = range(ACE, 6, -1)
    return next((made for suit in hand.suits() if (made := hand.run(suit, 7, tops))), None)


def _seven_card_straight_flush_without_joker(hand: _Hand) -> Made | None:
    return None if hand.joker else _seven_card_straight_flush(hand)


def _seven_card_straight_flush_with_joker(hand: _Hand) -> Made | None:
    return _seven_card_straight_flush(hand) if hand.joker else None


def _straight_flush(hand: _Hand) -> Made | None:
    tops = _tops(hand.ranking.wheel_straight_flush)
    return next((made for suit in hand.suits() if (made := hand.run(suit, 5, tops))), None)


def _royal_flush(hand: _Hand) -> Made | None:
    return next((made for suit in hand.suits() if (made := hand.run(suit, 5, (ACE,)))), None)


def _royal_match(hand: _Hand) -> Made | None:
    royal = _royal_flush(hand)
    match = next((suit for suit in hand.of_suit if suit.keys() == {KING, QUEEN}), None)
    if royal is None or match is None:
        return None
    return Made((*royal.cards, match[KING], match[QUEEN]), royal.values)


def _flush(hand: _Hand) -> Made | None:
    for suit in hand.suits():
        cards = dict(suit)
        if hand.joker:
            cards[max(rank for rank in RANKS if rank not in suit)] = JOKER
        best = sorted(cards, reverse=True)[:5]
        return Made(tuple(cards[rank] for rank in best), tuple(best))
    return None


def _straight(hand: _Hand) -> Made | None:
    return hand.run(hand.lowest_of_rank, 5, _tops(hand.ranking.wheel))


_MAKERS: Final[dict[Category, Callable[[_Hand], Made | None]]] = {
    Line.SEVEN_CARD_STRAIGHT_FLUSH: _seven_card_straight_flush_without_joker,
    Line.ROYAL_FLUSH_PLUS_ROYAL_MATCH: _royal_match,
    Line.SEVEN_CARD_STRAIGHT_FLUSH_WITH_JOKER: _seven_card_straight_flush_with_joker,
    Line.FIVE_ACES: lambda hand: hand.groups(5),
    Line.ROYAL_FLUSH: _royal_flush,
    Line.STRAIGHT_FLUSH: _straight_flush,
    Line.FOUR_OF_A_KIND: lambda hand: hand.groups(4),
    Line.FULL_HOUSE: lambda hand: hand.groups(3, 2),
    Line.FLUSH: _flush,
    Line.STRAIGHT: _straight,
    Line.THREE_OF_A_KIND: lambda hand: hand.groups(3),
    BelowLines.THREE_PAIR: lambda hand: hand.groups(2, 2),
    BelowLines.TWO_PAIR: lambda hand: hand.groups(2, 2),
    BelowLines.ONE_PAIR: lambda hand: hand.groups(2),
    BelowLines.NO_PAIR: lambda hand: hand.groups(),
}


def best_of(cards: Sequence[int], category: Category, ranking: Ranking) -> Made | None:
    """Return the highest way in which six or seven ``cards`` make ``category``, None if none.

    Three pair counts as its two highest pairs, as everywhere in a five-card hand.
    """
    return _MAKERS[category](_Hand(cards, ranking))
