"""Archiving: entries that are old enough move into a file beside the journal.

A journal that is played around the clock grows by gigabytes a year. What is older than it must keep
at hand goes into archives, of a week or more each, which stay beside it or are carried away. An
archive is made in this order, so that a crash at any moment leaves the entries in one place at
least:

1. the entries are copied to ``NAME.new``, a little at a time, each part synced;
2. the file is read back from the disk, every entry proven, and the SHA-256 of the file taken;
3. it gets its name, and the name is synced;
4. ONE transaction lists the archive and records it as an entry of the chain; from here on the
   journal begins behind it;
5. the entries are deleted from the journal, a few at a time; new ones fill the room.

A file that was left at 1 or 2 is thrown away, one left at 3 is proven anew and used.

A cut is made right behind an entry with a checkpoint, between two rounds. Nothing is archived that
the broker has not acknowledged, nor of the last rounds that a recall shows, nor while the clock is
not set: an age is believed only of an entry that a set clock stamped, and then what lies before it
is older still.
"""

from __future__ import annotations

import hashlib
import os
import sqlite3
from collections import deque
from collections.abc import Callable, Generator, Iterator
from contextlib import closing, suppress
from glob import escape
from itertools import islice
from pathlib import Path
from typing import Final

from firmware_app.journal import schema
from firmware_app.journal.changes import CHANGES_SHOWN
from firmware_app.journal.errors import ArchiveDamaged, StorageFull
from firmware_app.journal.history import archive_folder
from firmware_app.journal.opening import free_name, sync_folder
from firmware_app.journal.reading import EntryReader, facts_of
from firmware_app.journal.recall import RECALLED_ROUNDS
from firmware_app.journal.records import Entry, Kind, Stamp
from firmware_app.journal.seam import Archived, Seam, newest_archived
from firmware_app.journal.storage import storage_space
from firmware_app.journal.store import Journal
from firmware_app.journal.verification import BadEntry, proven_entries
from firmware_app.table.facts import ConfigurationApplied, PowerReturned
from firmware_app.table.state import state_from_json
from firmware_app.table.values import Phase

SPAN_DAYS: Final = 7
"""An archive holds at least so many days: a few files a year, each of which can be looked into."""
ENTRIES_A_STEP: Final = 100
_BYTES_A_STEP: Final = 1 << 20
_DAY_NS: Final = 86_400_000_000_000
_ENDED: Final = (Phase.SETTLED, Phase.VOIDED)
_READ_ONLY: Final = 0o440
_SOFTWARE: Final = b'"software"'

Steps = Generator[None, None, None]


class Archiver:
    """Archives what is older than ``keep_days``, as long as ``reserve_bytes`` stay free.

    ``stamp`` tells the present moment. The journal may be in use: a step that writes to it makes
    one commit, and no other holds it up.
    """

    def __init__(
        self, journal: Journal, *, keep_days: int, reserve_bytes: int, stamp: Callable[[], Stamp]
    ) -> None:
        self._journal = journal
        self._keep_ns = keep_days * _DAY_NS
        self._reserve_bytes = reserve_bytes
        self._stamp = stamp
        self._folder = archive_folder(journal.path)

    def steps(self) -> Steps:
        """Do all that there is to do, a step at a time; what is left undone is begun anew.

        Raises :class:`JournalError`, OSError or ``sqlite3.Error``. Then nothing is lost, and the
        same may be tried again later.
        """
        connection = self._journal.recalling
        reader = EntryReader(connection)
        yield from self._delete()
        while (cut := (yield from self._cut(reader, connection))) is not None:
            path = self._folder / f"{self._stem(reader)}{cut.number:09d}.sqlite3"
            listed = yield from self._left_over(reader, path)
            if listed is None:
                listed = yield from self._written(reader, connection, cut, path)
            self._journal.record_archive(listed, stamp=self._stamp())
            yield
            yield from self._delete()

    def _delete(self) -> Steps:
        while self._journal.delete_archived(ENTRIES_A_STEP):
            yield

    # --- where to cut ------------------------------------------------------------------------

    def _cut(
        self, reader: EntryReader, connection: sqlite3.Connection
    ) -> Generator[None, None, Entry | None]:
        """Return the last entry to archive now, None for nothing to do."""
        now = self._stamp()
        if not now.synchronised:
            return None
        ripe_ns = now.wall_utc_ns - self._keep_ns
        oldest = connection.execute(
            "SELECT wall_utc_ns FROM entry WHERE number > ? AND synchronised "
            "ORDER BY number LIMIT 1",
            (reader.archived_through(),),
        ).fetchone()
        if oldest is None:
            return None
        begin_ns = oldest[0] + SPAN_DAYS * _DAY_NS
        if begin_ns >= ripe_ns:
            return None
        (delivered,) = connection.execute("SELECT through FROM delivery").fetchone()
        stays = min(
            reader.first_reaching("last_message", delivered + 1),
            reader.first_reaching("round", self._journal.last_round_number - RECALLED_ROUNDS),
        )
        # The wall clock may fall, unlike what is searched for otherwise. Then an archive holds more
        # days or fewer, no more: the entry of the cut itself is looked at.
        begin = reader.first_reaching("wall_utc_ns", begin_ns)
        for looked_at, entry in enumerate(_in_pages(reader, begin)):
            if entry.number >= stays:
                return None
            if entry.stamp.synchronised and entry.stamp.wall_utc_ns >= ripe_ns:
                return None
            if entry.stamp.synchronised and _between_rounds(entry):
                return entry
            if looked_at % ENTRIES_A_STEP == 0:
                yield
        return None

    # --- the file ----------------------------------------------------------------------------

    def _stem(self, reader: EntryReader) -> str:
        return f"{self._journal.path.stem}-{reader.first_number():09d}-"

    def _left_over(self, reader: EntryReader, path: Path) -> Generator[None, None, Archived | None]:
        """Return the archive at ``path`` if it was finished, though never listed, and is sound.

        Any other in its place is set aside: all that it may hold is in the journal.
        """
        for found in self._folder.glob(f"{escape(self._stem(reader))}*.sqlite3"):
            if found == path:
                with suppress(ArchiveDamaged):
                    return (yield from _proven(path, path.name, reader))
            found.rename(free_name(found))
            sync_folder(found)
        return None

    def _written(
        self, reader: EntryReader, connection: sqlite3.Connection, cut: Entry, path: Path
    ) -> Generator[None, None, Archived]:
        if not self._folder.exists():
            self._folder.mkdir()
            sync_folder(self._folder)
        for unfinished in self._folder.glob(f"{escape(self._journal.path.stem)}-*.new"):
            unfinished.unlink()
        new = path.with_name(path.name + ".new")
        try:
            yield from self._copy(reader, connection, cut, new)
            listed = yield from _proven(new, path.name, reader)
            new.rename(path)
        finally:
            new.unlink(missing_ok=True)
        sync_folder(path)
        return listed

    def _copy(
        self, reader: EntryReader, connection: sqlite3.Connection, cut: Entry, new: Path
    ) -> Steps:
        """Write the entries up to ``cut`` to ``new``; on return they are on the disk."""
        with closing(sqlite3.connect(new, isolation_level=None)) as archive:
            schema.create_archive(archive)
            archive.execute("UPDATE delivery SET through = ?", (cut.last_message,))
            before = newest_archived(connection)
            if before is not None:
                before.insert(archive)
            at = reader.first_number() - 1
            while at < cut.number:
                yield
                self._check_space()
                rows = connection.execute(
                    "SELECT * FROM entry WHERE number > ? AND number <= ? ORDER BY number",
                    (at, min(at + ENTRIES_A_STEP, cut.number)),
                ).fetchall()
                places = ", ".join("?" * len(rows[0]))
                archive.execute("BEGIN")
                archive.executemany(f"INSERT INTO entry VALUES ({places})", rows)
                archive.execute("COMMIT")
                at = rows[-1][0]
        new.chmod(_READ_ONLY)

    def _check_space(self) -> None:
        if not storage_space(self._journal.path, reserve_bytes=self._reserve_bytes).enough:
            raise StorageFull(
                f"journal {self._journal.path}: old entries are not archived, since its storage is "
                f"almost full; carry archives away from {self._folder}, or make room"
            )


def _in_pages(reader: EntryReader, first: int) -> Iterator[Entry]:
    """Yield the entries from ``first`` on; no read stays open meanwhile, for it would make the log
    grow for as long as a step waits for the next."""
    while page := list(islice(reader.forwards(after=first - 1), ENTRIES_A_STEP)):
        yield from page
        first = page[-1].number + 1


def _between_rounds(entry: Entry) -> bool:
    kept = entry.kept_values()
    if "checkpoint" not in kept or not kept["meters"]["configuration"]:
        return False
    return state_from_json(kept["checkpoint"]).phase in _ENDED


def _proven(path: Path, name: str, journal: EntryReader) -> Generator[None, None, Archived]:
    """Return the archive at ``path`` as it is listed under ``name``, proven from the disk.

    Raises :class:`ArchiveDamaged` unless its entries are the first ones of ``journal``.
    """
    digest = yield from _read_back(path)
    with closing(schema.connect_for_reading(path)) as connection:
        try:
            schema.check_structure(connection)
            archive = EntryReader(connection)
            first, before = archive.first_number(), archive.seam()
            seam = yield from _seam_behind(archive)
        except (sqlite3.DatabaseError, BadEntry, ValueError, TypeError, KeyError) as error:
            raise ArchiveDamaged(path, str(error)) from error
    begins_here = first == journal.first_number() and before == journal.seam()
    last = journal.entry(seam.number)
    if not begins_here or last is None or last.chain != seam.chain:
        raise ArchiveDamaged(path, "its entries are not those of the journal")
    return Archived(first, seam.number, name, digest, seam.to_json())


def _read_back(path: Path) -> Generator[None, None, str]:
    """Return the SHA-256 of what the disk holds, as far as the system lets one ask the disk."""
    with path.open("rb") as file:
        os.fsync(file.fileno())
        os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
        sha = hashlib.sha256()
        while part := file.read(_BYTES_A_STEP):
            sha.update(part)
            yield
    return sha.hexdigest()


def _seam_behind(archive: EntryReader) -> Generator[None, None, Seam]:
    """Return the seam behind an archive, all of whose entries are proven on the way."""
    before = archive.seam()
    software = None if before is None else before.software
    # One more than is shown: what the oldest of these changed is told by the one before it.
    configurations = deque(() if before is None else before.configurations, CHANGES_SHOWN + 1)
    last: Entry | None = None
    for looked_at, entry in enumerate(proven_entries(archive)):
        last = entry
        if entry.kind == Kind.CONFIGURATION:
            configurations.appendleft(entry)
        if _SOFTWARE in entry.facts:
            software = _software_after(entry, software)
        if looked_at % ENTRIES_A_STEP == 0:
            yield
    if last is None:
        raise ValueError("it holds no entry")
    kept = last.kept_values()
    return Seam(
        number=last.number,
        last_fact=last.last_fact,
        last_message=last.last_message,
        round_number=last.round_number,
        chain=last.chain,
        boot=archive.boot_of(last.number),
        boot_id=last.stamp.boot_id,
        software=software,
        meters=kept["meters"],
        checkpoint=kept["checkpoint"],
        configurations=tuple(configurations),
    )


def _software_after(entry: Entry, before: str | None) -> str | None:
    """Return the version of the software that recorded what follows ``entry``."""
    software = before
    for recorded in facts_of(entry):
        if isinstance(recorded.fact, PowerReturned | ConfigurationApplied):
            software = recorded.fact.software
    return software
