"""Exact odds of the Ace High Bonus (rule sheet 003), for which two hands must be counted at once.

An ace-high hand has seven different ranks, an ace or the joker for one, and no straight or flush.
Whether two such hands can lie together depends only on how many ranks they share (the cards of a
shared rank differ in suit), and a flush in them on one suit each. So pairs of hands are counted as
pairs of rank sets by the size of their overlap, times the ways to give them suits.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from math import comb
from typing import Final

from firmware_app.cards import DECK_SIZE, SUITS
from firmware_app.rules.profile import AceHighBonus
from firmware_app.rules.satisfied import ACE_INDEX, ALL_RANKS, straight_line

_CARDS: Final = 7
_SUIT_COUNT: Final = len(SUITS)
_ACE: Final = 1 << ACE_INDEX
_PLAYER_FLUSH: Final = 5

# Ways to give suits to the cards of one rank, by (cards in the dealer's, in the player's) chosen
# suit: of a rank that both hold when both watch the same suit or two suits, or that one holds.
_Ways = dict[tuple[int, int], int]
_SHARED_SAME_SUIT: Final[_Ways] = {(1, 0): 3, (0, 1): 3, (0, 0): 6}
_SHARED_TWO_SUITS: Final[_Ways] = {(1, 1): 1, (1, 0): 2, (0, 1): 2, (0, 0): 7}
_DEALER_ALONE: Final[_Ways] = {(1, 0): 1, (0, 0): 3}
_PLAYER_ALONE: Final[_Ways] = {(0, 1): 1, (0, 0): 3}


@dataclass(frozen=True, slots=True)
class AceHighOdds:
    """Chances before the deal, each line without those tested before it.

    The lines are tested in the order of the fields of
    :class:`~firmware_app.rules.profile.AceHighBonus`.
    """

    dealer_ace_high: Fraction
    dealer_ace_high_with_joker: Fraction
    both_ace_high: Fraction
    both_with_dealers_joker: Fraction

    def house_edge(self, bonus: AceHighBonus) -> Fraction:
        """Return the share of an Ace High wager that the house keeps at the posted odds."""
        with_joker = self.dealer_ace_high_with_joker - self.both_with_dealers_joker
        rest = self.dealer_ace_high - self.both_ace_high - with_joker
        won = (
            self.both_ace_high * bonus.dealer_and_player_pays
            + with_joker * bonus.dealer_with_joker_pays
            + rest * bonus.dealer_pays
        )
        return 1 - self.dealer_ace_high - won


@cache
def ace_high_odds() -> AceHighOdds:
    """Return the exact chances of ace-high hands of the dealer, and of one player as well."""
    natural, joker = _rank_sets(0), _rank_sets(1)
    one_hand = comb(DECK_SIZE, _CARDS)
    two_hands = one_hand * comb(DECK_SIZE - _CARDS, _CARDS)
    dealer_natural = len(natural) * _suitings_of_one(_CARDS, 5)
    dealer_joker = len(joker) * _suitings_of_one(_CARDS - 1, 4)
    both_natural = _pairs(natural, _CARDS, 5, natural)
    dealers_joker = _pairs(joker, _CARDS - 1, 4, natural)
    # The player holds the joker as often as the dealer does.
    both = both_natural + 2 * dealers_joker
    return AceHighOdds(
        dealer_ace_high=Fraction(dealer_natural + dealer_joker, one_hand),
        dealer_ace_high_with_joker=Fraction(dealer_joker, one_hand),
        both_ace_high=Fraction(both, two_hands),
        both_with_dealers_joker=Fraction(dealers_joker, two_hands),
    )


def _rank_sets(joker: int) -> list[int]:
    """Return the natural ranks of ace-high hands with or without the joker, suits aside."""
    return [
        ranks
        for ranks in range(ALL_RANKS + 1)
        if ranks.bit_count() + joker == _CARDS
        and bool(ranks & _ACE) != bool(joker)
        and not straight_line(ranks, joker)
    ]


def _suitings_of_one(cards: int, flush: int) -> int:
    """Return the ways to give suits to cards of different ranks, fewer than ``flush`` in each."""
    flushes: int = sum(
        comb(cards, suited) * 3 ** (cards - suited) for suited in range(flush, cards + 1)
    )
    all_suitings: int = _SUIT_COUNT**cards
    return all_suitings - _SUIT_COUNT * flushes


def _pairs(
    dealer_sets: list[int], dealer_cards: int, dealer_flush: int, player_sets: list[int]
) -> int:
    """Return the number of pairs of hands, the dealer's with and the player's without joker."""
    overlaps = Counter(
        (dealer & player).bit_count() for dealer in dealer_sets for player in player_sets
    )
    return sum(
        pairs * _suitings_of_two(dealer_cards, dealer_flush, shared)
        for shared, pairs in overlaps.items()
    )


def _suitings_of_two(dealer_cards: int, dealer_flush: int, shared: int) -> int:
    """Return the ways to give suits to both hands so that neither holds a flush.

    By inclusion and exclusion over the suits of a flush; a hand cannot hold two.
    """
    same = _distribution(_SHARED_SAME_SUIT, dealer_cards, shared)
    two = _distribution(_SHARED_TWO_SUITS, dealer_cards, shared)

    def at_least(ways: _Ways, dealer: int, player: int) -> int:
        return sum(count for (d, p), count in ways.items() if d >= dealer and p >= player)

    dealer_flushes = _SUIT_COUNT * at_least(same, dealer_flush, 0)
    player_flushes = _SUIT_COUNT * at_least(same, 0, _PLAYER_FLUSH)
    both_flushes = _SUIT_COUNT * at_least(same, dealer_flush, _PLAYER_FLUSH) + _SUIT_COUNT * (
        _SUIT_COUNT - 1
    ) * at_least(two, dealer_flush, _PLAYER_FLUSH)
    return at_least(same, 0, 0) - dealer_flushes - player_flushes + both_flushes


def _distribution(shared_rank: _Ways, dealer_cards: int, shared: int) -> _Ways:
    """Return the ways to give suits to both hands by the cards in the two suits watched."""
    total: _Ways = {(0, 0): 1}
    for rank_ways, ranks in (
        (shared_rank, shared),
        (_DEALER_ALONE, dealer_cards - shared),
        (_PLAYER_ALONE, _CARDS - shared),
    ):
        for _ in range(ranks):
            grown: Counter[tuple[int, int]] = Counter()
            for (dealer, player), ways in total.items():
                for (dealer_more, player_more), more in rank_ways.items():
                    grown[dealer + dealer_more, player + player_more] += ways * more
            total = grown
    return total
