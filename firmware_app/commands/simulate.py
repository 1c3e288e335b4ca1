"""``fortune-table simulate``: the table on simulated pins and a simulated reader."""

from __future__ import annotations

import json
import logging
import sys
from pathlib import Path
from typing import Any

import click

from firmware_app.feed.demo_broker import BrokerError
from firmware_app.journal.errors import JournalError
from firmware_app.rules.profile import ProfileError
from firmware_app.simulation.fault_names import list_faults
from firmware_app.simulation.show import SimulationError, Wish
from firmware_app.simulation.show import simulate as play
from firmware_app.simulation.stage import Places


@click.command()
@click.option("--rules", default="face-up", show_default=True, help="profile or path of a .toml")
@click.option("--rounds", type=click.IntRange(1, 100_000), help="play so many rounds by itself")
@click.option(
    "--seed", type=int, default=7, show_default=True, help="the same seed, the same deals"
)
@click.option("--headless", is_flag=True, help="no window: pictures of every scene in a folder")
@click.option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    default=Path("out"),
    show_default=True,
    help="where journal, feed and pictures go; what an earlier run left there is replaced",
)
@click.option("--broker", help="mqtt://host:port instead of a broker of its own")
@click.option(
    "--fault",
    "faults",
    multiple=True,
    metavar="NAME[:ARGUMENT]",
    help="let something go wrong; may be repeated. --fault list tells what there is",
)
@click.option("--json", "as_json", is_flag=True, help="print the summary as JSON")
def simulate(
    rules: str,
    rounds: int | None,
    seed: int,
    headless: bool,
    out: Path,
    broker: str | None,
    faults: tuple[str, ...],
    as_json: bool,
) -> None:
    """Play the table on its real code: only the pins and the serial line are simulated.

    Without --rounds a window opens and you play with the keyboard; the keys stand on the screen.
    """
    if "list" in faults:
        click.echo("\n".join(list_faults()))
        return
    logging.basicConfig(level=logging.WARNING, format="%(levelname)s %(name)s: %(message)s")
    if headless and rounds is None:
        raise click.UsageError("--headless has no keyboard: say how many rounds with --rounds N")
    places = Places(out.absolute())
    try:
        outcome = play(Wish(rules, rounds, seed, headless, broker, faults), places)
    except (ProfileError, BrokerError, JournalError, SimulationError, ValueError, OSError) as error:
        raise click.ClickException(str(error)) from error
    if as_json:
        click.echo(json.dumps(outcome))
    else:
        _tell(outcome, places, headless=headless)
    wrong = outcome.get("hands_lost") or outcome.get("hands_invented")
    sys.exit(0 if outcome.get("complete") and not wrong else 1)


def _tell(outcome: dict[str, Any], places: Places, *, headless: bool) -> None:
    if "rounds" in outcome:
        click.echo(
            f"{outcome['rounds']} rounds settled, {outcome['voided']} voided, "
            f"{outcome['events']} events received by the subscriber"
        )
        click.echo(f"{outcome['hands_lost']} hands lost, {outcome['hands_invented']} invented")
        for spot in outcome["out_of_service"]:
            click.echo(f"spot {spot} is out of service")
    if not outcome.get("complete"):
        click.echo("the subscriber did not receive every event of the journal", err=True)
    click.echo(f"journal   {places.journal}")
    click.echo(f"feed      {places.feed}")
    if headless:
        click.echo(f"pictures  {places.screens}")
