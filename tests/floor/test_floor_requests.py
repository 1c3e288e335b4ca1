"""What a table is asked over the broker: nothing by default, and never what lies about."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from floor_story import FloorTable, wait_until

from firmware_app.feed.connection import connect, new_client
from firmware_app.feed.demo_broker import DemoBroker
from firmware_app.feed.subscriber import Subscriber

REQUEST = b'{"from_sequence": 1}'


def ask(table: FloorTable, broker: DemoBroker, payload: bytes, *, retain: bool = False) -> None:
    client = new_client(broker.settings, "asks")
    connect(client, broker.settings, keepalive_s=20, expiry_s=0, timeout_s=10)
    client.loop_start()
    try:
        client.publish(
            table.settings.topics.resend, payload, qos=1, retain=retain
        ).wait_for_publish(10)
    finally:
        client.disconnect()
        client.loop_stop()


class Heard:
    """The events of the broker, in the order of their coming."""

    def __init__(self, broker: DemoBroker) -> None:
        self.events: list[int] = []
        self._changed = threading.Condition()
        self._subscriber = Subscriber(broker.settings, "fpg/v1/+/+/event/#", self._hear)

    def __enter__(self) -> Heard:
        self._subscriber.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._subscriber.stop()

    def wait_for(self, wanted: Callable[[list[int]], bool]) -> None:
        with self._changed:
            assert self._changed.wait_for(lambda: wanted(self.events), 20), self.events

    def _hear(self, _topic: str, payload: bytes) -> None:
        with self._changed:
            self.events.append(int(json.loads(payload)["sequence"]))
            self._changed.notify_all()


def table(folder: Path, broker: DemoBroker, *, asks: bool) -> FloorTable:
    return FloorTable(folder, broker.settings, "fpg-01", site="casino", accept_resend_requests=asks)


def once_each(count: int) -> list[int]:
    return list(range(1, count + 1))


def test_a_request_is_answered_where_that_is_switched_on(tmp_path: Path) -> None:
    with DemoBroker() as broker, Heard(broker) as heard, table(tmp_path, broker, asks=True) as own:
        own.play(1)
        heard.wait_for(lambda events: len(events) == len(own.told))
        ask(own, broker, REQUEST)
        heard.wait_for(lambda events: len(events) == 2 * len(own.told))
        assert heard.events == once_each(len(own.told)) * 2


def test_a_broker_that_remembers_the_subscription_is_not_obeyed_once_it_is_switched_off(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with DemoBroker() as broker, Heard(broker) as heard:
        with table(tmp_path, broker, asks=True) as own:
            own.play(1)
            assert own.link.flush(20)
        first = len(own.told)
        with table(tmp_path, broker, asks=False) as own:
            own.play(1)
            assert own.link.flush(20)
            ask(own, broker, REQUEST)
            wait_until(lambda: "accept_resend_requests is off" in caplog.text, "the refusal")
            own.play(1)
            assert own.link.flush(20)
            heard.wait_for(lambda events: len(events) >= first + len(own.told))
        assert heard.events == once_each(first + len(own.told))


def test_a_request_that_was_left_lying_is_refused(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with DemoBroker() as broker, Heard(broker) as heard:
        own = table(tmp_path, broker, asks=True)
        ask(own, broker, REQUEST, retain=True)
        with own:
            wait_until(lambda: "a retained request is refused" in caplog.text, "the refusal")
            own.play(2)
            assert own.link.flush(20)
            heard.wait_for(lambda events: len(events) >= len(own.told))
        assert heard.events == once_each(len(own.told))


def test_a_request_that_is_unknown_is_refused_and_logged(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with DemoBroker() as broker, Heard(broker) as heard, table(tmp_path, broker, asks=True) as own:
        own.play(1)
        assert own.link.flush(20)
        ask(own, broker, b'{"open_drawer": true}')
        wait_until(lambda: "no resend request" in caplog.text, "the refusal")
        own.play(1)
        assert own.link.flush(20)
        heard.wait_for(lambda events: len(events) >= len(own.told))
        assert heard.events == once_each(len(own.told))
