"""Two tables, each with a broker of its own, bridged to the site's broker as the samples say."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from floor_brokers import SITE, SiteBroker, TableBroker
from floor_story import Consumer, FloorTable, wait_for_books, wait_until

from firmware_app.backoffice.repairs import Repairs
from firmware_app.backoffice.reports import Period, offline
from firmware_app.backoffice.store import Store


@pytest.fixture
def site() -> Iterator[SiteBroker]:
    with SiteBroker() as running:
        yield running


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store(tmp_path / "books.sqlite3") as opened:
        yield opened


def consumer(tmp_path: Path, site: SiteBroker, number: int = 1, **wish: object) -> Consumer:
    return Consumer(
        tmp_path / "books.sqlite3",
        site.as_seen_by("back-office"),
        name=f"fpg-books-{number}",
        **wish,
    )


def repeats(store: Store) -> int:
    [(count,)] = store.connection.execute("SELECT sum(repeats) FROM event")
    return int(count or 0)


def test_each_event_is_booked_once_by_a_pair_of_consumers_through_two_bridges(
    tmp_path: Path, site: SiteBroker, store: Store
) -> None:
    with ExitStack() as floor:
        pair = [
            floor.enter_context(consumer(tmp_path, site, number, group="books", repairs=repairs))
            for number, repairs in ((1, Repairs(grace_s=0.5)), (2, None))
        ]
        names = ("fpg-01", "fpg-02")
        brokers = [floor.enter_context(TableBroker(name, site)) for name in names]
        tables = [
            floor.enter_context(FloorTable(tmp_path, broker.settings, name, site=SITE, seed=seed))
            for seed, (broker, name) in enumerate(zip(brokers, names, strict=True))
        ]
        for table in tables:
            table.play(15)
        wait_for_books(store, *tables)
        assert all(one.booked > 0 for one in pair), "they share the work"

        # The site's broker goes and comes back: the bridges hold what the tables tell meanwhile.
        # (mosquitto 2.0.11 forgets a shared subscription when it is restarted, and with it what
        # the bridges bring before the consumers are back: then it is the repair that mends.)
        site.stop()
        for table in tables:
            table.play(15)
            assert table.link.flush(30)
        site.start()
        wait_until(lambda: all(one.connections == 2 for one in pair), "the consumers")
        for table in tables:
            table.play(1)
        wait_for_books(store, *tables)
        assert sum(one.booked for one in pair) == sum(len(table.told) for table in tables)


def test_what_a_tables_own_broker_loses_is_found_missing_and_sent_again(
    tmp_path: Path, site: SiteBroker, store: Store
) -> None:
    """Its broker had acknowledged these events and had them in memory alone: a power cut."""
    repairing = consumer(tmp_path, site, repairs=Repairs(grace_s=0.5))
    with (
        repairing,
        TableBroker("fpg-01", site) as broker,
        FloorTable(tmp_path, broker.settings, "fpg-01", site=SITE) as table,
    ):
        table.play(3)
        wait_for_books(store, table)
        site.stop()
        table.play(10)
        assert table.link.flush(30)
        assert table.link.health().unsent == 0
        broker.kill()
        site.start()
        broker.start()
        table.play(1)
        wait_for_books(store, table)
        assert repeats(store) > 0, "the last round came by itself, and again with the resend"


def test_a_table_without_power_is_off_the_line_for_the_back_office(
    tmp_path: Path, site: SiteBroker, store: Store
) -> None:
    def off_the_line() -> list[str]:
        try:
            return [row["why"] for row in offline(store.connection, Period())]
        except sqlite3.OperationalError:
            return []

    with (
        consumer(tmp_path, site),
        TableBroker("fpg-01", site) as broker,
        FloorTable(tmp_path, broker.settings, "fpg-01", site=SITE) as table,
    ):
        table.play(1)
        wait_for_books(store, table)
        wait_until(lambda: statuses(store) == [("online", "up")], "the status")
        assert off_the_line() == []
        broker.kill()
        wait_until(off_the_line, "the will of the bridge")
        assert off_the_line() == ["the bridge of its broker is down"]
        broker.start()
        wait_until(lambda: not off_the_line(), "the bridge")


def statuses(store: Store) -> list[tuple[str, str]]:
    return list(store.connection.execute("SELECT status, bridge FROM device"))
