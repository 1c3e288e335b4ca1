"""The 53 cards of a Fortune Pai Gow deck, and how they are written.

A :class:`Card` is an ``int`` from 0 to 52, so that the evaluators can index tables with it, and
knows its rank, suit and text. Ranks are the numbers 2 to 14 (ace); the joker has neither.

>>> str(parse_card("10h")), int(parse_card("AS")), parse_card("JK") is JOKER
('TH', 12, True)
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Sequence
from typing import Final

TEN: Final = 10
JACK: Final = 11
QUEEN: Final = 12
KING: Final = 13
ACE: Final = 14
RANKS: Final = range(2, ACE + 1)
RANK_LETTERS: Final = {rank: "23456789TJQKA"[rank - 2] for rank in RANKS}

SPADES: Final = 0
HEARTS: Final = 1
DIAMONDS: Final = 2
CLUBS: Final = 3
SUITS: Final = (SPADES, HEARTS, DIAMONDS, CLUBS)
SUIT_LETTERS: Final = "SHDC"

DECK_SIZE: Final = 53
_RANKS_PER_SUIT: Final = 13
_JOKER_NUMBER: Final = 52
_JOKER_TEXT: Final = "JK"


class CardError(ValueError):
    """A text that names no card. The message names the text and the cure."""


class HandError(ValueError):
    """Cards that cannot be one hand: wrong count, or a card twice."""


class Card(int):
    """One card: ``suit * 13 + (rank - 2)`` for a natural card, 52 for the joker."""

    __slots__ = ()

    def __new__(cls, number: int) -> Card:
        if not 0 <= number < DECK_SIZE:
            raise CardError(f"card number {number} is outside 0 to {DECK_SIZE - 1}")
        return super().__new__(cls, number)

    @classmethod
    def of(cls, rank: int, suit: int) -> Card:
        """Return the natural card of ``rank`` (2 to 14) and ``suit`` (0 to 3)."""
        return DECK[suit * _RANKS_PER_SUIT + rank - 2]

    @property
    def is_joker(self) -> bool:
        return self == _JOKER_NUMBER

    @property
    def rank(self) -> int:
        """The rank, 2 to 14. The joker has none: asking raises :class:`CardError`."""
        if self.is_joker:
            raise CardError("the joker has no rank of its own")
        return self % _RANKS_PER_SUIT + 2

    @property
    def suit(self) -> int:
        """The suit, 0 to 3. The joker has none: asking raises :class:`CardError`."""
        if self.is_joker:
            raise CardError("the joker has no suit of its own")
        return self // _RANKS_PER_SUIT

    def __str__(self) -> str:
        return _TEXTS[self]

    def __repr__(self) -> str:
        return f"Card({str(self)!r})"


_TEXTS: Final = (
    *(RANK_LETTERS[rank] + suit for suit in SUIT_LETTERS for rank in RANKS),
    _JOKER_TEXT,
)

DECK: Final[tuple[Card, ...]] = tuple(Card(number) for number in range(DECK_SIZE))
JOKER: Final = DECK[_JOKER_NUMBER]

_BY_TEXT: Final = {str(card): card for card in DECK} | {
    "10" + str(card)[1]: card for card in DECK if str(card)[0] == "T"
}


def parse_card(text: str) -> Card:
    """Return the card that ``text`` names: ``AS``, ``10h``, ``TH``, ``JK``; case does not matter.

    Raises :class:`CardError` for anything else. Letters that only look like the right ones
    (Cyrillic, Greek, full-width) are refused and named, since a reader that sends them is
    misconfigured and the next letter could be wrong without looking so.
    """
    known = _BY_TEXT.get(text)
    if known is not None:
        return known
    written = text.strip()
    for letter in written:
        if not letter.isascii():
            name = unicodedata.name(letter, f"U+{ord(letter):04X}")
            raise CardError(
                f"card {text!r} holds {letter!r} ({name}); "
                "write cards in plain ASCII, such as KS, 10H or JK"
            )
    card = _BY_TEXT.get(written.upper())
    if card is None:
        raise CardError(
            f"card {text!r} is unknown; write rank 2-9, 10 or T, J, Q, K, A and suit "
            "S, H, D or C, such as KS or 10H, or JK for the joker"
        )
    return card


def parse_hand(text: str, *, count: int) -> tuple[Card, ...]:
    """Return the ``count`` cards written in ``text``, separated by blanks or commas.

    Raises :class:`CardError` for an unknown card and :class:`HandError` for a wrong count or a
    card that is there twice.
    """
    cards = tuple(parse_card(word) for word in text.replace(",", " ").split())
    check_hand(cards, count=count)
    return cards


def check_hand(cards: Sequence[Card], *, count: int) -> None:
    """Raise :class:`HandError` unless ``cards`` are ``count`` different cards."""
    seen: set[Card] = set()
    for card in cards:
        if card in seen:
            raise HandError(f"card {card} is in the hand twice")
        seen.add(card)
    if len(cards) != count:
        raise HandError(f"a hand has {count} cards, not {len(cards)}")


def hand_text(cards: Iterable[Card]) -> str:
    """Return the cards as one line of text: ``KS TH JK``."""
    return " ".join(str(card) for card in cards)
