"""The fleet's one reader: what a consumer of the whole floor receives, and how late."""

from __future__ import annotations

import gc
import time
from array import array
from collections.abc import Mapping
from dataclasses import dataclass, field
from multiprocessing.connection import Connection

from firmware_app.feed.connection import LinkLostError
from firmware_app.feed.consumer import FeedReader
from firmware_app.feed.envelope import EnvelopeError
from firmware_app.feed.settings import BrokerSettings
from firmware_app.feed.subscriber import Subscriber
from firmware_app.feed.topics import ROOT

_SILENCE_S = 10.0
"""When nothing has come for so long, nothing more will."""
_POLL_S = 0.05


@dataclass(frozen=True, slots=True)
class Heard:
    """What was received. ``late_us`` holds the lateness of each event in µs, sorted."""

    received: int
    repeats: int
    out_of_order: int
    faults: tuple[str, ...]
    late_us: array[int] = field(repr=False)

    def late_ms(self, share: float) -> float:
        """Return the lateness that ``share`` of the events keep within; 0 without events."""
        if not self.late_us:
            return 0.0
        place = min(len(self.late_us) - 1, int(share * len(self.late_us)))
        return self.late_us[place] / 1000


class _Listener:
    def __init__(self) -> None:
        self.tables = FeedReader(first=1)
        self.late_us = array("q")
        self.unreadable: set[str] = set()
        self.heard_at_s = time.monotonic()

    def hear(self, topic: str, payload: bytes) -> None:
        arrived_s = time.time()
        self.heard_at_s = time.monotonic()
        try:
            event = self.tables.accept(payload)
        except EnvelopeError as error:
            self.unreadable.add(f"{topic}: {error}")
            return
        if event is not None:
            self.late_us.append(round((arrived_s - event.time.timestamp()) * 1e6))

    def has(self, expected: Mapping[str, int]) -> bool:
        return len(self.late_us) >= sum(expected.values())


def run_reader(broker: BrokerSettings, site: str, line: Connection) -> None:
    """Follow every table of ``site``; ``line`` leads to the process that started this one.

    Says None, or why it cannot subscribe. On being told how many events each source has sent,
    waits for them and sends what it :class:`Heard`.
    """
    listener = _Listener()
    try:
        with Subscriber(broker, f"{ROOT}/{site}/+/event/#", listener.hear):
            gc.freeze()  # as the tables do
            line.send(None)
            expected: Mapping[str, int] = line.recv()
            listener.heard_at_s = time.monotonic()
            while not listener.has(expected):
                if time.monotonic() - listener.heard_at_s > _SILENCE_S:
                    break
                time.sleep(_POLL_S)
    except LinkLostError as error:
        line.send(str(error))
        return
    line.send(_sum_up(listener, expected))


def _sum_up(listener: _Listener, expected: Mapping[str, int]) -> Heard:
    tables = listener.tables.tables
    faults = [*listener.unreadable]
    for source, last in expected.items():
        if source in tables:
            faults += [str(gap) for gap in tables[source].gaps(through=last)]
            faults += tables[source].contradictions
        elif last:
            faults.append(f"{source}: nothing was received of {last} events")
    return Heard(
        received=sum(table.received for table in tables.values()),
        repeats=sum(table.repeats for table in tables.values()),
        out_of_order=sum(table.late for table in tables.values()),
        faults=tuple(faults),
        late_us=array("q", sorted(listener.late_us)),
    )
