"""``fortune-table fleet``: a floor of tables on one machine, to try a broker under load."""

from __future__ import annotations

import json
from dataclasses import asdict

import click

from firmware_app.feed.connection import LinkLostError
from firmware_app.feed.settings import parse_broker_url
from firmware_app.rules.profile import ProfileError
from firmware_app.simulation.fleet import FleetError, Outcome, Wish, run_fleet


@click.command("fleet")
@click.option("--broker", required=True, metavar="URL", help="As `fortune-table feed` takes it.")
@click.option("--tables", type=click.IntRange(1, 10_000), default=100, show_default=True)
@click.option(
    "--rate",
    type=click.FloatRange(0, 1000, min_open=True),
    default=1.0,
    show_default=True,
    help="Events of each table a second; a busy table tells about one every three seconds.",
)
@click.option(
    "--seconds",
    type=click.FloatRange(0, 86_400, min_open=True),
    default=10.0,
    show_default=True,
)
@click.option(
    "--whole",
    type=click.IntRange(min=1),
    metavar="N",
    help="So many have the whole link of a table, the others are load from one plain thread. "
    "Without it all are whole: about 4,000 events a second keep two cores busy.",
)
@click.option("--rules", default="envy", show_default=True, help="What the tables play.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object, for programs.")
def fleet(
    broker: str,
    tables: int,
    rate: float,
    seconds: float,
    whole: int | None,
    rules: str,
    as_json: bool,
) -> None:
    """Let many tables tell real events through a broker to one reader; exit 1 if one is lost.

    They use the site `fleet`, and leave nothing retained behind.
    """
    try:
        settings = parse_broker_url(broker)
    except ValueError as error:
        raise click.BadParameter(str(error), param_hint="--broker") from error
    try:
        outcome = run_fleet(Wish(settings, tables, rate, seconds, whole, rules))
    except (FleetError, LinkLostError, ProfileError) as error:
        raise click.ClickException(str(error)) from error
    if as_json:
        click.echo(json.dumps(asdict(outcome) | {"complete": outcome.complete}))
    else:
        _tell(outcome)
    if not outcome.complete:
        raise SystemExit(1)


def _tell(outcome: Outcome) -> None:
    rate = outcome.told / outcome.seconds
    click.echo(f"{outcome.tables} tables told {outcome.told} events, {rate:,.0f} a second")
    click.echo(
        f"late by {outcome.p50_ms:.1f} ms (half of them), {outcome.p99_ms:.1f} ms (99 of 100), "
        f"{outcome.worst_ms:.1f} ms (the last)"
    )
    click.echo(
        f"{outcome.lost} lost, {outcome.repeats} repeated, {outcome.out_of_order} out of order"
    )
    for problem in outcome.problems:
        click.echo(problem, err=True)
