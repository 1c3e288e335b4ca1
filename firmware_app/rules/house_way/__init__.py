"""House ways: how a rule sheet sets a hand.

One module per sheet, its clauses in the order of the sheet; :func:`set_hand` applies the one that
a profile names.

>>> from firmware_app.cards import hand_text, parse_hand
>>> hand = set_hand("daytona", parse_hand("8S 8H 3D 3C KS 9H 5D", count=7), Ranking())
>>> hand_text(hand.low), hand_text(hand.high), hand.clause
('KS 9H', '8H 8S 5D 3C 3D', 'two pair, 8s to 6s: split unless king in front')
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from firmware_app.cards import Card, HandError, check_hand
from firmware_app.rules.house_way import commission, daytona
from firmware_app.rules.house_way.best_high import set_best_high
from firmware_app.rules.house_way.grouping import Clause, DealtHand, SetHand, first_that_applies
from firmware_app.rules.profile import HouseWayName, Ranking

__all__ = ["SetHand", "set_hand"]

_SHEETS: Final[Mapping[HouseWayName, Sequence[Clause]]] = {
    "daytona": daytona.SHEET,
    "commission": commission.SHEET,
}


def set_hand(name: HouseWayName, cards: Sequence[Card], ranking: Ranking) -> SetHand:
    """Set ``cards`` by the house way ``name``; the order in which they come has no say.

    ``daytona`` and ``commission`` set seven cards, two in front; ``best-high`` also six, one in
    front. Raises :class:`HandError` for any other count and for a card that is there twice.
    """
    if name == "best-high":
        if len(cards) not in (6, 7):
            raise HandError(f"the house way best-high sets six or seven cards, not {len(cards)}")
        check_hand(cards, count=len(cards))
        return set_best_high(cards, ranking)
    check_hand(cards, count=7)
    return first_that_applies(_SHEETS[name], DealtHand.of(cards, ranking))
