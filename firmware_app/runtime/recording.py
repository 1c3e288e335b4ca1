"""Recording: facts and the messages of their events, numbered, in one transaction."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from firmware_app.journal.records import Configuration, OutgoingMessage, Stamp
from firmware_app.journal.store import Journal
from firmware_app.table.events import Event
from firmware_app.table.facts import Fact
from firmware_app.table.state import TableState


class Encode(Protocol):
    """Makes an event the bytes that go on the wire, once and for every resend."""

    def __call__(self, event: Event, sequence: int, stamp: Stamp) -> OutgoingMessage: ...


@dataclass(frozen=True, slots=True)
class Entry:
    """One transaction. Its messages are numbered when it is made, not when it is written."""

    facts: tuple[Fact, ...]
    events: tuple[Event, ...]
    messages: tuple[OutgoingMessage, ...]
    state: TableState
    stamp: Stamp
    checkpoint: bytes | None


class Recorder:
    """Makes entries and writes them. The numbers of messages run on from the journal's."""

    def __init__(self, journal: Journal, encode: Encode, stamp: Callable[[], Stamp]) -> None:
        self.journal = journal
        self.stamp = stamp
        self._encode = encode
        self._next_sequence = journal.next_sequence

    def entry(
        self,
        facts: Sequence[Fact],
        events: Sequence[Event],
        state: TableState,
        checkpoint: bytes | None = None,
    ) -> Entry:
        """Return the entry of a step that ended in ``state``. Entries are written in this order."""
        stamp = self.stamp()
        first = self._next_sequence
        self._next_sequence += len(events)
        messages = tuple(
            self._encode(event, first + number, stamp) for number, event in enumerate(events)
        )
        return Entry(tuple(facts), tuple(events), messages, state, stamp, checkpoint)

    def write(self, entry: Entry, on_disk: Callable[[], None] | None = None) -> None:
        """Commit ``entry``; raise :class:`~firmware_app.journal.errors.JournalError` if not.

        ``on_disk`` is called in between, as soon as it is committed; it must not raise.
        """
        self.journal.append(
            entry.facts,
            entry.events,
            entry.messages,
            round_number=entry.state.round_number,
            stamp=entry.stamp,
            checkpoint=entry.checkpoint,
            on_disk=on_disk,
        )

    def record(
        self,
        facts: Sequence[Fact],
        events: Sequence[Event],
        state: TableState,
        checkpoint: bytes | None = None,
    ) -> None:
        """Make an entry and commit it."""
        self.write(self.entry(facts, events, state, checkpoint))

    def record_configuration(
        self,
        new: Configuration,
        facts: Sequence[Fact],
        events: Sequence[Event],
        state: TableState,
    ) -> None:
        """Commit that ``new`` is in force, with what is told of it."""
        entry = self.entry(facts, events, state)
        self.journal.record_configuration(
            new, entry.facts, entry.events, entry.messages, stamp=entry.stamp
        )
