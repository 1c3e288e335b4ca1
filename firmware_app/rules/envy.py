"""Envy: fixed amounts that a player with a Fortune wager wins by another player's hand.

Rule sheets 001 and 003. It is paid at the end of the round, whatever became of the Fortune wager
itself, and never for a player's own hands, the dealer's, or a hand that nobody plays.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from firmware_app.rules.lines import Line
from firmware_app.rules.money import dollars
from firmware_app.rules.play import EnvyTrigger
from firmware_app.rules.profile import EnvyBonus


@dataclass(frozen=True, slots=True)
class EnvySpot:
    """What envy needs to know of one spot, in action order among its like.

    ``owner`` is equal for spots of one player: a name, or the number of a spot on its own.
    ``fortune_cents`` is the Fortune wager in play, None where its amount is unknown.
    ``envy_button`` None: the table has none. ``hand_envy_cents`` is what the spot's hand pays the
    others, 0 where it pays none or is not played.
    """

    number: int
    owner: str | int
    fortune_cents: int | None
    envy_button: bool | None
    line: Line | None = None
    hand_envy_cents: int = 0


@dataclass(frozen=True, slots=True)
class Claim:
    """Whether a spot may win envy, and what is wrong between its button and its wager."""

    qualifies: bool
    discrepancy: str | None = None


def claim(envy: EnvyBonus, spot: EnvySpot) -> Claim:
    """Return whether ``spot`` may win envy.

    Where button and wager are both known and disagree, nobody is paid on the button alone and the
    discrepancy is named. On a table without buttons the wager decides.
    """
    button, amount = spot.envy_button, spot.fortune_cents
    known = amount is not None
    enough = amount is not None and amount >= envy.minimum_fortune_cents
    match envy.qualifies_by:
        case "amount":
            qualifies = enough
        case "button":
            qualifies = enough if button is None else button and (enough or not known)
        case "both":
            qualifies = button is True and enough
    if button and not qualifies:
        lies = f"of {dollars(amount)}" if amount is not None else "of unknown amount"
        return Claim(
            False,
            f"spot {spot.number}: envy button on a Fortune wager {lies}, under the "
            f"{dollars(envy.minimum_fortune_cents)} for envy or not known to reach it; "
            "nothing is paid on the button alone",
        )
    if button is False and enough:
        told = "paid by the wager" if qualifies else "no envy is paid"
        return Claim(
            qualifies,
            f"spot {spot.number}: Fortune wager of {dollars(amount or 0)} without an envy button; "
            f"{told}",
        )
    return Claim(qualifies)


def triggers_by_spot(
    envy: EnvyBonus, spots: Sequence[EnvySpot], qualified: frozenset[int]
) -> dict[int, tuple[EnvyTrigger, ...]]:
    """Return the triggers that pay each spot of ``qualified``, before any cap.

    ``spots`` come in action order. Each hand pays each qualifying button once, or each player once
    (``envy_per``), by the player's first qualifying spot.
    """
    paid: dict[int, tuple[EnvyTrigger, ...]] = {}
    served: set[str | int] = set()
    for spot in spots:
        if spot.number not in qualified or (envy.envy_per == "player" and spot.owner in served):
            continue
        served.add(spot.owner)
        paid[spot.number] = tuple(
            EnvyTrigger(other.number, other.line, other.hand_envy_cents)
            for other in sorted(spots, key=lambda other: other.number)
            if other.owner != spot.owner and other.hand_envy_cents and other.line is not None
        )
    return paid
