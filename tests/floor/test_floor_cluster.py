"""Twenty tables on a cluster of three brokers, two of which are killed and come back."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any

import pytest
from floor_cluster import NODES, Cluster
from floor_story import Consumer, FloorTable, check_books, wait_until
from paho.mqtt.client import Client, MQTTMessage

from firmware_app.backoffice.intake import Intake
from firmware_app.backoffice.repairs import Repairs
from firmware_app.backoffice.store import Store
from firmware_app.feed.consumer import Gap

TABLES = 20
PATIENCE_S = 15.0


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[Cluster]:
    with Cluster(tmp_path) as running:
        yield running


class NotedIntake(Intake):
    """A consumer that notes which events came behind a later one of the same table.

    Not those that the broker marks as sent before: they were under way to the consumer when its
    own node died, and come once more, late and rightly so.
    """

    late: set[tuple[str, int]]

    def __init__(self, *who: Any, **wish: Any) -> None:
        super().__init__(*who, **wish)
        self.late = set()
        self._seen: dict[str, set[int]] = {}

    def _on_message(self, client: Client, data: object, message: MQTTMessage) -> None:
        if "/event/" in message.topic:
            event = json.loads(message.payload)
            source, sequence = event["source"], int(event["sequence"])
            seen = self._seen.setdefault(source, set())
            if sequence not in seen and sequence < max(seen, default=0) and not message.dup:
                self.late.add((source, sequence))
            seen.add(sequence)
        super()._on_message(client, data, message)


class NotedRepairs(Repairs):
    """Repairs that remember from which event on each table was ever asked to send again."""

    def __init__(self) -> None:
        super().__init__(grace_s=2, again_s=10)
        self.asked: dict[str, int] = {}

    def due(self, gaps: Iterable[Gap], now_s: float) -> dict[str, int]:
        asked = super().due(gaps, now_s)
        for source, first in asked.items():
            self.asked[source] = min(first, self.asked.get(source, first))
        return asked


def connected(tables: list[FloorTable]) -> int:
    return sum(table.link.health().connected for table in tables)


def test_nodes_die_and_come_back_and_nothing_is_lost_or_out_of_order(
    tmp_path: Path, cluster: Cluster
) -> None:
    books, repairs = tmp_path / "books.sqlite3", NotedRepairs()
    with (
        Store(books) as store,
        Consumer(
            books, cluster.node(0), name="fpg-books", repairs=repairs, intake=NotedIntake
        ) as consumer,
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
                    # While a node dies the cluster may store the later of two events first.
                    in_flight=1,
                )
            )
            for number in range(TABLES)
        ]

        def play() -> None:
            for table in tables:
                table.play(1)

        def all_booked() -> bool:
            [(events,)] = store.connection.execute("SELECT count(*) FROM event")
            return bool(events == sum(len(table.told) for table in tables))

        def wait_for_all() -> None:
            """A hole at the very end shows only with the next event: the tables play on."""
            for _ in range(5):
                with suppress(AssertionError):
                    wait_until(all_booked, "the books", PATIENCE_S)
                    break
                play()
            check_books(store, *tables)

        play()
        wait_for_all()

        # A node dies while the tables play on. Its tables go to the others, and the back office
        # has everything before it is back.
        play()
        cluster.kill(1)
        play()
        wait_for_all()
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
        wait_for_all()
        # Every table's events came in order, but for those that the broker did not deliver: they
        # were found missing, and came with a resend.
        noted = consumer.intake
        assert isinstance(noted, NotedIntake)
        for source, sequence in noted.late:
            assert source in repairs.asked, (source, sequence)
            assert sequence >= repairs.asked[source]
