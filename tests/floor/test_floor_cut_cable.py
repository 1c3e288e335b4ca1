"""The cable between a whole table and its broker is pulled: no refusal, no end, only silence."""

from __future__ import annotations

import json
import random
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from floor_network import SITE_ADDRESS, Cable
from floor_story import Consumer, booked, wait_until
from soak_table import SoakDealer, SoakTable

from firmware_app.backoffice.store import Message, Store
from firmware_app.feed.demo_broker import DemoBroker
from firmware_app.feed.settings import BrokerSettings
from firmware_app.journal.export import rows
from firmware_app.journal.reading import open_for_reading
from firmware_app.table.values import Phase

KEEPALIVE_S = 2
ROUNDS_WHILE_CUT = 30
PATIENCE_S = 60.0


class SiteBroker(DemoBroker):
    """A mosquitto that the table reaches through the cable, and the back office beside it."""

    def _mosquitto_config(self) -> str:
        return f"listener {self.port} {SITE_ADDRESS}\n{super()._mosquitto_config()}"

    @property
    def through_the_cable(self) -> BrokerSettings:
        return BrokerSettings(host=SITE_ADDRESS, port=self.port)


class NotedStore(Store):
    """Books that remember what came in which order, repeats included."""

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self.sequences: list[int] = []
        self.statuses: list[tuple[str, str | None]] = []

    def take(self, messages: Iterable[Message], **rest: object) -> int:
        kept = list(messages)
        for message in kept:
            content = json.loads(message.payload)
            if message.topic.endswith("/status"):
                self.statuses.append((content["status"], content["reason"]))
            else:
                self.sequences.append(int(content["sequence"]))
        return super().take(kept)


@pytest.fixture
def cable() -> Iterator[Cable]:
    with Cable() as laid:
        yield laid


def test_a_pulled_cable_holds_up_no_round_and_loses_no_event(tmp_path: Path, cable: Cable) -> None:
    opened: list[NotedStore] = []

    def open_store(path: Path) -> Store:
        opened.append(NotedStore(path))
        return opened[-1]

    books = tmp_path / "books.sqlite3"
    with ExitStack() as floor:
        store = floor.enter_context(Store(books))
        with cable.at_the_site():
            broker = floor.enter_context(SiteBroker())
            floor.enter_context(
                Consumer(books, broker.settings, name="fpg-books", open_store=open_store)
            )
        with cable.at_the_table():
            played = floor.enter_context(
                SoakTable(tmp_path, broker.through_the_cable, feed={"keepalive_s": KEEPALIVE_S})
            )
            played.start()
        link, journal = played.table.link, played.table.journal
        dealer = SoakDealer(played, random.Random(5), voids=0.0)
        [heard] = opened

        def play(rounds: int) -> None:
            wanted = journal.last_round_number + rounds
            assert dealer.play_until(
                lambda view: view.round_number >= wanted and view.phase is Phase.SETTLED,
                timeout_s=PATIENCE_S,
            ), dealer.view

        play(2)
        assert link.flush(PATIENCE_S)
        before = journal.next_sequence - 1
        wait_until(lambda: before in heard.sequences, "the first rounds")
        assert heard.statuses == [("online", None)]

        cable.cut()
        play(ROUNDS_WHILE_CUT)
        # Longer than the broker waits for a sign of life: it speaks the table's will.
        wait_until(lambda: len(heard.statuses) == 2, "the will")
        assert heard.statuses[-1] == ("offline", "connection lost")
        wait_until(lambda: not link.health().connected, "the table to notice")
        play(ROUNDS_WHILE_CUT)
        cut_off = journal.next_sequence - 1
        assert link.health().alive
        assert max(heard.sequences) < cut_off - 100, "nothing came through"

        cable.mend()
        assert link.flush(PATIENCE_S)
        play(1)
        assert link.flush(PATIENCE_S)
        # A chip that is still sliding may be told of after these.
        told = messages_of(played)
        wait_until(lambda: len(told) in heard.sequences, "the last event")
        wait_until(lambda: len(booked(store, source_of(played))) >= len(told), "the books")
        firsts = list(dict.fromkeys(heard.sequences))
        assert firsts[: len(told)] == list(range(1, len(told) + 1))
        assert booked(store, source_of(played))[: len(told)] == told
        assert store.gaps(first=1) == []
        assert heard.statuses[2] == ("online", None)


def source_of(played: SoakTable) -> str:
    return f"/{played.config.mqtt.topics.base}"


def messages_of(played: SoakTable) -> list[bytes]:
    """Every event's bytes as the journal holds them."""
    with open_for_reading(played.config.journal.path) as reader:
        return [row["data"].encode() for row in rows(reader, "messages")]
