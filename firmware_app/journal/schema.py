"""The SQLite file: its tables, its settings, how it is opened and how it is brought up to date."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Final
from urllib.parse import quote

from firmware_app.journal.errors import JournalDamaged, JournalError, JournalTooNew

APPLICATION_ID: Final = 0x46_50_47_4A  # "FPGJ", so that `file` and the shell tell it apart
ARCHIVE_ID: Final = 0x46_50_47_41
"""``FPGA``: old entries of a journal in a file of their own. It is read like one, never written."""
SCHEMA_VERSION: Final = 4
LISTS_ARCHIVES: Final = 3
"""The schema from which on a journal has the table ``archive``."""

# A commit writes whole pages, twice: to the write-ahead log and, later, to the file. An entry is
# a few hundred bytes, so the smallest page that SQLite has writes the least; see the benchmark.
PAGE_SIZE_BYTES: Final = 512
MOST_PAGES: Final = 0xFFFF_FFFE
_ARCHIVE_PAGE_BYTES: Final = 4_096
_CHECKPOINT_AFTER_PAGES: Final = 1_000
_LOG_KEPT_BYTES: Final = 16_000_000
_BUSY_TIMEOUT_S: Final = 10.0

# As version 1 made it; what came since is in the migrations, which a new file goes through too.
_SCHEMA: Final = """
CREATE TABLE entry (
    number       INTEGER PRIMARY KEY,
    kind         TEXT    NOT NULL,
    boot         INTEGER NOT NULL,  -- the entry that names this boot in boot_id
    boot_id      TEXT,
    wall_utc_ns  INTEGER NOT NULL,
    mono_ns      INTEGER NOT NULL,
    synchronised INTEGER NOT NULL,
    round        INTEGER NOT NULL,
    last_fact    INTEGER NOT NULL,
    last_message INTEGER NOT NULL,
    facts        TEXT    NOT NULL,  -- one JSON object a line
    kept         BLOB,              -- deflated JSON
    told         BLOB,              -- deflated messages and events
    chain        BLOB    NOT NULL   -- SHA-256 over the entry and the chain before it
) STRICT;

CREATE TABLE delivery (
    one     INTEGER PRIMARY KEY CHECK (one = 1),
    through INTEGER NOT NULL  -- every message up to here is acknowledged
) STRICT;

CREATE TRIGGER entry_numbers_go_up BEFORE INSERT ON entry
WHEN NEW.number <= (SELECT max(number) FROM entry)
BEGIN SELECT RAISE(ABORT, 'entries are only appended'); END;

CREATE TRIGGER entry_is_never_deleted BEFORE DELETE ON entry
BEGIN SELECT RAISE(ABORT, 'entries are never deleted'); END;

CREATE TRIGGER entry_is_never_changed BEFORE UPDATE ON entry
BEGIN SELECT RAISE(ABORT, 'entries are never changed'); END;

INSERT INTO delivery VALUES (1, 0);
"""

_ARCHIVES: Final = (
    """CREATE TABLE archive (
    last   INTEGER PRIMARY KEY,  -- number of the last entry in the file
    first  INTEGER NOT NULL,
    file   TEXT    NOT NULL,     -- it lies in the folder "archive" beside the journal
    sha256 TEXT    NOT NULL,     -- of the whole file
    seam   BLOB    NOT NULL,     -- deflated JSON: what the entries behind the last one go on from
    entry  INTEGER NOT NULL      -- the entry that recorded all this
) STRICT""",
    "DROP TRIGGER entry_is_never_deleted",
    """CREATE TRIGGER entry_is_never_deleted BEFORE DELETE ON entry
WHEN OLD.number > (SELECT coalesce(max(last), 0) FROM archive)
BEGIN SELECT RAISE(ABORT, 'entries are never deleted unless they are archived'); END""",
    """CREATE TRIGGER archives_go_on BEFORE INSERT ON archive
WHEN NEW.last < NEW.first OR NEW.first <> (SELECT max(last) + 1 FROM archive)
BEGIN SELECT RAISE(ABORT, 'an archive goes on where the one before it ends'); END""",
    """CREATE TRIGGER archive_is_never_deleted BEFORE DELETE ON archive
BEGIN SELECT RAISE(ABORT, 'archives are never deleted from this list'); END""",
    """CREATE TRIGGER archive_is_never_changed BEFORE UPDATE ON archive
BEGIN SELECT RAISE(ABORT, 'archives are never changed'); END""",
)

Migration = Callable[[sqlite3.Connection], None]


def _new_facts(connection: sqlite3.Connection) -> None:
    """Schemas 2 and 4 know more facts, or fields of them, than the one before; no table differs."""


def _archives(connection: sqlite3.Connection) -> None:
    """Schema 3 lists the archives that old entries were moved to."""
    for statement in _ARCHIVES:
        connection.execute(statement)


MIGRATIONS: Final[Mapping[int, Migration]] = {1: _new_facts, 2: _archives, 3: _new_facts}
"""What brings a journal of schema N to N + 1, by N. Each runs inside one transaction."""


def connect(path: Path) -> sqlite3.Connection:
    """Open ``path`` for writing. Commits are on the disk when they return (``FULL``).

    The connection may be handed from thread to thread; its owner serialises the use of it.
    """
    connection = sqlite3.connect(
        path, timeout=_BUSY_TIMEOUT_S, isolation_level=None, check_same_thread=False
    )
    connection.execute("PRAGMA synchronous = FULL")
    connection.execute(f"PRAGMA wal_autocheckpoint = {_CHECKPOINT_AFTER_PAGES}")
    # The log is used over again, which costs less than growing it anew; but a long read makes it
    # grow without end, and that much of the card is given back.
    connection.execute(f"PRAGMA journal_size_limit = {_LOG_KEPT_BYTES}")
    # What is deleted is no secret, it lies in an archive; blanking it would wear the card.
    connection.execute("PRAGMA secure_delete = OFF")
    return connection


def connect_for_delivery(path: Path) -> sqlite3.Connection:
    """Open ``path`` for the outbox: an acknowledgement does not wait for the disk.

    One that a power cut loses leads to a second sending of the same bytes, nothing more. Moving
    pages from the log to the file is left to the writer, which syncs them.
    """
    connection = connect(path)
    connection.execute("PRAGMA synchronous = NORMAL")
    connection.execute("PRAGMA wal_autocheckpoint = 0")
    return connection


def connect_to_recall(path: Path) -> sqlite3.Connection:
    """Open the journal that this process writes, to read from it beside the writing.

    On the writing connection a read that is still open would keep the next commit from being made
    once the outbox has written in between.
    """
    connection = connect(path)
    connection.execute("PRAGMA query_only = ON")
    return connection


def connect_for_reading(path: Path) -> sqlite3.Connection:
    """Open ``path`` without any right to change it; raise :class:`JournalError` without a file."""
    if not path.is_file():
        raise JournalError(f"journal {path}: no such file; give the path of a journal")
    # Without a log nobody is writing, and "immutable" leaves no side files behind: it works on
    # read-only media and on a copy kept as evidence.
    log = path.with_name(path.name + "-wal")
    immutable = "" if log.exists() and log.stat().st_size else "&immutable=1"
    return sqlite3.connect(
        f"file:{quote(str(path.absolute()))}?mode=ro{immutable}",
        uri=True,
        timeout=_BUSY_TIMEOUT_S,
        isolation_level=None,
        check_same_thread=False,
    )


def create(connection: sqlite3.Connection) -> None:
    """Make an empty journal of the file."""
    connection.execute(f"PRAGMA page_size = {PAGE_SIZE_BYTES}")
    connection.execute("PRAGMA journal_mode = WAL")
    _make(connection, APPLICATION_ID)
    # The file is a journal from here on even if the log should get lost.
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")


def create_archive(connection: sqlite3.Connection) -> None:
    """Make an empty archive of the file: to be filled at once, synced, and never written again."""
    connection.execute(f"PRAGMA page_size = {_ARCHIVE_PAGE_BYTES}")
    # A file that was not finished is thrown away, so nothing has ever to be taken back.
    connection.execute("PRAGMA journal_mode = OFF")
    _make(connection, ARCHIVE_ID)


def _make(connection: sqlite3.Connection, application_id: int) -> None:
    connection.executescript(
        f"BEGIN IMMEDIATE; PRAGMA application_id = {application_id}; "
        f"PRAGMA user_version = {SCHEMA_VERSION}; {_SCHEMA}"
    )
    _bring_up(connection, SCHEMA_VERSION)
    connection.execute("COMMIT")


def _bring_up(connection: sqlite3.Connection, version: int) -> None:
    for before in range(1, version):
        MIGRATIONS[before](connection)


def definitions(connection: sqlite3.Connection) -> list[tuple[str, str]]:
    """Return the name and SQL of every table and trigger."""
    return connection.execute(
        "SELECT name, sql FROM sqlite_master WHERE sql IS NOT NULL ORDER BY name"
    ).fetchall()


def intended_definitions(version: int) -> list[tuple[str, str]]:
    """Return what :func:`definitions` gives for a journal of schema ``version``."""
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as connection:
        connection.executescript(_SCHEMA)
        _bring_up(connection, version)
        return definitions(connection)


def check_structure(connection: sqlite3.Connection) -> None:
    """Raise ``sqlite3.DatabaseError`` unless pages, tables and triggers are as they were made."""
    (found,) = connection.execute("PRAGMA integrity_check(1)").fetchone()
    if found != "ok":
        raise sqlite3.DatabaseError(found)
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    if definitions(connection) != intended_definitions(version):
        raise sqlite3.DatabaseError(
            "its tables or the triggers that keep entries unchanged are not as they were made"
        )


def is_archive(connection: sqlite3.Connection) -> bool:
    """Return whether the file is an archive rather than a journal."""
    (application_id,) = connection.execute("PRAGMA application_id").fetchone()
    return bool(application_id == ARCHIVE_ID)


def schema_version(connection: sqlite3.Connection, path: Path) -> int:
    """Return the schema of a journal or archive; raise for any other file, and a newer one."""
    (application_id,) = connection.execute("PRAGMA application_id").fetchone()
    if application_id not in (APPLICATION_ID, ARCHIVE_ID):
        raise JournalDamaged(str(path), "it is not a journal of a Fortune table")
    version: int = connection.execute("PRAGMA user_version").fetchone()[0]
    if version > SCHEMA_VERSION:
        raise JournalTooNew(
            f"journal {path} has schema {version}, this software knows up to {SCHEMA_VERSION}; "
            "install the newer software again, since an older one must not write to it"
        )
    return version


@contextmanager
def transaction(connection: sqlite3.Connection) -> Iterator[None]:
    """Make one transaction of what is done within: all of it is recorded, or nothing."""
    # IMMEDIATE takes the write lock before anything is read: a transaction that reads first
    # cannot write once another connection has, and no time-out helps it.
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def migrate(
    connection: sqlite3.Connection,
    path: Path,
    *,
    target: int = SCHEMA_VERSION,
    migrations: Mapping[int, Migration] = MIGRATIONS,
) -> None:
    """Bring the journal to schema ``target``, one version after the other, each whole or not."""
    if is_archive(connection):
        raise JournalError(
            f"journal {path} is an archive of old entries, which is only read; give the path of "
            "the journal that it belongs to"
        )
    for version in range(schema_version(connection, path), target):
        with transaction(connection):
            migrations[version](connection)
            connection.execute(f"PRAGMA user_version = {version + 1}")
