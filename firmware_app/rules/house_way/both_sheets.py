"""The clauses in which the Daytona and the commission sheet say the same in different words."""

from __future__ import annotations

from firmware_app.cards import ACE
from firmware_app.rules.house_way.grouping import DealtHand, SetHand
from firmware_app.rules.ranking import grouping_rank


def four_of_a_kind_with_pair(hand: DealtHand) -> SetHand | None:
    """Four of a kind with a pair or three of a kind: the four stay whole, a pair in front."""
    beside = hand.trips + hand.pairs
    if not hand.fours or not beside:
        return None
    return hand.front_of_ranks(
        beside[0], beside[0], "four of a kind with a pair or trips: the pair in front"
    )


def two_trips(hand: DealtHand) -> SetHand | None:
    """Two sets of three of a kind: split the higher, its pair in front."""
    if len(hand.trips) != 2:
        return None
    higher = hand.trips[0]
    return hand.front_of_ranks(higher, higher, "two three of a kind: a pair of the higher in front")


def full_house(hand: DealtHand) -> SetHand | None:
    """Full house, one pair with it or two: the highest pair in front, whatever else is there."""
    if not hand.trips or not hand.pairs:
        return None
    highest = hand.pairs[0]
    return hand.front_of_ranks(highest, highest, "full house: the highest pair in front")


def three_pair(hand: DealtHand) -> SetHand | None:
    """Three pair: the highest in front."""
    if len(hand.pairs) != 3:
        return None
    highest = hand.pairs[0]
    return hand.front_of_ranks(highest, highest, "three pair: the highest pair in front")


def straight_or_flush_with_trips(hand: DealtHand) -> SetHand | None:
    """Straight or flush with three of a kind: the complete hand behind, a pair in front.

    Three aces, one of them the joker, may need both ace and joker in the complete hand. Then no
    pair can go in front, and the three aces are split as if there were no complete hand.
    """
    front = hand.front_of_complete_hand if hand.trips else None
    if front is None or grouping_rank(front[0]) != grouping_rank(front[1]):
        return None
    return hand.front_of(
        front, "straight or flush with three of a kind: complete hand behind, the pair in front"
    )


def three_of_a_kind(hand: DealtHand) -> SetHand | None:
    """Three of a kind: never split but for aces, of which one goes in front with the next card."""
    if not hand.trips:
        return None
    highest, second = hand.singles[:2]
    if hand.trips == (ACE,):
        return hand.front_of_ranks(
            ACE, highest, "three aces: split, a pair behind, an ace and the next highest in front"
        )
    return hand.front_of_ranks(
        highest, second, "three of a kind, kings and below: kept whole, the two highest in front"
    )


def one_pair(hand: DealtHand) -> SetHand | None:
    """One pair: the pair behind, the two highest singles in front."""
    if not hand.pairs:
        return None
    highest, second = hand.singles[:2]
    return hand.front_of_ranks(
        highest, second, "one pair: the pair behind, the two highest others in front"
    )


def no_pair(hand: DealtHand) -> SetHand:
    """No pair: the highest card behind, the second and third highest in front."""
    second, third = hand.singles[1:3]
    return hand.front_of_ranks(
        second, third, "no pair: the highest behind, the second and third in front"
    )
