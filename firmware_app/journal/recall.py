"""Recall: the last rounds as they were told, the one in play included."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from firmware_app.journal.errors import JournalError
from firmware_app.journal.reading import EntryReader, events_of
from firmware_app.journal.records import RecordedEvent, Stamp
from firmware_app.table.events import (
    BetsLocked,
    RoundOpened,
    RoundRevealed,
    RoundSettled,
    RoundVoided,
)

RECALLED_ROUNDS: Final = 100


@dataclass(frozen=True, slots=True)
class RecalledRound:
    """One round. Events tell nothing of a hand before its reveal, so neither does this."""

    number: int
    events: tuple[RecordedEvent, ...]

    def told(self, event_type: str) -> Mapping[str, Any] | None:
        """Return the data of the last event of that type, None where it was not told."""
        return next(
            (event.data for event in reversed(self.events) if event.type == event_type), None
        )

    @property
    def outcome(self) -> str:
        """``settled``, ``voided``, or ``unfinished``."""
        if self.told(RoundSettled.TYPE) is not None:
            return "settled"
        return "unfinished" if self.told(RoundVoided.TYPE) is None else "voided"

    @property
    def opened(self) -> Stamp:
        return self.events[0].stamp

    @property
    def ended(self) -> Stamp | None:
        """When it was settled or voided."""
        ends = (RoundSettled.TYPE, RoundVoided.TYPE)
        return next((event.stamp for event in self.events if event.type in ends), None)

    def as_json(self) -> dict[str, Any]:
        """Return the round as a program reads it."""
        opened, locked = self.told(RoundOpened.TYPE), self.told(BetsLocked.TYPE)
        settled = self.told(RoundSettled.TYPE)
        return {
            "round": self.number,
            "outcome": self.outcome,
            "profile": None if opened is None else opened["profile"],
            "opened": self.opened.utc_text,
            "ended": None if self.ended is None else self.ended.utc_text,
            "clock_synchronised": self.opened.synchronised,
            "locked": locked,
            "revealed": self.told(RoundRevealed.TYPE),
            "settled": settled,
            "voided": self.told(RoundVoided.TYPE),
            "events": [
                {
                    "entry": event.entry,
                    "time": event.stamp.utc_text,
                    "type": event.type,
                    "data": event.data,
                }
                for event in self.events
            ],
        }


@dataclass(frozen=True, slots=True)
class Recall:
    """Rounds, newest first. ``fault`` says why older ones could not be read, if so."""

    rounds: tuple[RecalledRound, ...]
    fault: str | None = None


def recall(
    reader: EntryReader, *, limit: int = RECALLED_ROUNDS, newest: int | None = None
) -> Recall:
    """Return the last ``limit`` rounds up to round ``newest`` (None: the last one).

    A damaged journal gives what can be read of it.
    """
    found: dict[int, list[RecordedEvent]] = {}
    fault = None
    try:
        before = None if newest is None else reader.first_reaching("round", newest + 2)
        for entry in reader.backwards(before=before):
            if len(found) == limit and entry.round_number < min(found):
                break
            for event in reversed(list(events_of(entry))):
                number = event.data.get("round", 0)
                if not number or (newest is not None and number > newest):
                    continue
                if number in found or len(found) < limit:
                    found.setdefault(number, []).append(event)
    except (sqlite3.DatabaseError, JournalError, ValueError, TypeError) as error:
        fault = str(error)
    return Recall(
        tuple(
            RecalledRound(number, tuple(reversed(found[number])))
            for number in sorted(found, reverse=True)
        ),
        fault,
    )
