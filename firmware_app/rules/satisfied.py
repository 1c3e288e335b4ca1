"""Which lines a set of cards satisfies, all of them at once.

A hand satisfies several lines (three of a kind and a straight; four aces and a royal), and a pay
table chooses among them. So the answer is a set, held as a bit mask: ``BIT[line]`` for each line
of the Fortune tables and for each kind of hand below them. Joker: an ace when grouping by rank,
any one card in a straight, flush, straight flush or royal flush (rule sheets 000 to 004).

Ranks are written here as bits of a 13-bit set: bit 0 is the deuce, bit 12 the ace.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from enum import StrEnum
from typing import Final

from firmware_app.cards import JOKER, SUITS
from firmware_app.rules.lines import Line


class BelowLines(StrEnum):
    """Hands below every line of the pay tables, highest first."""

    THREE_PAIR = "three_pair"
    TWO_PAIR = "two_pair"
    ONE_PAIR = "one_pair"
    NO_PAIR = "no_pair"


Category = Line | BelowLines
PRINTED_ORDER: Final[tuple[Category, ...]] = (
    *(line for line in Line if line not in (Line.THREE_OF_A_KIND, Line.STRAIGHT)),
    Line.STRAIGHT,
    Line.THREE_OF_A_KIND,
    *BelowLines,
)
"""The ranking of hands that the sheets print for the game: a straight above three of a kind."""

BIT: Final[dict[Category, int]] = {
    category: 1 << number for number, category in enumerate((*Line, *BelowLines))
}

RANKS_PER_SUIT: Final = 13
ACE_INDEX: Final = 12
ALL_RANKS: Final = (1 << RANKS_PER_SUIT) - 1
KING_QUEEN: Final = 0b0_1100_0000_0000


def _runs(length: int) -> tuple[int, ...]:
    """Return every run of ``length`` ranks, highest first; the ace also stands below the deuce."""
    ace_at_both_ends = [ACE_INDEX, *range(RANKS_PER_SUIT)]
    return tuple(
        sum(1 << rank for rank in ace_at_both_ends[low : low + length])
        for low in reversed(range(len(ace_at_both_ends) - length + 1))
    )


RUNS_OF_FIVE: Final = _runs(5)
RUNS_OF_SEVEN: Final = _runs(7)
ROYAL: Final = RUNS_OF_FIVE[0]


def lines_in(satisfied: int) -> tuple[Category, ...]:
    """Return the lines of a bit mask in the order of definition: for tests and messages."""
    return tuple(category for category, bit in BIT.items() if satisfied & bit)


def has_run(ranks: int, joker: int, runs: Iterable[int], length: int) -> bool:
    """Tell whether ``ranks`` with ``joker`` (0 or 1) free cards fill one of ``runs``."""
    needed = length - joker
    return any((ranks & run).bit_count() >= needed for run in runs)


def group_lines(group_sizes: Iterable[int]) -> int:
    """Return the lines made by cards of equal rank; a joker is counted among the aces.

    ``group_sizes`` are the numbers of cards of each rank, in any order, zeros allowed. A full
    house needs two ranks: five aces are none, four of a kind with a pair is one.
    """
    sizes = sorted(group_sizes, reverse=True)
    largest = sizes[0]
    pairs = sum(size >= 2 for size in sizes)
    satisfied = BIT[BelowLines.NO_PAIR]
    if largest >= 5:
        satisfied |= BIT[Line.FIVE_ACES]
    if largest >= 4:
        satisfied |= BIT[Line.FOUR_OF_A_KIND]
    if largest >= 3:
        satisfied |= BIT[Line.THREE_OF_A_KIND]
        if pairs >= 2:
            satisfied |= BIT[Line.FULL_HOUSE]
    for needed, category in enumerate(
        (BelowLines.ONE_PAIR, BelowLines.TWO_PAIR, BelowLines.THREE_PAIR), start=1
    ):
        if pairs >= needed:
            satisfied |= BIT[category]
    return satisfied


def straight_line(ranks: int, joker: int) -> int:
    """Return the bit of a straight if the natural ``ranks`` and the joker hold one, else 0."""
    return BIT[Line.STRAIGHT] if has_run(ranks, joker, RUNS_OF_FIVE, 5) else 0


def suited_lines(ranks: int, joker: int, royal_match: bool) -> int:
    """Return the lines made by the natural ``ranks`` of one suit and the joker (0 or 1).

    ``royal_match`` says that the two cards which are not in the suit are a suited natural
    king and queen: with a royal flush in this suit they make the royal match.
    """
    count = ranks.bit_count() + joker
    if count < 5:
        return 0
    satisfied = BIT[Line.FLUSH]
    if has_run(ranks, joker, RUNS_OF_FIVE, 5):
        satisfied |= BIT[Line.STRAIGHT_FLUSH]
    if has_run(ranks, joker, (ROYAL,), 5):
        satisfied |= BIT[Line.ROYAL_FLUSH]
        if royal_match:
            satisfied |= BIT[Line.ROYAL_FLUSH_PLUS_ROYAL_MATCH]
    if has_run(ranks, joker, RUNS_OF_SEVEN, 7):
        satisfied |= BIT[
            Line.SEVEN_CARD_STRAIGHT_FLUSH_WITH_JOKER if joker else Line.SEVEN_CARD_STRAIGHT_FLUSH
        ]
    return satisfied


def rank_lines(cards: Sequence[int]) -> int:
    """Return the lines that ``cards`` satisfy whatever their suits are."""
    counts = [0] * RANKS_PER_SUIT
    joker = 0
    for card in cards:
        if card == JOKER:
            joker = 1
        else:
            counts[card % RANKS_PER_SUIT] += 1
    ranks = sum(1 << rank for rank, count in enumerate(counts) if count)
    counts[ACE_INDEX] += joker
    return group_lines(counts) | straight_line(ranks, joker)


def satisfied_lines(cards: Sequence[int]) -> int:
    """Return every line that the six or seven ``cards`` satisfy by their best use, as bits.

    Any card numbers 0 to 52 will do; they must be different cards.
    """
    suits = [0 for _ in SUITS]
    joker = 0
    for card in cards:
        if card == JOKER:
            joker = 1
        else:
            suits[card // RANKS_PER_SUIT] |= 1 << card % RANKS_PER_SUIT
    satisfied = rank_lines(cards)
    # Where one suit holds a five-card royal, a suit of exactly king and queen is all the rest.
    royal_match = KING_QUEEN in suits
    for ranks in suits:
        satisfied |= suited_lines(ranks, joker, royal_match)
    return satisfied
