"""Judgement of one spot: what each of its wagers is due by its own rules alone."""

from __future__ import annotations

from dataclasses import dataclass

from firmware_app.rules.ace_high import ace_high_verdict
from firmware_app.rules.fortune_wager import fortune_verdict
from firmware_app.rules.hands import Hand, read_hand
from firmware_app.rules.limits import Honoured, honour
from firmware_app.rules.main_wager import main_verdict
from firmware_app.rules.play import Result, RoundPlay, SpotPlay
from firmware_app.rules.profile import Profile
from firmware_app.rules.verdict import NO_WAGER, Verdict, returned


@dataclass(frozen=True, slots=True)
class SpotWagers:
    """The three wagers of a spot after the posted limits."""

    main: Honoured
    fortune: Honoured
    ace_high: Honoured

    @property
    def short(self) -> bool:
        """Whether one of them is under the table minimum."""
        return self.main.short or self.fortune.short or self.ace_high.short


@dataclass(frozen=True, slots=True)
class Judged:
    """One spot with its wagers judged.

    ``hand`` is the hand that was played there, None for none and for a dead one. ``out_of_play``
    says why all wagers of the spot go back.
    """

    spot: SpotPlay
    wagers: SpotWagers
    main: Verdict = NO_WAGER
    fortune: Verdict = NO_WAGER
    ace_high: Verdict = NO_WAGER
    hand: Hand | None = None
    out_of_play: str | None = None

    @property
    def owner(self) -> str | int:
        """Whose spot it is: equal for linked spots, else the spot's own number."""
        return self.spot.number if self.spot.player is None else self.spot.player


def judge(profile: Profile, play: RoundPlay, spot: SpotPlay, banker: Hand | None) -> Judged:
    """Return the verdict on each wager of ``spot`` against the ``banker``'s hand.

    ``banker`` is None where that hand was not read; no main or Ace High wager lies then.
    """
    wagers = _wagers(profile, spot)
    if spot.dead:
        return all_returned(profile, spot, "the hand is dead", Result.DEAD)
    if spot.number == play.designated_player:
        return all_returned(
            profile, spot, "the designated player's own spot does not play", hand=banker
        )
    if not spot.occupied:
        return all_returned(profile, spot, "nobody plays this spot")
    if spot.short_before and wagers.short:
        reason = "under the table minimum a second time: the hand is dead"
        return all_returned(profile, spot, reason, Result.DEAD)
    if spot.cards is None:
        return Judged(spot, wagers)
    hand = read_hand(profile, spot.cards, spot.low)
    return Judged(
        spot,
        wagers,
        main=_main(profile, spot, wagers, hand, banker),
        fortune=_fortune(profile, wagers.fortune, hand, banker),
        ace_high=_ace_high(profile, wagers.ace_high, hand, banker),
        hand=hand,
    )


def all_returned(
    profile: Profile,
    spot: SpotPlay,
    reason: str,
    result: Result = Result.RETURNED,
    *,
    hand: Hand | None = None,
) -> Judged:
    """Return ``spot`` with every wager going back for ``reason``."""
    wagers = _wagers(profile, spot)
    return Judged(
        spot,
        wagers,
        main=returned(wagers.main, reason, result),
        fortune=returned(wagers.fortune, reason, result),
        ace_high=returned(wagers.ace_high, reason, result),
        hand=hand,
        out_of_play=reason,
    )


def _wagers(profile: Profile, spot: SpotPlay) -> SpotWagers:
    fortune, ace_high = profile.fortune, profile.ace_high
    return SpotWagers(
        main=honour(spot.main_cents, profile.main.limits, "main"),
        fortune=honour(spot.fortune_cents, fortune.limits if fortune else None, "Fortune"),
        ace_high=honour(spot.ace_high_cents, ace_high.limits if ace_high else None, "Ace High"),
    )


def _main(
    profile: Profile, spot: SpotPlay, wagers: SpotWagers, hand: Hand, banker: Hand | None
) -> Verdict:
    if banker is None:
        return NO_WAGER
    optional = wagers.fortune.placed or wagers.ace_high.placed
    return main_verdict(profile, spot, wagers.main, hand, banker, optional_wager=optional)


def _fortune(profile: Profile, wager: Honoured, hand: Hand, banker: Hand | None) -> Verdict:
    if profile.fortune is None:
        return returned(wager, "this table has no Fortune wager")
    return fortune_verdict(profile.fortune, profile.ranking, wager, hand, banker)


def _ace_high(profile: Profile, wager: Honoured, hand: Hand, banker: Hand | None) -> Verdict:
    if profile.ace_high is None:
        return returned(wager, "this table has no Ace High wager")
    if banker is None:
        return NO_WAGER
    return ace_high_verdict(profile.ace_high, wager, hand.cards, banker.cards)
