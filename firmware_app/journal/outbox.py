"""The outbox: what is recorded and not yet acknowledged by the broker, in order.

It is the only queue of messages there is. It has a connection of its own, for the thread that
sends, and never makes the writer of facts wait for the disk.
"""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterable
from pathlib import Path
from typing import Final, Self

from firmware_app.journal import packing, schema
from firmware_app.journal.errors import JournalError, translated
from firmware_app.journal.reading import EntryReader
from firmware_app.journal.records import OutgoingMessage, Stamp

SAVED_EVERY: Final = 250
"""Messages acknowledged that may be unsaved: what a crash loses of them goes out twice."""


class Outbox:
    """The messages of one journal and how far they are delivered.

    Acknowledgements may come in any order. What is saved is the sequence up to which all came;
    after a crash the few behind it are sent again, the same bytes.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._connection = schema.connect_for_delivery(path)
        self._reader = EntryReader(self._connection)
        self._lock = threading.Lock()
        row = self._connection.execute("SELECT through FROM delivery").fetchone()
        self._through: int = row[0]
        self._saved = self._through
        self._acknowledged: set[int] = set()
        # Where the journal replaced another one, not every number has a message.
        self._skipped = self._reader.skipped_messages()
        self._step_on()
        # Entry that holds a message after which reading is likely to go on: (sequence, entry).
        self._place = (-1, 0)

    def close(self) -> None:
        """Save how far delivery came, and close the connection."""
        with self._lock:
            try:
                self._save()
            finally:
                self._connection.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def sent_through(self) -> int:
        """Every message up to this sequence is acknowledged."""
        return self._through

    def pending(self, limit: int, *, after: int | None = None) -> list[OutgoingMessage]:
        """Return up to ``limit`` messages that are not acknowledged, in order.

        Only those with a sequence above ``after``: give the last one handed to the link, so that
        it is not handed over twice. Raises :class:`JournalError`.
        """
        with self._lock:
            start = self._through if after is None else max(after, self._through)
            found: list[OutgoingMessage] = []
            try:
                rows = self._connection.execute(
                    "SELECT number, last_message, told FROM entry WHERE number >= ? "
                    "ORDER BY number",
                    (self._entry_after(start),),
                )
                for number, last_message, told in rows:
                    if last_message <= start:
                        continue
                    for message in packing.messages_of(packing.unpack(told), last_message):
                        if message.sequence > start and message.sequence not in self._acknowledged:
                            found.append(message)
                            if len(found) == limit:
                                self._place = (message.sequence, number)
                                return found
            except (sqlite3.Error, ValueError) as error:
                raise self._failed(error) from error
            return found

    def mark_sent(self, sequences: Iterable[int]) -> None:
        """Take note that the broker acknowledged ``sequences``.

        What was noted is saved now and then, at :meth:`flush` and at :meth:`close`, for each
        saving is a write to the card. Raises :class:`JournalError` where that cannot be done;
        what was acknowledged is not handed out again all the same.
        """
        with self._lock:
            self._acknowledged.update(
                sequence for sequence in sequences if sequence > self._through
            )
            self._step_on()
            if self._through - self._saved >= SAVED_EVERY:
                self._save()

    def flush(self) -> None:
        """Save how far delivery came. Raises :class:`JournalError`."""
        with self._lock:
            self._save()

    def resend(self, from_sequence: int) -> None:
        """Send everything from ``from_sequence`` on once more.

        Raises :class:`JournalError` where this journal has no such message.
        """
        # As one transaction, so that nothing of it is archived just now.
        with self._lock, schema.transaction(self._connection):
            first, last = self._reader.first_message(), self._last_message()
            if not first <= from_sequence <= last:
                raise JournalError(
                    f"cannot resend from sequence {from_sequence}: kept are {first} to {last}"
                )
            self._through = from_sequence - 1
            self._acknowledged.clear()
            self._step_on()
            self._save()

    @property
    def unsent_count(self) -> int:
        """How many recorded messages are not acknowledged."""
        with self._lock:
            skipped = sum(
                last - first + 1 for first, last in self._skipped if first > self._through
            )
            return self._last_message() - self._through - skipped - len(self._acknowledged)

    @property
    def oldest_unsent(self) -> Stamp | None:
        """When the oldest message that is not acknowledged was recorded, None without one."""
        with self._lock:
            if self._through >= self._last_message():
                return None
            entry = self._reader.entry(self._entry_after(self._through))
            return None if entry is None else entry.stamp

    def _step_on(self) -> None:
        """Count what is acknowledged without a gap, and step over numbers without a message."""
        while True:
            for first, last in self._skipped:
                if first <= self._through + 1 <= last:
                    self._through = last
            if self._through + 1 not in self._acknowledged:
                return
            self._through += 1
            self._acknowledged.remove(self._through)

    def _entry_after(self, sequence: int) -> int:
        if self._place[0] == sequence:
            return self._place[1]
        return self._reader.first_reaching("last_message", sequence + 1)

    def _last_message(self) -> int:
        row = self._connection.execute(
            "SELECT last_message FROM entry ORDER BY number DESC LIMIT 1"
        ).fetchone()
        return 0 if row is None else int(row[0])

    def _save(self) -> None:
        if self._through == self._saved:
            return
        try:
            self._connection.execute("UPDATE delivery SET through = ?", (self._through,))
        except sqlite3.Error as error:
            raise translated(error, self._path, "delivery is not saved") from error
        self._saved = self._through

    def _failed(self, error: Exception) -> JournalError:
        if isinstance(error, sqlite3.Error):
            return translated(error, self._path, "messages cannot be read")
        return JournalError(f"journal {self._path}: messages cannot be read ({error})")
