"""The reference consumer: what the casino's side must do to know that it has everything.

Drop repeats by id, order by sequence, and take a hole in the sequence for what it is. Pure: bytes
go in, events and findings come out. A consumer in another language can be written from this.
"""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from collections.abc import Iterator
from dataclasses import dataclass, field

from firmware_app.feed.envelope import Received, decode

_REMEMBERED = 10_000
"""How many of the last events are held against a repeat, by digest."""


@dataclass(frozen=True, slots=True)
class Gap:
    """Events ``first`` to ``last`` of ``source`` are missing."""

    source: str
    first: int
    last: int

    def __str__(self) -> str:
        if self.first == self.last:
            return f"{self.source}: event {self.first} is missing"
        return f"{self.source}: events {self.first} to {self.last} are missing"


@dataclass(slots=True)
class Completeness:
    """Which events of one source are here. Memory grows with holes, not with events.

    ``first`` is the sequence that it must begin with; None takes the first one seen.
    """

    source: str
    first: int | None = None
    highest: int = 0
    received: int = 0
    repeats: int = 0
    late: int = 0
    """New events that came after one with a higher sequence: a table never sends so."""
    contradictions: list[str] = field(default_factory=list)
    _holes: list[tuple[int, int]] = field(default_factory=list)
    _digests: OrderedDict[int, bytes] = field(default_factory=OrderedDict)

    def observe(self, event: Received, payload: bytes) -> bool:
        """Take note of ``event``; return whether it is new, and so to be acted on."""
        sequence = event.sequence
        if self.first is None:
            self.first = sequence
        if sequence < self.first:
            # From before the part that is followed: complete it cannot be, and need not.
            self.repeats += 1
            return False
        if not self.received:
            self.highest = self.first - 1
        new = self._place(sequence)
        self._compare(event, payload, new=new)
        if new:
            self.received += 1
        else:
            self.repeats += 1
        return new

    def gaps(self, *, through: int | None = None) -> tuple[Gap, ...]:
        """Return what is missing, up to ``through`` or the highest sequence seen."""
        holes = list(self._holes)
        if through is not None and through > self.highest:
            holes.append((self.highest + 1, through))
        return tuple(Gap(self.source, low, high) for low, high in holes)

    def _place(self, sequence: int) -> bool:
        if sequence > self.highest:
            if sequence > self.highest + 1:
                self._holes.append((self.highest + 1, sequence - 1))
            self.highest = sequence
            return True
        for place, (low, high) in enumerate(self._holes):
            if low <= sequence <= high:
                parts = [(low, sequence - 1), (sequence + 1, high)]
                self._holes[place : place + 1] = [part for part in parts if part[0] <= part[1]]
                self.late += 1
                return True
        return False

    def _compare(self, event: Received, payload: bytes, *, new: bool) -> None:
        digest = hashlib.sha256(event.id.encode() + b"\0" + payload).digest()
        if new:
            self._digests[event.sequence] = digest
            if len(self._digests) > _REMEMBERED:
                self._digests.popitem(last=False)
        elif self._digests.get(event.sequence, digest) != digest:
            self.contradictions.append(
                f"{self.source}: event {event.sequence} came again with other content"
            )


@dataclass(slots=True)
class FeedReader:
    """Follows any number of tables at once, each by its source.

    ``first`` is where each of them must begin; None takes the first event seen.
    """

    first: int | None = None
    tables: dict[str, Completeness] = field(default_factory=dict)

    def accept(self, payload: bytes) -> Received | None:
        """Return the event in ``payload`` if it is new, None for a repeat.

        Raises :class:`~firmware_app.feed.envelope.EnvelopeError` for what is no event.
        """
        event = decode(payload)
        table = self.tables.get(event.source)
        if table is None:
            table = self.tables[event.source] = Completeness(event.source, self.first)
        return event if table.observe(event, payload) else None

    def faults(self, *, through: int | None = None) -> Iterator[str]:
        """Tell what is missing, and what came twice with different content."""
        for table in self.tables.values():
            yield from (str(gap) for gap in table.gaps(through=through))
            yield from table.contradictions
