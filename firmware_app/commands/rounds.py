"""``fortune-table rounds``: recall the last rounds of a journal."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import click

from firmware_app.commands.journal_file import (
    archives_option,
    journal_argument,
    reading_history,
)
from firmware_app.journal.recall import RECALLED_ROUNDS, RecalledRound, recall
from firmware_app.rules.money import dollars

_WAGERS = (("main", "main"), ("fortune", "Fortune"), ("ace_high", "Ace High"))


@click.command("rounds")
@click.option(
    "--last",
    "limit",
    type=click.IntRange(min=1),
    default=RECALLED_ROUNDS,
    show_default=True,
    help="How many rounds, newest first.",
)
@click.option(
    "--round", "number", type=click.IntRange(min=1), metavar="NUMBER", help="This round alone."
)
@click.option("--json", "as_json", is_flag=True, help="One JSON object a round, with its events.")
@archives_option
@journal_argument
@click.pass_context
def rounds(
    context: click.Context,
    journal: Path,
    limit: int,
    number: int | None,
    as_json: bool,
    archives: Path | None,
) -> None:
    """Recall the last rounds of JOURNAL, the one in play included.

    The file may be in use. A damaged one gives what can be read of it, and exit code 1, as does one
    whose older rounds lie in an archive that is not there: it is named.
    """
    with reading_history(journal, archives) as reader:
        found = recall(reader, limit=1 if number else limit, newest=number)
    if number and found.fault is None and [each.number for each in found.rounds] != [number]:
        raise click.ClickException(f"journal {journal} has no round {number}")
    for each in found.rounds:
        click.echo(json.dumps(each.as_json()) if as_json else "\n".join(_lines(each)))
    if found.fault is not None:
        click.echo(
            f"error: older rounds cannot be read ({found.fault}); "
            f"run: fortune-table verify {journal}",
            err=True,
        )
        context.exit(1)


def _lines(each: RecalledRound) -> Iterator[str]:
    told = each.as_json()
    clock = "" if told["clock_synchronised"] else ", clock not set"
    profile = f", {told['profile']}" if told["profile"] else ""
    yield f"round {each.number}: {each.outcome}{profile}, opened {told['opened']}{clock}"
    if told["voided"] is not None:
        yield f"  void in {told['voided']['phase']}: {told['voided']['reason']}"
    revealed = told["settled"] or told["revealed"]
    stakes = {bet["spot"]: bet for bet in (told["locked"] or {"spots": []})["spots"]}
    if told["revealed"] is not None and told["revealed"]["dealer_cards"]:
        yield f"  dealer   {' '.join(told['revealed']['dealer_cards'])}"
    for spot in revealed["spots"] if revealed else ():
        yield _spot(spot, stakes.get(spot["spot"], {}))
    if revealed is None:
        for bet in stakes.values():
            if any(bet[f"{name}_cents"] != 0 for name, _ in _WAGERS):
                yield _spot({"spot": bet["spot"]}, bet)
    if told["settled"] is not None:
        yield (
            f"  paid {dollars(told['settled']['paid_cents'])}, "
            f"collected {dollars(told['settled']['collected_cents'])}"
        )
    for event in each.events:
        if event.type in ("discrepancy", "late-bet", "action", "alarm-raised"):
            yield f"  {event.stamp.utc_text[11:19]} {_remark(event.type, event.data)}"


def _spot(spot: Mapping[str, Any], bet: Mapping[str, Any]) -> str:
    parts = [f"  spot {spot['spot']}  "]
    for name, title in _WAGERS:
        stake = bet.get(f"{name}_cents", 0)
        if stake or stake is None:
            outcome = spot.get(name)
            fate = f" {outcome['result']}" if outcome else ""
            paid = f" {dollars(outcome['paid_cents'])}" if outcome and outcome["paid_cents"] else ""
            parts.append(f"{title} {'?' if stake is None else dollars(stake)}{fate}{paid},")
    if spot.get("cards"):
        parts.append(" ".join(spot["cards"]))
    if spot.get("line"):
        parts.append(spot["line"].replace("_", " "))
    if spot.get("envy_cents"):
        parts.append(f"envy {dollars(spot['envy_cents'])}")
    if spot.get("owed_cents"):
        parts.append(f"= {dollars(spot['owed_cents'])}")
    return " ".join(parts).rstrip(",")


def _remark(kind: str, data: Mapping[str, Any]) -> str:
    if kind == "alarm-raised":
        return f"alarm: {data['alarm']['text']}"
    if kind == "late-bet":
        return f"late bet at spot {data['spot']}, ignored"
    return f"{kind}: {data['text']}"
