"""``fortune-table feed``: follow a table's feed as the casino's side would, and prove it whole."""

from __future__ import annotations

import json
import queue
import time
from collections.abc import Callable, Generator
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import click

from firmware_app.feed.connection import LinkLostError
from firmware_app.feed.consumer import FeedReader
from firmware_app.feed.envelope import TYPE_PREFIX, EnvelopeError, Received
from firmware_app.feed.settings import BrokerSettings, parse_broker_url
from firmware_app.feed.subscriber import Subscriber
from firmware_app.feed.topics import ROOT

Show: TypeAlias = Callable[[Received, bytes], None]

_BRIEF_LETTERS = 120


@click.command("feed")
@click.option(
    "--broker",
    metavar="URL",
    help="mqtt://HOST:PORT, or mqtts://HOST:PORT?ca=FILE&certificate=FILE&key=FILE; add "
    "protocol=3.1.1 for an older broker.",
)
@click.option(
    "--file",
    "path",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="Read a recorded feed.jsonl instead.",
)
@click.option("--username", help="Who the broker knows us as.")
@click.option(
    "--password-file",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="Where the password for it is.",
)
@click.option("--site", default="+", help="Follow this site alone.")
@click.option("--table", default="+", help="Follow this table alone.")
@click.option("--first", type=click.IntRange(min=1), help="The sequence it must begin with.")
@click.option("--last", type=click.IntRange(min=1), help="The sequence it must reach; then end.")
@click.option("--seconds", type=click.FloatRange(min=0), help="Follow the broker for so long.")
@click.option("--keep-going", is_flag=True, help="Report a gap, and follow on.")
@click.option("--json", "as_json", is_flag=True, help="Each new event as its CloudEvent, a line.")
@click.pass_context
def feed(
    context: click.Context,
    broker: str | None,
    path: Path | None,
    username: str | None,
    password_file: Path | None,
    site: str,
    table: str,
    first: int | None,
    last: int | None,
    seconds: float | None,
    keep_going: bool,
    as_json: bool,
) -> None:
    """Show a feed's events, repeats left out, and exit 1 if one is missing.

    A table counts its events without gaps, so a missing one shows at the next. The events are
    those of --broker, live until Ctrl-C, --last or --seconds; or those of --file.
    """
    show = _show_json if as_json else _show_text
    if path is not None and broker is None:
        follower = _Follower(FeedReader(first), show, last, stop_at_gap=False)
        with path.open("rb") as lines:
            for line in lines:
                if line.strip():
                    follower.take(line.rstrip(b"\r\n"))
        context.exit(follower.conclude(unreadable_is_fault=True))
    if broker is None or path is not None:
        raise click.UsageError("give either --broker URL or --file FILE")
    try:
        settings = parse_broker_url(broker).model_copy(
            update={"username": username, "password_file": password_file}
        )
    except ValueError as error:
        raise click.BadParameter(str(error), param_hint="--broker") from error
    follower = _Follower(FeedReader(first), show, last, stop_at_gap=not keep_going)
    topics = f"{ROOT}/{site}/{table}/event/#"
    try:
        with closing(_live(settings, topics, seconds)) as payloads, suppress(KeyboardInterrupt):
            for payload in payloads:
                if not follower.take(payload):
                    break
    except LinkLostError as error:
        raise click.ClickException(str(error)) from error
    # What others write to these topics is not the table's fault: it is reported and passed over.
    context.exit(follower.conclude(unreadable_is_fault=False))


def _live(
    broker: BrokerSettings, topics: str, seconds: float | None
) -> Generator[bytes, None, None]:
    arrived: queue.SimpleQueue[bytes] = queue.SimpleQueue()
    deadline_s = None if seconds is None else time.monotonic() + seconds
    with Subscriber(broker, topics, lambda _topic, payload: arrived.put(payload)):
        click.echo(f"following {topics} of broker {broker.address}", err=True)
        while True:
            left_s = None if deadline_s is None else max(0.0, deadline_s - time.monotonic())
            try:
                yield arrived.get(timeout=left_s)
            except queue.Empty:
                return


@dataclass(slots=True)
class _Follower:
    """Shows new events, and reports each fault once, when it is found."""

    reader: FeedReader
    show: Show
    last: int | None
    stop_at_gap: bool
    taken: int = 0
    unreadable: int = 0

    def take(self, payload: bytes) -> bool:
        """Handle one message; return whether there is reason to go on."""
        self.taken += 1
        try:
            event = self.reader.accept(payload)
        except EnvelopeError as error:
            self.unreadable += 1
            click.echo(f"message {self.taken}: {error}", err=True)
            return True
        if event is not None:
            self.show(event, payload)
        if self.stop_at_gap and any(self.reader.faults()):
            return False
        return not self._reached_last()

    def conclude(self, *, unreadable_is_fault: bool) -> int:
        """Say what was found; return the exit code."""
        faults = list(self.reader.faults(through=self.last))
        if self.last is not None and not self.reader.tables:
            faults.append(f"no event up to {self.last} has come")
        for fault in faults:
            click.echo(fault, err=True)
        for table in self.reader.tables.values():
            click.echo(
                f"{table.source}: {table.received} events, {table.first} to {table.highest}, "
                f"{table.repeats} repeats",
                err=True,
            )
        return 1 if faults or (unreadable_is_fault and self.unreadable) else 0

    def _reached_last(self) -> bool:
        return (
            self.last is not None
            and bool(self.reader.tables)
            and not any(self.reader.faults(through=self.last))
        )


def _show_json(_event: Received, payload: bytes) -> None:
    click.echo(payload.decode())


def _show_text(event: Received, _payload: bytes) -> None:
    clock = f"{event.time:%Y-%m-%d %H:%M:%S}"
    doubt = " " if event.clock_synchronised else "?"
    table = event.source.rpartition("/")[2]
    kind = event.type.removeprefix(TYPE_PREFIX)
    brief = "  ".join(f"{name} {_brief(name, value)}" for name, value in event.data.items())
    if len(brief) > _BRIEF_LETTERS:
        brief = brief[: _BRIEF_LETTERS - 1] + "…"
    click.echo(f"{clock}{doubt} {table} #{event.sequence:<6} {kind:<15} {brief}")


def _brief(name: str, value: Any) -> str:
    if name.endswith("cents") and isinstance(value, int):
        return f"${value / 100:,.2f}"
    if isinstance(value, list) and not all(isinstance(item, str) for item in value):
        return f"({len(value)})"
    if isinstance(value, list):
        return " ".join(value) or "-"
    if value is None:
        return "-"
    return value if isinstance(value, str) else json.dumps(value)
