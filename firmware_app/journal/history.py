"""The whole history of a journal: what lies in its archives, and then the journal itself."""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import Final

from firmware_app.journal import schema
from firmware_app.journal.errors import (
    ArchiveDamaged,
    ArchiveMissing,
    JournalDamaged,
    translated,
)
from firmware_app.journal.reading import Checkpoint, EntryReader
from firmware_app.journal.records import Entry
from firmware_app.journal.seam import Archived, Seam, archived

_FOLDER: Final = "archive"


def archive_folder(journal: Path) -> Path:
    """Return where the archives of ``journal`` lie."""
    return journal.absolute().parent / _FOLDER


@contextmanager
def open_archive(folder: Path, listed: Archived) -> Iterator[EntryReader]:
    """Give a reader of the archive's own entries.

    Raises :class:`ArchiveMissing`, :class:`ArchiveDamaged` (for what happens inside the block as
    well) or ``JournalTooNew``.
    """
    path = folder / listed.file
    if not path.is_file():
        raise ArchiveMissing(listed.first, listed.last, path)
    connection = schema.connect_for_reading(path)
    try:
        schema.schema_version(connection, path)
        yield EntryReader(connection)
    except sqlite3.Error as error:
        raise ArchiveDamaged(path, str(error)) from error
    except JournalDamaged as error:
        raise ArchiveDamaged(path, error.fault) from error
    finally:
        connection.close()


def file_digest(path: Path) -> str:
    """Return the SHA-256 of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


class History(EntryReader):
    """Reads a journal and its archives in ``folder`` as if nothing had ever been moved.

    It sees the journal as it was when it was made. An archive is opened only when something in it
    is asked for; where it is not there, :class:`ArchiveMissing` names it.
    """

    def __init__(self, connection: sqlite3.Connection, folder: Path) -> None:
        super().__init__(connection)
        self._live = EntryReader(connection)
        self._folder = folder
        # A table that archives meanwhile must not take entries from before our eyes.
        connection.execute("BEGIN")

    @cached_property
    def _archived(self) -> list[tuple[Archived, Seam]]:
        if not self.archived_through():
            return []
        return [(each, Seam.from_json(each.seam)) for each in archived(self._connection)]

    def first_number(self) -> int:
        return self._archived[0][0].first if self._archived else self._live.first_number()

    def entry(self, number: int) -> Entry | None:
        listed = self._archive_of(number)
        if listed is None:
            return self._live.entry(number)
        with open_archive(self._folder, listed) as reader:
            return reader.entry(number)

    def forwards(self, *, after: int = 0) -> Iterator[Entry]:
        for listed, _ in self._archived:
            if listed.last > after:
                with open_archive(self._folder, listed) as reader:
                    yield from reader.forwards(after=after)
        yield from self._live.forwards(after=after)

    def backwards(self, *, before: int | None = None) -> Iterator[Entry]:
        yield from self._live.backwards(before=before)
        for listed, _ in reversed(self._archived):
            if before is None or listed.first < before:
                with open_archive(self._folder, listed) as reader:
                    yield from reader.backwards(before=before)

    def checkpoint_before(self, number: int | None = None) -> Checkpoint | None:
        listed = None if number is None else self._archive_of(number - 1)
        if listed is None:
            return self._live.checkpoint_before(number)
        with open_archive(self._folder, listed) as reader:
            return reader.checkpoint_before(number)

    def first_reaching(self, column: str, value: int) -> int:
        for listed, seam in self._archived:
            reached = {
                "round": seam.round_number,
                "last_fact": seam.last_fact,
                "last_message": seam.last_message,
            }
            if reached[column] >= value:
                with open_archive(self._folder, listed) as reader:
                    return reader.first_reaching(column, value)
        return self._live.first_reaching(column, value)

    def _archive_of(self, number: int) -> Archived | None:
        found = (each for each, _ in self._archived if each.first <= number <= each.last)
        return next(found, None)


@contextmanager
def open_history(path: Path, folder: Path | None = None) -> Iterator[EntryReader]:
    """Give a reader of the journal at ``path`` and of its archives in ``folder``.

    The folder is the one beside the journal if left out. An archive given as ``path`` is read by
    itself. Raises as :func:`~firmware_app.journal.reading.open_for_reading` does.
    """
    connection = schema.connect_for_reading(path)
    try:
        schema.schema_version(connection, path)
        if schema.is_archive(connection):
            yield EntryReader(connection)
        else:
            yield History(connection, archive_folder(path) if folder is None else folder)
    except sqlite3.Error as error:
        raise translated(error, path, "it cannot be read") from error
    finally:
        connection.close()
