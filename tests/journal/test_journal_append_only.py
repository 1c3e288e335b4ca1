"""Entries are appended and never changed, whoever opens the file."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest
from recorded_table import RecordedTable

COLUMNS = (
    "number",
    "kind",
    "boot",
    "boot_id",
    "wall_utc_ns",
    "mono_ns",
    "synchronised",
    "round",
    "last_fact",
    "last_message",
    "facts",
    "kept",
    "told",
    "chain",
)


BLOBS = ("kept", "told", "chain")


@pytest.fixture
def shell(path: Path, table: RecordedTable) -> sqlite3.Connection:
    table.play_round()
    return sqlite3.connect(path, isolation_level=None)


def test_the_file_has_no_other_columns(shell: sqlite3.Connection) -> None:
    assert [row[1] for row in shell.execute("PRAGMA table_info(entry)")] == list(COLUMNS)


@pytest.mark.parametrize("column", COLUMNS)
def test_no_column_of_an_entry_can_be_changed(shell: sqlite3.Connection, column: str) -> None:
    value = "x'07'" if column in BLOBS else "7"
    with pytest.raises(sqlite3.IntegrityError, match="never changed"):
        shell.execute(f"UPDATE entry SET {column} = {value} WHERE number = 3")


def test_no_entry_can_be_deleted(shell: sqlite3.Connection) -> None:
    with pytest.raises(sqlite3.IntegrityError, match="never deleted"):
        shell.execute("DELETE FROM entry WHERE number = 2")


def test_no_entry_can_be_replaced_or_put_between(shell: sqlite3.Connection) -> None:
    for number in (2, 0, -1):
        with pytest.raises(sqlite3.IntegrityError, match="only appended"):
            shell.execute(
                "INSERT OR REPLACE INTO entry SELECT ?, kind, boot, boot_id, wall_utc_ns, mono_ns,"
                " synchronised, round, last_fact, last_message, facts, kept, told,"
                " chain FROM entry WHERE number = 3",
                (number,),
            )
