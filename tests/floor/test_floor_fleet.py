"""The fleet tells real events, misses none that is lost, and leaves nothing behind."""

from __future__ import annotations

import json
import multiprocessing
import threading
from itertools import islice
from pathlib import Path

import pytest
from click.testing import CliRunner
from feed_story import MemoryOutbox as Messages
from floor_story import wait_until
from scripted_broker import ScriptedBroker

from firmware_app.cli import cli
from firmware_app.feed.demo_broker import DemoBroker
from firmware_app.feed.envelope import decode
from firmware_app.feed.settings import FeedSettings
from firmware_app.feed.subscriber import Subscriber
from firmware_app.rules.profile import PROFILE_NAMES
from firmware_app.simulation import fleet_reader
from firmware_app.simulation.fleet import FleetError, Wish, run_fleet
from firmware_app.simulation.fleet_load import Load
from firmware_app.simulation.fleet_reader import Heard, run_reader
from firmware_app.simulation.memory_outbox import MemoryOutbox
from firmware_app.simulation.rounds import deal_rounds
from firmware_app.table.events import EVENTS


def test_every_event_of_every_table_is_read_once_and_nothing_stays_behind() -> None:
    heard: list[bytes] = []
    with DemoBroker() as broker:
        with Subscriber(broker.settings, "fpg/v1/#", lambda _, payload: heard.append(payload)):
            outcome = run_fleet(Wish(broker.settings, tables=8, rate=10, seconds=1.5, whole=4))
        assert (outcome.told, outcome.lost, outcome.out_of_order) == (120, 0, 0)
        assert outcome.complete
        assert 0 < outcome.p50_ms <= outcome.p99_ms <= outcome.worst_ms
        # What another subscriber saw: 15 real events of each table, in order.
        events = [decode(payload) for payload in heard if b'"specversion"' in payload]
        by_table: dict[str, list[int]] = {}
        for event in events:
            by_table.setdefault(event.source, []).append(event.sequence)
        assert by_table == {
            f"/fpg/v1/fleet/table-{number:04d}": list(range(1, 16)) for number in range(1, 9)
        }
        assert {event.type.removeprefix("fpg.v1.") for event in events} <= {
            kind.TYPE for kind in EVENTS
        }
        left: list[str] = []
        with Subscriber(broker.settings, "#", lambda topic, _: left.append(topic)):
            probe = broker.settings.model_dump() | {"site": "fleet", "table": "probe"}
            load = Load([FeedSettings.model_validate(probe)])
            load.connections[0].publish(b"probe", b"last")
            load.settle(10)
            load.close()
            wait_until(lambda: "probe" in left, "the probe")
        assert left == ["probe"]


def listen(
    broker: DemoBroker, published: list[int], expected: int, monkeypatch: pytest.MonkeyPatch
) -> Heard:
    """What the fleet's reader makes of the events ``published``, told of ``expected``."""
    monkeypatch.setattr(fleet_reader, "_SILENCE_S", 0.5)
    ours, theirs = multiprocessing.Pipe()
    reader = threading.Thread(
        target=run_reader, args=(broker.settings, "harbour", theirs), daemon=True
    )
    reader.start()
    assert ours.poll(20)
    assert ours.recv() is None
    settings = broker.settings.model_dump() | {"site": "harbour", "table": "pg-7"}
    load = Load([FeedSettings.model_validate(settings)])
    messages = Messages(expected).rows
    for number in published:
        load.connections[0].publish(b"fpg/v1/harbour/pg-7/event/payout", messages[number].payload)
    load.settle(10)
    ours.send({"/fpg/v1/harbour/pg-7": expected})
    assert ours.poll(20)
    heard: Heard = ours.recv()
    reader.join(10)
    load.close()
    return heard


def test_the_reader_names_what_is_lost_repeated_and_out_of_order(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with DemoBroker() as broker:
        heard = listen(broker, [1, 2, 2, 5, 4], 6, monkeypatch)
    assert (heard.received, heard.repeats, heard.out_of_order) == (4, 1, 1)
    assert heard.faults == (
        "/fpg/v1/harbour/pg-7: event 3 is missing",
        "/fpg/v1/harbour/pg-7: event 6 is missing",
    )


def test_a_table_that_nobody_heard_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    with DemoBroker() as broker:
        heard = listen(broker, [], 3, monkeypatch)
    assert heard.faults == ("/fpg/v1/harbour/pg-7: nothing was received of 3 events",)


def test_a_fleet_without_a_broker_says_so() -> None:
    with DemoBroker() as broker:
        settings = broker.settings
    with pytest.raises(FleetError, match="connection refused"):
        run_fleet(Wish(settings, tables=2, rate=1, seconds=1))


def test_load_that_is_refused_says_so() -> None:
    with ScriptedBroker(lambda connection: connection.accept(code=0x87)) as broker:
        who = {"host": "127.0.0.1", "port": broker.port, "site": "fleet", "table": "t-1"}
        load = Load([FeedSettings.model_validate(who)])
        load.settle(10)
        load.close()
    [connection] = load.connections
    assert not connection.accepted
    assert connection.problem == "the broker refuses the connection with code 135"


def test_load_whose_event_is_refused_says_so() -> None:
    with ScriptedBroker(
        on_publish=lambda connection, told: connection.acknowledge(told.packet_id, code=0x97)
    ) as broker:
        who = {"host": "127.0.0.1", "port": broker.port, "site": "fleet", "table": "t-1"}
        load = Load([FeedSettings.model_validate(who)])
        load.connections[0].publish(b"topic", b"payload")
        load.settle(10)
        load.close()
    assert load.connections[0].problem == "the broker refuses an event with code 151"


def test_the_command_reports_as_json_and_refuses_what_cannot_be() -> None:
    runner = CliRunner()
    with DemoBroker() as broker:
        wish = ["fleet", "--broker", broker.url, "--tables", "2", "--seconds", "1", "--rate", "5"]
        told = runner.invoke(cli, [*wish, "--json"])
        assert told.exit_code == 0, told.output
        report = json.loads(told.stdout)
        assert (report["told"], report["lost"], report["complete"]) == (10, 0, True)
        unknown = runner.invoke(cli, [*wish, "--rules", "poker"])
        assert unknown.exit_code == 1
        assert "poker: no such profile" in unknown.output
    assert runner.invoke(cli, ["fleet", "--broker", "http://x"]).exit_code == 2


def test_tables_with_certificates_are_all_whole(tmp_path: Path) -> None:
    wish = f"mqtts://127.0.0.1?ca={tmp_path}"
    refused = CliRunner().invoke(
        cli, ["fleet", "--broker", wish, "--tables", "5", "--whole", "2", "--seconds", "1"]
    )
    assert refused.exit_code == 1
    assert "know neither TLS nor passwords" in refused.output


@pytest.mark.parametrize("rules", PROFILE_NAMES)
def test_rounds_are_dealt_by_the_rules_and_settled(rules: str) -> None:
    for number, events in enumerate(islice(deal_rounds(rules, seed=3), 20), start=1):
        kinds = [event.TYPE for event in events]
        assert kinds[-1] == "round-settled"
        assert events[-1].round == number
        assert "round-voided" not in kinds
        assert "discrepancy" not in kinds
    again = islice(deal_rounds(rules, seed=3), 20)
    assert list(again)[-1] == events


def test_the_memory_outbox_keeps_what_is_not_acknowledged_in_order() -> None:
    outbox = MemoryOutbox()
    for message in Messages(5).rows.values():
        outbox.add(message)  # type: ignore[arg-type]
    outbox.mark_sent([2])
    assert [message.sequence for message in outbox.pending(3)] == [1, 3, 4]
    assert [message.sequence for message in outbox.pending(3, after=3)] == [4, 5]
    outbox.mark_sent([1, 3])
    assert outbox.unsent_count == 2
    assert [message.sequence for message in outbox.pending(9)] == [4, 5]
    with pytest.raises(LookupError):
        outbox.resend(1)
