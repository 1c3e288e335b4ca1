"""Room on the disk, and whether the journal can be gone on with. Nothing in it is changed."""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Final

from firmware_app.diagnosis.finding import Finding, finding_of
from firmware_app.journal.errors import JournalError, translated
from firmware_app.journal.mark import read_mark
from firmware_app.journal.opening import CHECKED_AT_OPENING
from firmware_app.journal.reading import EntryReader
from firmware_app.journal.schema import connect_for_reading, schema_version
from firmware_app.journal.storage import storage_space
from firmware_app.journal.verification import BadEntry, check_mark, proven_tail

PROVE_AT_MOST_S: Final = 4.0
_MIB: Final = 1 << 20
_DAMAGED_CURE: Final = (
    "keep the file for examination; fortune-table run --accept-new-journal sets it aside and "
    "goes on with its numbers and meters"
)


def check_disk(journal: Path, reserve_mib: int) -> Finding:
    """Return whether there is room to record rounds."""
    try:
        space = storage_space(journal, reserve_bytes=reserve_mib * _MIB)
    except OSError as error:
        detail = f"journal.path {journal}: its folder cannot be used ({error.strerror})"
        return Finding("disk", "failed", detail, f"make the folder {journal.absolute().parent}")
    detail = f"{space.free_bytes // _MIB:,} MiB free, {reserve_mib:,} MiB are the reserve"
    if space.enough:
        return Finding("disk", "ok", detail)
    cure = f"make room on the file system of {journal.absolute().parent}"
    return Finding("disk", "failed", f"{detail}: rounds cannot be recorded", cure)


def check_journal(journal: Path, *, prove_at_most_s: float = PROVE_AT_MOST_S) -> Iterator[Finding]:
    """Yield whether the table will be able to open ``journal``, by reading it alone."""
    folder = journal.absolute().parent
    if not journal.exists() and read_mark(journal) is None:
        if os.access(folder, os.W_OK | os.X_OK):
            yield Finding("journal", "ok", f"{journal} will be made at the first start")
        else:
            detail = f"{journal} cannot be made: this user may not write to {folder}"
            yield Finding("journal", "failed", detail, f"give {folder} to the service's user")
    elif journal.exists() and not os.access(journal, os.R_OK | os.W_OK):
        cure = f"run as the service's user, or give the file to it (chown, ls -l {journal})"
        yield Finding("journal", "failed", f"{journal} cannot be written by this user", cure)
    else:
        yield _proven(journal, prove_at_most_s)


def _proven(journal: Path, prove_at_most_s: float) -> Finding:
    mark = read_mark(journal)
    if not journal.exists():
        recorded = 0 if mark is None else mark.entry
        detail = f"{journal} is gone, though {recorded} entries had been recorded"
        return Finding("journal", "failed", detail, f"bring the file back, or {_DAMAGED_CURE}")
    try:
        with closing(connect_for_reading(journal)) as connection:
            schema_version(connection, journal)
            reader = EntryReader(connection)
            check_mark(reader, mark)
            return _tail(journal, reader, prove_at_most_s)
    except BadEntry as bad:
        return Finding("journal", "failed", f"{journal} is damaged: {bad}", _DAMAGED_CURE)
    except JournalError as error:
        return finding_of("journal", "failed", str(error))
    except sqlite3.Error as error:
        fault = translated(error, journal, "it cannot be read")
        return finding_of("journal", "failed", str(fault), _DAMAGED_CURE)


def _tail(journal: Path, reader: EntryReader, prove_at_most_s: float) -> Finding:
    """Prove the entries that the table proves when it opens, as far as the time allows."""
    deadline_s = time.monotonic() + prove_at_most_s
    proven = 0
    for _ in proven_tail(reader, CHECKED_AT_OPENING):
        proven += 1
        if time.monotonic() > deadline_s:
            break
    return Finding(
        "journal",
        "ok",
        f"{journal}: {reader.last_number():,} entries, {proven:,} of the last ones proven here; "
        "fortune-table verify proves all",
    )
