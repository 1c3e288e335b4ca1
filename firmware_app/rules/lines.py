"""The lines of a Fortune Bonus pay table, in the order in which the rule sheets print them."""

from __future__ import annotations

from enum import StrEnum


class Line(StrEnum):
    """A line of the Fortune pay table. The order of definition is the printed order, highest first.

    The values are what programs read and write (``--json``, the feed, profiles).
    """

    SEVEN_CARD_STRAIGHT_FLUSH = "seven_card_straight_flush"
    ROYAL_FLUSH_PLUS_ROYAL_MATCH = "royal_flush_plus_royal_match"
    SEVEN_CARD_STRAIGHT_FLUSH_WITH_JOKER = "seven_card_straight_flush_with_joker"
    FIVE_ACES = "five_aces"
    ROYAL_FLUSH = "royal_flush"
    STRAIGHT_FLUSH = "straight_flush"
    FOUR_OF_A_KIND = "four_of_a_kind"
    FULL_HOUSE = "full_house"
    FLUSH = "flush"
    THREE_OF_A_KIND = "three_of_a_kind"
    STRAIGHT = "straight"
