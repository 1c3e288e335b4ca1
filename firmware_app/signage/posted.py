"""What a profile posts: pay tables, limits and conditions, in the words of the sign.

The odds are always worded "to 1", and the caps and the condition of envy are always there: the
rule sheets post them, and so must the sign.
"""

from __future__ import annotations

from collections.abc import Mapping

from firmware_app.rules.ace_high import DEALER, DEALER_AND_PLAYER, DEALER_WITH_JOKER
from firmware_app.rules.lines import Line
from firmware_app.rules.money import dollars
from firmware_app.rules.profile import Profile, WagerLimits
from firmware_app.signage.scene import AceRow, PayRow
from firmware_app.signage.words import Say, say

NO_HITS: Mapping[str, tuple[int, ...]] = {}


def line_name(line: Line) -> Say:
    """Return the name of a line as a message."""
    return say(line.value)


def pay_rows(profile: Profile, hits: Mapping[str, tuple[int, ...]] = NO_HITS) -> tuple[PayRow, ...]:
    """Return the posted Fortune lines in the order in which the profile posts them.

    ``hits`` holds the spots of each line that is hit now.
    """
    if profile.fortune is None:
        return ()
    return tuple(
        PayRow(row.line, row.pays, row.envy_cents, hits.get(row.line, ()))
        for row in profile.fortune.pay_table
    )


def ace_rows(profile: Profile, hits: Mapping[str, tuple[int, ...]] = NO_HITS) -> tuple[AceRow, ...]:
    """Return the Ace High pay table, or nothing where the profile has none."""
    bonus = profile.ace_high
    if bonus is None:
        return ()
    return (
        AceRow(
            say("ace_dealer_and_player"),
            bonus.dealer_and_player_pays,
            hits.get(DEALER_AND_PLAYER, ()),
        ),
        AceRow(
            say("ace_dealer_with_joker"),
            bonus.dealer_with_joker_pays,
            hits.get(DEALER_WITH_JOKER, ()),
        ),
        AceRow(say("ace_dealer"), bonus.dealer_pays, hits.get(DEALER, ())),
    )


def lowest_envy_line(profile: Profile) -> Line | None:
    """Return the lowest line that triggers envy, or None where none does."""
    if profile.fortune is None or profile.envy is None:
        return None
    order = list(Line)
    lines = [row.line for row in profile.fortune.pay_table if row.envy_cents]
    return max(lines, key=order.index, default=None)


def has_fortune(profile: Profile) -> bool:
    """Whether a Fortune wager can be made: the wager exists and its pay table is posted."""
    return profile.fortune is not None and bool(profile.fortune.pay_table)


def conditions(profile: Profile) -> tuple[Say, ...]:
    """Return the posted conditions, the ones that win or lose money first."""
    return (*_fortune_conditions(profile), *_main_conditions(profile))


def _fortune_conditions(profile: Profile) -> tuple[Say, ...]:
    fortune = profile.fortune
    if fortune is None or not fortune.pay_table:
        return () if fortune is None else (say("table_not_posted"),)
    said: list[Say] = []
    lowest = lowest_envy_line(profile)
    if profile.envy is not None and lowest is not None:
        said.append(say("envy_condition", amount=dollars(profile.envy.minimum_fortune_cents)))
        said.append(say("envy_who", line=f"@{lowest.value}"))
    if fortune.must_beat_designated_player:
        said.append(say("must_beat"))
    said.append(say("best_line"))
    if profile.caps.aggregate_cents is not None:
        said.append(say("cap_aggregate", amount=dollars(profile.caps.aggregate_cents)))
    if fortune.cap_per_spot_cents is not None:
        said.append(say("cap_spot", amount=dollars(fortune.cap_per_spot_cents)))
    return tuple(said)


def _main_conditions(profile: Profile) -> tuple[Say, ...]:
    main = profile.main
    said: list[Say] = []
    if main.commission_percent:
        said.append(say("main_point_commission", percent=main.commission_percent))
    if main.ace_high_push:
        said.append(say("main_point_ace_high"))
    if main.cap_per_hand_cents is not None:
        said.append(say("cap_main", amount=dollars(main.cap_per_hand_cents)))
    return tuple(said)


def how_to_win(profile: Profile) -> tuple[Say, ...]:
    """Return the main game in short sentences: the sign of a table without a bonus."""
    banker = "_dp" if profile.banker == "designated-player" else ""
    return (
        say(f"main_point_both{banker}"),
        say(f"main_point_push{banker}"),
        say("joker"),
    )


def limits(profile: Profile) -> tuple[Say, ...]:
    """Return the posted limits of every wager of the table."""
    said = [_limit("limit_main", profile.main.limits)]
    if profile.fortune is not None and profile.fortune.pay_table:
        said.append(_limit("limit_fortune", profile.fortune.limits))
    if profile.ace_high is not None:
        said.append(_limit("limit_ace_high", profile.ace_high.limits))
    if (unit := profile.main.limits.unit_cents) > 1_00:
        said.append(say("limit_step", amount=dollars(unit)))
    return tuple(said)


def _limit(key: str, wager: WagerLimits) -> Say:
    return say(key, low=dollars(wager.minimum_cents), high=dollars(wager.maximum_cents))
