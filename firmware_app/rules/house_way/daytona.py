"""The house way of the Daytona sheet, by which the designated player's hand is set."""

from __future__ import annotations

from typing import Final

from firmware_app.cards import ACE, KING, QUEEN
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


def _five_aces(hand: DealtHand) -> SetHand | None:
    """Put a pair of aces in front, kings or no kings."""
    if not hand.has_five_aces:
        return None
    return hand.front_of_ranks(ACE, ACE, "five aces: a pair of aces in front")


def _four_of_a_kind(hand: DealtHand) -> SetHand | None:
    """Aces, kings, queens split; 5s and below never; between, it depends on the front."""
    if not hand.fours:
        return None
    four = hand.fours[0]
    if four >= QUEEN:
        row = SplitRow(ALWAYS_SPLIT, "four of a kind, aces to queens: always split")
    elif four >= 9:
        row = SplitRow(KING, "four of a kind, jacks to 9s: split unless king in front")
    elif four >= 6:
        row = SplitRow(QUEEN, "four of a kind, 8s to 6s: split unless queen in front")
    else:
        row = SplitRow(NEVER_SPLIT, "four of a kind, 5s and below: never split")
    return split_unless(hand, four, row)


def _two_pair(hand: DealtHand) -> SetHand | None:
    """The high pair decides, over any straight or flush. Split means the low pair in front."""
    if len(hand.pairs) != 2:
        return None
    high, low = hand.pairs
    if high >= QUEEN:
        row = SplitRow(ALWAYS_SPLIT, "two pair, aces to queens: always split")
    elif high >= 9:
        row = SplitRow(ACE, "two pair, jacks to 9s: split unless ace in front")
    elif high >= 6:
        row = SplitRow(KING, "two pair, 8s to 6s: split unless king in front")
    else:
        row = SplitRow(QUEEN, "two pair, 5s to 3s: split unless queen in front")
    return split_unless(hand, low, row)


def _straight_or_flush(hand: DealtHand) -> SetHand | None:
    """Straight, flush, straight flush with no pair or one: always play a complete hand.

    The two highest cards that leave one go in front, a pair counting above any two singles.
    """
    front = hand.front_of_complete_hand
    if front is None:
        return None
    with_pair = "one pair" if hand.pairs else "no pair"
    return hand.front_of(
        front, f"straight or flush with {with_pair}: complete hand behind, the two highest in front"
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
    _straight_or_flush,
    both_sheets.one_pair,
    both_sheets.no_pair,
)
"""The clauses in the order in which they are tested: the first that speaks of a hand sets it."""
