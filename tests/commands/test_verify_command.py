"""``fortune-table verify``."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from hashlib import sha256
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from played_journal import files, play

from firmware_app.commands.verify import verify
from firmware_app.runtime.software import Software


@pytest.fixture
def journal(tmp_path: Path) -> Path:
    table = play(tmp_path / "journal.sqlite3")
    table.journal.close()
    return table.journal.path


def run(*arguments: object) -> Result:
    return CliRunner().invoke(verify, [str(argument) for argument in arguments])


def test_a_whole_journal_exits_0_and_says_what_is_proven(journal: Path) -> None:
    result = run(journal)
    assert (result.exit_code, result.stderr) == (0, "")
    assert "is whole" in result.stdout
    told = json.loads(run("--json", journal).stdout)
    assert told["whole"] is True
    with closing(sqlite3.connect(journal)) as connection:
        last = connection.execute(
            "SELECT number, last_fact, last_message, lower(hex(chain)) FROM entry "
            "ORDER BY number DESC LIMIT 1"
        ).fetchone()
    assert (told["last_entry"], told["last_fact"], told["last_message"], told["chain"]) == last
    assert told["facts_replayed"] > 30


def test_a_changed_record_exits_1_and_is_named(journal: Path) -> None:
    with closing(sqlite3.connect(journal)) as connection:
        connection.execute("DROP TRIGGER entry_is_never_changed")
        connection.execute(
            "UPDATE entry SET facts = replace(facts, '1000', '9000') WHERE number = 5"
        )
        connection.commit()
        changed = connection.execute("SELECT facts FROM entry WHERE number = 5").fetchone()
    assert "9000" in changed[0]
    result = run(journal)
    assert result.exit_code == 1
    assert "entry 5: does not fit the chain" in result.stdout
    assert "entries 1 to 4" in result.stdout
    told = json.loads(run("--json", journal).stdout)
    assert (told["whole"], told["bad_entry"], told["last_entry"]) == (False, 5, 4)


def test_any_kind_of_damage_exits_1(journal: Path) -> None:
    data = journal.read_bytes()
    for damaged in (data[: len(data) // 2], bytes(len(data)), b"", data[512:]):
        journal.write_bytes(damaged)
        result = run(journal)
        assert result.exit_code == 1
        assert result.exception is None or isinstance(result.exception, SystemExit)
        assert "damaged" in result.output


def test_no_such_file_is_one_clear_error(tmp_path: Path) -> None:
    result = run(tmp_path / "gone.sqlite3")
    assert (result.exit_code, result.stdout) == (1, "")
    assert "no such file; give the path of a journal" in result.stderr


def test_nothing_is_left_beside_the_file(journal: Path) -> None:
    before = files(journal.parent)
    run(journal)
    assert files(journal.parent) == before


def test_the_last_changes_and_the_software_are_told(journal: Path) -> None:
    result = run(journal)
    [change] = [line for line in result.stdout.splitlines() if line.startswith("changed:")]
    told = json.loads(run("--json", journal).stdout)
    [recorded] = told["changes"]
    assert change == (
        f"changed:  {recorded['time']}, software 0.1.0 000000000000, "
        f"configuration {recorded['configuration_digest'][:12]}: first on record"
    )
    assert recorded["configuration_digest"] == sha256(b"rules = 'envy'").hexdigest()
    running = Software.running()
    assert f"software: {running.version}, SHA-256 {running.digest}" in result.stdout
    assert told["software"] == {"version": running.version, "digest": running.digest}
