"""Room on the disk and the state of the journal, by reading alone."""

from __future__ import annotations

import sqlite3
from pathlib import Path

from firmware_app.diagnosis.finding import Finding
from firmware_app.diagnosis.journal_check import check_disk, check_journal
from firmware_app.journal.mark import mark_path
from firmware_app.journal.records import Stamp
from firmware_app.journal.store import Journal
from firmware_app.table.facts import AlarmRaised

MIB_OF_A_PETABYTE = 1 << 30


def record(path: Path, entries: int) -> None:
    with Journal.open(path) as journal:
        for number in range(entries):
            fact = AlarmRaised(code="power-failed", text=f"alarm {number}")
            stamp = Stamp(1_700_000_000_000_000_000, number, "boot", True)
            journal.append([fact], [], [], round_number=0, stamp=stamp)


def journal_of(path: Path) -> Finding:
    (found,) = check_journal(path)
    return found


def test_a_whole_journal_is_proven_and_left_as_it_was(journal_path: Path) -> None:
    record(journal_path, 40)
    before = {entry: entry.read_bytes() for entry in journal_path.parent.iterdir()}

    found = journal_of(journal_path)

    assert found.status == "ok"
    assert "40 entries, 40 of the last ones proven here" in found.detail
    assert {entry: entry.read_bytes() for entry in journal_path.parent.iterdir()} == before


def test_proving_ends_when_its_time_is_over(journal_path: Path) -> None:
    record(journal_path, 40)
    (found,) = check_journal(journal_path, prove_at_most_s=0.0)
    assert found.status == "ok"
    assert "40 entries, 1 of the last ones proven" in found.detail


def test_a_journal_that_is_not_there_yet_is_fine(journal_path: Path) -> None:
    assert journal_of(journal_path).status == "ok"
    assert list(journal_path.parent.iterdir()) == []


def test_a_journal_that_was_taken_away_is_missed(journal_path: Path) -> None:
    record(journal_path, 3)
    journal_path.unlink()

    found = journal_of(journal_path)

    assert found.status == "failed"
    assert "is gone, though 3 entries had been recorded" in found.detail
    assert "--accept-new-journal" in found.cure


def test_an_older_copy_put_back_is_found_by_its_mark(journal_path: Path) -> None:
    record(journal_path, 3)
    older = journal_path.read_bytes()
    record(journal_path, 5)
    journal_path.write_bytes(older)

    found = journal_of(journal_path)

    assert found.status == "failed"
    assert "entry 4: is missing" in found.detail


def test_an_entry_that_was_changed_is_named(journal_path: Path) -> None:
    record(journal_path, 9)
    with sqlite3.connect(journal_path) as connection:
        connection.execute("DROP TRIGGER entry_is_never_changed")
        connection.execute(
            "UPDATE entry SET facts = replace(facts, 'alarm', 'calm') WHERE number = 6"
        )
    connection.close()

    found = journal_of(journal_path)

    assert found.status == "failed"
    assert "entry 6: does not fit the chain" in found.detail


def test_a_file_that_is_no_journal_is_told_so(journal_path: Path) -> None:
    journal_path.write_bytes(b"not a database " * 500)
    found = journal_of(journal_path)
    assert found.status == "failed"
    assert str(journal_path) in found.detail
    assert "--accept-new-journal" in found.cure


def test_a_journal_of_newer_software_says_which_software_to_install(journal_path: Path) -> None:
    record(journal_path, 1)
    with sqlite3.connect(journal_path) as connection:
        connection.execute("PRAGMA user_version = 99")
    connection.close()

    found = journal_of(journal_path)

    assert found.status == "failed"
    assert "has schema 99" in found.detail
    assert "install the newer software again" in found.cure


def test_the_mark_is_left_alone(journal_path: Path) -> None:
    record(journal_path, 2)
    before = mark_path(journal_path).stat()
    journal_of(journal_path)
    assert mark_path(journal_path).stat().st_mtime_ns == before.st_mtime_ns


def test_free_space_is_held_against_the_reserve(journal_path: Path) -> None:
    assert check_disk(journal_path, 1).status == "ok"

    full = check_disk(journal_path, MIB_OF_A_PETABYTE)
    assert full.status == "failed"
    assert "rounds cannot be recorded" in full.detail
    assert str(journal_path.parent) in full.cure


def test_a_folder_that_is_gone_is_named(tmp_path: Path) -> None:
    found = check_disk(tmp_path / "gone" / "journal.sqlite3", 1)
    assert found.status == "failed"
    assert found.cure == f"make the folder {tmp_path}/gone"
