"""``fortune-table schema``: the feed's contract, for the people who build the other side."""

from __future__ import annotations

import json
from pathlib import Path

import click

from firmware_app.feed.schema import asyncapi, data_schema
from firmware_app.table.events import EVENTS

ASYNCAPI_FILE = "asyncapi.json"


@click.command("schema")
@click.option(
    "--write",
    "directory",
    type=click.Path(file_okay=False, path_type=Path),
    help="Write the document, and a JSON Schema for each event, into this directory.",
)
def schema(directory: Path | None) -> None:
    """Print the feed's AsyncAPI 3 document."""
    document = _text(asyncapi())
    if directory is None:
        click.echo(document, nl=False)
        return
    try:
        directory.mkdir(parents=True, exist_ok=True)
        (directory / ASYNCAPI_FILE).write_text(document, encoding="utf-8")
        for event in EVENTS:
            path = directory / f"{event.TYPE}.schema.json"
            path.write_text(_text(data_schema(event)), encoding="utf-8")
    except OSError as error:
        raise click.ClickException(f"--write {directory}: {error.strerror}") from error
    click.echo(f"{directory}: {ASYNCAPI_FILE} and {len(EVENTS)} event schemas")


def _text(document: dict[str, object]) -> str:
    return json.dumps(document, indent=2, ensure_ascii=False) + "\n"
