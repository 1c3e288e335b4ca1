"""Coverage: what a designated player's bank pays and collects, wager by wager (rule sheet 000).

From the action button, spot by spot, the main wager before the bonus. "Gross" counts payments and
collections against what the bank covers; "net" adds what it collects.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from firmware_app.rules.money import dollars
from firmware_app.rules.play import Result, SpotPlay, WagerResult
from firmware_app.rules.profile import Profile
from firmware_app.rules.verdict import Verdict, returned_whole, sentence, settled

Coverage = Literal["gross", "net"]


def cover(verdict: Verdict, remaining_cents: int, coverage: Coverage) -> tuple[WagerResult, int]:
    """Settle one wager from a bank that still covers ``remaining_cents``.

    Returns the result and what the bank covers after it. A bank at zero returns every wager, a
    push as well.
    """
    if verdict.result not in (Result.WIN, Result.LOSE, Result.PUSH):
        return settled(verdict), remaining_cents
    if remaining_cents == 0:
        return returned_whole(verdict, "the bank is used up"), 0
    result = settled(verdict)
    if verdict.result is Result.WIN:
        paid = min(verdict.due_cents, remaining_cents)
        short = verdict.due_cents - paid
        reason = f"short {dollars(short)}: the bank is used up" if short else None
        covered = replace(result, paid_cents=paid, reason=sentence(verdict.reason, reason))
        return covered, remaining_cents - paid
    if verdict.result is Result.LOSE:
        taken = min(verdict.lost_cents, remaining_cents)
        spared = verdict.lost_cents - taken
        reason = f"{dollars(spared)} is not covered by the bank and returned" if spared else None
        covered = replace(
            result,
            collected_cents=taken,
            returned_cents=result.returned_cents + spared,
            reason=sentence(verdict.reason, reason),
        )
        return covered, remaining_cents + (taken if coverage == "net" else -taken)
    return result, remaining_cents


@dataclass(frozen=True, slots=True)
class Exposure:
    """What the wagers on the layout could cost the bank, for the sign before bets are locked.

    ``full_fortune_cents`` is the largest Fortune wager whose top line the bank covers in full (0
    where there is no such bet), ``worst_cents`` what all wagers together could win, each at its
    best and within its cap, and ``short_spots`` the spots whose Fortune wager alone could win more
    than the bank holds.
    """

    bank_cents: int
    full_fortune_cents: int
    worst_cents: int
    short_spots: tuple[int, ...]

    @property
    def covered(self) -> bool:
        """Whether the bank covers everything that lies there, come what may."""
        return self.worst_cents <= self.bank_cents


def exposure(profile: Profile, wagers: Sequence[SpotPlay], bank_cents: int) -> Exposure:
    """Return the exposure of a bank of ``bank_cents`` to ``wagers``, before any card is dealt.

    A wager of unknown amount counts with the posted maximum. The rake is off the bank already.
    """
    worst, short_spots = 0, []
    for spot in wagers:
        bonus = _worst_fortune(profile, spot.fortune_cents)
        worst += min(spot.main_cents, profile.main.limits.maximum_cents) + bonus
        if bonus > bank_cents:
            short_spots.append(spot.number)
    return Exposure(bank_cents, _full_fortune(profile, bank_cents), worst, tuple(short_spots))


def _top_pays(profile: Profile) -> int:
    rows = profile.fortune.pay_table if profile.fortune is not None else ()
    return max((row.pays for row in rows), default=0)


def _worst_fortune(profile: Profile, cents: int | None) -> int:
    fortune = profile.fortune
    if fortune is None:
        return 0
    maximum = fortune.limits.maximum_cents
    due = min(maximum if cents is None else cents, maximum) * _top_pays(profile)
    return due if fortune.cap_per_spot_cents is None else min(due, fortune.cap_per_spot_cents)


def _full_fortune(profile: Profile, bank_cents: int) -> int:
    fortune, pays = profile.fortune, _top_pays(profile)
    if fortune is None or pays == 0:
        return 0
    limits = fortune.limits
    if _worst_fortune(profile, limits.maximum_cents) <= bank_cents:
        return limits.maximum_cents
    return bank_cents // pays // limits.unit_cents * limits.unit_cents
