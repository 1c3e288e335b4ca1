"""One process of the fleet: its share of the tables, and the pace at which they tell."""

from __future__ import annotations

import gc
import resource
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from multiprocessing.connection import Connection
from typing import Protocol

from firmware_app.feed.envelope import encode, event_id
from firmware_app.feed.link import Link
from firmware_app.feed.settings import FeedSettings
from firmware_app.journal.records import OutgoingMessage
from firmware_app.simulation.fleet_load import Load
from firmware_app.simulation.memory_outbox import MemoryOutbox
from firmware_app.simulation.rounds import deal_rounds
from firmware_app.table.events import DeviceStarted, Event
from firmware_app.table.values import Phase

_ROUNDS_DEALT = 100
"""Dealt beforehand; tables play them over and over, each from its own place."""
_CONNECTED_S = 60.0
_DRAINED_S = 60.0
_POLL_S = 0.05
_TICK_S = 0.001


@dataclass(frozen=True, slots=True)
class Share:
    """The tables of one process. ``rate`` is the events of each table a second.

    ``whole`` tables have the real link; the others are only load.
    """

    tables: tuple[FeedSettings, ...]
    whole: bool
    rules: str
    rate: float
    seconds: float


@dataclass(frozen=True, slots=True)
class Told:
    """What one table told, how much of it the broker has not acknowledged, and why not."""

    source: str
    events: int
    unsent: int
    problem: str | None


class _Tables(Protocol):
    def connect(self) -> int:
        """Connect them; return how many are."""

    def tell(self, number: int) -> None:
        """Let the next event of a table happen."""

    def rest(self, seconds: float) -> None:
        """Let time pass until the next events are due."""

    def finish(self) -> list[Told]:
        """Wait until everything is acknowledged, or that takes too long."""

    def close(self) -> None: ...


def run_share(share: Share, line: Connection) -> None:
    """Run the tables of ``share``; ``line`` leads to the process that started this one.

    Says how many tables are connected, waits for the word to begin, plays, sends a list of
    :class:`Told`, and waits for the word to leave.
    """
    allow_open_files()
    rounds = tuple(islice(deal_rounds(share.rules, seed=1), _ROUNDS_DEALT))
    tales = [_Tale(settings, rounds, place) for place, settings in enumerate(share.tables)]
    tables: _Tables = _WholeTables(tales) if share.whole else _PlainTables(tales)
    try:
        line.send(tables.connect())
        # What is there now stays: looking it through for garbage takes tens of milliseconds, which
        # would count as lateness.
        gc.collect()
        gc.freeze()
        line.recv()
        _play(tables, len(tales), share)
        line.send(tables.finish())
        line.recv()
    finally:
        tables.close()


def allow_open_files() -> None:
    """Let this process open as many files as it may: a thousand tables are thousands of them."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))


def _play(tables: _Tables, count: int, share: Share) -> None:
    """Let the tables tell in turn, evenly over time; who is late makes up for it."""
    begin_s = time.monotonic()
    told, wanted = 0, round(share.rate * count * share.seconds)
    while told < wanted:
        due = min(wanted, int((time.monotonic() - begin_s) * share.rate * count) + 1)
        for number in range(told, due):
            tables.tell(number % count)
        told = due
        tables.rest(_TICK_S)


class _Tale:
    """What one table tells: real events in real envelopes, stamped as they happen."""

    def __init__(
        self, settings: FeedSettings, rounds: Sequence[tuple[Event, ...]], place: int
    ) -> None:
        self.settings = settings
        self.topics = settings.topics
        self.sequence = 0
        self._events = _events(rounds, place)

    def next(self) -> OutgoingMessage:
        event = next(self._events)
        self.sequence += 1
        payload = encode(
            event,
            self.topics,
            sequence=self.sequence,
            wall_utc_ns=time.time_ns(),
            synchronised=True,
        )
        name = event_id(self.topics.table, self.sequence)
        return OutgoingMessage(self.sequence, name, event.TYPE, payload)

    def told(self, unsent: int, problem: str | None) -> Told:
        return Told(f"/{self.topics.base}", self.sequence, unsent, problem)


class _WholeTables:
    def __init__(self, tales: Sequence[_Tale]) -> None:
        self._tales = tales
        self._outboxes = [MemoryOutbox() for _ in tales]
        self._links = [
            Link(tale.settings, lambda outbox=outbox: outbox)  # type: ignore[misc]
            for tale, outbox in zip(tales, self._outboxes, strict=True)
        ]

    def connect(self) -> int:
        for link in self._links:
            link.start()
        deadline_s = time.monotonic() + _CONNECTED_S
        while True:
            count = sum(link.health().connected for link in self._links)
            if count == len(self._links) or time.monotonic() > deadline_s:
                return count
            time.sleep(_POLL_S)

    def tell(self, number: int) -> None:
        self._outboxes[number].add(self._tales[number].next())
        self._links[number].wake()

    def rest(self, seconds: float) -> None:
        time.sleep(seconds)

    def finish(self) -> list[Told]:
        deadline_s = time.monotonic() + _DRAINED_S
        for link in self._links:
            link.flush(max(0.0, deadline_s - time.monotonic()))
        parts = zip(self._tales, self._outboxes, self._links, strict=True)
        return [
            tale.told(outbox.unsent_count, link.health().problem) for tale, outbox, link in parts
        ]

    def close(self) -> None:
        # Asked all at once, then waited for: each needs an answer of the broker to say goodbye.
        for timeout_s in (0.0, 5.0):
            for link in self._links:
                link.stop(timeout_s)


class _PlainTables:
    def __init__(self, tales: Sequence[_Tale]) -> None:
        self._tales = tales
        self._load = Load([tale.settings for tale in tales])

    def connect(self) -> int:
        self._load.settle(_CONNECTED_S)
        return sum(connection.accepted for connection in self._load.connections)

    def tell(self, number: int) -> None:
        message = self._tales[number].next()
        topic = self._tales[number].topics.event(message.type)
        self._load.connections[number].publish(topic.encode(), message.payload)

    def rest(self, seconds: float) -> None:
        self._load.turn(seconds)

    def finish(self) -> list[Told]:
        self._load.settle(_DRAINED_S)
        return [
            tale.told(connection.unacknowledged, connection.problem)
            for tale, connection in zip(self._tales, self._load.connections, strict=True)
        ]

    def close(self) -> None:
        self._load.close()


def _events(rounds: Sequence[tuple[Event, ...]], place: int) -> Iterator[Event]:
    yield DeviceStarted(
        round=0, software="fleet", configuration="fleet", resumed_phase=Phase.SETTLED
    )
    number = 0
    while True:
        number += 1
        for event in rounds[(place + number) % len(rounds)]:
            yield event.model_copy(update={"round": number})
