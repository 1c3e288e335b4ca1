"""Bringing a journal to a newer schema: version by version, each whole or not at all."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from recorded_table import SOFTWARE, RecordedTable

from firmware_app.journal import schema
from firmware_app.journal.audit import audit
from firmware_app.journal.store import Journal


@pytest.fixture
def connection(path: Path) -> Iterator[sqlite3.Connection]:
    Journal.open(path).close()
    opened = schema.connect(path)
    yield opened
    opened.close()


def version(connection: sqlite3.Connection) -> int:
    number: int = connection.execute("PRAGMA user_version").fetchone()[0]
    return number


def add_column(name: str) -> schema.Migration:
    def migration(connection: sqlite3.Connection) -> None:
        connection.execute(f"ALTER TABLE delivery ADD COLUMN {name} TEXT")

    return migration


def columns(connection: sqlite3.Connection) -> list[str]:
    return [row[1] for row in connection.execute("PRAGMA table_info(delivery)")]


def test_each_version_is_passed_in_turn(connection: sqlite3.Connection, path: Path) -> None:
    start = schema.SCHEMA_VERSION
    steps = {start: add_column("first"), start + 1: add_column("second")}
    schema.migrate(connection, path, target=start + 2, migrations=steps)
    assert version(connection) == start + 2
    assert columns(connection)[-2:] == ["first", "second"]


def test_a_migration_that_fails_leaves_the_version_before_it(
    connection: sqlite3.Connection, path: Path
) -> None:
    def fails(inner: sqlite3.Connection) -> None:
        add_column("half")(inner)
        raise ZeroDivisionError

    start = schema.SCHEMA_VERSION
    with pytest.raises(ZeroDivisionError):
        schema.migrate(
            connection,
            path,
            target=start + 2,
            migrations={start: add_column("a"), start + 1: fails},
        )
    assert version(connection) == start + 1
    assert columns(connection)[-1] == "a"


def test_there_is_a_way_from_every_version_to_this_one() -> None:
    assert sorted(schema.MIGRATIONS) == list(range(1, schema.SCHEMA_VERSION))


@pytest.fixture
def before_archives(path: Path) -> Path:
    """A journal of schema 2, which knew no archives."""
    table = RecordedTable(path)
    for _ in range(3):
        table.play_round()
    table.journal.close()
    with closing(sqlite3.connect(path, isolation_level=None)) as old:
        old.execute("DROP TABLE archive")  # and its triggers with it
        old.execute("DROP TRIGGER entry_is_never_deleted")
        old.execute(
            "CREATE TRIGGER entry_is_never_deleted BEFORE DELETE ON entry\n"
            "BEGIN SELECT RAISE(ABORT, 'entries are never deleted'); END"
        )
        old.execute("PRAGMA user_version = 2")
    return path


def test_a_journal_from_before_archives_is_proven_as_it_is(before_archives: Path) -> None:
    before = before_archives.read_bytes()
    found = audit(before_archives, software=SOFTWARE, archives=before_archives.parent)
    assert (found.whole, found.last_round) == (True, 3)
    assert before_archives.read_bytes() == before


def test_a_journal_from_before_archives_opens_and_can_list_some(before_archives: Path) -> None:
    with Journal.open(before_archives) as journal:
        assert journal.last_round_number == 3
        assert not journal.delete_archived(10)
    with closing(sqlite3.connect(before_archives)) as connection:
        assert version(connection) == schema.SCHEMA_VERSION
        assert schema.definitions(connection) == schema.intended_definitions(schema.SCHEMA_VERSION)
    assert audit(before_archives, software=SOFTWARE).whole
