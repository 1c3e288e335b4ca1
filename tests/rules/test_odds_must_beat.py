"""The sampled edge of a bonus that must beat the designated player's hand."""

from __future__ import annotations

import random
from fractions import Fraction

import pytest

from firmware_app.cards import DECK, Card, parse_hand
from firmware_app.rules.fortune import posted_wager
from firmware_app.rules.must_beat_odds import SampledEdge, sampled_must_beat_edge
from firmware_app.rules.profile import load_profile

EXACT_EDGE = Fraction(215_466, 2_752_555)
HIGH_CARD = "AS QD JC 9S 7H 3D 2C"


def sampled(compare: str, deals: list[tuple[list[Card], list[Card]]]) -> SampledEdge:
    profile = load_profile("daytona")
    fortune = posted_wager(profile).model_copy(update={"compare": compare})
    return sampled_must_beat_edge(fortune, profile.ranking, deals)


def pair(player: str, banker: str) -> tuple[list[Card], list[Card]]:
    return list(parse_hand(player, count=7)), list(parse_hand(banker, count=7))


# Known from every player hand against sampled designated players, standard error 0.0014 %.
@pytest.mark.parametrize(("compare", "edge"), [("printed", 0.14634), ("pay-table", 0.14290)])
def test_sampled_edge_is_the_known_one_within_its_error(compare: str, edge: float) -> None:
    dealer = random.Random(3)
    dealt = [dealer.sample(DECK, 14) for _ in range(40_000)]
    found = sampled(compare, [(cards[:7], cards[7:]) for cards in dealt])
    assert found.deals == 40_000
    assert 0.001 < found.standard_error < 0.003
    assert abs(found.house_edge - edge) < 3 * found.standard_error


def test_a_win_not_given_costs_what_it_pays_and_the_stake() -> None:
    straight, higher = "9S 8H 7D 6C 5S AS AD", "TS 9H 8D 7C 6S 2C 2D"
    tie = "9H 8C 7S 6H 5D KC KD"
    found = sampled(
        "printed",
        [
            pair(straight, HIGH_CARD),
            pair(straight, higher),
            pair(straight, tie),
            pair(straight, HIGH_CARD),
            pair(HIGH_CARD, higher),
        ],
    )
    # Half of the straights do not win, the tie among them. 11,034,204 hands are paid 2 to 1 as one.
    lost = Fraction(11_034_204 * 3, 154_143_080) / 2
    assert found.house_edge == pytest.approx(float(EXACT_EDGE + lost))
    weight = 11_034_204 * 3 / 154_143_080
    assert found.standard_error == pytest.approx(weight * (0.25 / 4) ** 0.5)


def test_without_a_line_in_the_sample_the_edge_is_that_of_the_table() -> None:
    found = sampled("printed", [pair(HIGH_CARD, HIGH_CARD)])
    assert (found.house_edge, found.standard_error) == (float(EXACT_EDGE), 0.0)
