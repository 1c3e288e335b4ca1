"""The main Pai Gow wager: both hands against the banker's two hands.

Commission is exact: ``commission_percent`` of the win in cents, rounded half up to a cent, and
charged on the win (rule sheet 002: 5 % of each win).
"""

from __future__ import annotations

from firmware_app.rules.ace_high import is_ace_high
from firmware_app.rules.hands import Hand
from firmware_app.rules.limits import Honoured
from firmware_app.rules.money import dollars
from firmware_app.rules.play import Result, SpotPlay
from firmware_app.rules.profile import MainWager, Profile
from firmware_app.rules.ranking import player_wins_low, rank_high, rank_low
from firmware_app.rules.verdict import NO_WAGER, Verdict, sentence, verdict_of


def main_verdict(
    profile: Profile,
    spot: SpotPlay,
    wager: Honoured,
    hand: Hand,
    banker: Hand,
    *,
    optional_wager: bool,
) -> Verdict:
    """Return what the main wager of ``spot`` is due; ``optional_wager`` bars surrender.

    A banker's ace-high hand pushes every main wager where the profile says so, a fouled or folded
    hand's too.
    """
    if not wager.placed:
        return NO_WAGER
    asks_ace_high = profile.main.ace_high_push or profile.main.surrender
    banker_ace_high = asks_ace_high and is_ace_high(banker.cards)
    barred = _surrender_barred(profile.main, optional_wager, banker_ace_high)
    note = f"surrender is not allowed: {barred}" if spot.surrendered and barred else None
    if profile.main.ace_high_push and banker_ace_high:
        reason = "the dealer's ace-high hand pushes every main wager"
        return verdict_of(Result.PUSH, wager, reason=sentence(reason, note))
    if spot.folded:
        return verdict_of(Result.LOSE, wager, reason="folded")
    if spot.surrendered and not barred:
        lost = wager.stake_cents // 2
        reason = "surrendered: half the wager is returned"
        return verdict_of(Result.LOSE, wager, lost_cents=lost, reason=reason)
    if hand.foul:
        return verdict_of(Result.LOSE, wager, reason=sentence(hand.foul, note))
    result, copies = _compare(profile, hand, banker)
    due = wager.stake_cents
    charge = _commission_cents(due, profile.main.commission_percent) if result is Result.WIN else 0
    charged = f"less {dollars(charge)} commission" if charge else None
    return verdict_of(result, wager, due_cents=due - charge, reason=sentence(copies, charged, note))


def _surrender_barred(main: MainWager, optional_wager: bool, banker_ace_high: bool) -> str | None:
    if not main.surrender:
        return "this table does not offer it"
    if banker_ace_high:
        return "it is not offered when the dealer has ace-high"
    if optional_wager:
        return "it is barred with an optional wager"
    return None


def _compare(profile: Profile, hand: Hand, banker: Hand) -> tuple[Result, str | None]:
    """Return the result of the two comparisons, and which of them were copies."""
    ranking = profile.ranking
    low_wins = player_wins_low(hand.low, banker.low, ranking)
    low_copy = not low_wins and rank_low(hand.low, ranking) == rank_low(banker.low, ranking)
    high, banker_high = rank_high(hand.high, ranking), rank_high(banker.high, ranking)
    copied = [name for name, copy in (("low", low_copy), ("high", high == banker_high)) if copy]
    reason = f"copy in the {' and the '.join(copied)} hand goes to the banker" if copied else None
    if low_wins and high > banker_high:
        return Result.WIN, reason
    return (Result.PUSH if low_wins or high > banker_high else Result.LOSE), reason


def _commission_cents(win_cents: int, percent: int) -> int:
    return (win_cents * percent + 50) // 100
