"""``fortune-table meters``: lifetime and shift meters of a journal."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import click

from firmware_app.commands.journal_file import journal_argument, reading
from firmware_app.journal.head import load_head
from firmware_app.journal.meters import NO_LINE, Meters, totals
from firmware_app.rules.lines import Line
from firmware_app.rules.money import dollars

_WAGERS = (("main", "Main"), ("fortune", "Fortune"), ("ace_high", "Ace High"))


@click.command("meters")
@click.option("--shift", "of_shift", is_flag=True, help="Of the shift instead of the lifetime.")
@click.option("--json", "as_json", is_flag=True, help="Both as one JSON object, for programs.")
@journal_argument
def meters(journal: Path, of_shift: bool, as_json: bool) -> None:
    """Show what the table took in and paid out, by spot and by line, as JOURNAL has it."""
    with reading(journal) as reader:
        head = load_head(reader)
    if as_json:
        click.echo(json.dumps(_as_json(head.meters), indent=2))
    else:
        _print(head.meters.shift if of_shift else head.meters.lifetime, of_shift)


def _as_json(found: Meters) -> dict[str, dict[str, int]]:
    return {
        "lifetime": dict(sorted(found.lifetime.items())),
        "lifetime_totals": totals(found.lifetime),
        "shift": dict(sorted(found.shift.items())),
        "shift_totals": totals(found.shift),
    }


def _print(counts: Mapping[str, int], of_shift: bool) -> None:
    # rich is slow to load and of no use to a program, so it is loaded only here.
    from rich.console import Console

    def count(name: str) -> int:
        return counts.get(name, 0)

    console = Console(highlight=False)
    console.print(
        f"{'Shift' if of_shift else 'Lifetime'}: rounds settled {count('rounds.settled'):,}, "
        f"voided {count('rounds.voided'):,}, opened {count('rounds.opened'):,}; "
        f"alarms {count('alarms'):,}, late bets {count('late_bets'):,}",
        soft_wrap=True,
    )
    sums = totals(counts)
    console.print(
        f"In {dollars(sums.get('in_cents', 0))}, paid {dollars(sums.get('paid_cents', 0))}, "
        f"collected {dollars(sums.get('collected_cents', 0))}, "
        f"returned {dollars(sums.get('returned_cents', 0))}",
        soft_wrap=True,
    )
    console.print(_spots(counts))
    console.print(_lines(counts))


def _spots(counts: Mapping[str, int]) -> object:
    from rich import box
    from rich.table import Table

    table = Table(title="By spot: in / paid", box=box.SIMPLE_HEAD, title_justify="left")
    table.add_column("Spot", justify="right")
    for heading in ("Rounds", *(title for _, title in _WAGERS), "Unknown", "Envy paid", "Alarms"):
        table.add_column(heading, justify="right")
    spots = sorted({int(name.split(".")[1]) for name in counts if name.startswith("spot.")})
    for number in spots:
        spot = {
            name.partition(f"spot.{number}.")[2]: value
            for name, value in counts.items()
            if name.startswith(f"spot.{number}.")
        }
        table.add_row(
            str(number),
            f"{spot.get('rounds', 0):,}",
            *(
                f"{dollars(spot.get(f'{name}.in_cents', 0))} / "
                f"{dollars(spot.get(f'{name}.paid_cents', 0))}"
                for name, _ in _WAGERS
            ),
            f"{spot.get('fortune.unknown', 0):,}",
            dollars(spot.get("envy.paid_cents", 0)),
            f"{spot.get('alarms', 0):,}",
        )
    return table


def _lines(counts: Mapping[str, int]) -> object:
    from rich import box
    from rich.table import Table

    table = Table(title="By Fortune line", box=box.SIMPLE_HEAD, title_justify="left")
    table.add_column("Line")
    for heading in ("Hands", "Wins", "In", "Paid", "Envy wins", "Envy"):
        table.add_column(heading, justify="right")
    for line in (*Line, NO_LINE):
        table.add_row(
            str(line).replace("_", " "),
            *(f"{counts.get(f'line.{line}.{name}', 0):,}" for name in ("hands", "wins")),
            *(dollars(counts.get(f"line.{line}.{name}", 0)) for name in ("in_cents", "paid_cents")),
            f"{counts.get(f'line.{line}.envy_wins', 0):,}",
            dollars(counts.get(f"line.{line}.envy_cents", 0)),
        )
    return table
