"""Posted limits of a wager: what of it is honoured, and what goes straight back.

A wager over the maximum is honoured up to the maximum and the rest is returned. One under the
minimum is honoured and noted the first time in a player's sitting; the next time the hand is dead
(rule sheet 001). Whether it is the next time is for the caller to know.
"""

from __future__ import annotations

from dataclasses import dataclass

from firmware_app.rules.money import dollars
from firmware_app.rules.profile import WagerLimits


@dataclass(frozen=True, slots=True)
class Honoured:
    """A wager split by the posted limits: ``stake_cents`` plays, ``over_cents`` is returned.

    ``unknown`` is a wager that lies there, but whose amount no sensor knows: both amounts are 0.
    ``short`` is a wager under the minimum. ``note`` is a sentence for the floor, without the spot.
    """

    stake_cents: int = 0
    over_cents: int = 0
    unknown: bool = False
    short: bool = False
    note: str | None = None

    @property
    def placed(self) -> bool:
        """Whether a wager lies on the layout at all."""
        return self.unknown or self.stake_cents > 0

    @property
    def amount_cents(self) -> int | None:
        """The amount in play, or None where it is unknown."""
        return None if self.unknown else self.stake_cents


def honour(cents: int | None, limits: WagerLimits | None, name: str) -> Honoured:
    """Return how much of the wager ``name`` of ``cents`` is in play under ``limits``.

    ``cents`` None is a wager of unknown amount; ``limits`` None a wager that the table does not
    offer, which is left as it is for its own rules to return.
    """
    if cents is None:
        return Honoured(unknown=True)
    if cents == 0 or limits is None:
        return Honoured(stake_cents=cents)
    if cents < limits.minimum_cents:
        return Honoured(
            stake_cents=cents,
            short=True,
            note=f"{name} wager of {dollars(cents)} is under the table minimum of "
            f"{dollars(limits.minimum_cents)}",
        )
    stake = min(cents, limits.maximum_cents)
    note = None
    if stake % limits.unit_cents:
        note = (
            f"{name} wager of {dollars(stake)} is no multiple of {dollars(limits.unit_cents)}; "
            "honoured as it lies"
        )
    return Honoured(stake_cents=stake, over_cents=cents - stake, note=note)
