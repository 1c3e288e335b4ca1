"""Whole tables: simulated pins and reader, a real broker, real processes."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from firmware_app.feed.demo_broker import DemoBroker
from firmware_app.feed.subscriber import Subscriber

WAIT_S = 30.0


@dataclass
class Wiretap:
    """Everything that the broker carried, in the order in which it came."""

    broker: DemoBroker
    heard: list[tuple[float, str, bytes]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._changed = threading.Condition()
        self._subscriber = Subscriber(self.broker.settings, "fpg/v1/#", self._hear)

    def _hear(self, topic: str, payload: bytes) -> None:
        with self._changed:
            self.heard.append((time.monotonic(), topic, payload))
            self._changed.notify_all()

    def start(self) -> None:
        self._subscriber.start()

    def stop(self) -> None:
        self._subscriber.stop()

    def wait(self, wanted: Callable[[str, bytes], bool], timeout_s: float = WAIT_S) -> bool:
        with self._changed:
            return self._changed.wait_for(
                lambda: any(wanted(topic, payload) for _, topic, payload in self.heard), timeout_s
            )

    def events(self) -> list[bytes]:
        return [payload for _, topic, payload in self.heard if "/event/" in topic]


@pytest.fixture
def broker() -> Iterator[DemoBroker]:
    with DemoBroker() as running:
        yield running


@pytest.fixture
def listening() -> Callable[[DemoBroker], AbstractContextManager[Wiretap]]:
    """Return a listener for brokers that a test makes itself."""

    @contextmanager
    def listen(broker: DemoBroker) -> Iterator[Wiretap]:
        tap = Wiretap(broker)
        tap.start()
        try:
            yield tap
        finally:
            tap.stop()

    return listen


@pytest.fixture
def wiretap(broker: DemoBroker) -> Iterator[Wiretap]:
    tap = Wiretap(broker)
    tap.start()
    yield tap
    tap.stop()


@pytest.fixture
def out(tmp_path: Path) -> Path:
    return tmp_path / "out"
