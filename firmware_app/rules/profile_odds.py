"""All odds of one profile together: what a posted sheet gives back, bet by bet."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Final, Literal

from firmware_app.rules.ace_high_odds import AceHighOdds, ace_high_odds
from firmware_app.rules.fortune import posted_wager
from firmware_app.rules.odds import FortuneOdds, fortune_odds
from firmware_app.rules.profile import FortuneWager, Profile

MOST_OTHER_PLAYERS: Final = 6


@dataclass(frozen=True, slots=True)
class EnvyOdds:
    """Average envy of one qualifying wager beside ``other_players`` hands of other players.

    ``house_edge`` is that of the smallest wager that qualifies, Fortune and envy together.
    """

    other_players: int
    envy_cents: Fraction
    house_edge: Fraction


@dataclass(frozen=True, slots=True)
class CapOdds:
    """What a cap takes on average from the only winning wager of a round, at one stake."""

    cap: Literal["aggregate", "per_spot"]
    cap_cents: int
    stake_cents: int
    lost_cents: Fraction
    house_edge: Fraction


@dataclass(frozen=True, slots=True)
class ProfileOdds:
    """The odds of every bonus wager of a profile; a bet that it does not offer is None or empty."""

    profile: Profile
    fortune: FortuneOdds
    envy: tuple[EnvyOdds, ...]
    caps: tuple[CapOdds, ...]
    ace_high: AceHighOdds | None
    ace_high_house_edge: Fraction | None


def profile_odds(profile: Profile, stakes_cents: Sequence[int] = ()) -> ProfileOdds:
    """Return the odds of ``profile``, caps reckoned at ``stakes_cents``.

    Without stakes: the posted minimum and maximum, the smallest wager that qualifies for envy, and
    the largest that a cap leaves whole. Raises
    :class:`~firmware_app.rules.profile.ProfileError` where no Fortune pay table is posted.
    """
    wager = posted_wager(profile)
    fortune = fortune_odds(wager.pay_table, profile.cards_per_hand)
    bonus = profile.ace_high
    ace_high = None if bonus is None else ace_high_odds()
    return ProfileOdds(
        profile=profile,
        fortune=fortune,
        envy=_envy(profile, fortune),
        caps=_caps(profile, wager, fortune, stakes_cents),
        ace_high=ace_high,
        ace_high_house_edge=(
            None if bonus is None or ace_high is None else ace_high.house_edge(bonus)
        ),
    )


def _envy(profile: Profile, fortune: FortuneOdds) -> tuple[EnvyOdds, ...]:
    if profile.envy is None:
        return ()
    each = fortune.envy_per_other_hand_cents
    smallest = profile.envy.minimum_fortune_cents
    return tuple(
        EnvyOdds(others, others * each, fortune.house_edge - others * each / smallest)
        for others in range(MOST_OTHER_PLAYERS + 1)
    )


def _caps(
    profile: Profile, wager: FortuneWager, fortune: FortuneOdds, stakes_cents: Sequence[int]
) -> tuple[CapOdds, ...]:
    caps: list[tuple[Literal["aggregate", "per_spot"], int | None]] = [
        ("aggregate", profile.caps.aggregate_cents),
        ("per_spot", wager.cap_per_spot_cents),
    ]
    return tuple(
        CapOdds(
            name,
            cap_cents,
            stake,
            fortune.lost_to_cap_cents(stake, cap_cents),
            fortune.house_edge_under_cap(stake, cap_cents),
        )
        for name, cap_cents in caps
        if cap_cents is not None
        for stake in stakes_cents or _telling_stakes(profile, wager, cap_cents)
    )


def _telling_stakes(profile: Profile, wager: FortuneWager, cap_cents: int) -> list[int]:
    limits = wager.limits
    whole = cap_cents // max(row.pays for row in wager.pay_table)
    stakes = {limits.minimum_cents, limits.maximum_cents, whole - whole % limits.unit_cents}
    if profile.envy is not None:
        stakes.add(profile.envy.minimum_fortune_cents)
    return sorted(
        stake for stake in stakes if limits.minimum_cents <= stake <= limits.maximum_cents
    )
