"""What it costs a Fortune wager that it must beat the designated player's hand (rule sheet 000).

The condition ties two hands of one deck together and has no closed form, so this one figure is
sampled. Only the condition is: the odds of the lines themselves stay exact, which leaves a small
error. The caller deals the hands, so that this module draws no random numbers.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import sqrt

from firmware_app.cards import Card
from firmware_app.rules.fortune import FortuneEvaluator, bonus_rank
from firmware_app.rules.lines import Line
from firmware_app.rules.odds import fortune_odds
from firmware_app.rules.profile import FortuneWager, Ranking


@dataclass(frozen=True, slots=True)
class SampledEdge:
    """A sampled house edge and its standard error, both as a share of the stake."""

    house_edge: float
    standard_error: float
    deals: int


def sampled_must_beat_edge(
    fortune: FortuneWager,
    ranking: Ranking,
    deals: Iterable[tuple[Sequence[Card], Sequence[Card]]],
) -> SampledEdge:
    """Return the edge where a tie or a lower hand loses, from random ``deals``.

    A deal is the player's hand and the designated player's. A line that no player had counts as
    never beaten; such lines are so rare, and so high, that together they cannot change the edge
    by 0.02 %.
    """
    find = FortuneEvaluator(fortune.pay_table).line
    dealt = 0
    hands: Counter[Line] = Counter()
    beaten: Counter[Line] = Counter()
    for player, banker in deals:
        dealt += 1
        line = find(player)
        if line is None:
            continue
        hands[line] += 1
        ours, theirs = (
            bonus_rank(hand, fortune.compare, fortune.pay_table, ranking)
            for hand in (player, banker)
        )
        beaten[line] += ours <= theirs
    odds = fortune_odds(fortune.pay_table)
    edge, variance = float(odds.house_edge), 0.0
    for row in odds.lines:
        if not hands[row.line]:
            continue
        # A win that is not given costs the player what it pays and the stake besides.
        weight = row.hands / odds.hands * (row.pays + 1)
        share = beaten[row.line] / hands[row.line]
        edge += weight * share
        variance += weight**2 * share * (1 - share) / hands[row.line]
    return SampledEdge(edge, sqrt(variance), dealt)
