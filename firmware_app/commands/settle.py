"""``fortune-table settle``: what every wager of a described round is owed, without hardware."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

import click

from firmware_app.cards import hand_text
from firmware_app.commands.round_file import RoundFileError, read_round
from firmware_app.rules.money import dollars
from firmware_app.rules.play import EnvyResult, Result, Settlement, SpotResult, WagerResult
from firmware_app.rules.settlement import settle as settle_round


@click.command("settle")
@click.option("--json", "as_json", is_flag=True, help="One JSON object, for programs.")
@click.argument("path", metavar="ROUND.toml", type=click.Path(path_type=Path))
@click.pass_context
def settle(context: click.Context, path: Path, as_json: bool) -> None:
    """Tell what every wager of the round described in ROUND.toml is owed.

    The file names the rules, the banker's hand and a [[spot]] for each betting spot; amounts are
    in cents, cards as KS, 10H or JK. A spot without "low" is set the house way.
    """
    try:
        profile, play = read_round(path)
    except RoundFileError as error:
        for fault in error.faults:
            click.echo(f"error: {path}: {fault}", err=True)
        context.exit(1)
    settlement = settle_round(profile, play)
    if as_json:
        click.echo(json.dumps(settlement_json(settlement), indent=2))
    else:
        print_settlement(settlement, profile.title)


def settlement_json(settlement: Settlement) -> dict[str, Any]:
    """Return the settlement in the words that programs rely on; amounts in cents."""
    return {
        "spots": [
            {
                "number": spot.number,
                "main": _wager_json(spot.main),
                "fortune": _wager_json(spot.fortune),
                "ace_high": _wager_json(spot.ace_high),
                "envy": {
                    "paid_cents": spot.envy.paid_cents,
                    "triggers": [
                        {
                            "spot": trigger.spot,
                            "line": trigger.line.value,
                            "cents": trigger.cents,
                        }
                        for trigger in spot.envy.triggers
                    ],
                },
            }
            for spot in settlement.spots
        ],
        "bank_left_cents": settlement.bank_left_cents,
        "discrepancies": list(settlement.discrepancies),
    }


def _wager_json(wager: WagerResult) -> dict[str, Any]:
    return {
        "result": wager.result.value,
        "paid_cents": wager.paid_cents,
        "collected_cents": wager.collected_cents,
        "returned_cents": wager.returned_cents,
        "line": wager.line,
        "reason": wager.reason,
    }


def print_settlement(settlement: Settlement, title: str) -> None:
    """Print the settlement as a table for people, with the reason of every result."""
    # rich is slow to load and of no use to a program, so it is loaded only here.
    from rich import box
    from rich.console import Console
    from rich.table import Table

    table = Table(title=title, box=box.SIMPLE_HEAD, title_justify="left")
    table.add_column("Spot", justify="right")
    for heading, _ in _WAGERS:
        table.add_column(heading)
    table.add_column("Envy")
    table.add_column("Owed", justify="right")
    for spot in settlement.spots:
        table.add_row(
            str(spot.number),
            *(_wager_text(wager_of(spot)) for _, wager_of in _WAGERS),
            _envy_text(spot.envy),
            dollars(spot.owed_cents) if spot.owed_cents else "",
        )
    console = Console(highlight=False)
    if settlement.dealer_high:
        low, high = hand_text(settlement.dealer_low), hand_text(settlement.dealer_high)
        clause = settlement.dealer_clause
        console.print(f"Banker: low {low}  high {high}  ({clause})", soft_wrap=True)
    console.print(table)
    for line in _notes(settlement):
        console.print(line, markup=False, soft_wrap=True)


_WAGERS: Final[tuple[tuple[str, Callable[[SpotResult], WagerResult]], ...]] = (
    ("Main", lambda spot: spot.main),
    ("Fortune", lambda spot: spot.fortune),
    ("Ace High", lambda spot: spot.ace_high),
)


def _wager_text(wager: WagerResult) -> str:
    match wager.result:
        case Result.WIN:
            text = f"win {dollars(wager.paid_cents)}" if wager.kept_cents else "win"
            if wager.line is not None and wager.pays is not None:
                text += f"\n{wager.line.replace('_', ' ')}, {wager.pays:,} to 1"
            return text
        case Result.LOSE:
            return f"lose {dollars(wager.collected_cents)}" if wager.collected_cents else "lose"
        case Result.PUSH:
            return "push"
        case Result.RETURNED | Result.DEAD:
            return f"{wager.result.value}, {dollars(wager.returned_cents)} back"
        case Result.NONE:
            return ""


def _envy_text(envy: EnvyResult) -> str:
    if not envy.triggers:
        return ""
    sources = ", ".join(f"spot {trigger.spot}" for trigger in envy.triggers)
    return f"win {dollars(envy.paid_cents)}\n{sources}"


def _notes(settlement: Settlement) -> Iterator[str]:
    for spot in settlement.spots:
        told = [(name, wager_of(spot).reason) for name, wager_of in _WAGERS]
        for name, reason in (*told, ("Envy", spot.envy.reason)):
            if reason is not None:
                yield f"spot {spot.number}, {name}: {reason}"
    if settlement.bank_left_cents is not None:
        yield f"The bank still covers {dollars(settlement.bank_left_cents)}."
    for discrepancy in settlement.discrepancies:
        yield f"Call the floor: {discrepancy}"
