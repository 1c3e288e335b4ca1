"""The Fortune Bonus wager: paid once, on the best posted line of the whole hand.

What becomes of the main wager has no say: a hand that lost, pushed, folded or was fouled is paid
its line all the same, unless the profile says that a foul voids the bonus.
"""

from __future__ import annotations

from firmware_app.rules.fortune import bonus_rank
from firmware_app.rules.hands import Hand
from firmware_app.rules.limits import Honoured
from firmware_app.rules.money import dollars
from firmware_app.rules.play import Result
from firmware_app.rules.profile import FortuneWager, Ranking
from firmware_app.rules.verdict import NO_WAGER, Verdict, returned, sentence, verdict_of


def fortune_verdict(
    fortune: FortuneWager, ranking: Ranking, wager: Honoured, hand: Hand, banker: Hand | None
) -> Verdict:
    """Return what the Fortune wager on ``hand`` is due.

    ``banker`` is the designated player's hand and ``ranking`` what hands compare in, both asked
    for only where the bonus must beat that hand.
    """
    if not wager.placed:
        return NO_WAGER
    if not fortune.pay_table:
        return returned(wager, "no Fortune pay table is posted")
    if hand.foul and fortune.foul_voids_bonus:
        return verdict_of(Result.LOSE, wager, reason=sentence(hand.foul, "it voids the bonus"))
    row = fortune.row(hand.line) if hand.line is not None else None
    if row is None:
        return verdict_of(Result.LOSE, wager)
    if fortune.must_beat_designated_player and not _beats(fortune, ranking, hand, banker):
        reason = f"{row.line} does not beat the designated player's hand"
        return verdict_of(Result.LOSE, wager, reason=reason)
    due = wager.stake_cents * row.pays
    cap = fortune.cap_per_spot_cents
    capped = None
    if cap is not None and due > cap:
        capped = f"{dollars(due)} is due; a spot is paid at most {dollars(cap)}"
        due = cap
    return verdict_of(
        Result.WIN, wager, due_cents=due, line=row.line.value, pays=row.pays, reason=capped
    )


def _beats(fortune: FortuneWager, ranking: Ranking, hand: Hand, banker: Hand | None) -> bool:
    """Whether the player's bonus hand is higher; a tie loses."""
    assert banker is not None  # the round's check has seen to it
    ours = bonus_rank(hand.cards, fortune.compare, fortune.pay_table, ranking)
    theirs = bonus_rank(banker.cards, fortune.compare, fortune.pay_table, ranking)
    return ours > theirs
