"""A table that is killed loses no event: what is in the journal goes out, in order."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from door import Door
from feed_story import TOPICS, message

from firmware_app.feed.demo_broker import DemoBroker
from firmware_app.feed.recorder import Recorder
from firmware_app.feed.settings import ProtocolName
from firmware_app.feed.subscriber import Subscriber

TABLE = Path(__file__).with_name("table_process.py")


@contextmanager
def table(journal: Path, port: int, protocol: ProtocolName, rounds: int) -> Iterator[None]:
    """A running table that has settled ``rounds`` rounds more; killed at the end."""
    arguments = [str(journal), str(port), protocol, str(rounds)]
    with subprocess.Popen(
        [sys.executable, str(TABLE), *arguments], stdout=subprocess.PIPE
    ) as process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline() == b"settled\n"
            yield
        finally:
            process.kill()


def firsts(path: Path) -> list[bytes]:
    return list(dict.fromkeys(path.read_bytes().splitlines()))


def test_rounds_settled_while_the_broker_was_away_survive_a_kill(tmp_path: Path) -> None:
    journal, feed = tmp_path / "journal.sqlite3", tmp_path / "feed.jsonl"
    with DemoBroker() as broker, Recorder(broker.settings, TOPICS, feed) as recorder:
        with Door(broker.port) as door:
            port = door.port
        with table(journal, port, broker.protocol, rounds=20):
            pass
        with table(journal, port, broker.protocol, rounds=0), Door(broker.port, port=port):
            assert recorder.wait_for(20, 20)
    assert firsts(feed) == [message(number).payload for number in range(1, 21)]


def test_kills_while_sending_lose_and_invent_nothing(tmp_path: Path) -> None:
    journal, feed = tmp_path / "journal.sqlite3", tmp_path / "feed.jsonl"
    total = 0
    with DemoBroker() as broker, Recorder(broker.settings, TOPICS, feed) as recorder:
        for rounds in (40, 30, 30, 20):
            with table(journal, broker.port, broker.protocol, rounds):
                # Killed with about half of the backlog under way or not yet sent.
                assert recorder.wait_for(total + rounds // 2, 20)
            total += rounds
        with table(journal, broker.port, broker.protocol, rounds=0):
            assert recorder.wait_for(total, 20)
    assert firsts(feed) == [message(number).payload for number in range(1, total + 1)]


def test_the_broker_tells_that_a_killed_table_is_gone(tmp_path: Path) -> None:
    told: list[dict[str, str]] = []
    with DemoBroker() as broker:
        with (
            Recorder(broker.settings, TOPICS, tmp_path / "feed.jsonl") as recorder,
            table(tmp_path / "journal.sqlite3", broker.port, broker.protocol, rounds=1),
        ):
            assert recorder.wait_for(1, 20)
        with Subscriber(
            broker.settings, TOPICS.status, lambda _, payload: told.append(json.loads(payload))
        ):
            lost = {"status": "offline", "reason": "connection lost"}
            for _ in range(400):
                if lost in told:
                    break
                recorder.wait_for(10**9, 0.05)
            assert told[-1] == lost
