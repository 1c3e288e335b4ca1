"""A table that plays for months in a moment, and what is compared of two journals."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from recorded_table import NOON_NS, SOFTWARE, RecordedTable

from firmware_app.journal.archiving import Archiver
from firmware_app.journal.audit import Audit, audit
from firmware_app.journal.history import archive_folder, open_history
from firmware_app.journal.packing import events_of, messages_of
from firmware_app.journal.reading import EntryReader
from firmware_app.journal.records import OutgoingMessage, Stamp
from firmware_app.journal.store import Journal
from firmware_app.table import facts

DAY_S = 86_400
KEEP_DAYS = 90


def at_day(day: float, *, known: bool = True) -> Stamp:
    """Return the moment ``day`` days after the table opened."""
    ns = int(day * DAY_S * 1_000_000_000)
    return Stamp(NOON_NS + ns, ns, "boot-1", known)


class AgedTable(RecordedTable):
    """Rounds lie days apart. Every fourth one ends with a checkpoint, as every twentieth does."""

    rounds_per_checkpoint = 4

    def __init__(self, path: Path, *, seed: int = 1, waits_for_disk: bool = False) -> None:
        super().__init__(path, seed=seed)
        if not waits_for_disk:
            # Where nobody pulls the plug, months of commits are made in seconds.
            self.journal._connection.execute("PRAGMA synchronous = OFF")

    def play_days(self, days: int, *, rounds_a_day: int = 2) -> None:
        for _ in range(days * rounds_a_day):
            self.second += DAY_S // rounds_a_day
            self.play_checked_round()

    def play_checked_round(self) -> None:
        self.bet(1 + self.state.round_number % 6, 5_00)
        self.deal()
        self.tell(facts.Advanced())
        due = self.state.round_number % self.rounds_per_checkpoint == 0
        self.tell(facts.Advanced(), checkpoint=due)

    def deliver(self) -> None:
        """Have the broker acknowledge everything."""
        with self.journal.outbox() as outbox:
            outbox.mark_sent(range(1, self.journal.next_sequence))

    @property
    def day(self) -> float:
        return self.second / DAY_S


def archiver(
    journal: Journal, day: float, *, keep_days: int = KEEP_DAYS, known: bool = True
) -> Archiver:
    return Archiver(
        journal, keep_days=keep_days, reserve_bytes=0, stamp=lambda: at_day(day, known=known)
    )


def archive(table: AgedTable) -> int:
    """Archive all that is due; return how many steps it took."""
    return sum(1 for _ in archiver(table.journal, table.day).steps())


def archives(journal: Path) -> list[Path]:
    """Return the archives of a journal, oldest first."""
    return sorted(archive_folder(journal).glob("*.sqlite3"))


def audited(path: Path) -> Audit:
    """Audit a journal with the archives beside it."""
    return audit(path, software=SOFTWARE, archives=archive_folder(path))


def told(reader: EntryReader) -> dict[str, Any]:
    """Return all that a reader gives, but for the numbers of entries and what archiving records."""
    entries = [entry for entry in reader.forwards() if entry.kind != "archived"]
    return {
        "facts": [(e.last_fact, e.facts, e.stamp) for e in entries],
        "messages": list(_messages(entries)),
        "events": [events_of(e.told) for e in entries],
        "kinds": [e.kind for e in entries],
        "rounds": [e.round_number for e in entries],
    }


def whole_history(path: Path) -> dict[str, Any]:
    with open_history(path) as reader:
        return told(reader)


def _messages(entries: Iterable[Any]) -> Iterator[OutgoingMessage]:
    for entry in entries:
        yield from messages_of(entry.told, entry.last_message)
