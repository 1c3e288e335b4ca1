"""A dealt hand as the wagers on it see it: how it is set, whether it is foul, its Fortune line."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from firmware_app.cards import Card
from firmware_app.rules.fortune import FortuneEvaluator, made_of
from firmware_app.rules.house_way import set_hand
from firmware_app.rules.lines import Line
from firmware_app.rules.profile import PostedLine, Profile
from firmware_app.rules.ranking import is_foul


@dataclass(frozen=True, slots=True)
class Hand:
    """One hand in play. ``foul`` says why it is foul; ``line`` is its best posted Fortune line.

    ``clause`` is the clause of the house way that set it, None where the player did.
    """

    cards: tuple[Card, ...]
    low: tuple[Card, ...]
    high: tuple[Card, ...]
    clause: str | None = None
    foul: str | None = None
    line: Line | None = None
    made_of: tuple[Card, ...] = ()


@lru_cache(maxsize=16)
def evaluator_of(pay_table: tuple[PostedLine, ...]) -> FortuneEvaluator:
    """Return the one evaluator of ``pay_table``: a table plays thousands of hands on it."""
    return FortuneEvaluator(pay_table)


def read_hand(
    profile: Profile, cards: tuple[Card, ...], low: tuple[Card, ...] | None = None
) -> Hand:
    """Return the hand of ``cards`` as set with ``low`` in front, else set the house way.

    A dealer's or designated player's hand is read without ``low``: one that was set otherwise must
    be corrected to the house way (rule sheets 000 and 003).
    """
    line, line_cards = _fortune_line(profile, cards)
    if low is None:
        way = set_hand(profile.house_way, cards, profile.ranking)
        return Hand(cards, way.low, way.high, way.clause, line=line, made_of=line_cards)
    high = tuple(card for card in cards if card not in low)
    foul = _foul(profile, low, high)
    return Hand(cards, low, high, foul=foul, line=line, made_of=line_cards)


def _fortune_line(
    profile: Profile, cards: tuple[Card, ...]
) -> tuple[Line | None, tuple[Card, ...]]:
    if profile.fortune is None or not profile.fortune.pay_table:
        return None, ()
    line = evaluator_of(profile.fortune.pay_table).line(cards)
    return line, () if line is None else tuple(made_of(cards, line, profile.ranking))


def _foul(profile: Profile, low: tuple[Card, ...], high: tuple[Card, ...]) -> str | None:
    if len(low) != profile.cards_per_hand - 5:
        return f"foul: set {len(low)} + {len(high)} cards"
    if is_foul(low, high, profile.ranking):
        return "foul: the low hand ranks above the high hand"
    return None
