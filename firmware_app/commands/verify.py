"""``fortune-table verify``: prove a journal, or name the first record that cannot be trusted."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path

import click

from firmware_app.commands.journal_file import (
    archives_option,
    journal_argument,
    one_line_for_errors,
)
from firmware_app.journal.audit import Audit, audit
from firmware_app.journal.changes import Change
from firmware_app.journal.history import archive_folder
from firmware_app.runtime.software import Software


@click.command("verify")
@click.option("--json", "as_json", is_flag=True, help="One JSON object, for programs.")
@click.option(
    "--without-archives",
    is_flag=True,
    help="Prove the journal alone, from its first entry that is not archived.",
)
@archives_option
@journal_argument
@click.pass_context
def verify(
    context: click.Context,
    journal: Path,
    as_json: bool,
    without_archives: bool,
    archives: Path | None,
) -> None:
    """Prove that JOURNAL is whole: chain, numbers, meters, and every fact replayed.

    Its archives are proven first, so that the whole history is. An archive is proven alone where it
    is given as JOURNAL. No file is altered, and the journal may be in use. Exits with 1 where an
    archive is missing or altered, which is named, or where the journal is not whole: then the first
    entry is named that cannot be trusted, and everything before it is proven. Tells the last ten
    changes of configuration and software too, and the digest of the software that runs here.
    """
    software = Software.running()
    with one_line_for_errors(journal):
        folder = None if without_archives else archives or archive_folder(journal)
        found = audit(journal, software=software.version, archives=folder)
    if as_json:
        told = {"whole": found.whole, **asdict(found), "software": asdict(software)}
        click.echo(json.dumps(told, indent=2))
    else:
        _print(journal, found)
        click.echo(f"software: {software.version}, SHA-256 {software.digest}")
    context.exit(0 if found.whole else 1)


def _print(journal: Path, found: Audit) -> None:
    if found.whole:
        click.echo(f"{journal} is whole.")
    elif found.fault is None:
        click.echo(f"{journal} is whole from entry {found.first_entry} on, its archives are not.")
    else:
        click.echo(f"{journal} is damaged: {found.fault}")
    if found.entries:
        click.echo(
            f"proven:   entries {found.first_entry} to {found.last_entry}, up to fact "
            f"{found.last_fact}, message {found.last_message}, round {found.last_round}"
        )
        click.echo(f"replayed: {found.facts_replayed} facts, to the same events and meters")
        click.echo(f"chain:    {found.chain}")
    else:
        click.echo("proven:   no entry")
    for archive in found.archives:
        fault = "whole" if archive.fault is None else archive.fault
        click.echo(
            f"archive:  {archive.file}, entries {archive.first_entry} to {archive.last_entry}, "
            f"SHA-256 {archive.sha256}: {fault}"
        )
    for each in found.changes:
        click.echo(f"changed:  {_change(each)}")
    for note in found.notes:
        click.echo(f"note:     {note}")


def _change(each: Change) -> str:
    software = f"software {each.software} {each.software_digest[:12]}".rstrip()
    names = "first on record" if each.changed is None else ", ".join(each.changed)
    return f"{each.time}, {software}, configuration {each.configuration_digest[:12]}: {names}"
