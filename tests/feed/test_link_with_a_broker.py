"""The link with a real broker that comes late, freezes, breaks off, and is fed nonsense."""

from __future__ import annotations

import ctypes
import json
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest
from door import Door
from feed_story import TOPICS, MemoryOutbox, message
from scripted_broker import ScriptedBroker

from firmware_app.feed.demo_broker import DemoBroker
from firmware_app.feed.link import Link
from firmware_app.feed.recorder import Recorder
from firmware_app.feed.settings import FeedSettings
from firmware_app.feed.subscriber import Subscriber
from firmware_app.journal.records import OutgoingMessage

MakeLink = Callable[..., Link]


def wait_until(condition: Callable[[], object], timeout_s: float = 20) -> None:
    deadline_s = time.monotonic() + timeout_s
    while not condition():
        assert time.monotonic() < deadline_s, "not in time"
        time.sleep(0.01)


def recorded(path: Path) -> list[bytes]:
    return path.read_bytes().splitlines()


def payloads(outbox: MemoryOutbox) -> list[bytes]:
    return [row.payload for row in outbox.rows.values()]


@pytest.mark.parametrize("embedded", [False, True], ids=["broker", "embedded broker"])
def test_a_subscriber_gets_every_event_once_in_order(
    make_link: MakeLink, tmp_path: Path, embedded: bool
) -> None:
    outbox = MemoryOutbox(300)
    with DemoBroker(embedded=embedded) as broker:
        with Recorder(broker.settings, TOPICS, tmp_path / "feed.jsonl") as recorder:
            link = make_link(broker.settings, outbox)
            assert recorder.wait_for(300, 20)
            outbox.add(20)
            link.wake()
            assert recorder.wait_for(320, 20)
            assert link.flush(10)
            assert link.health().ok
            assert link.health().unsent == 0
        assert recorded(tmp_path / "feed.jsonl") == payloads(outbox)


def test_who_comes_later_finds_status_state_and_meters(
    broker: DemoBroker, make_link: MakeLink
) -> None:
    found: dict[str, bytes] = {}
    link = make_link(broker.settings, MemoryOutbox(1))
    for number in range(20):
        link.publish_state(b'{"state": %d}' % number)
        link.publish_meters(b'{"meters": %d}' % number)
    assert link.flush(10)
    with Subscriber(broker.settings, TOPICS.base + "/#", found.__setitem__):
        wait_until(lambda: found.get(TOPICS.state) == b'{"state": 19}')
        wait_until(lambda: found.get(TOPICS.meters) == b'{"meters": 19}')
        wait_until(lambda: TOPICS.status in found)
        assert json.loads(found[TOPICS.status])["status"] == "online"
        assert TOPICS.event("payout") not in found, "events are not retained"
        assert link.stop(10)
        wait_until(lambda: json.loads(found[TOPICS.status])["reason"] == "stopped")


def test_a_broker_that_comes_late_is_found(make_link: MakeLink, tmp_path: Path) -> None:
    outbox = MemoryOutbox(5)
    with DemoBroker() as broker, Recorder(broker.settings, TOPICS, tmp_path / "f") as recorder:
        with Door(broker.port) as door:
            port = door.port
        link = make_link(port, outbox, protocol=broker.protocol)
        wait_until(lambda: "connection refused" in (link.health().problem or ""))
        assert link.health().alive
        outbox.add(5)
        link.wake()
        late = Door(broker.port, port=port)
        with late:
            assert recorder.wait_for(10, 30)
            assert link.flush(10)
            assert link.health().ok
    assert recorded(tmp_path / "f") == payloads(outbox)


def wake(link: Link, outbox: MemoryOutbox, count: int) -> None:
    outbox.add(count)
    link.wake()


def commit(link: Link, outbox: MemoryOutbox, count: int) -> None:
    """As a table does: an entry has one or two messages."""
    for _ in range(count):
        link.committed(outbox.add(1))


Tell = Callable[[Link, MemoryOutbox, int], None]
EACH_WAY = pytest.mark.parametrize("tell", [wake, commit])


@EACH_WAY
def test_a_link_that_breaks_off_again_and_again_loses_nothing(
    tell: Tell, broker: DemoBroker, make_link: MakeLink, tmp_path: Path
) -> None:
    outbox = MemoryOutbox(50)
    with (
        Recorder(broker.settings, TOPICS, tmp_path / "f") as recorder,
        Door(broker.port) as door,
    ):
        link = make_link(door.port, outbox, protocol=broker.protocol, events_per_s=2000)
        for number in range(1, 8):
            door.wait_passed(number)
            tell(link, outbox, 50)
            assert recorder.wait_for(20 * number, 20)
            door.cut()
        assert link.flush(20)
        assert recorder.wait_for(400, 20)
    firsts = list(dict.fromkeys(recorded(tmp_path / "f")))
    assert firsts == payloads(outbox)


@dataclass
class Committed:
    """A message as the table hands it over; notes which threads take its bytes to publish them."""

    row: OutgoingMessage
    taken_by: set[str]

    @property
    def sequence(self) -> int:
        return self.row.sequence

    @property
    def type(self) -> str:
        return self.row.type

    @property
    def payload(self) -> bytes:
        self.taken_by.add(threading.current_thread().name)
        return self.row.payload


def test_a_message_is_published_by_the_thread_that_committed_it(
    broker: DemoBroker, make_link: MakeLink, tmp_path: Path
) -> None:
    outbox = MemoryOutbox(1)
    taken_by: set[str] = set()
    with Recorder(broker.settings, TOPICS, tmp_path / "f") as recorder:
        link = make_link(broker.settings, outbox)
        for _ in range(200):
            # While the feed thread is still at work, that one publishes; but not every time.
            assert link.flush(10)
            link.committed([Committed(row, taken_by) for row in outbox.add()])
        assert recorder.wait_for(201, 20)
    assert recorded(tmp_path / "f") == payloads(outbox)
    assert threading.current_thread().name in taken_by


@EACH_WAY
def test_a_frozen_broker_never_makes_the_table_wait(
    tell: Tell, broker: DemoBroker, make_link: MakeLink, tmp_path: Path
) -> None:
    outbox = MemoryOutbox(1)
    with Recorder(broker.settings, TOPICS, tmp_path / "f") as recorder:
        link = make_link(broker.settings, outbox, keepalive_s=2)
        assert link.flush(10)
        broker.pause()
        # Far more than any socket holds. A call that waited for the network would never return.
        for number in range(200):
            tell(link, outbox, 5)
            link.publish_state(b"x" * 10_000 + b"%d" % number)
            link.publish_meters(b"x" * 10_000)
            link.publish_health(b"x" * 10_000)
        assert not link.flush(0.1), "nothing can be acknowledged now"
        wait_until(lambda: not link.health().ok, 30)
        assert link.health().alive
        broker.resume()
        assert recorder.wait_for(1001, 30)
    firsts = list(dict.fromkeys(recorded(tmp_path / "f")))
    assert firsts == payloads(outbox)


def end_thread(name: str) -> None:
    """End a thread of ours from outside, at whatever it is doing."""
    [victim] = [thread for thread in threading.enumerate() if thread.name == name]
    assert ctypes.pythonapi.PyThreadState_SetAsyncExc(
        ctypes.c_ulong(victim.ident or 0), ctypes.py_object(SystemExit)
    )
    victim.join(10)
    assert not victim.is_alive()


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_a_feed_thread_that_dies_is_started_again(
    broker: DemoBroker, make_link: MakeLink, tmp_path: Path
) -> None:
    outbox = MemoryOutbox(3)
    with Recorder(broker.settings, TOPICS, tmp_path / "f") as recorder:
        link = make_link(broker.settings, outbox)
        assert link.flush(10)
        end_thread("feed")
        assert not link.health().ok
        assert outbox.closed == 1
        outbox.add(2)
        assert recorder.wait_for(5, 10)
        assert link.flush(10)
        assert link.health().ok
        assert link.health().restarts == 1


def test_a_link_that_was_stopped_is_not_alive(broker: DemoBroker, make_link: MakeLink) -> None:
    outbox = MemoryOutbox(1)
    link = make_link(broker.settings, outbox)
    assert link.flush(10)
    assert link.health().alive
    assert link.stop(10)
    assert not link.health().alive
    assert not link.health().connected
    assert outbox.closed == 1
    with pytest.raises(RuntimeError, match="started already"):
        link.start()


def test_an_outbox_that_cannot_be_opened_is_tried_again(broker: DemoBroker) -> None:
    outbox = MemoryOutbox(1)
    attempts = 0

    def open_late() -> MemoryOutbox:
        nonlocal attempts
        attempts += 1
        if attempts == 1:
            raise OSError("disk not ready")
        return outbox

    settings = broker.settings.model_dump() | {"site": TOPICS.site, "table": TOPICS.table}
    link = Link(FeedSettings.model_validate(settings), open_late)
    link.start()
    try:
        wait_until(lambda: "disk not ready" in (link.health().problem or ""))
        assert link.flush(20)
    finally:
        assert link.stop(10)


def test_a_raising_consumer_does_not_lose_the_next_message(
    broker: DemoBroker, make_link: MakeLink
) -> None:
    heard: list[bytes] = []

    def handle(_topic: str, payload: bytes) -> None:
        heard.append(payload)
        if len(heard) == 1:
            raise RuntimeError("a fault of the consumer")

    outbox = MemoryOutbox(3)
    with Subscriber(broker.settings, TOPICS.events, handle):
        make_link(broker.settings, outbox)
        wait_until(lambda: len(heard) == 3)
    assert heard == payloads(outbox)


def test_nonsense_on_the_topics_is_counted_and_not_recorded(
    broker: DemoBroker, make_link: MakeLink, tmp_path: Path
) -> None:
    nonsense = [b"", b"{", b"\xff\xfe", b"[]", b"x" * 2**20, b'{"specversion": "1.0"}']
    hostile = MemoryOutbox(len(nonsense))
    for number, payload in enumerate(nonsense, start=1):
        object.__setattr__(hostile.rows[number], "payload", payload)
    with Recorder(broker.settings, TOPICS, tmp_path / "f") as recorder:
        make_link(broker.settings, hostile, client_id="somebody-else")
        wait_until(lambda: recorder.rejected == len(nonsense))
        make_link(broker.settings, MemoryOutbox(2))
        assert recorder.wait_for(2, 20)
    assert recorded(tmp_path / "f") == [message(1).payload, message(2).payload]


class LongOutbox(MemoryOutbox):
    """Seventy thousand messages, made as they are read: as long a backlog as a disk can hold."""

    def __init__(self, count: int) -> None:
        super().__init__()
        self.count = count
        self.through = 0
        self.read_ahead = 0

    def pending(self, limit: int, *, after: int | None = None) -> list:
        start = self.through if after is None else after
        rows = [message(number) for number in range(start + 1, min(start + limit, self.count) + 1)]
        if rows:
            self.read_ahead = max(self.read_ahead, rows[-1].sequence - self.through)
        return rows

    def mark_sent(self, sequences: object) -> None:
        self.through = max(sequences)

    @property
    def unsent_count(self) -> int:
        return self.count - self.through


def test_a_backlog_longer_than_a_client_library_holds_is_drained(make_link: MakeLink) -> None:
    """65,535 packet ids run out and come round again; no more than a page is ever in memory."""
    with ScriptedBroker() as broker:
        outbox = LongOutbox(70_000)
        link = make_link(broker.port, outbox, protocol="3.1.1", events_per_s=100_000)
        assert link.flush(120)
        received = [json.loads(payload)["id"] for payload in broker.payloads()]
        assert received == [f"pg-7-{number}" for number in range(1, 70_001)]
        assert outbox.read_ahead <= 250 + 50 + 250
