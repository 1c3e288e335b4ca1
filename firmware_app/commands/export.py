"""``fortune-table export``: a journal as CSV or JSON lines, for auditors and their programs."""

from __future__ import annotations

import csv
import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

import click

from firmware_app.commands.journal_file import (
    archives_option,
    journal_argument,
    reading,
    reading_history,
)
from firmware_app.journal.export import COLUMNS, What, rows


@click.command("export")
@click.option(
    "--what",
    type=click.Choice(list(COLUMNS)),
    default="facts",
    show_default=True,
    help="What happened, what the table told, or the messages as they were sent.",
)
@click.option(
    "--format",
    "written_as",
    type=click.Choice(["jsonl", "csv"]),
    default="jsonl",
    show_default=True,
)
@click.option(
    "--output",
    type=click.Path(dir_okay=False, path_type=Path),
    help="A new file; standard output without it.",
)
@click.option(
    "--without-archives", is_flag=True, help="Only what still lies in the journal itself."
)
@archives_option
@journal_argument
def export(
    journal: Path,
    what: What,
    written_as: str,
    output: Path | None,
    without_archives: bool,
    archives: Path | None,
) -> None:
    """Write JOURNAL as CSV or JSON lines, in the order of recording. It is not altered.

    Old entries are read from the archives, and one that is missing is named.

    Facts hold the hands of a round before they are revealed: keep an export of a round in play
    from the players' eyes.
    """
    opened = reading(journal) if without_archives else reading_history(journal, archives)
    with opened as reader, _opened(output) as stream:
        if written_as == "jsonl":
            for row in rows(reader, what):
                stream.write(json.dumps(row, ensure_ascii=False) + "\n")
            return
        columns = [*COLUMNS[what], "data"]
        writer = csv.DictWriter(stream, columns, extrasaction="ignore")
        writer.writeheader()
        for row in rows(reader, what):
            data = row["data"]
            text = data if isinstance(data, str) else json.dumps(data, ensure_ascii=False)
            writer.writerow({**row, "data": text})


@contextmanager
def _opened(output: Path | None) -> Iterator[TextIO]:
    if output is None:
        yield sys.stdout
        return
    try:
        # An export may be evidence: it never overwrites another.
        stream = output.open("x", encoding="utf-8", newline="")
    except OSError as error:
        raise click.ClickException(
            f"--output {output}: cannot be made ({error.strerror}); name a new file"
        ) from error
    with stream:
        yield stream
