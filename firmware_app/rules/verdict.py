"""What a wager is due by its own rules, before the bank that pays it and the caps have a say."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

from firmware_app.rules.limits import Honoured
from firmware_app.rules.money import dollars
from firmware_app.rules.play import Result, WagerResult


def sentence(*parts: str | None) -> str | None:
    """Join the reasons that there are into one text for the dealer, or None."""
    return "; ".join(part for part in parts if part) or None


@dataclass(frozen=True, slots=True)
class Verdict:
    """The fate of one wager: ``stake_cents`` in play, ``over_cents`` returned in any case.

    ``due_cents`` is what a win pays on top of the stake, ``lost_cents`` what a loss costs (half
    the stake where the hand was surrendered).
    """

    result: Result = Result.NONE
    stake_cents: int = 0
    over_cents: int = 0
    due_cents: int = 0
    lost_cents: int = 0
    line: str | None = None
    pays: int | None = None
    reason: str | None = None


NO_WAGER: Final = Verdict()


def verdict_of(
    result: Result,
    wager: Honoured,
    *,
    due_cents: int = 0,
    lost_cents: int | None = None,
    line: str | None = None,
    pays: int | None = None,
    reason: str | None = None,
) -> Verdict:
    """Return the verdict on ``wager``; a loss costs the whole stake unless ``lost_cents`` is given.

    Adds to the reason what the limits returned, and that an unknown amount is told as odds.
    """
    over = (
        f"{dollars(wager.over_cents)} over the table maximum is returned"
        if wager.over_cents
        else None
    )
    odds_only = "the amount is not known: odds only" if wager.unknown else None
    return Verdict(
        result=result,
        stake_cents=wager.stake_cents,
        over_cents=wager.over_cents,
        due_cents=due_cents,
        lost_cents=wager.stake_cents if lost_cents is None else lost_cents,
        line=line,
        pays=pays,
        reason=sentence(reason, odds_only, over),
    )


def returned(wager: Honoured, reason: str, result: Result = Result.RETURNED) -> Verdict:
    """Return the whole wager untouched, for ``reason``; no wager stays no wager."""
    if not wager.placed:
        return NO_WAGER
    return Verdict(result, wager.stake_cents, wager.over_cents, reason=reason)


def returned_whole(verdict: Verdict, reason: str) -> WagerResult:
    """Return the result of a wager that was in play and goes back whole, for ``reason``."""
    return WagerResult(
        Result.RETURNED, returned_cents=verdict.stake_cents + verdict.over_cents, reason=reason
    )


def settled(verdict: Verdict) -> WagerResult:
    """Return the result of a wager that the house settles in full."""
    result = WagerResult(
        result=verdict.result,
        returned_cents=verdict.over_cents,
        line=verdict.line,
        pays=verdict.pays,
        reason=verdict.reason,
    )
    match verdict.result:
        case Result.WIN:
            return replace(result, paid_cents=verdict.due_cents, kept_cents=verdict.stake_cents)
        case Result.PUSH:
            return replace(result, kept_cents=verdict.stake_cents)
        case Result.LOSE:
            return replace(
                result,
                collected_cents=verdict.lost_cents,
                returned_cents=verdict.over_cents + verdict.stake_cents - verdict.lost_cents,
            )
        case Result.RETURNED | Result.DEAD:
            return replace(result, returned_cents=verdict.over_cents + verdict.stake_cents)
        case Result.NONE:
            return WagerResult()
