"""Twenty tables on a cluster of three brokers, two of which are killed and come back."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from floor_cluster import NODES, Cluster
from floor_story import Consumer, FloorTable, wait_for_books, wait_until

from firmware_app.backoffice.store import Store
from firmware_app.feed.consumer import FeedReader
from firmware_app.feed.subscriber import Subscriber

TABLES = 20


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[Cluster]:
    with Cluster(tmp_path) as running:
        yield running


class Witness:
    """Notes the order in which a subscriber on one node receives the events."""

    def __init__(self, cluster: Cluster, node: int) -> None:
        self.reader = FeedReader(first=1)
        self._lock = threading.Lock()
        self._subscriber = Subscriber(cluster.node(node), "fpg/v1/+/+/event/#", self._hear)

    def __enter__(self) -> Witness:
        self._subscriber.start(20)
        return self

    def __exit__(self, *_: object) -> None:
        self._subscriber.stop()

    def received(self) -> int:
        with self._lock:
            return sum(table.received for table in self.reader.tables.values())

    def _hear(self, _topic: str, payload: bytes) -> None:
        with self._lock:
            self.reader.accept(payload)


def connected(tables: list[FloorTable]) -> int:
    return sum(table.link.health().connected for table in tables)


def test_nodes_die_and_come_back_and_no_event_is_lost_or_out_of_order(
    tmp_path: Path, cluster: Cluster
) -> None:
    books = tmp_path / "books.sqlite3"
    with (
        Store(books) as store,
        Consumer(books, cluster.node(0), name="fpg-books") as consumer,
        Witness(cluster, 2) as witness,
        ExitStack() as floor,
    ):
        tables = [
            floor.enter_context(
                FloorTable(
                    tmp_path,
                    cluster.node(number % NODES, "fpg-01"),
                    f"fpg-{number:02d}",
                    site="casino",
                    seed=number,
                    fallbacks=cluster.others(number % NODES),
                )
            )
            for number in range(TABLES)
        ]

        def play() -> None:
            for table in tables:
                table.play(1)

        play()
        wait_for_books(store, *tables)

        # A node dies while the tables play on. Its tables go to the others, and the back office
        # has everything before it is back.
        play()
        cluster.kill(1)
        play()
        wait_for_books(store, *tables)
        wait_until(lambda: connected(tables) == TABLES, "the tables' other nodes")
        cluster.start(1)
        cluster.wait_ready(1)

        # Now the one that the back office itself is connected to.
        play()
        cluster.kill(0)
        play()
        wait_until(lambda: connected(tables) == TABLES, "the tables' other nodes")
        cluster.start(0)
        wait_until(lambda: consumer.connections == 2, "the back office")
        play()
        wait_for_books(store, *tables)

        told = sum(len(table.told) for table in tables)
        wait_until(lambda: witness.received() == told, "the witness")
        assert list(witness.reader.faults()) == []
        assert {table.late for table in witness.reader.tables.values()} == {0}
        assert len(witness.reader.tables) == TABLES
