"""The house way of the commission sheet (Pai-Gow Poker), which other sheets follow unprinted."""

from __future__ import annotations

from typing import Final

from firmware_app.cards import ACE, JACK, JOKER, KING, QUEEN, TEN, Card
from firmware_app.rules.house_way import both_sheets
from firmware_app.rules.house_way.grouping import (
    ALWAYS_SPLIT,
    NEVER_SPLIT,
    Clause,
    DealtHand,
    SetHand,
    SplitRow,
    split_unless,
)
from firmware_app.rules.ranking import STRAIGHT_RANKS, grouping_rank


def _five_aces(hand: DealtHand) -> SetHand | None:
    """Split, two aces in front; with a pair of kings, the kings in front and the aces behind."""
    if not hand.has_five_aces:
        return None
    if hand.pairs == (KING,):
        return hand.front_of_ranks(KING, KING, "five aces with kings: the kings in front")
    return hand.front_of_ranks(ACE, ACE, "five aces: a pair of aces in front")


def _four_of_a_kind(hand: DealtHand) -> SetHand | None:
    """2s to 6s never split, aces always; between, it depends on the front."""
    if not hand.fours:
        return None
    four = hand.fours[0]
    if four == ACE:
        row = SplitRow(ALWAYS_SPLIT, "four of a kind, aces: always split")
    elif four >= JACK:
        row = SplitRow(ACE, "four of a kind, jacks to kings: split unless ace in front")
    elif four >= 7:
        row = SplitRow(KING, "four of a kind, 7s to 10s: split unless king in front")
    else:
        row = SplitRow(NEVER_SPLIT, "four of a kind, 2s to 6s: never split")
    return split_unless(hand, four, row)


def _pair_class(rank: int) -> str:
    """Name the class of a pair. The sheet misprints medium as "2's through 6's"."""
    if rank == ACE:
        return "aces"
    if rank >= JACK:
        return "high"
    return "medium" if rank >= 7 else "low"


# By the classes of the higher and the lower pair. The sheet lacks a row for a high and a low pair;
# the row here is what card rooms play, between its neighbours.
_TWO_PAIR_ROWS: Final = {
    ("low", "low"): SplitRow(KING, "two pair, low and low: split unless king in front"),
    ("medium", "low"): SplitRow(KING, "two pair, medium and low: split unless king in front"),
    ("medium", "medium"): SplitRow(ACE, "two pair, medium and medium: split unless ace in front"),
    ("high", "low"): SplitRow(ACE, "two pair, high and low: split unless ace in front"),
    ("high", "medium"): SplitRow(ALWAYS_SPLIT, "two pair, high and medium: always split"),
    ("high", "high"): SplitRow(ALWAYS_SPLIT, "two pair, high and high: always split"),
}
_ACES_AND_A_PAIR: Final = SplitRow(ALWAYS_SPLIT, "two pair, aces and another: always split")


def _two_pair(hand: DealtHand) -> SetHand | None:
    """The classes of both pairs decide, over any straight or flush. Split: low pair in front."""
    if len(hand.pairs) != 2:
        return None
    higher, lower = hand.pairs
    row = _TWO_PAIR_ROWS.get((_pair_class(higher), _pair_class(lower)), _ACES_AND_A_PAIR)
    return split_unless(hand, lower, row)


def _straight_or_flush_no_pair(hand: DealtHand) -> SetHand | None:
    """Of all complete hands play the one that leaves the two highest cards for the front.

    A six-card straight needs no clause of its own: it so plays its highest card in front.
    """
    front = hand.front_of_complete_hand
    if front is None or hand.pairs:
        return None
    return hand.front_of(
        front, "straight or flush with no pair: complete hand behind, the two highest in front"
    )


def _exception_2(hand: DealtHand) -> SetHand | None:
    """Ace-high straight with the natural ace and the joker: K-9 or Q-8 behind, else the aces.

    The ace and the joker are then the one pair. It breaks even a royal flush that needs both.
    """
    ace_and_joker = hand.pairs == (ACE,) and JOKER in hand.cards
    if not ace_and_joker or len(STRAIGHT_RANKS[ACE].intersection(hand.singles)) < 3:
        return None
    front = hand.highest_front(_is_king_or_queen_high_straight)
    if front is not None:
        return hand.front_of(
            front, "exception 2, ace and joker: king-nine or queen-eight straight behind"
        )
    highest, second = hand.singles[:2]
    return hand.front_of_ranks(
        highest, second, "exception 2, ace and joker: both behind, the two highest others in front"
    )


def _is_king_or_queen_high_straight(high: tuple[Card, ...]) -> bool:
    """Say whether five cards, no two naturals of a rank, are a K-9 or Q-8 straight."""
    natural = [card.rank for card in high if card != JOKER]
    return any(STRAIGHT_RANKS[top].issuperset(natural) for top in (KING, QUEEN))


def _pair_in_front_of_complete_hand(hand: DealtHand) -> SetHand | None:
    """With one pair, the base rule: the pair in front if that keeps a complete hand behind."""
    front = hand.front_of_complete_hand
    if front is None or grouping_rank(front[0]) != grouping_rank(front[1]):
        return None
    return hand.front_of(
        front, "straight or flush with one pair: complete hand behind, the pair in front"
    )


def _exception_1(hand: DealtHand) -> SetHand | None:
    """An ace or the joker with a pair of 10s to kings: the ace in front, whatever is behind.

    That is the complete hand if it can spare the ace, else the pair.
    """
    front = hand.front_of_complete_hand
    if front is None or not hand.pairs:
        return None
    if not TEN <= hand.pairs[0] <= KING or hand.singles[0] != ACE:
        return None
    if grouping_rank(front[0]) == ACE:
        return hand.front_of(
            front, "exception 1, ace and a pair of 10s to kings: complete hand behind, ace in front"
        )
    return hand.front_of_ranks(
        ACE,
        hand.singles[1],
        "exception 1, ace and a pair of 10s to kings: the pair behind, ace in front",
    )


def _straight_or_flush_one_pair(hand: DealtHand) -> SetHand | None:
    """A pair that cannot go in front: keep the complete hand, the two highest it can spare."""
    front = hand.front_of_complete_hand
    if front is None:
        return None
    return hand.front_of(
        front, "straight or flush with one pair: complete hand behind, the two highest in front"
    )


SHEET: Final[tuple[Clause, ...]] = (
    _five_aces,
    both_sheets.four_of_a_kind_with_pair,
    _four_of_a_kind,
    both_sheets.two_trips,
    both_sheets.full_house,
    both_sheets.three_pair,
    both_sheets.straight_or_flush_with_trips,
    both_sheets.three_of_a_kind,
    _two_pair,
    _straight_or_flush_no_pair,
    _exception_2,
    _pair_in_front_of_complete_hand,
    _exception_1,
    _straight_or_flush_one_pair,
    both_sheets.one_pair,
    both_sheets.no_pair,
)
"""The clauses in the order in which they are tested: the first that speaks of a hand sets it."""
