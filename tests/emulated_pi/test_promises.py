"""The verdict over what a power cut left, on journals that are recorded here."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from promises import ComeBack, Promised, Witness, recorder_of

from firmware_app.cards import DECK, parse_hand
from firmware_app.config import load_config
from firmware_app.journal.records import OutgoingMessage
from firmware_app.journal.store import Journal
from firmware_app.table import facts
from firmware_app.table.facts import Fact
from firmware_app.table.round import step
from firmware_app.table.state import new_table
from firmware_app.table.values import Phase
from firmware_app.table.view import view, view_to_json

CONFIG = load_config(Path(__file__).parent / "guest" / "etc" / "fortune-table" / "table.toml")
TOPICS = CONFIG.mqtt.topics
QUADS = parse_hand("QS QH QD QC JK 4D 9H", count=7)
OWED_CENTS = 25 * 5_00
"""Four of a kind pays 25 to 1 on the ``envy`` sheet."""


class PlayedTable:
    """A table that has revealed a round in ``folder``. Each step is one request in the log."""

    def __init__(self, folder: Path) -> None:
        self.requests = 0
        self.witness = Witness(TOPICS, lambda: self.requests)
        self.journal = Journal.open(folder / CONFIG.journal.path.name)
        self.recorder = recorder_of(self.journal, TOPICS)
        self._state = new_table(CONFIG.table_rules)
        rest = [card for card in DECK if card not in QUADS]
        self.take(facts.WagerChanged(spot=1, wager="fortune", cents=5_00))
        self.take(facts.DealStarted(first_spot=1))
        for position in range(7):
            cards = QUADS if position == 1 else tuple(rest.pop() for _ in range(7))
            self.take(facts.HandRead(position=position, cards=cards))
        self.take(facts.Advanced())

    def settle(self) -> None:
        self.take(facts.Advanced())

    def take(self, fact: Fact) -> None:
        self.requests += 1
        after = step(CONFIG.table_rules, self._state, fact)
        self._state = after.state
        entry = self.recorder.entry((fact,), after.events, after.state)
        self.recorder.write(entry)
        for message in entry.messages:
            self.witness.hear(TOPICS.event(message.type), message.payload)
        self.witness.hear(TOPICS.state, view_to_json(view(after.state, CONFIG.table_rules)))

    @property
    def told(self) -> Promised:
        return self.witness.promised(self.requests)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "played"
    made.mkdir()
    return made


@pytest.fixture
def table(folder: Path) -> Iterator[PlayedTable]:
    played = PlayedTable(folder)
    yield played
    played.journal.close()


@pytest.fixture
def cut(table: PlayedTable, folder: Path) -> Path:
    """The files as they are while the round is revealed."""
    return Path(shutil.copytree(folder, folder.with_name("cut")))


def faults(folder: Path, told: Promised) -> list[str]:
    return ComeBack(folder, CONFIG, told, told).faults


def test_a_journal_that_holds_all_that_was_told_breaks_no_promise(
    table: PlayedTable, folder: Path
) -> None:
    table.settle()
    table.journal.close()
    assert table.told.settlements == {1: {1: OWED_CENTS}}
    assert table.witness.acknowledged_at() == {1: table.requests}
    table_again = ComeBack(folder, CONFIG, table.told, table.told)
    assert (table_again.faults, table_again.standing) == ([], (1, Phase.SETTLED))


def test_a_settlement_that_was_told_and_is_not_there_is_lost(table: PlayedTable, cut: Path) -> None:
    before = len(table.told.events)
    table.settle()
    lost = [number for number in table.told.events if number > before]
    assert lost
    assert faults(cut, table.told) == [
        f"round 1 was settled, {OWED_CENTS} cents owed, and is lost",
        f"events {lost} had arrived outside, and are lost",
        "round 1 was shown settled, and round 1 comes back revealed",
    ]


def test_what_was_told_after_the_cut_is_no_promise_of_it(table: PlayedTable, cut: Path) -> None:
    promised = table.told
    table.settle()
    table_again = ComeBack(cut, CONFIG, promised, table.told)
    assert (table_again.faults, table_again.standing) == ([], (1, Phase.REVEALED))


def test_a_journal_that_is_gone_has_lost_everything(table: PlayedTable, tmp_path: Path) -> None:
    table.settle()
    (tmp_path / "empty").mkdir()
    assert f"events {list(table.told.events)} had arrived outside, and are lost" in faults(
        tmp_path / "empty", table.told
    )


def test_another_settlement_than_was_told_is_found(table: PlayedTable, folder: Path) -> None:
    table.settle()
    table.journal.close()
    assert faults(folder, replace(table.told, settlements={1: {1: 5_00}})) == [
        f"round 1 was settled with {{1: 500}} owed and is recorded with {{1: {OWED_CENTS}}}"
    ]


def test_an_event_that_arrived_with_other_bytes_is_found(table: PlayedTable, folder: Path) -> None:
    table.journal.close()
    events = dict(table.told.events)
    events[1] += b" "
    assert faults(folder, replace(table.told, events=events)) == [
        "event 1 is recorded with other bytes than arrived outside"
    ]


def test_a_message_of_a_settlement_that_moved_no_meter_is_found(
    table: PlayedTable, folder: Path
) -> None:
    table.settle()
    last = max(table.told.events)
    told = OutgoingMessage(last + 1, f"pi-{last + 1}", "round-settled", table.told.events[last])
    table.journal.append((), (), [told], round_number=1, stamp=table.recorder.stamp())
    table.journal.close()
    assert "meter rounds.settled is 1, and what was told makes 2" in faults(folder, table.told)


def test_an_event_that_counts_as_delivered_and_never_arrived_is_found(
    table: PlayedTable, folder: Path
) -> None:
    arrived = table.told
    table.settle()
    last = max(table.told.events)
    with table.journal.outbox() as outbox:
        outbox.mark_sent(range(1, last + 1))
    table.journal.close()
    assert ComeBack(folder, CONFIG, arrived, arrived).faults == [
        f"event {last} counts as delivered and never arrived"
    ]


def test_a_damaged_journal_is_found(table: PlayedTable, folder: Path) -> None:
    table.journal.close()
    journal = folder / CONFIG.journal.path.name
    content = journal.read_bytes().replace(b'"kind":"advanced"', b'"kind":"retreated"')
    journal.write_bytes(content)
    (fault,) = faults(folder, table.told)
    assert "damaged" in fault
