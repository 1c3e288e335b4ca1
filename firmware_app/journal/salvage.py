"""What can be proven of a damaged journal: from its beginning, and from the mark beside it.

The chain proves entries in both directions. From the beginning on, each entry must fit the one
before it, up to the damage. Behind the damage nothing does so by itself; but the mark beside the
journal holds the chain value of a late entry, and that value covers the entry and the value of the
one before it, and so on back to the damage. What lies between is believed by nobody.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from firmware_app.journal import packing, schema
from firmware_app.journal.errors import JournalError
from firmware_app.journal.mark import SYNC_EVERY_NUMBERS, Mark
from firmware_app.journal.meters import Meters
from firmware_app.journal.reading import EntryReader
from firmware_app.journal.records import Entry, Kind, OutgoingMessage
from firmware_app.journal.verification import BadEntry, Position, check_entry, proven_entries

_LOOKED_AT_FROM_THE_END: Final = 100
_UNREADABLE: Final = (BadEntry, sqlite3.Error, ValueError, TypeError, KeyError, OverflowError)


@dataclass(slots=True)
class Stretch:
    """Entries behind ``before``, up to ``end``, each of them proven; and the meters at its end."""

    before: Position
    end: Position
    meters: Meters

    def take(self, entry: Entry) -> None:
        """Let the stretch end behind ``entry``."""
        self.end = Position.after(entry)
        kept = entry.kept_values()
        if "meters" in kept:
            self.meters = Meters(kept["meters"]["lifetime"], kept["meters"]["shift_base"])
        elif "movement" in kept:
            self.meters = self.meters.moved(kept["movement"])


@dataclass(frozen=True, slots=True)
class Salvage:
    """What is proven of a journal, and how far its numbers are known to have come.

    ``meters`` include everything up to entry ``meters_through``. ``unsent`` holds what is proven of
    the messages behind ``delivered_through``, up to which all are acknowledged; where that is not
    known, all that is proven. Numbers in ``skipped`` (first and last) never had a message here.
    """

    reached: Position
    meters: Meters
    meters_through: int
    delivered_through: int
    delivery_known: bool
    unsent: tuple[Stretch, ...]
    skipped: tuple[tuple[int, int], ...]


def salvaged(path: Path, mark: Mark, *, bad_entry: int | None) -> Salvage:
    """Return what is proven of the journal at ``path``, with ``mark`` beside it.

    ``bad_entry`` is where an audit found the first fault, None for one of the file as a whole. What
    that entry tells is not salvaged, though it may fit the chain.
    """
    # Whatever is unreadable is left: the more is found, the better, and nothing must stop it.
    with suppress(JournalError, sqlite3.Error):
        connection = schema.connect_for_reading(path)
        try:
            through = _delivered_through(connection)
            found = _salvaged(EntryReader(connection), mark, bad_entry, through)
            # Beyond all that can have been recorded: a damaged number.
            if through is not None and through > found.reached.last_message + SYNC_EVERY_NUMBERS:
                return _salvaged(EntryReader(connection), mark, bad_entry, None)
            return found
        finally:
            connection.close()
    marked = _position_of(mark)
    return Salvage(marked, _meters_of(mark), mark.entry, mark.message, False, (), ())


def unsent_messages(path: Path, salvage: Salvage) -> Iterator[OutgoingMessage]:
    """Yield the messages that were not acknowledged, in order, each proven once more.

    Raises :class:`JournalError` where they do not read as they did before.
    """
    if not salvage.unsent:
        return
    connection = schema.connect_for_reading(path)
    try:
        reader = EntryReader(connection)
        for stretch in salvage.unsent:
            for entry in proven_entries(reader, after=stretch.before):
                for message in packing.messages_of(entry.told, entry.last_message):
                    if message.sequence > salvage.delivered_through:
                        yield message
                if entry.number >= stretch.end.number:
                    break
    except BadEntry as bad:
        raise JournalError(f"journal {path}: it reads differently each time ({bad})") from bad
    finally:
        connection.close()


def _salvaged(
    reader: EntryReader, mark: Mark, bad_entry: int | None, through: int | None
) -> Salvage:
    first, contradicts_mark = _from_the_beginning(reader, mark, bad_entry, through or 0)
    marked = Stretch(_position_of(mark), _position_of(mark), _meters_of(mark))
    if mark.entry > first.end.number and not contradicts_mark:
        behind = max(first.end.number, bad_entry or 0)
        with suppress(*_UNREADABLE):
            _extend(reader, mark, marked, behind, through or 0)
    latest = marked if mark.entry >= first.end.number else first
    reached = max((marked.end, first.end, _last_fitting(reader)), key=lambda end: end.number)
    # With a mark that contradicts them, nobody knows whose entries these are.
    proven = () if contradicts_mark else (first, marked)
    unsent = tuple(each for each in proven if each.end.last_message > each.before.last_message)
    if through is None:
        delivered_through = unsent[0].before.last_message if unsent else reached.last_message
    else:
        delivered_through = through
    return Salvage(
        reached=reached,
        meters=latest.meters,
        meters_through=latest.end.number,
        delivered_through=delivered_through,
        delivery_known=through is not None,
        unsent=unsent,
        skipped=_skipped(reader),
    )


def _from_the_beginning(
    reader: EntryReader, mark: Mark, bad_entry: int | None, through: int
) -> tuple[Stretch, bool]:
    """Return what is proven before the first fault, and whether the mark names another entry.

    The stretch begins where there may be a message behind ``through``.
    """
    stretch = Stretch(Position(), Position(), Meters({}, {}))
    with suppress(*_UNREADABLE):
        seam = reader.seam()
        if seam is not None:
            start = Position.behind(seam)
            meters = Meters(seam.meters["lifetime"], seam.meters["shift_base"])
            stretch = Stretch(start, start, meters)
        for entry in proven_entries(reader):
            if entry.number == mark.entry and entry.chain.hex() != mark.chain:
                return stretch, True
            if entry.number == bad_entry:
                break
            stretch.take(entry)
            if entry.last_message <= through or entry.kind == Kind.CONTINUED:
                stretch.before = stretch.end
    return stretch, False


def _extend(reader: EntryReader, mark: Mark, marked: Stretch, behind: int, through: int) -> None:
    """Extend ``marked``, empty as yet, to all that the mark proves behind entry ``behind``.

    Not farther back than to where there may be a message behind ``through``.
    """
    entry = reader.entry(mark.entry)
    if entry is None or entry.chain.hex() != mark.chain:
        return
    with suppress(*_UNREADABLE):
        for later in proven_entries(reader, after=marked.end):
            marked.take(later)
    while entry.number > behind and entry.last_message > through:
        before = reader.entry(entry.number - 1)
        if before is None:
            return
        check_entry(entry, Position.after(before))
        marked.before = Position.after(before)
        entry = before


def _delivered_through(connection: sqlite3.Connection) -> int | None:
    """Return up to which message all counts as delivered, None where that is unreadable."""
    with suppress(sqlite3.Error, TypeError):
        (through,) = connection.execute("SELECT through FROM delivery").fetchone()
        if through >= 0:
            return int(through)
    return None


def _skipped(reader: EntryReader) -> tuple[tuple[int, int], ...]:
    with suppress(*_UNREADABLE):
        return tuple(reader.skipped_messages())
    return ()


def _last_fitting(reader: EntryReader) -> Position:
    """Return the position after the last entry that fits the one before it."""
    last = 0
    with suppress(*_UNREADABLE):
        last = reader.last_number()
    for number in range(last, max(1, last - _LOOKED_AT_FROM_THE_END), -1):
        with suppress(*_UNREADABLE):
            before, entry = reader.entry(number - 1), reader.entry(number)
            if before is not None and entry is not None:
                check_entry(entry, Position.after(before))
                return Position.after(entry)
    return Position()


def _position_of(mark: Mark) -> Position:
    if not mark.entry:
        return Position()
    return Position(mark.entry, mark.fact, mark.message, mark.round, bytes.fromhex(mark.chain))


def _meters_of(mark: Mark) -> Meters:
    return Meters(mark.lifetime, mark.shift_base)
