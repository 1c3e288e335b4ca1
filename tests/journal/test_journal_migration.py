"""Bringing a journal to a newer schema: version by version, each whole or not at all."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from firmware_app.journal import schema
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
