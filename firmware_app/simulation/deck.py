"""Shuffled decks for the simulated shuffler, some of them stacked so that the sign has a show."""

from __future__ import annotations

import random

from firmware_app.cards import DECK, Card, parse_hand

SHOWPIECES = (
    "QS QH QD QC 4D 9H 7C",
    "5H 6H 7H 8H 9H KC 2D",
    "AS KS QS JS TS 4H 9D",
    "AS AH AD AC JK 7D 2C",
    "8D 9D TD JD QD KD JK",
    "AS KS QS JS TS KH QH",
    "8H 9H TH JH QH KH AH",
)
"""One hand of every line of four of a kind and better, lowest first."""

_FIRST_SHOWPIECE = 3
_ROUNDS_BETWEEN = 4


def showpiece(round_number: int, cards_per_hand: int) -> tuple[Card, ...] | None:
    """Return the hand that the show deals in this round, or None for an honest shuffle."""
    if cards_per_hand != 7 or round_number % _ROUNDS_BETWEEN != _FIRST_SHOWPIECE:
        return None
    return parse_hand(SHOWPIECES[round_number // _ROUNDS_BETWEEN % len(SHOWPIECES)], count=7)


def shuffled(rng: random.Random, without: tuple[Card, ...] = ()) -> list[Card]:
    """Return the deck in random order, ``without`` cards that are dealt otherwise."""
    deck = [card for card in DECK if card not in without]
    rng.shuffle(deck)
    return deck
