"""What a table has told the world, and whether its journal still knows all of it after a power cut.

What was told is what anybody outside has: each event that arrived, and each state that the table
was shown in. Every one is noted with how far the log of the disk had come by then, so a disk that
lost its power at any entry after that must still hold it.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final

from pydantic import TypeAdapter

from firmware_app.config import TableConfig
from firmware_app.feed.envelope import decode, encode, event_id
from firmware_app.feed.topics import TableTopics
from firmware_app.journal import packing
from firmware_app.journal.audit import audit
from firmware_app.journal.errors import JournalError
from firmware_app.journal.reading import open_for_reading
from firmware_app.journal.records import OutgoingMessage, Stamp
from firmware_app.journal.store import Journal
from firmware_app.runtime.clock import Clock
from firmware_app.runtime.recording import Recorder
from firmware_app.runtime.recovery import replayed
from firmware_app.table.events import Event
from firmware_app.table.facts import PowerReturned
from firmware_app.table.round import step
from firmware_app.table.state import TableState
from firmware_app.table.values import Phase
from firmware_app.table.view import TableView

SETTLED: Final = "fpg.v1.round-settled"
_ORDER: Final = (Phase.BETTING, Phase.DEALING, Phase.DEALT, Phase.REVEALED, Phase.SETTLED)
"""A round goes this way only."""
_VIEW: Final = TypeAdapter(TableView)

Owed = Mapping[int, int]
"""What each spot of a settled round is owed, in cents; spots that are owed nothing are left out."""


@dataclass(frozen=True, slots=True)
class Promised:
    """What had been told. ``events`` by sequence, as they came; ``settlements`` by round;
    ``reached`` the furthest that any round had been shown: its number, and how far it was."""

    events: Mapping[int, bytes]
    settlements: Mapping[int, Owed]
    reached: tuple[int, int]


class Witness:
    """Hears everything outside, and notes how far the log of the disk had come by then, which
    ``position`` tells."""

    def __init__(self, topics: TableTopics, position: Callable[[], int]) -> None:
        self._topics = topics
        self._position = position
        self.events: list[tuple[int, bytes]] = []
        self.shown: list[tuple[int, TableView]] = []

    def hear(self, topic: str, payload: bytes) -> None:
        position = self._position()
        if topic == self._topics.state:
            self.shown.append((position, _VIEW.validate_json(payload)))
        elif topic.startswith(self._topics.event("")):
            self.events.append((position, payload))

    def promised(self, cut: int) -> Promised:
        """Return what had been told before the log had come to ``cut``."""
        events = {decode(payload).sequence: payload for at, payload in self.events if at <= cut}
        shown = [view for at, view in self.shown if at <= cut]
        settlements = dict(_settlements(events))
        for view in shown:
            if view.phase is Phase.SETTLED and view.round_number:
                owed = {spot.number: spot.owed_cents for spot in view.spots if spot.owed_cents}
                assert settlements.setdefault(view.round_number, owed) == owed
        reached = [_how_far(each.round_number, each.phase, each.suspended_from) for each in shown]
        return Promised(events, settlements, max(reached, default=(0, 0)))

    def acknowledged_at(self) -> dict[int, int]:
        """Return for each settled round the entry of the log at which the world first knew."""
        positions = [
            (at, view.round_number) for at, view in self.shown if view.phase is Phase.SETTLED
        ] + [
            (at, event.data["round"])
            for at, payload in self.events
            if (event := decode(payload)).type == SETTLED
        ]
        # The last one given for a round is its first.
        first = {number: at for at, number in sorted(positions, reverse=True) if number}
        return dict(sorted(first.items()))


def _settlements(events: Mapping[int, bytes]) -> Iterator[tuple[int, Owed]]:
    for payload in events.values():
        event = decode(payload)
        if event.type == SETTLED:
            owed = {spot["spot"]: spot["owed_cents"] for spot in event.data["spots"]}
            yield event.data["round"], {spot: cents for spot, cents in owed.items() if cents}


def _how_far(round_number: int, phase: Phase, suspended_from: Phase | None) -> tuple[int, int]:
    return round_number, _ORDER.index(suspended_from or phase)


def recorder_of(journal: Journal, topics: TableTopics) -> Recorder:
    """Return what records in ``journal`` as a table does."""

    def message(event: Event, sequence: int, stamp: Stamp) -> OutgoingMessage:
        payload = encode(
            event, topics, sequence=sequence, wall_utc_ns=stamp.wall_utc_ns, synchronised=False
        )
        return OutgoingMessage(sequence, event_id(topics.table, sequence), event.TYPE, payload)

    return Recorder(journal, message, Clock(synchronised=lambda: False).stamp)


class ComeBack:
    """The table that comes back from the journal in ``folder``, opened as the table opens it.

    ``state`` is the one before the table says that it has started; ``faults`` is whatever breaks
    what was ``promised``, or contradicts what was told ``at_all``, later too.
    """

    def __init__(
        self, folder: Path, config: TableConfig, promised: Promised, at_all: Promised
    ) -> None:
        self._path = folder / config.journal.path.name
        self._config = config
        self._promised = promised
        self._at_all = at_all
        self.state: TableState | None = None
        self.events: dict[int, bytes] = {}
        self.facts_replayed = 0
        try:
            self.faults = list(self._opened())
        except JournalError as error:
            self.faults = [str(error)]

    @property
    def standing(self) -> tuple[int, Phase] | None:
        """The round and its phase; None where no table comes back."""
        return None if self.state is None else (self.state.round_number, self.state.phase)

    @property
    def phase(self) -> Phase | None:
        return None if self.state is None else self.state.phase

    @cached_property
    def settlements(self) -> dict[int, Owed]:
        return dict(_settlements(self.events))

    def _opened(self) -> Iterator[str]:
        rules = self._config.table_rules
        with Journal.open(self._path) as journal:
            recorder = recorder_of(journal, self._config.mqtt.topics)
            self.state = replayed(journal, rules)
            self.events = dict(self._recorded())
            yield from self._lost_or_contradicted()
            yield from self._wrong_meters(journal.meters.lifetime)
            with journal.outbox() as outbox:
                if outbox.sent_through > max(self._at_all.events, default=0):
                    yield f"event {outbox.sent_through} counts as delivered and never arrived"
            returned = PowerReturned(software=version("fortune-table"), configuration="c")
            after = step(rules, self.state, returned)
            recorder.record((returned,), after.events, after.state)
            if self.state.phase is not Phase.SETTLED and after.state.phase is not Phase.SUSPENDED:
                yield f"a round that was {self.state.phase} comes back {after.state.phase}"
        found = audit(self._path, software=version("fortune-table"))
        self.facts_replayed = found.facts_replayed
        if found.fault is not None:
            yield f"the journal does not verify: {found.fault}"

    def _recorded(self) -> Iterator[tuple[int, bytes]]:
        with open_for_reading(self._path) as reader:
            for entry in reader.forwards():
                for message in packing.messages_of(entry.told, entry.last_message):
                    yield message.sequence, message.payload

    def _lost_or_contradicted(self) -> Iterator[str]:
        assert self.state is not None
        for number, owed in self._promised.settlements.items():
            if number not in self.settlements:
                yield f"round {number} was settled, {sum(owed.values())} cents owed, and is lost"
        for number in self.settlements.keys() & self._at_all.settlements.keys():
            told, recorded = self._at_all.settlements[number], self.settlements[number]
            if told != recorded:
                yield f"round {number} was settled with {told} owed and is recorded with {recorded}"
        missing = self._promised.events.keys() - self.events.keys()
        if missing:
            yield f"events {sorted(missing)} had arrived outside, and are lost"
        for sequence in self.events.keys() & self._at_all.events.keys():
            if self.events[sequence] != self._at_all.events[sequence]:
                yield f"event {sequence} is recorded with other bytes than arrived outside"
        suspension = self.state.suspension
        come_back = _how_far(
            self.state.round_number, self.state.phase, suspension.phase if suspension else None
        )
        if come_back < self._promised.reached:
            number, phase = self._promised.reached
            yield (
                f"round {number} was shown {_ORDER[phase]}, and round {self.state.round_number} "
                f"comes back {self.state.phase}"
            )

    def _wrong_meters(self, lifetime: Mapping[str, int]) -> Iterator[str]:
        """Compare the meters with the sum of what the settled rounds told."""
        wanted: Counter[str] = Counter()
        for payload in self.events.values():
            event: dict[str, Any] = json.loads(payload)
            if event["type"] == SETTLED:
                wanted["rounds.settled"] += 1
                for spot in event["data"]["spots"]:
                    name = f"spot.{spot['spot']}"
                    wanted[f"{name}.fortune.paid_cents"] += spot["fortune"]["paid_cents"]
                    wanted[f"{name}.envy.paid_cents"] += spot["envy_cents"]
        for name, value in wanted.items():
            if lifetime.get(name, 0) != value:
                yield f"meter {name} is {lifetime.get(name, 0)}, and what was told makes {value}"
