"""What a technician should know of the posted rules before the table opens."""

from __future__ import annotations

from collections.abc import Iterator

from firmware_app.diagnosis.finding import Finding
from firmware_app.rules.coverage import exposure
from firmware_app.rules.money import dollars
from firmware_app.rules.profile import Profile


def check_rules(profile: Profile) -> Iterator[Finding]:
    """Yield a finding on the pay table, and one on the bank where a player holds it."""
    yield _pay_table(profile)
    if profile.designated_player is not None:
        yield _bank(profile, profile.designated_player.minimum_bank_cents)


def _pay_table(profile: Profile) -> Finding:
    fortune = profile.fortune
    if fortune is None:
        return Finding("pay-table", "ok", f"{profile.name} has no Fortune wager")
    if not fortune.pay_table:
        return Finding(
            "pay-table",
            "warning",
            f"{profile.name} has no pay table: every Fortune wager is returned",
            "the operator must post one: copy the profile to a .toml file of the venue, fill in "
            "fortune.pay_table and name the file in game.rules",
        )
    if fortune.sample_pay_table:
        return Finding(
            "pay-table",
            "warning",
            f"{profile.name} pays by a sample pay table, which nobody has posted",
            "put the venue's own rows into fortune.pay_table and remove sample_pay_table",
        )
    top = max(row.pays for row in fortune.pay_table)
    return Finding(
        "pay-table", "ok", f"{len(fortune.pay_table)} lines posted, the top one pays {top:,} to 1"
    )


def _bank(profile: Profile, bank_cents: int) -> Finding:
    fortune = profile.fortune
    if fortune is None or not fortune.pay_table:
        return Finding("bank", "ok", f"{dollars(bank_cents)}, and no Fortune wager to cover")
    maximum_cents = fortune.limits.maximum_cents
    full_cents = exposure(profile, (), bank_cents).full_fortune_cents
    if full_cents >= maximum_cents:
        return Finding("bank", "ok", f"{dollars(bank_cents)} covers every Fortune wager in full")
    top = max(row.pays for row in fortune.pay_table)
    needed_cents = maximum_cents * top
    if fortune.cap_per_spot_cents is not None:
        needed_cents = min(needed_cents, fortune.cap_per_spot_cents)
    return Finding(
        "bank",
        "warning",
        f"a bank of {dollars(bank_cents)} covers {top:,} to 1 in full only to a Fortune wager of "
        f"{dollars(full_cents)}; the posted maximum is {dollars(maximum_cents)}",
        f"the cardroom decides: a bank of {dollars(needed_cents)} covers one spot at the maximum "
        f"(designated_player.minimum_bank_cents), or lower fortune.limits.maximum_cents",
    )
