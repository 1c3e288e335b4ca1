"""An engine on a real journal, fed by hand, with everything that it shows remembered."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from firmware_app.feed.envelope import encode, event_id
from firmware_app.feed.topics import TableTopics
from firmware_app.journal.records import OutgoingMessage, Stamp
from firmware_app.journal.store import Journal
from firmware_app.rules.profile import load_profile
from firmware_app.runtime.clock import Clock
from firmware_app.runtime.engine import Engine, Parts
from firmware_app.runtime.inbox import Command, Inbox
from firmware_app.runtime.intake import Intake, IntakeRules
from firmware_app.runtime.recording import Recorder
from firmware_app.runtime.recovery import recovered
from firmware_app.runtime.software import Software
from firmware_app.table.facts import Fact, PowerReturned, ReaderFound
from firmware_app.table.state import TableRules
from firmware_app.table.view import TableView
from hw.inputs import InputBank
from hw.lamps import LampPattern
from hw.settings import PanelSettings

TOPICS = TableTopics("test", "table-1")
WAIT_S = 10.0


def encoded(event: Any, sequence: int, stamp: Stamp) -> OutgoingMessage:
    payload = encode(
        event,
        TOPICS,
        sequence=sequence,
        wall_utc_ns=stamp.wall_utc_ns,
        synchronised=stamp.synchronised,
    )
    return OutgoingMessage(sequence, event_id(TOPICS.table, sequence), event.TYPE, payload)


class Bench:
    """One start of a table's engine on the journal at ``path``."""

    encoded = staticmethod(encoded)

    def __init__(self, path: Path, rules: TableRules) -> None:
        self.views: list[TableView] = []
        self.lamps: dict[int, LampPattern] = {}
        self.committed: list[OutgoingMessage] = []
        self._changed = threading.Condition()
        self.journal = Journal.open(path)
        self.inbox = Inbox()
        self.rules = rules
        self.recorder = Recorder(self.journal, encoded, Clock(lambda: True).stamp)
        text = f"rules of {rules.profile.name}"
        state = recovered(rules, text, Software("test", "0" * 64), self.recorder)
        self.engine = Engine(
            Parts(
                rules=rules,
                recorder=self.recorder,
                inbox=self.inbox,
                intake=Intake(IntakeRules("fixed", "button", 5_00, 25_00)),
                inputs=InputBank(PanelSettings(spots=rules.profile.spots).inputs),
                read_levels=dict,
                show_lamps=self._show_lamps,
                observers=(self._observe,),
                committed=self.committed.extend,
            ),
            state,
        )
        self.engine.start(PowerReturned(software="test", configuration="test"), ReaderFound())
        self.wait(lambda view: view.reader_up)

    def _observe(self, shown: TableView) -> None:
        with self._changed:
            self.views.append(shown)
            self._changed.notify_all()

    def _show_lamps(self, patterns: Any, now_ns: int) -> int | None:
        self.lamps = dict(patterns)
        return None

    def tell(self, *facts: Fact) -> None:
        self.inbox.put(Command(facts))

    def wait(self, wanted: Callable[[TableView], bool]) -> TableView:
        with self._changed:
            found = self._changed.wait_for(
                lambda: bool(self.views) and wanted(self.views[-1]), WAIT_S
            )
            assert found, f"not seen in {WAIT_S} s; last: {self.views[-1:]}"
            return self.views[-1]

    def close(self) -> None:
        assert self.engine.stop()
        self.journal.close()


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Callable[..., Bench]]:
    """Return a starter of engines, each on the same journal: close one before the next."""
    opened: list[Bench] = []

    def make(rules: str = "envy") -> Bench:
        bench = Bench(tmp_path / "journal.sqlite3", TableRules(load_profile(rules)))
        opened.append(bench)
        return bench

    yield make
    for bench in opened:
        if bench.engine.is_alive():
            bench.close()
