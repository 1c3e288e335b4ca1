"""``fortune-table odds``: what every bonus wager of a rule sheet keeps and gives, exactly."""

from __future__ import annotations

import json
import random
import tomllib
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import click
from pydantic import ValidationError

from firmware_app.cards import DECK, Card
from firmware_app.rules.faults import faults_of
from firmware_app.rules.must_beat_odds import SampledEdge, sampled_must_beat_edge
from firmware_app.rules.profile import FortuneWager, Profile, ProfileError, load_profile
from firmware_app.rules.profile_odds import ProfileOdds, profile_odds


@click.command("odds")
@click.option(
    "--rules",
    "rules",
    required=True,
    metavar="NAME",
    help="A shipped profile, or the path of a venue's own .toml file.",
)
@click.option(
    "--table",
    "table",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="A .toml file with pay_table = [...] as in a profile: what it would change.",
)
@click.option(
    "--stake-cents",
    "stakes_cents",
    type=click.IntRange(min=1),
    multiple=True,
    metavar="CENTS",
    help="A stake at which to reckon the caps; may be given several times.",
)
@click.option(
    "--deals",
    type=click.IntRange(min=1_000),
    metavar="N",
    help="Where the bonus must beat the designated player: sample its edge from N deals.",
)
@click.option("--seed", type=int, default=1, show_default=True, help="Of the sampled deals.")
@click.option("--chart", is_flag=True, help="Also draw what each line gives back as bars.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object, for programs.")
def odds(
    rules: str,
    table: Path | None,
    stakes_cents: tuple[int, ...],
    deals: int | None,
    seed: int,
    chart: bool,
    as_json: bool,
) -> None:
    """Show the odds of a profile's Fortune, Envy and Ace High wagers.

    Every figure is counted over all hands; only the edge of a bonus that must beat the designated
    player's hand has no closed form and is sampled, where --deals asks for it.
    """
    try:
        posted = load_profile(rules)
    except ProfileError as error:
        raise click.BadParameter(str(error), param_hint="--rules") from error
    try:
        profile = posted if table is None else _with_table(posted, table)
    except ProfileError as error:
        raise click.BadParameter(str(error), param_hint="--table") from error
    try:
        reckoned = profile_odds(profile, stakes_cents)
    except ProfileError as error:
        raise click.BadParameter(str(error), param_hint="--rules") from error
    before = None
    if table is not None and posted.fortune is not None and posted.fortune.pay_table:
        before = profile_odds(posted)
    sampled = _sampled(profile, deals, seed)
    if as_json:
        click.echo(json.dumps(_document(reckoned, before, sampled, seed), indent=2))
        return
    # Imported here: rich takes longer to load than all hands take to count.
    from firmware_app.commands.odds_text import print_odds

    print_odds(reckoned, before, sampled, chart=chart)


def _with_table(profile: Profile, path: Path) -> Profile:
    """Return ``profile`` with the pay table of the file at ``path``, validated as a whole.

    The file may hold any key of a profile's ``[fortune]`` beside the pay table.
    """
    if profile.fortune is None:
        raise ProfileError(profile.name, ["has no Fortune wager to post a pay table for"])
    try:
        changes = tomllib.loads(path.read_text("utf-8"))
    except OSError as error:
        raise ProfileError(str(path), [f"cannot be read: {error.strerror}"]) from error
    except UnicodeDecodeError as error:
        raise ProfileError(str(path), ["is no UTF-8 text; save it as UTF-8"]) from error
    except tomllib.TOMLDecodeError as error:
        raise ProfileError(str(path), [f"not valid TOML: {error}"]) from error
    if "pay_table" not in changes:
        raise ProfileError(str(path), ["pay_table is missing; add it as a profile has it"])
    fortune = profile.fortune.model_dump() | changes
    try:
        return Profile.model_validate(profile.model_dump() | {"fortune": fortune})
    except ValidationError as error:
        raise ProfileError(str(path), faults_of(error, Profile)) from error


def _sampled(profile: Profile, deals: int | None, seed: int) -> SampledEdge | None:
    if deals is None:
        return None
    fortune = profile.fortune
    if fortune is None or not fortune.must_beat_designated_player:
        raise click.BadParameter(
            f"profile {profile.name} has no bonus that must beat the designated player; "
            "every figure is exact without it",
            param_hint="--deals",
        )
    return sampled_must_beat_edge(fortune, profile.ranking, _pairs_of_hands(deals, seed))


def _pairs_of_hands(deals: int, seed: int) -> Iterator[tuple[list[Card], list[Card]]]:
    dealer = random.Random(seed)
    for _ in range(deals):
        cards = dealer.sample(DECK, 14)
        yield cards[:7], cards[7:]


def _document(
    reckoned: ProfileOdds, before: ProfileOdds | None, sampled: SampledEdge | None, seed: int
) -> dict[str, Any]:
    fortune = reckoned.fortune
    wager = reckoned.profile.fortune
    assert wager is not None  # there are no odds without it
    document: dict[str, Any] = {
        "rules": reckoned.profile.name,
        "sample_pay_table": wager.sample_pay_table,
        "hands": fortune.hands,
        "lines": [
            {
                "line": row.line.value,
                "hands": row.hands,
                "pays": row.pays,
                "envy_cents": row.envy_cents,
            }
            for row in fortune.lines
        ],
        "losing_hands": fortune.losing_hands,
        "hit_rate": _share(fortune.hit_rate),
        "house_edge": _share(fortune.house_edge),
        "envy_per_other_hand_cents": _cents(fortune.envy_per_other_hand_cents),
        "envy_by_other_players": [
            {
                "other_players": envy.other_players,
                "envy_cents": _cents(envy.envy_cents),
                "house_edge_with_envy": _share(envy.house_edge),
            }
            for envy in reckoned.envy
        ],
        "caps": [
            {
                "cap": cap.cap,
                "cap_cents": cap.cap_cents,
                "stake_cents": cap.stake_cents,
                "lost_to_cap_cents": _cents(cap.lost_cents),
                "house_edge": _share(cap.house_edge),
            }
            for cap in reckoned.caps
        ],
    }
    if before is not None:
        document["posted_house_edge"] = _share(before.fortune.house_edge)
        document["house_edge_change"] = _share(fortune.house_edge - before.fortune.house_edge)
    if wager.must_beat_designated_player:
        document["must_beat_designated_player"] = _must_beat(wager, sampled, seed)
    if reckoned.ace_high is not None and reckoned.ace_high_house_edge is not None:
        document["ace_high"] = {
            "dealer_ace_high": _share(reckoned.ace_high.dealer_ace_high),
            "dealer_ace_high_with_joker": _share(reckoned.ace_high.dealer_ace_high_with_joker),
            "dealer_and_player_ace_high": _share(reckoned.ace_high.both_ace_high),
            "house_edge": _share(reckoned.ace_high_house_edge),
        }
    return document


def _must_beat(wager: FortuneWager, sampled: SampledEdge | None, seed: int) -> dict[str, Any]:
    """The condition that ``house_edge`` leaves aside, and its sampled edge where asked for."""
    return {
        "compare": wager.compare,
        "in_house_edge": False,
        "sampled_house_edge": None
        if sampled is None
        else {
            "percent": sampled.house_edge * 100,
            "standard_error_percent": sampled.standard_error * 100,
            "deals": sampled.deals,
            "seed": seed,
        },
    }


def _share(value: Fraction) -> dict[str, Any]:
    return {"fraction": _text(value), "percent": float(value * 100)}


def _cents(value: Fraction) -> dict[str, Any]:
    return {"fraction": _text(value), "value": float(value)}


def _text(value: Fraction) -> str:
    return f"{value.numerator}/{value.denominator}"
