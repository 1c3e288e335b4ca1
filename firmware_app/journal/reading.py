"""Entries as they lie in the file, one after the other or found by number."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from firmware_app.journal import packing, schema
from firmware_app.journal.errors import translated
from firmware_app.journal.records import (
    Configuration,
    Entry,
    RecordedConfiguration,
    RecordedEvent,
    RecordedFact,
    Stamp,
)
from firmware_app.table.facts import fact_from_json

# The cast keeps damaged text from failing inside sqlite3, where its entry could not be named.
_COLUMNS = (
    "number, kind, boot, wall_utc_ns, mono_ns, synchronised, round, last_fact, last_message, "
    "CAST(facts AS BLOB), kept, told, chain"
)


class EntryReader:
    """Reads entries through a connection that its owner opened and closes.

    Any method raises ``sqlite3.DatabaseError`` for a damaged page and ``ValueError`` (or another
    plain error of decoding) for a damaged entry.
    """

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._boots: dict[int, str] = {}

    def first_number(self) -> int:
        """Return the number of the first entry, 0 for an empty journal."""
        (number,) = self._connection.execute("SELECT min(number) FROM entry").fetchone()
        return number or 0

    def last_number(self) -> int:
        """Return the number of the last entry, 0 for an empty journal."""
        (number,) = self._connection.execute("SELECT max(number) FROM entry").fetchone()
        return number or 0

    def entry(self, number: int) -> Entry | None:
        """Return entry ``number``, None where there is none."""
        row = self._connection.execute(
            f"SELECT {_COLUMNS} FROM entry WHERE number = ?", (number,)
        ).fetchone()
        return None if row is None else self._entry(row)

    def head(self) -> Entry | None:
        """Return the last entry."""
        return next(self.backwards(), None)

    def forwards(self, *, after: int = 0) -> Iterator[Entry]:
        """Yield the entries numbered above ``after``, oldest first."""
        for row in self._connection.execute(
            f"SELECT {_COLUMNS} FROM entry WHERE number > ? ORDER BY number", (after,)
        ):
            yield self._entry(row)

    def backwards(self, *, before: int | None = None) -> Iterator[Entry]:
        """Yield the entries numbered below ``before`` (None: all), newest first."""
        bound = "" if before is None else f"WHERE number < {before:d}"
        for row in self._connection.execute(
            f"SELECT {_COLUMNS} FROM entry {bound} ORDER BY number DESC"
        ):
            yield self._entry(row)

    def first_reaching(self, column: str, value: int) -> int:
        """Return the first entry whose ``column`` is at least ``value``.

        ``column`` is one that never falls (``round``, ``last_fact``, ``last_message``), so that no
        index is needed: an index would be one more page to write with every commit. Returns one
        past the last entry where none reaches ``value``.
        """
        low, high = self.first_number() or 1, self.last_number() + 1
        while low < high:
            middle = (low + high) // 2
            row = self._connection.execute(
                f"SELECT {column} >= ? FROM entry WHERE number = ?", (value, middle)
            ).fetchone()
            if row is None:
                raise ValueError(f"entry {middle} is missing")
            if row[0]:
                high = middle
            else:
                low = middle + 1
        return low

    def _entry(self, row: tuple[Any, ...]) -> Entry:
        (
            number, kind, boot, wall_utc_ns, mono_ns, synchronised, round_number,
            last_fact, last_message, facts, kept, told, link,
        ) = row  # fmt: skip
        return Entry(
            number=number,
            kind=kind,
            stamp=Stamp(wall_utc_ns, mono_ns, self._boot_id(boot), bool(synchronised)),
            round_number=round_number,
            last_fact=last_fact,
            last_message=last_message,
            facts=facts,
            kept=packing.unpack(kept),
            told=packing.unpack(told),
            chain=link,
        )

    def _boot_id(self, boot: int) -> str:
        if boot not in self._boots:
            row = self._connection.execute(
                "SELECT boot_id FROM entry WHERE number = ?", (boot,)
            ).fetchone()
            if row is None or not isinstance(row[0], str):
                raise ValueError(f"the boot named by entry {boot} is missing")
            self._boots[boot] = row[0]
        return self._boots[boot]


@contextmanager
def open_for_reading(path: Path) -> Iterator[EntryReader]:
    """Give a reader of the journal at ``path``, which may be in use, and is not altered.

    Raises :class:`JournalError` without a file, ``JournalTooNew`` or ``JournalDamaged``; an
    ``sqlite3.Error`` inside the block becomes one of them too.
    """
    connection = schema.connect_for_reading(path)
    try:
        schema.schema_version(connection, path)
        yield EntryReader(connection)
    except sqlite3.Error as error:
        raise translated(error, path, "it cannot be read") from error
    finally:
        connection.close()


def configurations(reader: EntryReader, latest: int) -> Iterator[tuple[Entry, Configuration]]:
    """Yield the configurations, newest first, from the one in entry ``latest`` (0: none) on."""
    number = latest
    while number:
        entry = reader.entry(number)
        if entry is None:
            raise ValueError(f"entry {number}, a configuration, is missing")
        recorded: RecordedConfiguration = entry.kept_values()["configuration"]
        yield entry, Configuration.of(recorded)
        number = recorded["previous"]


def facts_of(entry: Entry) -> Iterator[RecordedFact]:
    """Yield the facts of an entry with their numbers."""
    lines = entry.fact_lines()
    first = entry.last_fact - len(lines) + 1
    for number, line in enumerate(lines, start=first):
        yield RecordedFact(
            number, entry.number, entry.round_number, entry.stamp, fact_from_json(line)
        )


def events_of(entry: Entry) -> Iterator[RecordedEvent]:
    """Yield the events of an entry."""
    for name, data in packing.events_of(entry.told):
        yield RecordedEvent(entry.number, entry.stamp, name, data)
