"""The consumer's side proves that it has everything, and gets what it has not."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterable
from pathlib import Path

from floor_story import Consumer, FloorTable, wait_for_books, wait_until

from firmware_app.backoffice.repairs import Repairs
from firmware_app.backoffice.store import Message, Store
from firmware_app.feed.connection import connect, new_client
from firmware_app.feed.consumer import FeedReader, Gap
from firmware_app.feed.demo_broker import DemoBroker
from firmware_app.feed.subscriber import Subscriber

RESTARTS = 20
ROUNDS_BETWEEN = 50


class Reader:
    """The reference consumer on a subscription, made to lose the events of ``forgets`` once."""

    def __init__(self, broker: DemoBroker, forgets: Iterable[int] = ()) -> None:
        self.reader = FeedReader(first=1)
        self._forgets = set(forgets)
        self._lock = threading.Lock()
        self._subscriber = Subscriber(broker.settings, "fpg/v1/+/+/event/#", self._hear)

    def __enter__(self) -> Reader:
        self._subscriber.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._subscriber.stop()

    def faults(self, through: int) -> list[str]:
        with self._lock:
            return list(self.reader.faults(through=through))

    def gaps(self, through: int) -> list[Gap]:
        with self._lock:
            tables = self.reader.tables.values()
            return [gap for table in tables for gap in table.gaps(through=through)]

    def received(self) -> int:
        with self._lock:
            return sum(table.received for table in self.reader.tables.values())

    def _hear(self, _topic: str, payload: bytes) -> None:
        with self._lock:
            sequence = int(json.loads(payload)["sequence"])
            if sequence in self._forgets:
                self._forgets.remove(sequence)
            else:
                self.reader.accept(payload)


class ForgetfulStore(Store):
    """Books that lose an event once after it was acknowledged to the broker."""

    forgets: set[int]

    def take(self, messages: Iterable[Message], **rest: object) -> int:
        kept = []
        for message in messages:
            sequence = int(json.loads(message.payload).get("sequence", 0))
            if sequence in self.forgets:
                self.forgets.remove(sequence)
            else:
                kept.append(message)
        return super().take(kept)


def test_a_thousand_rounds_are_complete_over_twenty_restarts_of_the_broker(
    tmp_path: Path,
) -> None:
    books = tmp_path / "books.sqlite3"
    repairs = Repairs(grace_s=0.5, again_s=3)
    with (
        DemoBroker() as broker,
        Store(books) as store,
        Consumer(books, broker.settings, name="fpg-books", repairs=repairs) as consumer,
        Reader(broker) as reader,
        FloorTable(tmp_path, broker.settings, "fpg-01", site="casino") as table,
    ):
        for restart in range(RESTARTS):
            table.play(ROUNDS_BETWEEN)
            # In good order, or as a power cut would: then it forgets what it had acknowledged.
            if restart % 2:
                broker.kill()
            else:
                broker.stop()
            before = consumer.connections
            broker.start()
        # A hole at the very end shows only with the next event.
        wait_until(lambda: consumer.connections > before, "the consumer")
        table.play(1)
        wait_for_books(store, table)
        [(settled,)] = store.connection.execute("SELECT count(settled) FROM round")
        assert settled == RESTARTS * ROUNDS_BETWEEN + 1

        # The reference consumer was away now and then; it asks for what it has missed.
        told = len(table.told)
        asking = Repairs(grace_s=0.2, again_s=5)

        def mended() -> bool:
            gaps = reader.gaps(told)
            for first in asking.due(gaps, time.monotonic()).values():
                ask_for_resend(broker, table, first)
            return not gaps

        wait_until(mended, "the reference consumer")
        assert reader.faults(told) == []
        assert reader.received() == told


def test_a_deleted_event_is_named_and_a_resend_brings_it(tmp_path: Path) -> None:
    with (
        DemoBroker() as broker,
        Reader(broker, forgets={7, 20, 21}) as reader,
        FloorTable(tmp_path, broker.settings, "fpg-01", site="casino") as table,
    ):
        table.play(3)
        told = len(table.told)
        wait_until(lambda: reader.received() == told - 3, "the events")
        assert reader.faults(told) == [
            "/fpg/v1/casino/fpg-01: event 7 is missing",
            "/fpg/v1/casino/fpg-01: events 20 to 21 are missing",
        ]
        ask_for_resend(broker, table, 7)
        wait_until(lambda: reader.received() == told, "the resend")
        assert reader.faults(told) == []
        # Everything from the first on came again, and counted for nothing.
        wait_until(
            lambda: reader.reader.tables[table.source].repeats == told - 6 - 3, "the repeats"
        )


def test_the_back_office_asks_by_itself_for_a_deleted_event(tmp_path: Path) -> None:
    def forgetful(path: Path) -> Store:
        store = ForgetfulStore(path)
        store.forgets = {5, 17}
        return store

    books = tmp_path / "books.sqlite3"
    with (
        DemoBroker() as broker,
        Store(books) as store,
        Consumer(
            books,
            broker.settings,
            name="fpg-books",
            repairs=Repairs(grace_s=0.2),
            open_store=forgetful,
        ),
        FloorTable(tmp_path, broker.settings, "fpg-01", site="casino") as table,
    ):
        table.play(2)
        wait_for_books(store, table)
        [(repeats,)] = store.connection.execute("SELECT sum(repeats) FROM event")
        assert repeats > 0


def test_a_table_that_answers_no_requests_is_known_to_be_incomplete(tmp_path: Path) -> None:
    with (
        DemoBroker() as broker,
        Reader(broker, forgets={7}) as reader,
        FloorTable(
            tmp_path, broker.settings, "fpg-01", site="casino", accept_resend_requests=False
        ) as table,
    ):
        table.play(1)
        ask_for_resend(broker, table, 7)
        table.play(1)
        told = len(table.told)
        wait_until(lambda: reader.received() == told - 1, "the events")
        assert reader.faults(told) == ["/fpg/v1/casino/fpg-01: event 7 is missing"]


def ask_for_resend(broker: DemoBroker, table: FloorTable, first: int) -> None:
    client = new_client(broker.settings, "asks")
    connect(client, broker.settings, keepalive_s=20, expiry_s=0, timeout_s=10)
    client.loop_start()
    try:
        request = json.dumps({"from_sequence": first}).encode()
        client.publish(table.settings.topics.resend, request, qos=1).wait_for_publish(10)
    finally:
        client.disconnect()
        client.loop_stop()
