"""Ace-high hands, and the Ace High Bonus that they pay (rule sheet 003)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from firmware_app.cards import ACE, JOKER, Card
from firmware_app.rules.fortune import FortuneEvaluator
from firmware_app.rules.limits import Honoured
from firmware_app.rules.lines import Line
from firmware_app.rules.play import Result
from firmware_app.rules.profile import AceHighBonus, PostedLine
from firmware_app.rules.verdict import NO_WAGER, Verdict, verdict_of

DEALER_AND_PLAYER: Final = "dealer_and_player_ace_high"
DEALER_WITH_JOKER: Final = "dealer_ace_high_with_joker"
DEALER: Final = "dealer_ace_high"

# Any line will do here: a hand that has one is no ace-high hand.
_EVERY_LINE: Final = FortuneEvaluator(tuple(PostedLine(line=line, pays=1) for line in Line))


def is_ace_high(cards: Sequence[Card]) -> bool:
    """Return whether seven cards hold no pair, straight or flush and an ace or the joker is high.

    The joker is an ace here, so that beside a natural ace it makes a pair.
    """
    ranks = {ACE if card.is_joker else card.rank for card in cards}
    return len(ranks) == len(cards) and ACE in ranks and _EVERY_LINE.line(tuple(cards)) is None


def ace_high_verdict(
    bonus: AceHighBonus, wager: Honoured, player: Sequence[Card], dealer: Sequence[Card]
) -> Verdict:
    """Return what the Ace High wager is due: one line pays, the first of three that holds."""
    if not wager.placed:
        return NO_WAGER
    if not is_ace_high(dealer):
        return verdict_of(Result.LOSE, wager)
    if is_ace_high(player):
        line, pays = DEALER_AND_PLAYER, bonus.dealer_and_player_pays
    elif JOKER in dealer:
        line, pays = DEALER_WITH_JOKER, bonus.dealer_with_joker_pays
    else:
        line, pays = DEALER, bonus.dealer_pays
    return verdict_of(Result.WIN, wager, due_cents=wager.stake_cents * pays, line=line, pays=pays)
