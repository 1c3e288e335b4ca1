"""The journal of a running table: appends entries, and hands out what it holds.

One process writes a journal (a lock on its mark sees to that), and within it one thread at a time.
"""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Self

from firmware_app.journal import packing, schema
from firmware_app.journal.errors import JournalError, translated
from firmware_app.journal.head import Head
from firmware_app.journal.mark import MarkFile
from firmware_app.journal.meters import Meters, movement_of
from firmware_app.journal.opening import open_file
from firmware_app.journal.outbox import Outbox
from firmware_app.journal.reading import EntryReader, configurations, facts_of
from firmware_app.journal.recall import RECALLED_ROUNDS, Recall, recall
from firmware_app.journal.records import (
    Configuration,
    Kind,
    OutgoingMessage,
    RecordedFact,
    Stamp,
)
from firmware_app.journal.replacement import Replaced, replacement_to_tell
from firmware_app.journal.seam import Archived, Seam
from firmware_app.journal.writing import append_entry
from firmware_app.table.events import Event
from firmware_app.table.facts import Fact, fact_from_json


class Journal:
    """An open journal. Open one with :meth:`open`; close it, or use it in a ``with`` block."""

    def __init__(
        self, path: Path, connection: sqlite3.Connection, mark_file: MarkFile, head: Head
    ) -> None:
        self.path = path
        self._connection = connection
        self.recalling = schema.connect_to_recall(path)
        """For reading beside the writing, from any thread; closed with the journal."""
        self._reader = EntryReader(self.recalling)
        self._mark_file = mark_file
        self._head = head
        self._lock = threading.RLock()

    @classmethod
    def open(cls, path: Path) -> Self:
        """Open the journal at ``path``, made if there is none, once its last entries are proven.

        Raises :class:`JournalDamaged`, :class:`JournalInUse`, :class:`JournalTooNew`,
        :class:`StorageFull`, or :class:`JournalError` for a place that cannot be written.
        """
        mark_file = MarkFile.open(path)
        try:
            connection, head = open_file(path, mark_file.read())
        except sqlite3.Error as error:
            mark_file.close()
            raise translated(error, path, "it cannot be opened") from error
        except BaseException:
            mark_file.close()
            raise
        mark_file.write(head.mark())
        return cls(path, connection, mark_file, head)

    def close(self) -> None:
        """Close the file; what it holds is safe before that. A second time does nothing."""
        with self._lock:
            self.recalling.close()
            self._connection.close()
            self._mark_file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def exclusive(self) -> threading.RLock:
        """Held between reading :attr:`next_sequence` and :meth:`append` where threads share it."""
        return self._lock

    @property
    def next_fact_number(self) -> int:
        return self._head.last_fact + 1

    @property
    def next_sequence(self) -> int:
        """The sequence that the next message must carry."""
        return self._head.last_message + 1

    @property
    def last_round_number(self) -> int:
        """The highest round number in use, also across a replaced journal."""
        return self._head.round_number

    @property
    def meters(self) -> Meters:
        """The meters as they stand."""
        return self._head.meters

    def append(
        self,
        facts: Sequence[Fact],
        events: Sequence[Event],
        messages: Sequence[OutgoingMessage],
        *,
        round_number: int,
        stamp: Stamp,
        checkpoint: bytes | None = None,
        on_disk: Callable[[], None] | None = None,
    ) -> None:
        """Record one step in one transaction; on return it is on the disk.

        ``messages`` must be numbered from :attr:`next_sequence` on. ``checkpoint`` is the state
        after the step (UTF-8 text): :meth:`replay` starts from the latest, so give one every
        twenty rounds or so. ``on_disk`` is called as soon as the step is on the disk, before the
        mark is written; it must not raise.

        Raises :class:`StorageFull` or :class:`JournalError`; then nothing of the step is recorded,
        and the same call may be made again.
        """
        with self._lock:
            head = self._head
            self._check_sequences(messages)
            movement, locked = movement_of(events, head.locked)
            if movement or locked is not head.locked or round_number != head.round_number:
                meters = head.meters.moved(movement) if movement else head.meters
                head = replace(head, round_number=round_number, meters=meters, locked=locked)
            kept = packing.kept_bytes(
                movement=movement,
                checkpoint=None if checkpoint is None else checkpoint.decode(),
                meters=None if checkpoint is None else head.snapshot(),
            )
            self._commit(Kind.FACTS, head, stamp, facts, kept, events, messages, on_disk=on_disk)

    def close_shift(self, *, by: str, stamp: Stamp) -> Meters:
        """Begin a new shift; return the meters as they were when the old one ended."""
        with self._lock:
            ended = self._head.meters
            after = replace(self._head, meters=ended.shift_closed())
            kept = packing.kept_bytes(
                shift={"by": by, "meters": ended.shift}, meters=after.snapshot()
            )
            self._commit(Kind.SHIFT, after, stamp, kept=kept)
            return ended

    def record_configuration(
        self,
        new: Configuration,
        facts: Sequence[Fact] = (),
        events: Sequence[Event] = (),
        messages: Sequence[OutgoingMessage] = (),
        *,
        stamp: Stamp,
    ) -> None:
        """Record that ``new`` is in force from here on, and what is told of it, in one transaction.

        ``messages`` and errors as in :meth:`append`. None of the events may move a meter.
        """
        with self._lock:
            head = self._head
            self._check_sequences(messages)
            after = replace(head, configuration=head.number + 1)
            kept = packing.kept_bytes(configuration=new.recorded(previous=head.configuration))
            self._commit(Kind.CONFIGURATION, after, stamp, facts, kept, events, messages)

    def configurations(self) -> Iterator[Configuration]:
        """Yield the configurations that were in force, newest first."""
        return (each for _, each in configurations(self._reader, self._head.configuration))

    def replay(self) -> tuple[bytes | None, Iterator[RecordedFact]]:
        """Return the latest checkpoint, None where there is none, and every fact after it."""
        latest = self._reader.checkpoint_before()
        after = 0 if latest is None else latest.after
        facts = (fact for entry in self._reader.forwards(after=after) for fact in facts_of(entry))
        return None if latest is None else latest.state, facts

    def last_fact(self) -> Fact | None:
        """Return the fact that was recorded last, None where there is none at hand."""
        with self._lock:
            for entry in self._reader.backwards():
                if lines := entry.fact_lines():
                    return fact_from_json(lines[-1])
        return None

    def rounds(self, limit: int = RECALLED_ROUNDS) -> Recall:
        """Return the last rounds, newest first, the unfinished one included."""
        with self._lock:
            return recall(self._reader, limit=limit)

    def replaced(self) -> Replaced | None:
        """Return what this journal replaced, as long as no start of the table is on record in it.

        The first start tells of it.
        """
        with self._lock:
            return replacement_to_tell(self._reader, self.path)

    def limit_size(self, limit_bytes: int | None) -> None:
        """Refuse to grow the file beyond ``limit_bytes``: :class:`StorageFull` then.

        None is no limit but the card's. A limit below the present size stops at that size.
        """
        pages = schema.MOST_PAGES if limit_bytes is None else limit_bytes // schema.PAGE_SIZE_BYTES
        with self._lock:
            self._connection.execute(f"PRAGMA max_page_count = {max(1, pages)}")

    def record_archive(self, listed: Archived, *, stamp: Stamp) -> None:
        """List an archive and record it, in one transaction: entries begin behind it from now on.

        The archive must be on the disk, proven. Raises as :meth:`append` does, and where something
        in it is to be sent once more.
        """
        with self._lock:
            kept = packing.kept_bytes(archived=listed.as_recorded())
            self._commit(Kind.ARCHIVED, self._head, stamp, kept=kept, listed=listed)

    def delete_archived(self, limit: int) -> bool:
        """Delete up to ``limit`` entries that are archived; return False where there were none.

        Their room in the file is used again; the file does not become smaller. Raises
        :class:`StorageFull` or :class:`JournalError`.
        """
        with self._lock:
            try:
                oldest, through = self._connection.execute(
                    "SELECT (SELECT min(number) FROM entry), (SELECT max(last) FROM archive)"
                ).fetchone()
                if through is None or oldest > through:
                    return False
                self._connection.execute(
                    "DELETE FROM entry WHERE number < ? AND number <= ?", (oldest + limit, through)
                )
            except sqlite3.Error as error:
                raise translated(error, self.path, "archived entries are not deleted") from error
            return True

    def outbox(self) -> Outbox:
        """Return the outbox, on a connection of its own for the thread that sends."""
        return Outbox(self.path)

    def _check_delivered(self, listed: Archived) -> None:
        (through,) = self._connection.execute("SELECT through FROM delivery").fetchone()
        if through < Seam.from_json(listed.seam).last_message:
            raise JournalError(
                f"journal {self.path}: {listed.file} waits, since events in it are sent once more"
            )

    def _check_sequences(self, messages: Sequence[OutgoingMessage]) -> None:
        first = self.next_sequence
        numbers = [message.sequence for message in messages]
        if numbers != list(range(first, first + len(messages))):
            raise JournalError(
                f"journal {self.path}: messages {numbers} do not go on from {first}; "
                "number them from next_sequence"
            )

    def _commit(
        self,
        kind: Kind,
        head: Head,
        stamp: Stamp,
        facts: Sequence[Fact] = (),
        kept: bytes = b"",
        events: Sequence[Event] = (),
        messages: Sequence[OutgoingMessage] = (),
        listed: Archived | None = None,
        on_disk: Callable[[], None] | None = None,
    ) -> None:
        """Append one entry. ``head`` is the one after it, numbers and chain still those before.

        ``listed`` is an archive that the entry is about; ``on_disk`` as in :meth:`append`.
        """
        try:
            entry = (kind, head, stamp, facts, kept, events, messages)
            if listed is None:
                # A single statement is a transaction of its own, and takes the write lock first
                # as well.
                after = append_entry(self._connection, *entry)
            else:
                with schema.transaction(self._connection):
                    self._check_delivered(listed)
                    after = append_entry(self._connection, *entry)
                    replace(listed, entry=after.number).insert(self._connection)
        except sqlite3.Error as error:
            otherwise = f"entry {head.number + 1} is not recorded"
            raise translated(error, self.path, otherwise) from error
        self._head = after
        if on_disk is not None:
            on_disk()
        self._mark_file.write(after.mark())
