"""Settlement of a round: from what was wagered and dealt to what every wager is owed.

Pure: the same :class:`RoundPlay` under the same :class:`Profile` gives the same result, today and
when the journal is replayed. Each wager is judged by its own rules; then the bank that pays it,
and at the end of the round envy and the aggregate cap, have their say.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from firmware_app.cards import hand_text
from firmware_app.rules.hands import Hand, read_hand
from firmware_app.rules.judgement import Judged, all_returned, judge
from firmware_app.rules.money import dollars
from firmware_app.rules.payment import pay
from firmware_app.rules.play import RoundPlay, Settlement, SpotPlay, SpotResult
from firmware_app.rules.profile import Profile
from firmware_app.rules.round_check import check_round, miscounts
from firmware_app.rules.round_end import add_envy, cap_round
from firmware_app.rules.verdict import sentence


def settle(profile: Profile, play: RoundPlay) -> Settlement:
    """Return what every wager of ``play`` is owed under the rule sheet of ``profile``.

    Raises :class:`~firmware_app.rules.round_check.RoundError` where the round contradicts itself
    or the profile: a card twice, an unknown spot, a live wager without a hand. A hand with too few
    or too many cards, or a designated player's dead hand, is no such contradiction but a misdeal:
    every bet is returned.
    """
    check_round(profile, play)
    spots = _in_action_order(profile, play)
    bank = _bank_cents(profile, play)
    misdeal = _misdeal(profile, play)
    if misdeal is not None:
        judged = [all_returned(profile, spot, f"misdeal: {misdeal}") for spot in spots]
        results, bank = pay(profile, judged, bank)
        return Settlement(_by_number(results), bank_left_cents=bank)
    banker = _banker_hand(profile, play)
    judged = [judge(profile, play, spot, banker) for spot in spots]
    results, bank = pay(profile, judged, bank)
    results, disagreements = add_envy(profile, judged, results)
    results = cap_round(profile, results)
    return Settlement(
        spots=_by_number(results),
        dealer_low=banker.low if banker else (),
        dealer_high=banker.high if banker else (),
        dealer_clause=banker.clause if banker else None,
        bank_left_cents=bank,
        discrepancies=(
            *_bank_notes(profile, play),
            *_limit_notes(judged),
            *_banker_notes(play, banker),
            *sorted(disagreements),
        ),
    )


def _misdeal(profile: Profile, play: RoundPlay) -> str | None:
    """Return why every hand of the round is dead, or None where the deal stands."""
    banker = _banker_spot(play)
    if play.misdeal is None and banker is not None and banker.dead:
        return "the designated player's hand is dead"
    return play.misdeal or sentence(*miscounts(profile, play))


def _in_action_order(profile: Profile, play: RoundPlay) -> list[SpotPlay]:
    """Return the spots as the action goes: from the first one in the direction of delivery."""
    step = 1 if profile.first_hand.delivery == "clockwise" else -1
    return sorted(
        play.spots, key=lambda spot: step * (spot.number - play.first_spot) % profile.spots
    )


def _by_number(results: Iterable[SpotResult]) -> tuple[SpotResult, ...]:
    return tuple(sorted(results, key=lambda result: result.number))


def _banker_spot(play: RoundPlay) -> SpotPlay | None:
    return next((spot for spot in play.spots if spot.number == play.designated_player), None)


def _banker_hand(profile: Profile, play: RoundPlay) -> Hand | None:
    """Return the hand that all spots play against, or None where it was not read."""
    spot = _banker_spot(play)
    cards = play.dealer if spot is None else spot.cards
    return None if cards is None else read_hand(profile, cards)


def _bank_cents(profile: Profile, play: RoundPlay) -> int | None:
    """Return what the bank covers wagers with: the rake was taken before the cards were dealt."""
    if play.bank_cents is None or profile.designated_player is None:
        return None
    return max(0, play.bank_cents - profile.designated_player.rake_cents)


def _bank_notes(profile: Profile, play: RoundPlay) -> Iterator[str]:
    terms = profile.designated_player
    if terms is None or play.bank_cents is None:
        return
    if play.bank_cents < terms.minimum_bank_cents:
        yield (
            f"the designated player's bank of {dollars(play.bank_cents)} is under the "
            f"{dollars(terms.minimum_bank_cents)} to bring"
        )


def _banker_notes(play: RoundPlay, banker: Hand | None) -> Iterator[str]:
    spot = _banker_spot(play)
    if spot is None or banker is None or spot.low is None:
        return
    if set(spot.low) != set(banker.low):
        yield (
            f"spot {spot.number}: the designated player's hand was set {hand_text(spot.low)} in "
            f"front and is corrected to the house way, {hand_text(banker.low)}"
        )


def _limit_notes(judged: Sequence[Judged]) -> Iterator[str]:
    for one in sorted(judged, key=lambda one: one.spot.number):
        for wager in (one.wagers.main, one.wagers.fortune, one.wagers.ace_high):
            if wager.note and wager.short:
                fate = one.out_of_play or "honoured this time; the next time the hand is dead"
                yield f"spot {one.spot.number}: {wager.note}: {fate}"
            elif wager.note:
                yield f"spot {one.spot.number}: {wager.note}"
