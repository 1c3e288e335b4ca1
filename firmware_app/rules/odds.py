"""Exact odds of the Fortune and Envy wagers: what a pay table keeps, and what a cap takes.

All figures are fractions of counted hands (:mod:`firmware_app.rules.counting`), none is sampled
or rounded. An edge is the share of the stake that the house keeps on average.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from firmware_app.rules.counting import all_hands, count_lines
from firmware_app.rules.lines import Line
from firmware_app.rules.profile import PostedLine


@dataclass(frozen=True, slots=True)
class LineOdds:
    """A posted line and how many of all hands are paid on it. ``pays`` is "to 1"."""

    line: Line
    hands: int
    pays: int
    envy_cents: int


@dataclass(frozen=True, slots=True)
class FortuneOdds:
    """The odds of one pay table, its lines in the order in which it posts them."""

    hands: int
    lines: tuple[LineOdds, ...]
    losing_hands: int

    @property
    def hit_rate(self) -> Fraction:
        """The share of hands that are paid."""
        return 1 - Fraction(self.losing_hands, self.hands)

    @property
    def house_edge(self) -> Fraction:
        """The share of a Fortune wager that the house keeps, envy and caps aside."""
        paid = sum(row.hands * row.pays for row in self.lines)
        return Fraction(self.losing_hands - paid, self.hands)

    @property
    def envy_per_other_hand_cents(self) -> Fraction:
        """What one other player's hand brings a qualifying wager in envy, on average, in cents.

        Each further hand brings as much again, since averages add up even where hands share a
        deck.
        """
        return Fraction(sum(row.hands * row.envy_cents for row in self.lines), self.hands)

    def lost_to_cap_cents(self, stake_cents: int, cap_cents: int) -> Fraction:
        """Return what a cap takes from a wager of ``stake_cents`` on average, in cents.

        Exact for a wager that is the only one to win in its round. Winnings of others, and envy,
        count against an aggregate cap too and can only make the loss greater.
        """
        excess = sum(row.hands * max(0, stake_cents * row.pays - cap_cents) for row in self.lines)
        return Fraction(excess, self.hands)

    def house_edge_under_cap(self, stake_cents: int, cap_cents: int) -> Fraction:
        """Return the edge on a wager of ``stake_cents`` whose winnings end at ``cap_cents``."""
        return self.house_edge + self.lost_to_cap_cents(stake_cents, cap_cents) / stake_cents


def fortune_odds(pay_table: Sequence[PostedLine], cards_per_hand: int = 7) -> FortuneOdds:
    """Return the odds of a posted pay table over all hands of six or seven cards."""
    counts = count_lines(pay_table, cards_per_hand)
    return FortuneOdds(
        hands=all_hands(cards_per_hand),
        lines=tuple(
            LineOdds(row.line, counts[row.line], row.pays, row.envy_cents) for row in pay_table
        ),
        losing_hands=counts[None],
    )
