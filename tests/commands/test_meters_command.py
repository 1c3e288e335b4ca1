"""``fortune-table meters``."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from played_journal import files, play

from firmware_app.commands.meters import meters


@pytest.fixture
def journal(tmp_path: Path) -> Path:
    table = play(tmp_path / "journal.sqlite3")
    table.journal.close()
    return table.journal.path


def run(*arguments: object) -> Result:
    return CliRunner().invoke(meters, [str(argument) for argument in arguments])


def test_programs_read_lifetime_and_shift(journal: Path) -> None:
    result = run("--json", journal)
    assert (result.exit_code, result.stderr) == (0, "")
    told = json.loads(result.stdout)
    # Rounds 1 and 3 are settled; the shift began after round 2. In round 3 the bets of round 1
    # still lay there, and all lost.
    assert told["lifetime"]["rounds.settled"] == 2
    assert told["lifetime"]["rounds.voided"] == 1
    assert told["shift"]["rounds.settled"] == 1
    assert told["lifetime_totals"] == {
        "in_cents": 36_00,
        "paid_cents": 130_00,
        "collected_cents": 31_00,
    }
    assert told["shift_totals"] == {"in_cents": 18_00, "collected_cents": 18_00}
    assert told["lifetime"]["line.four_of_a_kind.paid_cents"] == 125_00
    assert told["lifetime"]["spot.3.envy.paid_cents"] == 5_00


def test_people_read_them_by_spot_and_by_line(journal: Path) -> None:
    text = run(journal).stdout
    assert "Lifetime: rounds settled 2, voided 1, opened 4" in text
    assert "In $36, paid $130, collected $31, returned $0" in text
    assert "four of a kind" in text
    shift = run("--shift", journal).stdout
    # Round 3 was opened before the shift began.
    assert "Shift: rounds settled 1, voided 0, opened 1" in shift
    assert "In $18, paid $0" in shift


def test_no_such_file_is_one_clear_error(tmp_path: Path) -> None:
    result = run(tmp_path / "gone.sqlite3")
    assert result.exit_code == 1
    assert "no such file" in result.stderr


def test_a_file_that_is_no_journal_is_one_clear_error(tmp_path: Path) -> None:
    other = tmp_path / "notes.txt"
    other.write_text("nothing like a database, but long enough to be read as one " * 20)
    result = run(other)
    assert result.exit_code == 1
    assert "notes.txt" in result.stderr
    assert result.stderr.count("\n") == 1


def test_nothing_is_left_beside_the_file(journal: Path) -> None:
    before = files(journal.parent)
    run(journal)
    assert files(journal.parent) == before
