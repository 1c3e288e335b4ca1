"""A journal that older software recorded: proven as it is, brought up to date, and gone on with.

The file is of a simulated ``envy`` table of 0.1.0 before it knew of clean stops, of its own digest,
and of hands that are told one by one: two settled rounds and a void one, 101 facts.
"""

from __future__ import annotations

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from recorded_table import SOFTWARE, stamp

from firmware_app.journal.audit import audit
from firmware_app.journal.reading import open_for_reading
from firmware_app.journal.records import OutgoingMessage, Stamp
from firmware_app.journal.round_replay import replay_round
from firmware_app.journal.schema import SCHEMA_VERSION
from firmware_app.journal.store import Journal
from firmware_app.runtime.recording import Recorder
from firmware_app.runtime.recovery import recovered, replayed
from firmware_app.runtime.software import Software
from firmware_app.table.events import Event
from firmware_app.table.state import TableRules, rules_from_json
from firmware_app.table.values import Phase

OLD = Path(__file__).parents[1] / "vectors" / "journal_of_schema_1.sqlite3"
CHAIN = "41b0da7583ce52ba224e0102939efbb575535bbfcf36efbe05ec8f1ea032bced"


@pytest.fixture
def old(path: Path) -> Path:
    shutil.copyfile(OLD, path)
    return path


def schema(path: Path) -> int:
    with closing(sqlite3.connect(path)) as connection:
        number: int = connection.execute("PRAGMA user_version").fetchone()[0]
    return number


def rules_of(journal: Journal) -> TableRules:
    return rules_from_json(next(journal.configurations()).rules)


def test_it_is_proven_without_being_altered(old: Path) -> None:
    found = audit(old, software=SOFTWARE)
    assert (found.fault, found.chain) == (None, CHAIN)
    assert (found.last_entry, found.last_message, found.facts_replayed) == (32, 78, 101)
    [first] = found.changes
    assert (first.software, first.changed) == ("", None)
    assert schema(old) == 1
    assert old.read_bytes() == OLD.read_bytes()


def test_its_rounds_replay(old: Path) -> None:
    with open_for_reading(old) as reader:
        assert replay_round(reader, 2).settlement is not None
        assert replay_round(reader, 3).void_reason is not None


def test_it_is_brought_up_to_date_and_its_numbers_go_on(old: Path) -> None:
    told: list[Event] = []

    def encoded(event: Event, sequence: int, _: Stamp) -> OutgoingMessage:
        told.append(event)
        return OutgoingMessage(sequence, f"t-{sequence}", event.TYPE, b"{}")

    with Journal.open(old) as journal:
        rules = rules_of(journal)
        assert replayed(journal, rules).phase is Phase.VOIDED
        text = next(journal.configurations()).text
        recorder = Recorder(journal, encoded, lambda: stamp(1))
        state = recovered(rules, text, Software(SOFTWARE, "ab" * 32), recorder)
        assert (state.round_number, state.phase) == (3, Phase.VOIDED)
        [applied] = told
        assert applied.model_dump()["changed"] == ("software",)
        assert journal.next_sequence == 80
    assert schema(old) == SCHEMA_VERSION
    found = audit(old, software=SOFTWARE)
    assert (found.fault, found.facts_replayed) == (None, 102)
    assert [change.changed for change in found.changes] == [("software",), None]
