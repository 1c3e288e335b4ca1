"""A log file that is gone or cut after a crash: what was recorded in it is missed."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from recorded_table import SOFTWARE, RecordedTable

from firmware_app.journal.audit import audit
from firmware_app.journal.errors import JournalDamaged
from firmware_app.journal.mark import mark_path, read_mark
from firmware_app.journal.store import Journal


@pytest.fixture
def crashed(table: RecordedTable, tmp_path: Path) -> Path:
    """The files as a controller leaves them that is killed: the log is not brought in."""
    for _ in range(3):
        table.play_round()
    folder = tmp_path / "crashed"
    folder.mkdir()
    for file in tmp_path.glob("journal.sqlite3*"):
        if not file.name.endswith("-shm"):
            shutil.copy(file, folder / file.name)
    assert (folder / "journal.sqlite3-wal").stat().st_size > 0
    return folder / "journal.sqlite3"


def test_the_log_is_brought_in_at_the_next_opening(crashed: Path, table: RecordedTable) -> None:
    assert audit(crashed, software=SOFTWARE).last_entry == table.second
    with Journal.open(crashed) as journal:
        assert journal.next_fact_number == table.journal.next_fact_number
        assert journal.meters == table.journal.meters


def test_a_log_that_is_gone_is_missed(crashed: Path) -> None:
    (crashed.parent / "journal.sqlite3-wal").unlink()
    found = audit(crashed, software=SOFTWARE)
    assert found.bad_entry == 1
    assert found.fault is not None
    assert "-wal file gone" in found.fault
    with pytest.raises(JournalDamaged, match="-wal file gone"):
        Journal.open(crashed)


def test_a_log_that_lost_its_tail_is_missed(crashed: Path, table: RecordedTable) -> None:
    log = crashed.parent / "journal.sqlite3-wal"
    with log.open("r+b") as file:
        file.truncate(log.stat().st_size - 600)
    found = audit(crashed, software=SOFTWARE)
    assert found.bad_entry == table.second
    with pytest.raises(JournalDamaged):
        Journal.open(crashed)


def test_a_mark_that_lags_after_a_power_cut_is_no_fault(
    path: Path, table: RecordedTable, tmp_path: Path
) -> None:
    # The mark is not synced: the disk may hold an older one than the journal deserves.
    table.play_round()
    older = mark_path(path).read_bytes()
    table.play_round()
    table.journal.close()
    mark_path(path).write_bytes(older)
    assert audit(path, software=SOFTWARE).whole
    with Journal.open(path) as journal:
        assert journal.last_round_number == 2
    assert mark_path(path).read_bytes() != older


@pytest.mark.parametrize("left", [b"", b"rubbish", b"00000000 {}\n"])
def test_a_mark_that_is_unreadable_counts_as_none_and_is_written_anew(
    path: Path, table: RecordedTable, left: bytes
) -> None:
    table.play_round()
    table.journal.close()
    written = read_mark(path)
    assert written is not None
    mark_path(path).write_bytes(left)
    assert audit(path, software=SOFTWARE).notes != ()
    Journal.open(path).close()
    assert read_mark(path) == written
    assert audit(path, software=SOFTWARE).notes == ()
