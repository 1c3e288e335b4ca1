"""Whole tables against what goes wrong around them: brokers, readers of reports, clocks, kills."""

from __future__ import annotations

import json
import multiprocessing
import random
import time
from collections.abc import Callable, Iterator
from functools import partial
from importlib.metadata import version
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from soak_life import Life, live
from soak_table import SoakDealer, SoakTable
from soak_verdict import judge
from soak_weather import Listener, PatientBroker

from firmware_app import assembly
from firmware_app.journal import archiving
from firmware_app.journal.audit import audit
from firmware_app.journal.history import archive_folder, open_history
from firmware_app.journal.packing import messages_of
from firmware_app.journal.reading import open_for_reading
from firmware_app.journal.recovery import replace_damaged
from firmware_app.journal.round_replay import replay_round
from firmware_app.runtime import clock, engine
from firmware_app.runtime.archivist import Archivist
from firmware_app.simulation.stage import Places
from firmware_app.table.values import Phase
from firmware_app.table.view import TableView
from hw.reader.health import ReaderStatus

PATIENCE_S = 30.0
DAY_NS = 86_400 * 10**9
YEAR_NS = 365 * DAY_NS

Play = Callable[[int], None]


@pytest.fixture
def broker() -> Iterator[PatientBroker]:
    """A broker that has its address already and does not run yet."""
    broker = PatientBroker()
    yield broker
    broker.stop()


def listener(broker: PatientBroker, played: SoakTable | None, path: Path) -> Listener:
    topic = "fpg/v1/demo/table-1/event/#" if played is None else played.config.mqtt.topics.events
    return Listener(broker, topic, path / "received.jsonl")


def players(played: SoakTable) -> Play:
    """Return what plays as many rounds as it is told, or fails."""
    dealer = SoakDealer(played, random.Random(3), voids=0.0)

    def play(rounds: int) -> None:
        wanted = played.table.journal.last_round_number + rounds

        def settled(view: TableView) -> bool:
            return view.round_number >= wanted and view.phase is Phase.SETTLED

        assert dealer.play_until(settled, timeout_s=PATIENCE_S), dealer.view

    return play


def settled_rounds(received: list[bytes]) -> list[int]:
    """Return the rounds whose settlement was received, in that order, repeats left out."""
    events = [json.loads(payload) for payload in dict.fromkeys(received)]
    return [event["data"]["round"] for event in events if event["type"] == "fpg.v1.round-settled"]


def faults(played: SoakTable) -> set[str]:
    """Return the alarms that stand, but for chips of a dealer who is quicker than the sensors."""
    return {alarm.code for alarm in played.table.engine.shown.alarms} - {"late-bet"}


def test_rounds_settled_without_a_broker_survive_a_kill_and_are_sent_in_order(
    broker: PatientBroker, tmp_path: Path
) -> None:
    context = multiprocessing.get_context("spawn")
    shown: list[list[dict[str, Any]]] = []

    def life(*, rounds: int | None = None) -> dict[str, Any]:
        """Live until so many rounds are settled, or to the end; return what was said last."""
        told, telling = context.Pipe(duplex=False)
        wish = Life(tmp_path, broker.settings, 5, 0.0, None, finish=rounds is None)
        process = context.Process(target=live, args=(wish, telling))
        process.start()
        telling.close()
        said: list[dict[str, Any]] = []
        try:
            while told.poll(PATIENCE_S):
                said.append(json.loads(told.recv_bytes()))
                if "last_sequence" in said[-1] or (rounds and said[-1]["round"] > rounds):
                    break
        finally:
            process.kill()
            process.join()
            told.close()
        shown.append([each for each in said if "round" in each])
        return said[-1]

    assert life(rounds=20)["round"] == 21
    broker.start()
    with listener(broker, None, tmp_path) as heard:
        last = life()["last_sequence"]
        assert heard.wait_for(last, PATIENCE_S)
        received = heard.received()
    verdict = judge(received, shown, last)
    assert verdict.clean, verdict.findings
    assert settled_rounds(received)[:20] == list(range(1, 21))


def test_a_broker_that_freezes_holds_up_no_lock_result_or_payment(
    broker: PatientBroker, tmp_path: Path
) -> None:
    # With these a thread that waited for an answer would wait longer than the test does.
    patient = {"ack_timeout_s": 300, "connect_timeout_s": 10, "keepalive_s": 300}
    broker.start()
    with (
        SoakTable(tmp_path, broker.settings, feed=patient) as played,
        listener(broker, played, tmp_path) as heard,
    ):
        played.start()
        play = players(played)
        play(1)
        assert played.table.link.flush(PATIENCE_S)
        broker.pause()
        play(20)
        assert not played.table.link.flush(0.1), "nothing can be acknowledged now"
        unsent = played.table.journal.next_sequence - 1
        broker.resume()
        assert played.table.link.flush(PATIENCE_S)
        assert heard.wait_for(unsent, PATIENCE_S)
        assert settled_rounds(heard.received())[:21] == list(range(1, 22))


def test_a_table_that_starts_without_a_broker_plays_and_finds_it_later(
    broker: PatientBroker, tmp_path: Path
) -> None:
    with SoakTable(tmp_path, broker.settings) as played:
        played.start()
        play = players(played)
        play(5)
        health = played.table.link.health()
        assert health.alive
        assert not health.connected
        assert "refused" in str(health.problem)
        broker.start()
        with listener(broker, played, tmp_path) as heard:
            play(1)
            # What was sent before anybody listened is asked for, as a consumer would.
            played.table.link.resend(1)
            deadline_s = time.monotonic() + PATIENCE_S
            while not {1, 2, 3, 4, 5, 6} <= set(settled_rounds(heard.received())):
                assert time.monotonic() < deadline_s, settled_rounds(heard.received())
                time.sleep(0.02)


def test_a_report_that_reads_for_long_holds_up_no_settlement(
    broker: PatientBroker, tmp_path: Path
) -> None:
    broker.start()
    journal = Places(tmp_path).journal
    with SoakTable(tmp_path, broker.settings) as played:
        played.start()
        play = players(played)
        play(1)
        with open_for_reading(journal) as report:
            entries = report.forwards()
            seen = [next(entries)]  # the snapshot stands from here on
            play(200)
            seen += entries
        settled = {
            recalled.number: recalled.outcome
            for recalled in played.table.journal.rounds(limit=200).rounds
        }
        assert {settled[number] for number in range(10, 202)} == {"settled"}
        assert max(entry.round_number for entry in seen) <= 2, "one moment, however long it took"
        assert faults(played) == set()
    found = audit(journal, software="")
    assert found.whole, found.fault


def test_a_leaping_wall_clock_disturbs_no_round(
    broker: PatientBroker, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    offset_ns = 0
    leaps = {
        Phase.DEALING: -DAY_NS,
        Phase.DEALT: 3 * YEAR_NS,
        Phase.REVEALED: -3 * YEAR_NS,
    }

    def leap(view: TableView) -> None:
        nonlocal offset_ns
        offset_ns = leaps.get(view.phase, offset_ns)

    monkeypatch.setattr(
        clock,
        "time",
        SimpleNamespace(time_ns=lambda: time.time_ns() + offset_ns, monotonic_ns=time.monotonic_ns),
    )
    broker.start()
    with (
        SoakTable(tmp_path, broker.settings, leap) as played,
        listener(broker, played, tmp_path) as heard,
    ):
        played.start()
        players(played)(10)
        answer_age_s = played.table.link.health().answer_age_s
        assert answer_age_s is not None
        assert 0 <= answer_age_s < PATIENCE_S
        assert played.table.reader.status is ReaderStatus.UP
        assert faults(played) == set()
        played.table.engine.stop()
        last = played.table.journal.next_sequence - 1
        assert heard.wait_for(last, PATIENCE_S)
        received = heard.received()
    verdict = judge(received, [], last)
    assert verdict.clean, verdict.findings
    assert settled_rounds(received)[:10] == list(range(1, 11))
    years = {json.loads(payload)["time"][:4] for payload in received}
    assert len(years) == 3, "the clock did leap"
    assert audit(Places(tmp_path).journal, software="").whole


def test_a_table_archives_what_is_old_while_it_plays_on(
    broker: PatientBroker, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each round lies two weeks behind the one before it."""
    offset_ns = -300 * DAY_NS

    def wait_two_weeks(view: TableView) -> None:
        nonlocal offset_ns
        if view.phase is Phase.SETTLED:
            offset_ns += 14 * DAY_NS

    monkeypatch.setattr(
        clock,
        "time",
        SimpleNamespace(time_ns=lambda: time.time_ns() + offset_ns, monotonic_ns=time.monotonic_ns),
    )
    monkeypatch.setattr(assembly, "Clock", lambda synchronised: clock.Clock(lambda: True))
    hurried = partial(Archivist, first_after_s=0.01, look_every_s=0.01, pause_s=0.001)
    monkeypatch.setattr(assembly, "Archivist", hurried)
    monkeypatch.setattr(engine, "ROUNDS_PER_CHECKPOINT", 2)
    monkeypatch.setattr(archiving, "RECALLED_ROUNDS", 3)
    journal = Places(tmp_path).journal

    def archived(view: TableView) -> bool:
        return len(list(archive_folder(journal).glob("*.sqlite3"))) >= 2

    broker.start()
    with (
        SoakTable(tmp_path, broker.settings, wait_two_weeks) as played,
        listener(broker, played, tmp_path) as heard,
    ):
        played.start()
        dealer = SoakDealer(played, random.Random(3), voids=0.0)
        assert dealer.play_until(archived, timeout_s=PATIENCE_S)
        played.table.engine.stop()
        last = played.table.journal.next_sequence - 1
        assert heard.wait_for(last, PATIENCE_S)
        received = heard.received()
    assert judge(received, [], last).clean
    found = audit(journal, software=version("fortune-table"), archives=archive_folder(journal))
    assert (found.whole, found.first_entry, len(found.archives) >= 2) == (True, 1, True)
    assert found.facts_replayed == found.last_fact
    with open_history(journal) as history:
        assert replay_round(history, 1).number == 1


def test_a_replaced_journal_sends_what_was_unsent_first_and_tells_once_what_was_lost(
    broker: PatientBroker, tmp_path: Path
) -> None:
    """The broker is away, the card is damaged, and a supervisor accepts a new journal."""
    journal = Places(tmp_path).journal
    with SoakTable(tmp_path, broker.settings) as played:
        played.start()
        players(played)(4)
    with open_for_reading(journal) as reader:
        hit = reader.entry(reader.first_reaching("round", 2))
        assert hit is not None
        recorded = {
            each.sequence: each.payload
            for entry in reader.forwards()
            for each in messages_of(entry.told, entry.last_message)
        }
    page = journal.read_bytes().index(hit.chain) // 512 * 512
    with journal.open("r+b") as file:
        file.seek(page)
        file.write(bytes(512))
    replaced = replace_damaged(
        journal,
        software=version("fortune-table"),
        by="A. Ruiz",
        stamp=clock.Clock(lambda: True).stamp(),
    )
    [(first, last)] = replaced.lost
    assert first <= hit.last_message + 1 <= last + 2
    broker.start()
    for _ in range(2):
        with (
            SoakTable(tmp_path, broker.settings) as played,
            listener(broker, played, tmp_path) as heard,
        ):
            played.start()
            players(played)(1)
            played.table.engine.stop()
            assert played.table.link.flush(PATIENCE_S)
            received = heard.received()
        assert audit(journal, software=version("fortune-table")).whole
    # A resend is the same event once more.
    events = {int(json.loads(payload)["sequence"]): payload for payload in received}
    not_lost = [each for each in recorded if not first <= each <= last]
    assert list(events)[: len(not_lost)] == not_lost, "in order, before all others"
    assert list(events)[len(not_lost)] == replaced.next_message
    assert all(events[sequence] == recorded[sequence] for sequence in not_lost), "the same bytes"
    alarms = [
        (event["type"], event["data"]["alarm"]["text"])
        for event in map(json.loads, events.values())
        if event["data"].get("alarm", {}).get("code") == "journal-replaced"
    ]
    assert [kind for kind, _ in alarms] == ["fpg.v1.alarm-raised", "fpg.v1.alarm-cleared"]
    assert f"{len(not_lost)} are proven and sent now" in alarms[0][1]
    assert f"cannot be read and will not be sent: {first} to {last}" in alarms[0][1]
    assert "by A. Ruiz" in alarms[0][1]


def test_a_table_that_was_never_started_closes(broker: PatientBroker, tmp_path: Path) -> None:
    SoakTable(tmp_path, broker.settings).close()
    assert audit(Places(tmp_path).journal, software="").whole
