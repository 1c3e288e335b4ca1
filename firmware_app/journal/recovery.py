"""Going on after damage: the damaged file is set aside, a new journal continues its numbers.

Numbers are never used twice. How far they had come is known from the entries that are proven,
from the last two that still fit each other, and from the mark; since the mark on the disk may lag
after a power cut, numbers go on a margin above the highest of them.
"""

from __future__ import annotations

import sqlite3
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from firmware_app.journal import packing, schema
from firmware_app.journal.audit import audit
from firmware_app.journal.errors import JournalError, translated
from firmware_app.journal.head import Head
from firmware_app.journal.mark import SYNC_EVERY_NUMBERS, Mark, MarkFile
from firmware_app.journal.meters import Meters
from firmware_app.journal.opening import SIDE_FILES, free_name, sync_folder
from firmware_app.journal.reading import EntryReader
from firmware_app.journal.records import Entry, Kind, Stamp
from firmware_app.journal.verification import (
    BadEntry,
    Position,
    check_entry,
    proven_entries,
)
from firmware_app.journal.writing import append_entry

_LOOKED_AT_FROM_THE_END: Final = 100


@dataclass(frozen=True, slots=True)
class Replaced:
    """What became of a damaged journal.

    ``set_aside`` is where the old file lies now, ``fault`` what was wrong with it. Of its
    messages, ``unsent`` had not been acknowledged, as far as can be read: they are in the old
    file only. ``meters_through`` is the last entry that the meters include.
    """

    set_aside: Path
    fault: str
    next_fact: int
    next_message: int
    unsent: int
    meters_through: int


@dataclass(slots=True)
class _Salvage:
    """What can be read of a damaged journal: the proven part of it."""

    position: Position = Position()  # noqa: RUF009 - immutable
    meters: Meters = Meters({}, {})  # noqa: RUF009 - immutable
    delivered_through: int = 0
    last_fitting: Position = Position()  # noqa: RUF009 - immutable


def replace_damaged(path: Path, *, software: str, by: str, stamp: Stamp) -> Replaced:
    """Set the damaged journal at ``path`` aside and put a new one in its place.

    ``by`` says who decided so. Raises :class:`JournalError` for a journal that is whole, and
    whatever :meth:`~firmware_app.journal.store.Journal.open` raises for a place.
    """
    mark_file = MarkFile.open(path)
    try:
        mark = mark_file.read() or Mark()
        fault = _fault(path, mark, software)
        salvage = _salvaged(path)
        known = (salvage.position, salvage.last_fitting, _marked(mark))
        reached = max(known, key=lambda position: position.number)
        from_mark = mark.entry >= salvage.position.number
        head = Head(
            number=reached.number + SYNC_EVERY_NUMBERS,
            last_fact=reached.last_fact + SYNC_EVERY_NUMBERS,
            last_message=reached.last_message + SYNC_EVERY_NUMBERS,
            round_number=reached.round_number + SYNC_EVERY_NUMBERS,
            chain=reached.chain,
            meters=Meters(mark.lifetime, mark.shift_base) if from_mark else salvage.meters,
        )
        set_aside = free_name(path)
        result = Replaced(
            set_aside=set_aside,
            fault=fault,
            next_fact=head.last_fact + 1,
            next_message=head.last_message + 1,
            unsent=max(0, salvage.position.last_message - salvage.delivered_through),
            meters_through=mark.entry if from_mark else salvage.position.number,
        )
        begun = _begin(path, head, result, by, stamp)
        _move(path, set_aside)
        _new_path(path).rename(path)
        sync_folder(path)
        mark_file.write(begun.mark())
        return result
    except sqlite3.Error as error:
        raise translated(error, path, "a new one cannot be made") from error
    finally:
        mark_file.close()


def _fault(path: Path, mark: Mark, software: str) -> str:
    if not path.exists():
        if mark.entry or path.with_name(path.name + "-wal").exists():
            return "the file is gone"
        raise JournalError(f"journal {path}: there is none to replace; start without the option")
    found = audit(path, software=software)
    if found.fault is None:
        raise JournalError(f"journal {path} is whole and is not replaced; start without the option")
    return found.fault


def _marked(mark: Mark) -> Position:
    if not mark.entry:
        return Position()
    return Position(mark.entry, mark.fact, mark.message, mark.round, bytes.fromhex(mark.chain))


def _salvaged(path: Path) -> _Salvage:
    salvage = _Salvage()
    # Whatever is unreadable is left: the more is found, the better, and nothing must stop it.
    with suppress(sqlite3.Error, ValueError, JournalError):
        connection = schema.connect_for_reading(path)
        try:
            reader = EntryReader(connection)
            with suppress(BadEntry, sqlite3.Error):
                for entry in proven_entries(reader):
                    salvage.position = Position.after(entry)
                    salvage.meters = _meters_after(salvage.meters, entry)
            salvage.last_fitting = _last_fitting(reader)
            row = connection.execute("SELECT through FROM delivery").fetchone()
            salvage.delivered_through = row[0]
        finally:
            connection.close()
    return salvage


def _meters_after(meters: Meters, entry: Entry) -> Meters:
    kept = entry.kept_values()
    if "meters" in kept:
        return Meters(kept["meters"]["lifetime"], kept["meters"]["shift_base"])
    return meters.moved(kept["movement"]) if "movement" in kept else meters


def _last_fitting(reader: EntryReader) -> Position:
    """Return the position after the last entry that fits the one before it."""
    last = reader.last_number()
    for number in range(last, max(1, last - _LOOKED_AT_FROM_THE_END), -1):
        with suppress(BadEntry, sqlite3.Error, ValueError, TypeError):
            before, entry = reader.entry(number - 1), reader.entry(number)
            if before is not None and entry is not None:
                check_entry(entry, Position.after(before))
                return Position.after(entry)
    return Position()


def _begin(path: Path, head: Head, replaced: Replaced, by: str, stamp: Stamp) -> Head:
    """Make the new journal beside the old one; return where it stands."""
    new = _new_path(path)
    for suffix in ("", *SIDE_FILES):
        new.with_name(new.name + suffix).unlink(missing_ok=True)
    kept = packing.kept_bytes(
        continued={
            "chain": head.chain.hex(),
            "set_aside": replaced.set_aside.name,
            "fault": replaced.fault,
            "unsent": replaced.unsent,
            "meters_through": replaced.meters_through,
            "by": by,
        },
        meters=head.snapshot(),
    )
    connection = schema.connect(new)
    try:
        schema.create(connection)
        connection.execute("BEGIN IMMEDIATE")
        begun = append_entry(connection, Kind.CONTINUED, head, stamp, kept=kept)
        connection.execute("UPDATE delivery SET through = ?", (head.last_message,))
        connection.execute("COMMIT")
    finally:
        # The last connection to close brings the log into the file and removes it.
        connection.close()
    return replace(begun, boot=0, boot_id="")


def _new_path(path: Path) -> Path:
    return path.with_name(path.name + ".new")


def _move(path: Path, set_aside: Path) -> None:
    for suffix in (*SIDE_FILES, ""):
        with suppress(FileNotFoundError):
            old = path.with_name(path.name + suffix)
            old.rename(set_aside.with_name(set_aside.name + suffix))
