"""The proof that a journal is whole: numbers, chain and mark.

A fault names the first entry that cannot be trusted. Everything before it is proven.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Self

from firmware_app.journal import chain, packing
from firmware_app.journal.mark import Mark
from firmware_app.journal.reading import EntryReader
from firmware_app.journal.records import Entry, Kind
from firmware_app.journal.seam import Seam


class BadEntry(Exception):  # noqa: N818 - names what was found
    """Entry ``number`` is missing, unreadable or changed; ``fault`` says which."""

    def __init__(self, number: int, fault: str) -> None:
        self.number = number
        self.fault = fault
        super().__init__(f"entry {number}: {fault}")


@dataclass(frozen=True, slots=True)
class Position:
    """Where in the chain the next entry has to fit."""

    number: int = 0
    last_fact: int = 0
    last_message: int = 0
    round_number: int = 0
    chain: bytes = chain.SEED

    @classmethod
    def after(cls, entry: Entry) -> Self:
        """Return the position behind ``entry``."""
        return cls(
            entry.number, entry.last_fact, entry.last_message, entry.round_number, entry.chain
        )

    @classmethod
    def behind(cls, seam: Seam) -> Self:
        """Return the position behind what was archived."""
        return cls(seam.number, seam.last_fact, seam.last_message, seam.round_number, seam.chain)

    @classmethod
    def before_continuation(cls, entry: Entry) -> Self:
        """Return the position before the first entry of a journal that replaces another one.

        Its own numbers are where it goes on from; its kept values hold the chain it follows.
        """
        return cls(
            entry.number - 1,
            entry.last_fact,
            entry.last_message,
            entry.round_number,
            bytes.fromhex(entry.kept_values()["continued"]["chain"]),
        )


def check_entry(entry: Entry, position: Position) -> None:
    """Raise :class:`BadEntry` unless ``entry`` fits ``position``."""
    if entry.number != position.number + 1:
        raise BadEntry(position.number + 1, "is missing")
    link = chain.link(
        position.chain,
        number=entry.number,
        kind=entry.kind,
        stamp=entry.stamp,
        round_number=entry.round_number,
        last_fact=entry.last_fact,
        last_message=entry.last_message,
        facts=entry.facts,
        kept=entry.kept,
        told=entry.told,
    )
    if link != entry.chain:
        raise BadEntry(entry.number, "does not fit the chain: it was changed")
    if entry.last_fact != position.last_fact + len(entry.fact_lines()):
        raise BadEntry(entry.number, f"ends at fact {entry.last_fact}, which leaves a gap")
    told = len(packing.messages_of(entry.told, entry.last_message))
    if entry.kind == Kind.CARRIED:
        # Numbers that another journal lost, or may have used.
        told += entry.kept_values()["carried"]["skipped"]
    if entry.last_message != position.last_message + told:
        raise BadEntry(entry.number, f"ends at message {entry.last_message}, which leaves a gap")
    if entry.round_number < position.round_number:
        raise BadEntry(entry.number, f"goes back to round {entry.round_number}")


def beginning(reader: EntryReader) -> Position:
    """Return the position before the first entry.

    Raises what :meth:`EntryReader.seam` raises.
    """
    seam = reader.seam()
    return Position() if seam is None else Position.behind(seam)


def proven_entries(reader: EntryReader, *, after: Position | None = None) -> Iterator[Entry]:
    """Yield the entries behind ``after`` (None: all), each proven before it is yielded.

    Raises :class:`BadEntry` at the first that cannot be trusted.
    """
    position = beginning(reader) if after is None else after
    entries = reader.forwards(after=position.number)
    while True:
        try:
            entry = next(entries, None)
            if entry is None:
                return
            if position == Position() and entry.kind == Kind.CONTINUED:
                position = Position.before_continuation(entry)
            check_entry(entry, position)
        except (sqlite3.DatabaseError, ValueError, TypeError, KeyError, OverflowError) as error:
            raise BadEntry(position.number + 1, f"is unreadable ({error})") from error
        yield entry
        position = Position.after(entry)


def proven_tail(reader: EntryReader, count: int) -> Iterator[Entry]:
    """Yield the last ``count`` entries, or all that there are, as :func:`proven_entries` does."""
    before = reader.entry(max(0, reader.last_number() - count))
    return proven_entries(reader, after=None if before is None else Position.after(before))


def check_mark(reader: EntryReader, mark: Mark | None) -> None:
    """Raise :class:`BadEntry` if the journal is behind its mark, or not the marked one."""
    if mark is None or not mark.entry or mark.entry < reader.first_number():
        return
    last = reader.last_number()
    if mark.entry > last:
        raise BadEntry(
            last + 1,
            f"is missing, and so is everything up to entry {mark.entry}, which the mark beside "
            "the journal says was recorded (is its -wal file gone, or is this an older copy?)",
        )
    marked = reader.entry(mark.entry)
    if marked is None:
        raise BadEntry(mark.entry, "is missing")
    check_marked(marked, mark)


def check_marked(entry: Entry, mark: Mark) -> None:
    """Raise :class:`BadEntry` unless ``entry`` is the one that was marked under its number."""
    if entry.chain.hex() != mark.chain:
        raise BadEntry(entry.number, "is not the one that the mark beside the journal names")
