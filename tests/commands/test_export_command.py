"""``fortune-table export``."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from played_journal import QUADS, files, play

from firmware_app.commands.export import export


@pytest.fixture
def journal(tmp_path: Path) -> Path:
    (tmp_path / "table").mkdir()
    table = play(tmp_path / "table" / "journal.sqlite3")
    table.journal.close()
    return table.journal.path


def run(*arguments: object) -> Result:
    return CliRunner().invoke(export, [str(argument) for argument in arguments])


def test_every_fact_is_a_json_line_numbered_without_a_gap(journal: Path) -> None:
    result = run(journal)
    assert (result.exit_code, result.stderr) == (0, "")
    rows = [json.loads(line) for line in result.stdout.splitlines()]
    assert [row["fact"] for row in rows] == list(range(1, len(rows) + 1))
    hand = next(row for row in rows if row["kind"] == "hand-read" and row["data"]["position"] == 1)
    assert hand["data"]["cards"] == QUADS.split()
    assert hand["time"].startswith("2025-11-30T12:00:")
    assert (hand["clock_synchronised"], hand["boot"]) == (True, "boot-1")


def test_the_same_facts_as_csv(journal: Path) -> None:
    lines = [json.loads(line) for line in run(journal).stdout.splitlines()]
    table = list(csv.DictReader(io.StringIO(run("--format", "csv", journal).stdout)))
    assert len(table) == len(lines)
    for row, line in zip(table, lines, strict=True):
        assert json.loads(row.pop("data")) == line["data"]
        assert row == {name: str(line[name]) for name in row}


def test_messages_are_exported_as_they_were_sent(journal: Path) -> None:
    rows = [json.loads(line) for line in run("--what", "messages", journal).stdout.splitlines()]
    assert [row["sequence"] for row in rows] == list(range(1, len(rows) + 1))
    settled = [row for row in rows if row["type"] == "round-settled"]
    assert [json.loads(row["data"])["round"] for row in settled] == [1, 3]


def test_events_are_exported_by_type(journal: Path) -> None:
    rows = [json.loads(line) for line in run("--what", "events", journal).stdout.splitlines()]
    assert [row["data"]["round"] for row in rows if row["type"] == "round-voided"] == [2]


@pytest.mark.parametrize("written_as", ["jsonl", "csv"])
def test_a_file_gets_what_standard_output_would(
    journal: Path, tmp_path: Path, written_as: str
) -> None:
    output = tmp_path / "facts"
    assert run("--format", written_as, "--output", output, journal).exit_code == 0
    printed = run("--format", written_as, journal)
    assert output.read_bytes() == printed.stdout_bytes


def test_an_export_never_overwrites_another(journal: Path, tmp_path: Path) -> None:
    output = tmp_path / "facts.jsonl"
    output.write_text("evidence")
    result = run("--output", output, journal)
    assert result.exit_code == 1
    assert "name a new file" in result.stderr
    assert output.read_text() == "evidence"


def test_a_damaged_journal_is_exported_up_to_the_damage(journal: Path) -> None:
    whole = run(journal).stdout
    data = bytearray(journal.read_bytes())
    at = data.index(b'"hand-read"')
    data[at // 512 * 512 : at // 512 * 512 + 512] = bytes(512)
    journal.write_bytes(data)
    result = run(journal)
    assert result.exit_code == 1
    assert result.stdout
    assert whole.startswith(result.stdout)
    assert "journal.sqlite3" in result.stderr


def test_the_journal_is_not_altered(journal: Path) -> None:
    before = files(journal.parent)
    run(journal)
    assert files(journal.parent) == before
