"""``fortune-table floor``: what a floor supervisor does at a running table, on record with why.

Exit codes: 0 done; 1 refused, not recorded, or no table to ask; 2 a command that makes no sense.
Each command's parameters are named as the fields of its request.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import datetime
from itertools import islice
from pathlib import Path
from typing import Any, Final, NoReturn, TypeVar

import click
from pydantic import ValidationError

from firmware_app.commands.journal_file import reading
from firmware_app.config import ConfigError, load_config
from firmware_app.control import protocol
from firmware_app.control.client import Unreachable, ask
from firmware_app.control.history import supervisor_actions
from firmware_app.control.protocol import (
    MetersShown,
    Reply,
    Request,
    TableShown,
    faults_in,
)
from firmware_app.journal.records import RecordedFact
from firmware_app.table.facts import SupervisorActed

_DEFAULT_CONFIG: Final = Path("/etc/fortune-table/table.toml")
_NOT_DONE: Final = 1
_NO_SENSE: Final = 2
_NS_PER_S: Final = 1_000_000_000

_Function = TypeVar("_Function", bound=Callable[..., None])

_spot = click.argument("spot", type=click.IntRange(1, 7))


@click.group("floor")
def floor() -> None:
    """Act on a running table as its floor supervisor, and list what was done.

    What changes anything says --by whom and --why; both are kept with the table's facts for good.
    """


def _reaching(command: _Function) -> _Function:
    """Add the options that say which table is meant, and how to answer."""
    for option in (
        click.option("--json", "as_json", is_flag=True, help="The table's reply, as one object."),
        click.option(
            "--socket",
            "socket_path",
            type=click.Path(path_type=Path),
            help="The table's control socket, instead of --config.",
        ),
        click.option(
            "--config",
            "config_path",
            type=click.Path(path_type=Path),
            help=f"The table's configuration; {_DEFAULT_CONFIG} if left out.",
        ),
    ):
        command = option(command)
    return command


def _acting(command: _Function) -> _Function:
    """Add the options of a command that changes something."""
    for option in (
        click.option("--why", required=True, metavar="TEXT", help="The reason, for the record."),
        click.option("--by", required=True, metavar="NAME", help="Who acts, for the record."),
    ):
        command = option(command)
    return _reaching(command)


# --- looking -------------------------------------------------------------------------------


@floor.command("status")
@_reaching
def show_status(**said: Any) -> None:
    """Show the round, what the table waits for, and its alarms."""
    _ask(protocol.Status, said)


@floor.command("meters")
@_reaching
def show_meters(**said: Any) -> None:
    """Show the running table's meters, of the shift and of its lifetime."""
    _ask(protocol.ShowMeters, said)


@floor.command("recall")
@click.option(
    "--rounds",
    type=click.IntRange(1, protocol.MOST_RECALLED),
    default=protocol.MOST_RECALLED,
    show_default=True,
    help="How many.",
)
@_reaching
def recall(**said: Any) -> None:
    """Show the last rounds on the table's sign.

    They stay until something happens at the table, or for 30 seconds. Of the round in play nothing
    is shown that is still secret.
    """
    _ask(protocol.Recall, said)


@floor.command("log")
@click.option(
    "--journal",
    required=True,
    metavar="PATH",
    type=click.Path(dir_okay=False, path_type=Path),
    help="The table's journal, which may be in use, or an archive of it.",
)
@click.option(
    "--last", type=click.IntRange(min=1), default=20, show_default=True, help="How many, at most."
)
@click.option("--json", "as_json", is_flag=True, help="An object a line.")
def show_log(journal: Path, last: int, as_json: bool) -> None:
    """List the last actions of supervisors, newest first: when, who, what, why.

    What was refused is listed too, with the reason of the refusal. What is older than the journal
    keeps at hand lies in its archives: give one of these.
    """
    with reading(journal) as reader:
        for recorded, acted in islice(supervisor_actions(reader), last):
            click.echo(
                json.dumps(_logged(recorded, acted)) if as_json else _log_text(recorded, acted)
            )


# --- acting --------------------------------------------------------------------------------


@floor.command("advance")
@_acting
def advance(**said: Any) -> None:
    """Press ADVANCE. Out of the phase that the table shows now, and no other."""
    stands = _exchange(protocol.Status(), said)
    if stands.table is None:
        _conclude(stands, said, told=False)
    meant = {"phase": stands.table.phase, "round": stands.table.round}
    _ask(protocol.Advance, said | meant)


@floor.command("void")
@_acting
def void(**said: Any) -> None:
    """Void the round: every bet goes back. The reason is shown at the table."""
    _ask(protocol.Void, said)


@floor.command("designate")
@_spot
@_acting
def designate(**said: Any) -> None:
    """Make SPOT the designated player from the next lock on."""
    _ask(protocol.Designate, said)


@floor.command("bank")
@click.argument("cents", type=click.IntRange(0, protocol.MOST_CENTS))
@_acting
def bank(**said: Any) -> None:
    """Declare what the designated player covers wagers with, in CENTS."""
    _ask(protocol.Bank, said)


@floor.command("action-button")
@_spot
@_acting
def action_button(**said: Any) -> None:
    """Move the action button: all action starts at SPOT."""
    _ask(protocol.ActionButton, said)


@floor.command("dead")
@_spot
@_acting
def dead(**said: Any) -> None:
    """Declare the hand of SPOT dead; a second time, alive again."""
    _ask(protocol.Dead, said)


@floor.command("fold")
@_spot
@_acting
def fold(**said: Any) -> None:
    """Fold the hand of SPOT: the main wager loses, Fortune and envy stand."""
    _ask(protocol.Fold, said)


@floor.command("surrender")
@_spot
@_acting
def surrender(**said: Any) -> None:
    """Surrender the hand of SPOT, where the rules offer it."""
    _ask(protocol.Surrender, said)


@floor.command("link")
@click.argument("spots", metavar="A B", type=click.IntRange(1, 7), nargs=2)
@_acting
def link(**said: Any) -> None:
    """Make neighbouring spots A and B one player's; a second time, two players' again."""
    _ask(protocol.LinkSpots, said)


@floor.command("set-low")
@_spot
@click.argument("cards", metavar="CARDS...", nargs=-1, required=True)
@_acting
def set_low(**said: Any) -> None:
    """Record the player's own setting of SPOT: CARDS are the low hand. Once revealed."""
    _ask(protocol.SetLow, said)


@floor.command("correct")
@click.argument("position", type=click.IntRange(0, 7))
@click.argument("was")
@click.argument("now")
@_acting
def correct(**said: Any) -> None:
    """Correct a misread card of POSITION (0 is the dealer) from WAS to NOW. Once revealed.

    Both cards stay on record, and what is owed is computed anew.
    """
    _ask(protocol.Correct, said)


@floor.command("resend")
@click.argument("from_sequence", type=click.IntRange(min=1))
@_acting
def resend(**said: Any) -> None:
    """Send the feed's events from FROM_SEQUENCE on once more."""
    _ask(protocol.Resend, said)


@floor.command("close-shift")
@_acting
def close_shift(**said: Any) -> None:
    """Close the shift, and show the meters that it ends with."""
    _ask(protocol.CloseShift, said)


# --- asking and answering ------------------------------------------------------------------


def _ask(model: type[Request], said: dict[str, Any]) -> NoReturn:
    """Send the request that was typed, show the reply, and exit as it came out."""
    fields = {name: value for name, value in said.items() if name in model.model_fields}
    try:
        request = model(**fields)
    except ValidationError as error:
        raise click.UsageError(faults_in(error, model)) from error
    _conclude(_exchange(request, said), said, told=not isinstance(request, protocol.Status))


def _exchange(request: Request, said: dict[str, Any]) -> Reply:
    try:
        return ask(_socket(said["config_path"], said["socket_path"]), request)
    except Unreachable as error:
        raise click.ClickException(str(error)) from error


def _socket(config_path: Path | None, socket_path: Path | None) -> Path:
    if socket_path is not None:
        if config_path is not None:
            raise click.UsageError("give --config or --socket, not both")
        return socket_path
    try:
        return load_config(config_path or _DEFAULT_CONFIG).control.socket
    except ConfigError as error:
        for fault in error.faults:
            click.echo(f"{error.path}: {fault}", err=True)
        raise click.exceptions.Exit(_NO_SENSE) from error


def _conclude(reply: Reply, said: dict[str, Any], *, told: bool) -> NoReturn:
    if said["as_json"]:
        click.echo(reply.model_dump_json())
    else:
        _show(reply, told=told)
    raise click.exceptions.Exit(0 if reply.outcome == "done" else _NOT_DONE)


def _show(reply: Reply, *, told: bool) -> None:
    if reply.outcome != "done":
        click.echo(f"{reply.outcome}: {reply.text}", err=True)
    elif told or reply.table is None:
        click.echo(reply.text)
    if reply.table is not None:
        _show_table(reply.table)
    if reply.meters is not None:
        _show_meters(reply.meters)


def _show_table(table: TableShown) -> None:
    why = table.void_reason or table.suspended_reason
    click.echo(f"Round {table.round}: {table.phase.value}" + (f" ({why})" if why else ""))
    click.echo(f"Next: {table.next_step}")
    if table.notice is not None:
        click.echo(f"Shown: {table.notice}")
    for alarm in table.alarms:
        click.echo(f"Alarm: {alarm.text} [{alarm.code}]")


def _show_meters(meters: MetersShown) -> None:
    click.echo(f"{'':<32} {'shift':>14} {'lifetime':>16}")
    for name in sorted(meters.lifetime):
        click.echo(f"{name:<32} {meters.shift.get(name, 0):>14,} {meters.lifetime[name]:>16,}")


def _logged(recorded: RecordedFact, acted: SupervisorActed) -> dict[str, Any]:
    stamp = recorded.stamp
    return {
        "fact": recorded.number,
        "utc_ns": stamp.wall_utc_ns,
        "clock_synchronised": stamp.synchronised,
        "round": recorded.round_number,
        **acted.model_dump(exclude={"kind"}),
    }


def _log_text(recorded: RecordedFact, acted: SupervisorActed) -> str:
    stamp = recorded.stamp
    at = datetime.fromtimestamp(stamp.wall_utc_ns // _NS_PER_S).isoformat(" ")
    doubt = " " if stamp.synchronised else "?"
    what = f"{acted.text} ({acted.why})"
    refused = "" if acted.refused is None else f": refused, {acted.refused}"
    return (
        f"{at}{doubt} round {recorded.round_number:<6} {acted.by} [{acted.login}]  {what}{refused}"
    )
