"""``fortune-table schema``: the feed's contract as files."""

from __future__ import annotations

import json
from pathlib import Path

from click.testing import CliRunner

from firmware_app.commands.schema import schema
from firmware_app.table.events import EVENTS


def test_the_document_is_printed() -> None:
    result = CliRunner().invoke(schema)
    assert result.exit_code == 0
    document = json.loads(result.stdout)
    assert document["asyncapi"] == "3.0.0"
    assert {event.TYPE for event in EVENTS} < set(document["channels"])


def test_the_document_and_each_events_schema_are_written(tmp_path: Path) -> None:
    target = tmp_path / "contract" / "v1"
    result = CliRunner().invoke(schema, ["--write", str(target)])
    assert result.exit_code == 0
    names = {f"{event.TYPE}.schema.json" for event in EVENTS} | {"asyncapi.json"}
    assert {path.name for path in target.iterdir()} == names
    settled = json.loads((target / "round-settled.schema.json").read_text("utf-8"))
    assert settled["$id"] == "urn:fpg:v1:round-settled"
    printed = CliRunner().invoke(schema).stdout
    assert (target / "asyncapi.json").read_text("utf-8") == printed


def test_a_place_that_cannot_be_written_is_explained(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    result = CliRunner().invoke(schema, ["--write", str(tmp_path / "file" / "x")])
    assert result.exit_code == 1
    assert "--write" in result.stderr
    assert "Not a directory" in result.stderr
