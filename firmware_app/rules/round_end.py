"""The end of a round: envy, and the aggregate cap over Fortune and envy winnings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from firmware_app.rules.caps import share
from firmware_app.rules.envy import EnvySpot, claim, triggers_by_spot
from firmware_app.rules.judgement import Judged
from firmware_app.rules.money import dollars
from firmware_app.rules.play import EnvyResult, EnvyTrigger, SpotResult
from firmware_app.rules.profile import EnvyBonus, Profile
from firmware_app.rules.verdict import sentence


def add_envy(
    profile: Profile, in_action_order: Sequence[Judged], results: Sequence[SpotResult]
) -> tuple[list[SpotResult], list[str]]:
    """Return the results with envy added, and where envy buttons and wagers disagree.

    ``results`` stand in the same order as the judged spots, that of the action.
    """
    if profile.envy is None:
        return list(results), []
    spots = [_envy_spot(profile, profile.envy, one) for one in in_action_order]
    claims = [claim(profile.envy, spot) for spot in spots]
    qualified = frozenset(
        spot.number for spot, made in zip(spots, claims, strict=True) if made.qualifies
    )
    triggers = triggers_by_spot(profile.envy, spots, qualified)
    with_envy = [
        replace(result, envy=_envy_result(triggers.get(result.number, ()))) for result in results
    ]
    return with_envy, [made.discrepancy for made in claims if made.discrepancy]


def cap_round(profile: Profile, in_action_order: Sequence[SpotResult]) -> list[SpotResult]:
    """Return the results with Fortune and envy winnings shared under the aggregate cap.

    Each winning wager and each trigger is a win of its own. In action order come the Fortune wins
    first: envy is paid at the end of the round.
    """
    dues = [result.fortune.paid_cents for result in in_action_order]
    for result in in_action_order:
        dues += [trigger.cents for trigger in result.envy.triggers]
    paid = share(dues, profile.caps)
    if list(paid) == dues:
        return list(in_action_order)
    envy_paid = iter(paid[len(in_action_order) :])
    return [
        _capped(result, fortune_cents, [next(envy_paid) for _ in result.envy.triggers], profile)
        for result, fortune_cents in zip(in_action_order, paid, strict=False)
    ]


def _envy_spot(profile: Profile, envy: EnvyBonus, one: Judged) -> EnvySpot:
    assert profile.fortune is not None  # a profile has no envy without it
    line = one.hand.line if one.hand is not None else None
    voided = one.hand is not None and one.hand.foul and profile.fortune.foul_voids_bonus
    row = profile.fortune.row(line) if line is not None and not voided else None
    claims_envy = one.out_of_play is None
    amount = one.wagers.fortune.amount_cents if claims_envy else 0
    # A button that stays where the wager went back is nobody's fault; one at an empty spot is.
    button = one.spot.envy_button if claims_envy or not one.spot.occupied else None
    return EnvySpot(
        number=one.spot.number,
        owner=one.owner,
        fortune_cents=amount,
        envy_button=button,
        line=line,
        hand_envy_cents=row.envy_cents if row is not None else 0,
    )


def _envy_result(triggers: tuple[EnvyTrigger, ...], reason: str | None = None) -> EnvyResult:
    return EnvyResult(sum(trigger.cents for trigger in triggers), triggers, reason)


def _capped(
    result: SpotResult, fortune_cents: int, envy_cents: Sequence[int], profile: Profile
) -> SpotResult:
    cap = dollars(profile.caps.aggregate_cents or 0)
    fortune = result.fortune
    if fortune_cents < fortune.paid_cents:
        reason = f"{dollars(fortune.paid_cents)} is due; the round pays at most {cap} in all"
        fortune = replace(
            fortune, paid_cents=fortune_cents, reason=sentence(fortune.reason, reason)
        )
    triggers = tuple(
        replace(trigger, cents=cents)
        for trigger, cents in zip(result.envy.triggers, envy_cents, strict=True)
    )
    envy = _envy_result(triggers, result.envy.reason)
    if envy.paid_cents < result.envy.paid_cents:
        reason = f"{dollars(result.envy.paid_cents)} is due; the round pays at most {cap} in all"
        envy = replace(envy, reason=reason)
    return replace(result, fortune=fortune, envy=envy)
