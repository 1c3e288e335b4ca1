"""The audit of a whole journal: every entry, its meters by a second count, its facts replayed."""

from __future__ import annotations

import sqlite3
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from firmware_app.journal import packing, schema
from firmware_app.journal.changes import CHANGES_SHOWN, Change, changes_of
from firmware_app.journal.errors import JournalDamaged
from firmware_app.journal.mark import Mark, read_mark
from firmware_app.journal.reading import EntryReader
from firmware_app.journal.records import Configuration, Entry, Kind
from firmware_app.journal.recount import Recount
from firmware_app.journal.replaying import Replayer
from firmware_app.journal.verification import (
    BadEntry,
    check_mark,
    check_marked,
    proven_entries,
)


@dataclass(frozen=True, slots=True)
class Audit:
    """What was proven, up to the first fault.

    ``changes`` are the last ones of configuration and software, newest first. ``bad_entry`` is the
    first entry that cannot be trusted, None where none is to blame; ``fault`` is None for a whole
    journal. ``notes`` say what could not be looked at.
    """

    entries: int
    first_entry: int
    last_entry: int
    last_fact: int
    last_message: int
    last_round: int
    facts_replayed: int
    chain: str
    changes: tuple[Change, ...]
    fault: str | None
    bad_entry: int | None
    notes: tuple[str, ...]

    @property
    def whole(self) -> bool:
        return self.fault is None


def audit(path: Path, *, software: str) -> Audit:
    """Prove the journal at ``path`` without altering it; it may be in use meanwhile.

    Facts that ``software`` recorded (the version of this one) are replayed. Raises
    :class:`JournalError` where there is no such file, and ``JournalTooNew``.
    """
    # Read first: what a running table records from here on is ahead of it, never behind.
    mark = read_mark(path)
    connection = schema.connect_for_reading(path)
    try:
        run = _Run(EntryReader(connection), mark, software)
        try:
            schema.schema_version(connection, path)
            run.entries()
            check_mark(run.reader, mark)
            _check_file(connection)
        except BadEntry as bad:
            return run.result(str(bad), bad.number)
        except JournalDamaged as damaged:
            return run.result(damaged.fault, damaged.entry)
        except sqlite3.DatabaseError as error:
            return run.result(f"the file is damaged: {error}", None)
        return run.result(None, None)
    finally:
        connection.close()


class _Run:
    """One pass over the entries, and what it has found so far."""

    def __init__(self, reader: EntryReader, mark: Mark | None, software: str) -> None:
        self.reader = reader
        self._mark = mark
        self._recount = Recount()
        self._replayer = Replayer(software)
        self._entries = 0
        self._first: Entry | None = None
        self._last: Entry | None = None
        # One more than is shown: what the oldest of these changed is told by the one before it.
        self._configurations: deque[tuple[Entry, Configuration]] = deque(maxlen=CHANGES_SHOWN + 1)

    def entries(self) -> None:
        """Look at every entry; raise :class:`BadEntry` at the first that is wrong."""
        for entry in proven_entries(self.reader):
            try:
                self._count(entry)
                self._replayer.take(entry)
            except (ValueError, TypeError, KeyError) as error:
                raise BadEntry(entry.number, f"cannot be understood ({error!r})") from error
            if entry.kind == Kind.CONFIGURATION:
                recorded = Configuration.of(entry.kept_values()["configuration"])
                self._configurations.appendleft((entry, recorded))
            self._first = self._first or entry
            self._last = entry
            self._entries += 1

    def result(self, fault: str | None, bad_entry: int | None) -> Audit:
        """Return what was found."""
        last = self._last
        return Audit(
            entries=self._entries,
            first_entry=self._first.number if self._first else 0,
            last_entry=last.number if last else 0,
            last_fact=last.last_fact if last else 0,
            last_message=last.last_message if last else 0,
            last_round=last.round_number if last else 0,
            facts_replayed=self._replayer.facts,
            chain=last.chain.hex() if last else "",
            changes=changes_of(list(self._configurations)),
            fault=fault,
            bad_entry=bad_entry,
            notes=tuple(self._notes()),
        )

    def _count(self, entry: Entry) -> None:
        kept = entry.kept_values()
        movement = kept.get("movement", {})
        if self._recount.recount(packing.events_of(entry.told)) != movement:
            raise BadEntry(entry.number, "moved the meters by something else than its events say")
        if "continued" in kept:
            self._recount.take_recorded(kept["meters"]["lifetime"])
        if "meters" in kept and kept["meters"]["lifetime"] != self._recount.total:
            raise BadEntry(entry.number, "holds meters that are not the sum of what was told")
        if self._mark is not None and self._mark.entry == entry.number:
            self._compare_with_mark(self._mark, entry)

    def _compare_with_mark(self, mark: Mark, entry: Entry) -> None:
        check_marked(entry, mark)
        if mark.lifetime != self._recount.total:
            raise BadEntry(
                mark.entry,
                "is where the mark beside the journal has other meters than the entries add up to",
            )

    def _notes(self) -> Iterator[str]:
        if self._mark is None:
            yield "no mark beside the journal: whether entries are missing at its end is unknown"
        if self._replayer.facts_stepped_over:
            yield (
                f"{self._replayer.facts_stepped_over} facts are not replayed: other software "
                "recorded them, or no configuration stands before them"
            )


def _check_file(connection: sqlite3.Connection) -> None:
    """Raise ``JournalDamaged``-like faults of the file itself rather than of an entry."""
    (found,) = connection.execute("PRAGMA integrity_check(1)").fetchone()
    if found != "ok":
        raise sqlite3.DatabaseError(found)
    if schema.definitions(connection) != schema.intended_definitions():
        raise sqlite3.DatabaseError(
            "its tables or the triggers that keep entries unchanged are not as they were made"
        )
    (last,) = connection.execute("SELECT coalesce(max(last_message), 0) FROM entry").fetchone()
    (through,) = connection.execute("SELECT through FROM delivery").fetchone()
    if not 0 <= through <= last:
        raise sqlite3.DatabaseError(f"message {through} counts as delivered, the last is {last}")
