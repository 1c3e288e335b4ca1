"""Going on after damage: the damaged file is set aside, a new journal continues its numbers.

Numbers are never used twice. How far they had come is known from the entries that are proven,
from the last two that still fit each other, and from the mark; since the mark on the disk may lag
after a power cut, numbers go on a margin above the highest of them.

Messages that the broker had not acknowledged go over into the new journal as far as they are
proven, with the same sequence and bytes, and are sent before its own. The others are named.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from firmware_app.journal import packing, schema
from firmware_app.journal.audit import audit
from firmware_app.journal.errors import JournalError, translated
from firmware_app.journal.head import Head
from firmware_app.journal.mark import SYNC_EVERY_NUMBERS, Mark, MarkFile
from firmware_app.journal.opening import SIDE_FILES, free_name, open_file, sync_folder
from firmware_app.journal.reading import EntryReader, open_for_reading
from firmware_app.journal.records import Kind, OutgoingMessage, Stamp
from firmware_app.journal.replacement import Replaced, replacement
from firmware_app.journal.salvage import Salvage, salvaged, unsent_messages
from firmware_app.journal.writing import append_entry

_MESSAGES_AN_ENTRY = 100


def replace_damaged(path: Path, *, software: str, by: str, stamp: Stamp) -> Replaced:
    """Set the damaged journal at ``path`` aside and put a new one in its place.

    ``by`` says who decided so. What a power cut interrupted is finished. Raises
    :class:`JournalError` for a journal that is whole, and whatever
    :meth:`~firmware_app.journal.store.Journal.open` raises for a place.
    """
    mark_file = MarkFile.open(path)
    try:
        new = path.with_name(path.name + ".new")
        if path.exists() or not _is_finished(new, path, software):
            mark = mark_file.read() or Mark()
            fault, bad_entry = _fault(path, mark, software)
            salvage = salvaged(path, mark, bad_entry=bad_entry)
            told = {"set_aside": free_name(path).name, "fault": fault, "by": by}
            _begin(new, path, salvage, told, stamp)
        with open_for_reading(new) as reader:
            replaced = _replacement(reader, path)
        _move(path, replaced.set_aside)
        new.rename(path)
        sync_folder(path)
        connection, head = open_file(path, None)
        connection.close()
        mark_file.write(head.mark())
        return replaced
    except sqlite3.Error as error:
        raise translated(error, path, "a new one cannot be made") from error
    finally:
        mark_file.close()


def _is_finished(new: Path, path: Path, software: str) -> bool:
    """Whether a new journal is whole, and the old one that it is to replace is moved already."""
    if not new.exists() or audit(new, software=software).entries == 0:
        return False
    with open_for_reading(new) as reader:
        return _replacement(reader, path).set_aside.exists()


def _replacement(reader: EntryReader, path: Path) -> Replaced:
    replaced = replacement(reader, path)
    if replaced is None:
        raise JournalError(f"journal {path}: the new one does not say what it replaces")
    return replaced


def _fault(path: Path, mark: Mark, software: str) -> tuple[str, int | None]:
    """Return what is wrong with the journal, and with which entry if it is with one."""
    if not path.exists():
        if mark.entry or path.with_name(path.name + "-wal").exists():
            return "the file is gone", None
        raise JournalError(f"journal {path}: there is none to replace; start without the option")
    found = audit(path, software=software)
    if found.fault is None:
        raise JournalError(f"journal {path} is whole and is not replaced; start without the option")
    return found.fault, found.bad_entry


def _begin(new: Path, path: Path, salvage: Salvage, told: dict[str, str], stamp: Stamp) -> None:
    """Make the new journal beside the old one, whole."""
    for suffix in ("", *SIDE_FILES):
        new.with_name(new.name + suffix).unlink(missing_ok=True)
    reached = salvage.reached
    head = Head(
        number=reached.number + SYNC_EVERY_NUMBERS,
        last_fact=reached.last_fact + SYNC_EVERY_NUMBERS,
        last_message=salvage.delivered_through,
        round_number=reached.round_number + SYNC_EVERY_NUMBERS,
        chain=reached.chain,
        meters=salvage.meters,
    )
    kept = packing.kept_bytes(
        continued={
            "chain": head.chain.hex(),
            "meters_through": salvage.meters_through,
            **told,
        },
        meters=head.snapshot(),
    )
    connection = schema.connect(new)
    try:
        schema.create(connection)
        with schema.transaction(connection):
            connection.execute("UPDATE delivery SET through = ?", (head.last_message,))
            head = append_entry(connection, Kind.CONTINUED, head, stamp, kept=kept)
            _carry(connection, head, path, salvage, stamp)
    finally:
        # The last connection to close brings the log into the file and removes it.
        connection.close()


def _carry(
    connection: sqlite3.Connection, head: Head, path: Path, salvage: Salvage, stamp: Stamp
) -> None:
    """Append what was not acknowledged, and last where the new journal's own messages begin."""
    lost: list[tuple[int, int]] = []
    for block in _blocks(unsent_messages(path, salvage)):
        before = block[0].sequence - 1
        lost += _missing(head.last_message + 1, before, salvage.skipped)
        kept = packing.kept_bytes(carried={"skipped": before - head.last_message})
        head = replace(head, last_message=before)
        head = append_entry(connection, Kind.CARRIED, head, stamp, kept=kept, messages=block)
    lost += _missing(head.last_message + 1, salvage.reached.last_message, salvage.skipped)
    begin = salvage.reached.last_message + SYNC_EVERY_NUMBERS
    closing = {
        "skipped": begin - head.last_message,
        "lost": lost,
        "delivery_known": salvage.delivery_known,
    }
    kept = packing.kept_bytes(carried=closing)
    append_entry(connection, Kind.CARRIED, replace(head, last_message=begin), stamp, kept=kept)


def _missing(
    first: int, last: int, skipped: Iterable[tuple[int, int]]
) -> Iterator[tuple[int, int]]:
    """Yield what is left of the numbers ``first`` to ``last`` without those that were skipped."""
    for low, high in skipped:
        if low <= last and high >= first:
            if first < low:
                yield first, low - 1
            first = high + 1
    if first <= last:
        yield first, last


def _blocks(messages: Iterable[OutgoingMessage]) -> Iterator[list[OutgoingMessage]]:
    """Yield messages in blocks without a gap, as entries hold them."""
    block: list[OutgoingMessage] = []
    for message in messages:
        full = len(block) == _MESSAGES_AN_ENTRY
        if block and (full or message.sequence != block[-1].sequence + 1):
            yield block
            block = []
        block.append(message)
    if block:
        yield block


def _move(path: Path, set_aside: Path) -> None:
    # The log last: as long as the file itself is missing, nothing takes the log for its own.
    for suffix in ("", *SIDE_FILES):
        with suppress(FileNotFoundError):
            old = path.with_name(path.name + suffix)
            old.rename(set_aside.with_name(set_aside.name + suffix))
    sync_folder(path)
