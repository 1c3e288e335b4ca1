"""A certificate runs out at a real broker: events wait for the renewal, and go out in order."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from floor_brokers import CERTIFICATES
from floor_story import FloorTable, wait_until

from firmware_app.feed.demo_broker import DemoBroker
from firmware_app.feed.recorder import Recorder
from firmware_app.feed.settings import BrokerSettings, TlsSettings

RENEWAL = CERTIFICATES / "renewal"
ROUNDS = 40


def tls(folder: Path, name: str) -> TlsSettings:
    """What proves ``name``, its certificate valid, in files that a test may renew."""
    folder.mkdir(parents=True)
    for file in ("authority.pem", f"{name}.pem", f"{name}.key"):
        shutil.copy(RENEWAL / file, folder / file)
    return TlsSettings(
        ca=folder / "authority.pem",
        certificate=folder / f"{name}.pem",
        key=folder / f"{name}.key",
    )


def renew(folder: Path, name: str, certificate: str) -> None:
    shutil.copy(RENEWAL / f"{certificate}.pem", folder / f"{name}.pem")


@pytest.fixture
def broker(tmp_path: Path) -> Iterator[DemoBroker]:
    with DemoBroker(tls=tls(tmp_path / "broker", "broker")) as running:
        yield running


def reach(broker: DemoBroker, proof: TlsSettings) -> BrokerSettings:
    return BrokerSettings(host="localhost", port=broker.port, tls=proof)


def received(path: Path) -> list[bytes]:
    return list(dict.fromkeys(path.read_bytes().splitlines()))


def test_a_brokers_certificate_that_runs_out_and_is_renewed_costs_no_event(
    tmp_path: Path, broker: DemoBroker
) -> None:
    own = reach(broker, tls(tmp_path / "table", "table"))
    with FloorTable(tmp_path, own, "fpg-01", site="casino") as table:
        table.play(ROUNDS)
        assert table.link.flush(30)
        # It runs out, and the broker is restarted with it.
        broker.stop()
        renew(tmp_path / "broker", "broker", "broker-expired")
        broker.start()
        table.play(ROUNDS)
        wait_until(lambda: "has expired" in (table.link.health().problem or ""), "the fault")
        assert table.link.health().alive
        assert not table.link.health().connected
        broker.stop()
        renew(tmp_path / "broker", "broker", "broker")
        broker.start()
        assert table.link.flush(30)
        feed = tmp_path / "feed.jsonl"
        office = reach(broker, tls(tmp_path / "office", "table"))
        with Recorder(office, table.settings.topics, feed) as recorder:
            table.link.resend(1)
            assert recorder.wait_for(len(table.told), 30)
        assert received(feed) == table.told


def test_a_tables_certificate_that_runs_out_and_is_renewed_costs_no_event(
    tmp_path: Path, broker: DemoBroker
) -> None:
    own = reach(broker, tls(tmp_path / "table", "table"))
    office = reach(broker, tls(tmp_path / "office", "table"))
    feed = tmp_path / "feed.jsonl"
    with FloorTable(tmp_path, own, "fpg-01", site="casino") as table:
        with Recorder(office, table.settings.topics, feed) as recorder:
            table.play(ROUNDS)
            assert table.link.flush(30)
            # A connection that stands is not looked at again: it breaks, and is not made anew.
            renew(tmp_path / "table", "table", "table-expired")
            broker.stop()
            broker.start()
            table.play(ROUNDS)
            wait_until(lambda: "expired" in (table.link.health().problem or ""), "the refusal")
            ends = f"its certificate {tmp_path}/table/table.pem has expired on 2016-01-01"
            assert ends in (table.link.health().problem or "")
            assert not table.link.health().connected
            # Nobody starts the table anew for it.
            renew(tmp_path / "table", "table", "table")
            assert table.link.flush(30)
            assert recorder.wait_for(len(table.told), 30)
        assert received(feed) == table.told
        assert table.link.health().ok
