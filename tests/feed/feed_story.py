"""Words of the feed's tests: a table's topics, messages that can be told apart, an outbox."""

from __future__ import annotations

from collections.abc import Iterable

from firmware_app.feed.envelope import encode, event_id
from firmware_app.feed.topics import TableTopics
from firmware_app.journal.records import OutgoingMessage
from firmware_app.table.events import Event, Payout

TOPICS = TableTopics("harbour", "pg-7")


def payout(number: int) -> Payout:
    """A payout that can be told from all others by its amount."""
    return Payout(
        round=number,
        spot=3,
        player="spot 3",
        main_cents=0,
        fortune_cents=number,
        ace_high_cents=0,
        envy_cents=0,
        owed_cents=number,
    )


def message(sequence: int, event: Event | None = None) -> OutgoingMessage:
    told = event or payout(sequence)
    payload = encode(
        told, TOPICS, sequence=sequence, wall_utc_ns=sequence * 10**9, synchronised=True
    )
    return OutgoingMessage(sequence, event_id(TOPICS.table, sequence), told.TYPE, payload)


class MemoryOutbox:
    """An outbox without a disk. ``fail`` makes the named methods raise, as a full disk does."""

    def __init__(self, count: int = 0) -> None:
        self.rows = {number: message(number) for number in range(1, count + 1)}
        self.sent: list[int] = []
        self.saved = 0
        self.fail: set[str] = set()
        self.closed = 0

    def add(self, count: int = 1) -> list[OutgoingMessage]:
        new = [message(number) for number in range(len(self.rows) + 1, len(self.rows) + 1 + count)]
        self.rows.update((row.sequence, row) for row in new)
        return new

    def pending(self, limit: int, *, after: int | None = None) -> list[OutgoingMessage]:
        self._check("pending")
        done = set(self.sent)
        start = 0 if after is None else after
        waiting = (row for row in self.rows.values() if row.sequence > start)
        return [row for row in waiting if row.sequence not in done][:limit]

    def mark_sent(self, sequences: Iterable[int]) -> None:
        self._check("mark_sent")
        self.sent.extend(sequences)

    def flush(self) -> None:
        self._check("flush")
        self.saved += 1

    def resend(self, from_sequence: int) -> None:
        self._check("resend")
        self.sent = [sequence for sequence in self.sent if sequence < from_sequence]

    @property
    def unsent_count(self) -> int:
        self._check("unsent_count")
        return len(self.rows) - len(set(self.sent))

    def close(self) -> None:
        self.closed += 1

    def _check(self, method: str) -> None:
        if method in self.fail:
            raise OSError("no space left on device")
