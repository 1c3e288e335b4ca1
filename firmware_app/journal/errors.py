"""What can go wrong with a journal. Every message says what to do next."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Final

_SQLITE_PRIMARY_CODE: Final = 0xFF


class JournalError(Exception):
    """The journal cannot do what was asked. Nothing of a refused append is recorded."""


class StorageFull(JournalError):  # noqa: N818 - a state of the device, named as the alarm is
    """There is no room for the entry. Recording goes on by itself once there is."""


class JournalInUse(JournalError):  # noqa: N818 - a state of the file
    """Another controller writes this journal."""


class JournalTooNew(JournalError):  # noqa: N818 - a state of the file
    """The journal was written by newer software than this."""


class ArchiveMissing(JournalError):  # noqa: N818 - a state of the files
    """Old entries are asked for, and the archive that holds them is not there."""

    def __init__(self, first: int, last: int, path: Path) -> None:
        self.path = path
        super().__init__(
            f"entries {first} to {last} lie in the archive {path.name}, which is not in "
            f"{path.parent}; bring it there, or name the folder where it lies with --archives"
        )


class ArchiveDamaged(JournalError):  # noqa: N818 - a state of the file
    """An archive cannot be read, or is not what was archived."""

    def __init__(self, path: Path, fault: str) -> None:
        self.path = path
        self.fault = fault
        super().__init__(
            f"archive {path} is damaged: {fault}. Keep it for examination, and put the copy in its "
            "place that was made for safekeeping"
        )


class JournalDamaged(JournalError):  # noqa: N818 - a state of the file
    """The journal contradicts itself or cannot be read.

    ``entry`` is the number of the first bad entry, None where the file as a whole is unreadable.
    """

    def __init__(self, path: str, fault: str, *, entry: int | None = None) -> None:
        self.path = path
        self.fault = fault
        self.entry = entry
        super().__init__(
            f"journal {path} is damaged: {fault}. The table stays closed. Keep the file for "
            "examination; to go on with a new journal, start with --accept-new-journal NAME: this "
            "file is set aside, and numbers and meters go on"
        )


def translated(error: sqlite3.Error, path: Path, otherwise: str) -> JournalError:
    """Return SQLite's error as one that says what to do next."""
    code = getattr(error, "sqlite_errorcode", 0)
    # The second is what a full card gives at the opening: the index of the log finds no room.
    if code in (sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR_SHMSIZE):
        return StorageFull(
            f"journal {path}: {otherwise}, since its storage is full; make room, recording then "
            "goes on by itself"
        )
    if code & _SQLITE_PRIMARY_CODE in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB):
        return JournalDamaged(str(path), str(error))
    return JournalError(f"journal {path}: {otherwise} ({error})")
