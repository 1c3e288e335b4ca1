"""An outbox without a disk, for tables that are many on one machine."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Iterable, Sequence

from firmware_app.journal.records import OutgoingMessage


class MemoryOutbox:
    """Keeps what is not acknowledged, as a table's journal does, until the process ends.

    On the floor each table has a card of its own; a thousand journals on one disk would measure
    that disk. Messages must be added in order, from sequence 1 on. Thread-safe.
    """

    def __init__(self) -> None:
        self._unsent: deque[OutgoingMessage] = deque()
        self._acknowledged: set[int] = set()
        self._lock = threading.Lock()
        self.last_sequence = 0

    def add(self, message: OutgoingMessage) -> None:
        """Take a message to send."""
        with self._lock:
            self._unsent.append(message)
            self.last_sequence = message.sequence

    def pending(self, limit: int, *, after: int | None = None) -> Sequence[OutgoingMessage]:
        start = 0 if after is None else after
        with self._lock:
            waiting = (
                message
                for message in self._unsent
                if message.sequence > start and message.sequence not in self._acknowledged
            )
            return [message for message, _ in zip(waiting, range(limit), strict=False)]

    def mark_sent(self, sequences: Iterable[int]) -> None:
        with self._lock:
            self._acknowledged.update(sequences)
            while self._unsent and self._unsent[0].sequence in self._acknowledged:
                self._acknowledged.remove(self._unsent.popleft().sequence)

    def flush(self) -> None:
        """Nothing is noted that is not kept."""

    def resend(self, from_sequence: int) -> None:
        """Refuse: what was acknowledged is gone. Raises LookupError."""
        raise LookupError("a table of the fleet keeps nothing that was acknowledged")

    @property
    def unsent_count(self) -> int:
        with self._lock:
            return len(self._unsent) - len(self._acknowledged)

    def close(self) -> None:
        """The messages stay: the link opens the same outbox again."""
