"""``fortune-table check``: whether this table can open, and what to do where it cannot."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import click
from rich.console import Console
from rich.table import Table
from rich.text import Text

from firmware_app.config import ConfigError, load_config
from firmware_app.diagnosis.checks import check_table
from firmware_app.diagnosis.finding import Finding, finding_of
from hw.chips import open_pins
from hw.health import Status

# A word for each status, so that nothing is told by colour alone.
_WORDS: Final[dict[Status, tuple[str, str]]] = {
    "ok": ("ok", "green"),
    "warning": ("WARNING", "yellow"),
    "failed": ("FAILED", "bold red"),
    "unsupported": ("not known", "cyan"),
}


@click.command("check")
@click.option(
    "--config",
    "path",
    required=True,
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="The table's configuration.",
)
@click.option("--json", "as_json", is_flag=True, help="A list of objects, for programs.")
@click.pass_context
def check(context: click.Context, path: Path, as_json: bool) -> None:
    """Check whether the table can open, and tell the cure of whatever stands against it.

    Run it as the service's user, while the table is stopped: what a running table holds is left
    alone. Lamps go dark, nothing is recorded, and one message about the device's health goes out.

    Exits 0 if the table can open (warnings allowed), 1 if it cannot or must not, 2 if the
    configuration cannot be used.
    """
    try:
        config = load_config(path)
    except ConfigError as error:
        cure = f"correct it in {path}"
        faults = [finding_of("configuration", "failed", fault, cure) for fault in error.faults]
        _show(faults, as_json)
        context.exit(2)
    with Console(stderr=True).status("checking the table, this takes some seconds …"):
        found = [Finding("configuration", "ok", str(path)), *check_table(config, open_pins)]
    _show(found, as_json)
    context.exit(1 if any(finding.status == "failed" for finding in found) else 0)


def _show(found: Sequence[Finding], as_json: bool) -> None:
    if as_json:
        click.echo(json.dumps([finding.as_json() for finding in found], indent=2))
        return
    console = Console()
    for finding in found:
        if finding.lines:
            console.print(_wiring(finding))
            console.print()
    console.print(_results(found))
    console.print()
    console.print(Text(_verdict(found)))


def _wiring(finding: Finding) -> Table:
    table = Table("line", "pin", "header", box=None, pad_edge=False)
    for wired in finding.lines:
        table.add_row(wired.line, wired.pin, wired.board)
    return table


def _results(found: Sequence[Finding]) -> Table:
    table = Table("result", "check", "what was found, and the cure", box=None, pad_edge=False)
    for finding in found:
        word, style = _WORDS[finding.status]
        # Texts, not markup: a chip's label comes in square brackets.
        table.add_row(Text(word, style), Text(finding.check), Text(finding.detail))
        if finding.cure:
            table.add_row("", "", Text(f"→ {finding.cure}"))
    return table


def _verdict(found: Sequence[Finding]) -> str:
    failed = sum(finding.status == "failed" for finding in found)
    warnings = sum(finding.status == "warning" for finding in found)
    told = f"{failed} failed, {warnings} warning{'' if warnings == 1 else 's'}"
    return f"The table can{'not' if failed else ''} open: {told}."
