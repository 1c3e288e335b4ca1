"""Entries as they lie in the file, one after the other or found by number."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from firmware_app.journal import packing, schema
from firmware_app.journal.errors import translated
from firmware_app.journal.records import (
    Configuration,
    Entry,
    Kind,
    RecordedConfiguration,
    RecordedEvent,
    RecordedFact,
    Stamp,
)
from firmware_app.journal.seam import Seam, newest_archived, recorded_in
from firmware_app.table.facts import fact_from_json

# The cast keeps damaged text from failing inside sqlite3, where its entry could not be named.
_COLUMNS = (
    "number, kind, boot, wall_utc_ns, mono_ns, synchronised, round, last_fact, last_message, "
    "CAST(facts AS BLOB), kept, told, chain"
)


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """The state of the table behind entry ``after``, as JSON, and the configuration in force.

    ``configuration`` is None where none was recorded by then.
    """

    after: int
    state: bytes
    configuration: RecordedConfiguration | None


class EntryReader:
    """Reads entries through a connection that its owner opened and closes.

    Of what is archived nothing is read here, though some of it may lie in the file for a while yet:
    entries begin behind the :meth:`seam`. :class:`~firmware_app.journal.history.History` reads the
    archives too.

    Any method raises ``sqlite3.DatabaseError`` for a damaged page and ``ValueError`` (or another
    plain error of decoding) for a damaged entry.
    """

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._boots: dict[int, str] = {}
        self._lists_archives: bool | None = None
        self._seam: Seam | None = None

    def seam(self) -> Seam | None:
        """Return what the first entry goes on from, None where nothing before it was archived."""
        through = self.archived_through()
        if not through:
            return None
        if self._seam is None or self._seam.number != through:
            self._seam = self._recorded_seam()
        return self._seam

    def _recorded_seam(self) -> Seam | None:
        newest = newest_archived(self._connection)
        if newest is None:
            return None
        # It is not in the chain itself, but an entry behind it is that holds its SHA-256. An
        # archive lists the one before it, and does not reach as far as that entry.
        row = self._connection.execute(
            "SELECT kept FROM entry WHERE number = ?", (newest.entry,)
        ).fetchone()
        recorded = None if row is None else recorded_in(packing.unpack(row[0]))
        if recorded != newest.as_recorded() and not schema.is_archive(self._connection):
            raise ValueError(f"the archive {newest.file} is listed otherwise than it was recorded")
        return Seam.from_json(newest.seam)

    def archived_through(self) -> int:
        """Return the number of the last entry that is archived, 0 for none."""
        if self._lists_archives is None:
            (version,) = self._connection.execute("PRAGMA user_version").fetchone()
            self._lists_archives = version >= schema.LISTS_ARCHIVES
        if not self._lists_archives:
            return 0
        (last,) = self._connection.execute("SELECT max(last) FROM archive").fetchone()
        return last or 0

    def first_number(self) -> int:
        """Return the number of the first entry, 0 for an empty journal."""
        through = self.archived_through()
        (number,) = self._connection.execute(
            "SELECT number FROM entry WHERE number > ? ORDER BY number LIMIT 1", (through,)
        ).fetchone() or (0,)
        return int(number)

    def last_number(self) -> int:
        """Return the number of the last entry, 0 for an empty journal."""
        (number,) = self._connection.execute("SELECT max(number) FROM entry").fetchone()
        return number or 0

    def entry(self, number: int) -> Entry | None:
        """Return entry ``number``, None where there is none."""
        if number <= self.archived_through():
            return None
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
            f"SELECT {_COLUMNS} FROM entry WHERE number > ? ORDER BY number",
            (max(after, self.archived_through()),),
        ):
            yield self._entry(row)

    def backwards(self, *, before: int | None = None) -> Iterator[Entry]:
        """Yield the entries numbered below ``before`` (None: all), newest first."""
        bound = "" if before is None else f"AND number < {before:d}"
        for row in self._connection.execute(
            f"SELECT {_COLUMNS} FROM entry WHERE number > ? {bound} ORDER BY number DESC",
            (self.archived_through(),),
        ):
            yield self._entry(row)

    def checkpoint_before(self, number: int | None = None) -> Checkpoint | None:
        """Return the last checkpoint before entry ``number`` (None: of all), None without one."""
        for entry in self.backwards(before=number):
            kept = entry.kept_values()
            if "checkpoint" in kept:
                state = kept["checkpoint"].encode()
                return Checkpoint(entry.number, state, self.configuration(kept["meters"]))
        seam = self.seam()
        if seam is None:
            return None
        return Checkpoint(seam.number, seam.checkpoint.encode(), self.configuration(seam.meters))

    def configuration(self, snapshot: Mapping[str, Any]) -> RecordedConfiguration | None:
        """Return the configuration that was in force when ``snapshot`` of the meters was taken."""
        found = self.configuration_entry(snapshot["configuration"])
        return None if found is None else found.kept_values()["configuration"]

    def configuration_entry(self, number: int) -> Entry | None:
        """Return entry ``number``, a configuration; the last ones are here even if archived."""
        seam = self.seam()
        if seam is None or number > seam.number:
            return self.entry(number)
        return next((each for each in seam.configurations if each.number == number), None)

    def first_reaching(self, column: str, value: int) -> int:
        """Return the first entry whose ``column`` is at least ``value``.

        ``column`` is one that never falls (``round``, ``last_fact``, ``last_message``), so that no
        index is needed: an index would be one more page to write with every commit. One that may
        fall gives some entry whose own column does, with one before it that does not. Returns one
        past the last entry where none reaches ``value``.
        """
        low, high = self.first_number() or 1, self.last_number() + 1
        while low < high:
            middle = (low + high) // 2
            row = self._connection.execute(
                f"SELECT {column} >= ? FROM entry WHERE number = ?", (value, middle)
            ).fetchone()
            if row is None:
                if middle > self.archived_through():
                    raise ValueError(f"entry {middle} is missing")
                # It was archived and deleted since the search began: what is sought lies behind.
                low = self.first_number()
            elif row[0]:
                high = middle
            else:
                low = middle + 1
        return low

    def first_message(self) -> int:
        """Return the sequence of the first message that is kept here, or will be."""
        seam = self.seam()
        if seam is not None:
            return seam.last_message + 1
        entries = self.forwards()
        first = next(entries, None)
        if first is None or first.kind != Kind.CONTINUED:
            return 1
        # A journal that replaces another goes on from the numbers of that one.
        following = next(entries, None)
        skipped = 0
        if following is not None and following.kind == Kind.CARRIED:
            skipped = following.kept_values()["carried"]["skipped"]
        return first.last_message + skipped + 1

    def skipped_messages(self) -> list[tuple[int, int]]:
        """Return the numbers, first and last, that no message here has though later ones do."""
        skipped: list[tuple[int, int]] = []
        last_message = 0
        for entry in self.forwards():
            if entry.kind == Kind.CARRIED:
                count = entry.kept_values()["carried"]["skipped"]
                if count:
                    skipped.append((last_message + 1, last_message + count))
            elif entry.kind != Kind.CONTINUED:
                break
            last_message = entry.last_message
        return skipped

    def boot_of(self, number: int) -> int:
        """Return the entry that names the boot of entry ``number``, which must be here."""
        row = self._connection.execute(
            "SELECT boot FROM entry WHERE number = ?", (number,)
        ).fetchone()
        return int(row[0])

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
            seam = self.seam()
            if seam is not None and seam.boot == boot:
                self._boots[boot] = seam.boot_id
                return seam.boot_id
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
    """Yield the configurations, newest first, from the one in entry ``latest`` (0: none) on.

    Of those that are archived, only the last ones.
    """
    number = latest
    while number:
        entry = reader.configuration_entry(number)
        if entry is None:
            if number <= reader.archived_through():
                return
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
