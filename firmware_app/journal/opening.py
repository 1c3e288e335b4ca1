"""How the file of a journal is opened for writing: made, checked, brought up to date."""

from __future__ import annotations

import os
import sqlite3
from itertools import count
from pathlib import Path
from typing import Final

from firmware_app.journal import schema
from firmware_app.journal.errors import JournalDamaged
from firmware_app.journal.head import Head, load_head
from firmware_app.journal.mark import Mark
from firmware_app.journal.reading import EntryReader
from firmware_app.journal.verification import BadEntry, check_mark, proven_tail

SIDE_FILES: Final = ("-wal", "-shm")
CHECKED_AT_OPENING: Final = 5_000
"""How many of the last entries prove themselves before the table opens; ``verify`` proves all."""


def open_file(path: Path, mark: Mark | None) -> tuple[sqlite3.Connection, Head]:
    """Return a connection to the journal at ``path``, and where it stands, its tail proven.

    The journal is made if there is none.

    ``mark`` is what lies beside it. Raises :class:`JournalDamaged`, ``JournalTooNew`` or
    ``sqlite3.Error``.
    """
    existed = path.exists()
    if not existed:
        _refuse_to_replace(path, mark)
    connection = schema.connect(path)
    try:
        if not existed or _never_finished(connection, mark):
            schema.create(connection)
            sync_folder(path)
        schema.migrate(connection, path)
        return connection, _proven_head(connection, path, mark)
    except BaseException:
        connection.close()
        raise


def _refuse_to_replace(path: Path, mark: Mark | None) -> None:
    if mark is not None and mark.entry:
        raise JournalDamaged(
            str(path),
            f"the file is gone, though {mark.entry} entries had been recorded",
            entry=1,
        )
    if path.with_name(path.name + "-wal").exists():
        raise JournalDamaged(str(path), "the file is gone, its -wal file is not", entry=1)


def _never_finished(connection: sqlite3.Connection, mark: Mark | None) -> bool:
    """Whether the power went while the file was being made, so that there is nothing in it."""
    if mark is not None and mark.entry:
        return False
    (tables,) = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
    return bool(tables == 0)


def sync_folder(path: Path) -> None:
    """Bring names made or changed beside ``path`` to the disk: SQLite syncs files only."""
    descriptor = os.open(path.absolute().parent, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def free_name(path: Path) -> Path:
    """Return a name beside ``path`` for a damaged file that is set aside."""
    for number in count(1):
        name = path.with_name(f"{path.name}.damaged-{number}")
        if not any(name.with_name(name.name + suffix).exists() for suffix in ("", *SIDE_FILES)):
            return name
    raise AssertionError("numbers do not end")


def _proven_head(connection: sqlite3.Connection, path: Path, mark: Mark | None) -> Head:
    reader = EntryReader(connection)
    try:
        check_mark(reader, mark)
        for _ in proven_tail(reader, CHECKED_AT_OPENING):
            pass
        return load_head(reader)
    except BadEntry as bad:
        raise JournalDamaged(str(path), str(bad), entry=bad.number) from bad
    except ValueError as error:
        raise JournalDamaged(str(path), str(error)) from error
