"""The Fortune line of a hand: the highest-paying posted line that all of its cards satisfy.

How the player sets the hand has no say (rule sheets 000, 001, 003). A hand satisfies several
lines; the pay table decides which one is paid, so that three of a kind with a straight pays three
of a kind where the sheet posts it higher, and a seven-card straight flush with the joker pays as a
royal or straight flush where the sheet posts no line for it.

>>> from firmware_app.cards import parse_hand
>>> from firmware_app.rules.profile import load_profile
>>> table = load_profile("envy").fortune.pay_table
>>> FortuneEvaluator(table).line(parse_hand("JK KS QS JS TS KH QH", count=7)).value
'royal_flush_plus_royal_match'
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Literal, TypeAlias

from firmware_app.cards import JOKER, Card, HandError
from firmware_app.rules.best_cards import best_of
from firmware_app.rules.hand_key import FLUSH_SUIT, RANK_BITS, RANK_MASK, WEIGHTS
from firmware_app.rules.lines import Line
from firmware_app.rules.profile import FortuneWager, PostedLine, Profile, ProfileError, Ranking
from firmware_app.rules.satisfied import (
    ALL_RANKS,
    BIT,
    KING_QUEEN,
    PRINTED_ORDER,
    RANKS_PER_SUIT,
    BelowLines,
    Category,
    rank_lines,
    satisfied_lines,
    suited_lines,
)

BonusRank: TypeAlias = tuple[int, tuple[int, ...]]

_PRINTED_RANKING: Final = Ranking()
_SUIT_SHIFTS: Final = range(0, 4 * RANKS_PER_SUIT, RANKS_PER_SUIT)
_ROYAL_MATCHES: Final = frozenset(KING_QUEEN << shift for shift in _SUIT_SHIFTS)
# Above the ranks of the flush suit in the key of a flush.
_JOKER_BIT: Final = 1 << RANKS_PER_SUIT
_MATCH_BIT: Final = 2 << RANKS_PER_SUIT


def posted_wager(profile: Profile) -> FortuneWager:
    """Return the Fortune wager of a profile that posts a pay table for it.

    Raises :class:`~firmware_app.rules.profile.ProfileError` where it posts none.
    """
    if profile.fortune is None or not profile.fortune.pay_table:
        raise ProfileError(
            profile.name,
            [
                "posts no Fortune pay table; choose rules that post one, or the path of a .toml "
                "file with a pay_table under [fortune]"
            ],
        )
    return profile.fortune


def payment_order(pay_table: Sequence[PostedLine]) -> tuple[Line, ...]:
    """Return the posted lines, the highest-paying first; equal pays stand in printed order."""
    printed = list(Line)
    rows = sorted(pay_table, key=lambda row: (-row.pays, printed.index(row.line)))
    return tuple(row.line for row in rows)


class FortuneEvaluator:
    """Finds the line of a hand on one posted pay table.

    Built in no time: what a multiset of ranks or a suit pays is worked out when it is first seen
    and kept. There are 67,600 multisets and fewer than 16,384 suits, so memory is bounded.
    """

    __slots__ = ("_order", "_standing", "_suited", "_unsuited")

    def __init__(self, pay_table: Sequence[PostedLine]) -> None:
        self._order = payment_order(pay_table)
        self._standing: dict[Line | None, int] = {
            line: standing for standing, line in enumerate(self._order)
        }
        self._standing[None] = len(self._order)
        self._unsuited: dict[int, Line | None] = {}
        self._suited: dict[int, Line | None] = {}

    def line(self, cards: Sequence[int]) -> Line | None:
        """Return the line that ``cards`` are paid on, None where they are paid on none.

        ``cards`` are seven different cards, or six in the six-card game, in any order, as
        :class:`Card` or as plain numbers 0 to 52. Whether they differ is for the caller to check
        (:func:`firmware_app.cards.check_hand`); a wrong count raises :class:`HandError`.
        """
        # Written out since this is the one hot path of the rules: counting and simulation call
        # it millions of times, and a loop would double its time.
        try:
            a, b, c, d, e, f, g = cards
        except ValueError:
            return self._line_of_six(cards)
        w = WEIGHTS
        key = w[a] + w[b] + w[c] + w[d] + w[e] + w[f] + w[g]
        suit = FLUSH_SUIT[key >> RANK_BITS]
        try:
            unsuited = self._unsuited[key & RANK_MASK]
        except KeyError:
            unsuited = self._unsuited[key & RANK_MASK] = self._best(rank_lines(cards))
        if suit is None:
            return unsuited
        suited = self._flush_line(cards, suit)
        return suited if self._standing[suited] < self._standing[unsuited] else unsuited

    def _flush_line(self, cards: Sequence[int], suit: int) -> Line | None:
        """Return the line of a hand that holds a flush of ``suit``, its groups left aside."""
        held = 0
        for card in cards:
            held |= 1 << card
        shift = suit * RANKS_PER_SUIT
        joker = held >> JOKER
        ranks = held >> shift & ALL_RANKS
        others = held ^ ranks << shift ^ joker << JOKER
        match = others in _ROYAL_MATCHES
        key = ranks | joker * _JOKER_BIT | match * _MATCH_BIT
        try:
            return self._suited[key]
        except KeyError:
            line = self._suited[key] = self._best(suited_lines(ranks, joker, match))
            return line

    def _line_of_six(self, cards: Sequence[int]) -> Line | None:
        if len(cards) != 6:
            raise HandError(f"a Fortune hand has six or seven cards, not {len(cards)}")
        return self._best(satisfied_lines(cards))

    def _best(self, satisfied: int) -> Line | None:
        return next((line for line in self._order if satisfied & BIT[line]), None)


def made_of(
    cards: Sequence[int], line: Line, ranking: Ranking = _PRINTED_RANKING
) -> tuple[Card, ...]:
    """Return the cards of a hand that make ``line``: five, or seven of a seven-card line.

    The highest way to make it, the line's own cards first and kickers after, the joker where it
    stands. ``ranking`` places A-2-3-4-5. Raises :class:`HandError` where the cards do not satisfy
    the line.
    """
    made = best_of(cards, line, ranking)
    if made is None:
        raise HandError(f"the hand does not make {line}; ask for a line that it satisfies")
    return made.cards


def bonus_rank(
    cards: Sequence[int],
    compare: Literal["printed", "pay-table"],
    pay_table: Sequence[PostedLine],
    ranking: Ranking = _PRINTED_RANKING,
) -> BonusRank:
    """Return what a bonus hand compares by: the higher of two hands has the greater rank.

    For tables where a Fortune wager must beat the designated player's hand (rule sheet 000).
    ``"printed"`` compares in the ranking that the sheet prints, a straight above three of a kind;
    ``"pay-table"`` by what is paid, lines that are not posted below those that are. Hands of one
    line compare by the cards of the line, kickers included; hands below every line compare as
    two pair, one pair and high cards do. ``ranking`` places A-2-3-4-5.
    """
    satisfied = satisfied_lines(cards)
    order = _comparison_order(compare, pay_table)
    for standing, category in enumerate(order):
        if satisfied & BIT[category]:
            made = best_of(cards, category, ranking)
            assert made is not None
            return -standing, made.values
    raise AssertionError("every hand is at least a hand without a pair")


def _comparison_order(
    compare: Literal["printed", "pay-table"], pay_table: Sequence[PostedLine]
) -> tuple[Category, ...]:
    # Three pair is two pair to a five-card hand: it must not beat a higher two pair.
    printed = tuple(category for category in PRINTED_ORDER if category != BelowLines.THREE_PAIR)
    if compare == "printed":
        return printed
    posted = payment_order(pay_table)
    return (*posted, *(category for category in printed if category not in posted))
