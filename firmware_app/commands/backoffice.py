"""``fortune-table backoffice``: an example of the casino's side, and what a shift asks of it."""

from __future__ import annotations

import json
import signal
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path

import click

from firmware_app.backoffice.intake import Intake
from firmware_app.backoffice.repairs import Repairs
from firmware_app.backoffice.reports import REPORTS, Period, Row
from firmware_app.backoffice.store import Message, Store
from firmware_app.feed.connection import LinkLostError
from firmware_app.feed.envelope import EnvelopeError, decode
from firmware_app.feed.settings import parse_broker_url
from firmware_app.feed.topics import ROOT
from firmware_app.rules.money import dollars

_DATABASE = click.option(
    "--db",
    "path",
    required=True,
    type=click.Path(dir_okay=False, path_type=Path),
    help="The books, a SQLite file.",
)
_JSON = click.option("--json", "as_json", is_flag=True, help="One JSON object a row, for programs.")


@click.group("backoffice")
def backoffice() -> None:
    """Keep the books of a whole floor, and answer for a shift.

    An example to read and to copy: one SQLite file, fed by any number of consumers.
    """


@backoffice.command()
@_DATABASE
@click.option("--broker", required=True, metavar="URL", help="As `fortune-table feed` takes it.")
@click.option(
    "--name",
    default="fpg-backoffice",
    show_default=True,
    help="Its client id: the broker keeps what comes while it is away.",
)
@click.option("--group", help="Share the events with other consumers of this group.")
@click.option("--repair", is_flag=True, help="Ask tables for what is missing; one of a group does.")
@click.option("--seconds", type=click.FloatRange(min=0), help="Follow for so long, then end.")
def follow(
    path: Path, broker: str, name: str, group: str | None, repair: bool, seconds: float | None
) -> None:
    """Book what every table tells, until Ctrl-C."""
    try:
        settings = parse_broker_url(broker)
    except ValueError as error:
        raise click.BadParameter(str(error), param_hint="--broker") from error
    stop = threading.Event()
    signal.signal(signal.SIGTERM, lambda *_: stop.set())
    timer = None if seconds is None else threading.Timer(seconds, stop.set)
    with _books(path) as store, suppress(KeyboardInterrupt):
        intake = Intake(
            settings, store, name=name, group=group, repairs=Repairs() if repair else None
        )
        if timer is not None:
            timer.daemon = True
            timer.start()
        try:
            intake.run(stop.is_set)
        except LinkLostError as error:
            raise click.ClickException(str(error)) from error
        finally:
            click.echo(f"{intake.booked} events booked", err=True)


@backoffice.command("import")
@_DATABASE
@click.argument("feed", type=click.File("rb"))
def import_feed(path: Path, feed: Iterator[bytes]) -> None:
    """Book a recorded FEED, such as feed.jsonl of a simulation."""
    messages = []
    for number, line in enumerate(feed, start=1):
        try:
            event = decode(line)
        except EnvelopeError as error:
            raise click.ClickException(f"line {number}: {error}") from error
        messages.append(Message(f"{event.source[1:]}/event/", line.rstrip(b"\r\n")))
    with _books(path) as store:
        click.echo(f"{store.take(messages)} of {len(messages)} events were new", err=True)


@backoffice.command()
@_DATABASE
@_JSON
@click.option("--since", type=click.DateTime(), help="UTC; from this moment on.")
@click.option("--until", type=click.DateTime(), help="UTC; before this moment.")
@click.argument("question", type=click.Choice(list(REPORTS)))
def report(
    path: Path, question: str, since: datetime | None, until: datetime | None, as_json: bool
) -> None:
    """Answer a QUESTION about a shift.

    drop: what was wagered. hold: what the bank kept of it. envy: what was paid for others' hands.
    lines: how often each was hit, against its exact odds. offline: tables that are not on the line.
    """
    period = Period(_utc(since), _utc(until))
    with _existing_books(path) as store:
        _show(REPORTS[question](store.connection, period), as_json)


@backoffice.command()
@_DATABASE
@_JSON
@click.option(
    "--first", type=click.IntRange(min=1), help="The sequence with which each table must begin."
)
def gaps(path: Path, first: int | None, as_json: bool) -> None:
    """Show which events are missing; exit 1 if one is."""
    with _existing_books(path) as store:
        found = store.gaps(first=first)
    rows: list[Row] = [
        {"table": gap.source.removeprefix(f"/{ROOT}/"), "first": gap.first, "last": gap.last}
        for gap in found
    ]
    _show(rows, as_json)
    if found:
        raise SystemExit(1)


@contextmanager
def _books(path: Path) -> Iterator[Store]:
    try:
        with Store(path) as store:
            yield store
    except sqlite3.Error as error:
        raise click.ClickException(f"--db {path}: {error}") from error


@contextmanager
def _existing_books(path: Path) -> Iterator[Store]:
    if not path.exists():
        raise click.BadParameter(
            f"{path} does not exist; fill it with `follow` or `import`", param_hint="--db"
        )
    with _books(path) as store:
        yield store


def _utc(moment: datetime | None) -> datetime | None:
    return None if moment is None else moment.replace(tzinfo=UTC)


def _show(rows: list[Row], as_json: bool) -> None:
    if as_json:
        for row in rows:
            click.echo(json.dumps(row))
        return
    if not rows:
        click.echo("nothing")
        return
    # rich is slow to load and of no use to a program, so it is loaded only here.
    from rich import box
    from rich.console import Console
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD)
    for name, value in rows[0].items():
        number = isinstance(value, int | float) and not isinstance(value, bool)
        table.add_column(
            _heading(name), justify="right" if number else "left", no_wrap=name == "table"
        )
    for row in rows:
        table.add_row(*(_cell(name, value) for name, value in row.items()))
    Console(highlight=False).print(table)


def _heading(name: str) -> str:
    return name.removesuffix("_cents").replace("_", " ")


def _cell(name: str, value: object) -> str:
    if value is None:
        return "-"
    if isinstance(value, bool):
        return "unusual" if value else ""
    if isinstance(value, int) and name.endswith("_cents"):
        return dollars(value)
    if isinstance(value, float):
        return f"{value:.3g}" if name == "chance" else f"{value:,.2f}"
    return f"{value:,}" if isinstance(value, int) else str(value).replace("_", " ")
