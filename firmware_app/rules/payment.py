"""Payment of judged wagers: from the house in full, or from a designated player's bank."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from firmware_app.rules.coverage import cover
from firmware_app.rules.judgement import Judged
from firmware_app.rules.money import dollars
from firmware_app.rules.play import Result, SpotResult, WagerResult
from firmware_app.rules.profile import Profile
from firmware_app.rules.verdict import Verdict, sentence, settled


def pay(
    profile: Profile, in_action_order: Sequence[Judged], bank_cents: int | None
) -> tuple[list[SpotResult], int | None]:
    """Return the results of the wagers in action order, and what is left of the bank.

    ``bank_cents`` is what a designated player's bank covers wagers with, the main wager of a spot
    before its bonus; None where the house pays. Envy comes later.
    """
    coverage = profile.designated_player.coverage if profile.designated_player else "gross"
    bank = bank_cents
    results = []
    for one, main in zip(in_action_order, _main_verdicts(profile, in_action_order), strict=True):
        paid: list[WagerResult] = []
        for verdict in (main, one.fortune, one.ace_high):
            if bank is None:
                paid.append(settled(verdict))
            else:
                result, bank = cover(verdict, bank, coverage)
                paid.append(result)
        results.append(_spot_result(one, *paid))
    return results, bank


def _spot_result(
    one: Judged, main: WagerResult, fortune: WagerResult, ace_high: WagerResult
) -> SpotResult:
    honoured_short = one.wagers.short and one.out_of_play is None
    result = SpotResult(one.spot.number, main, fortune, ace_high, short=honoured_short)
    hand = one.hand
    if hand is None:
        return result
    return replace(result, line=hand.line, made_of=hand.made_of, low=hand.low, high=hand.high)


def _main_verdicts(profile: Profile, in_action_order: Sequence[Judged]) -> list[Verdict]:
    """Keep what the main wagers pay one player under the cap, all hands of the round together.

    Rule sheet 003: "maximum payout per player, per hand", where a hand is a round of play.
    """
    cap = profile.main.cap_per_hand_cents
    won: Counter[str | int] = Counter()
    verdicts = []
    for one in in_action_order:
        verdict = one.main
        if cap is not None and verdict.result is Result.WIN:
            paid = min(verdict.due_cents, cap - won[one.owner])
            if paid < verdict.due_cents:
                reason = f"{dollars(verdict.due_cents)} is due; a player is paid at most "
                reason += f"{dollars(cap)} on main wagers"
                verdict = replace(verdict, due_cents=paid, reason=sentence(verdict.reason, reason))
            won[one.owner] += paid
        verdicts.append(verdict)
    return verdicts
