"""The books of a floor from the command line: filled from a file or a broker, and asked."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from itertools import islice
from pathlib import Path

from click.testing import CliRunner, Result

from firmware_app.backoffice.store import Store
from firmware_app.cli import cli
from firmware_app.feed.connection import connect, new_client
from firmware_app.feed.demo_broker import DemoBroker
from firmware_app.feed.envelope import encode
from firmware_app.feed.topics import TableTopics
from firmware_app.simulation.rounds import deal_rounds

TOPICS = TableTopics("casino", "fpg-01")
NOON_NS = 1_785_585_600 * 10**9
"""1 August 2026, 12:00 UTC."""


def recorded(rounds: int) -> list[tuple[str, bytes]]:
    """The events of honest rounds, with their topics."""
    events = [event for told in islice(deal_rounds("envy", seed=2), rounds) for event in told]
    return [
        (
            TOPICS.event(event.TYPE),
            encode(event, TOPICS, sequence=number, wall_utc_ns=NOON_NS, synchronised=True),
        )
        for number, event in enumerate(events, start=1)
    ]


def run(*words: object) -> Result:
    return CliRunner().invoke(cli, ["backoffice", *map(str, words)])


def filled(folder: Path, without: int | None = None) -> Path:
    books, feed = folder / "books.sqlite3", folder / "feed.jsonl"
    lines = [payload for _, payload in recorded(4)]
    if without is not None:
        del lines[without - 1]
    feed.write_bytes(b"\n".join(lines) + b"\n")
    assert run("import", "--db", books, feed).exit_code == 0
    return books


def test_a_recorded_feed_is_booked_once(tmp_path: Path) -> None:
    books = filled(tmp_path)
    again = run("import", "--db", books, tmp_path / "feed.jsonl")
    assert again.stderr == f"0 of {len(recorded(4))} events were new\n"
    [row] = [json.loads(line) for line in run_json(books, "drop")]
    assert (row["table"], row["rounds"]) == ("casino/fpg-01", 4)
    # Six spots with $25 on the main bet, four rounds.
    assert row["main_cents"] == 6 * 4 * 25_00


def run_json(books: Path, question: str, *options: str) -> list[str]:
    result = run("report", "--db", books, question, "--json", *options)
    assert result.exit_code == 0, result.output
    return result.stdout.splitlines()


def test_every_question_is_answered_as_text_and_as_json(tmp_path: Path) -> None:
    books = filled(tmp_path)
    for question in ("drop", "hold", "envy", "lines", "offline"):
        text = run("report", "--db", books, question)
        assert text.exit_code == 0, text.output
        rows = run_json(books, question)
        assert ("casino/fpg-01" in text.output) == bool(rows)
    assert "$600" in run("report", "--db", books, "drop").output


def test_a_question_is_about_a_period(tmp_path: Path) -> None:
    books = filled(tmp_path)
    assert run_json(books, "drop", "--since", "2026-08-01 12:00:00")
    assert not run_json(books, "drop", "--until", "2026-08-01 12:00:00")
    assert not run_json(books, "drop", "--since", "2026-08-02")


def test_a_gap_is_named_and_makes_the_exit_code(tmp_path: Path) -> None:
    (tmp_path / "whole").mkdir()
    assert run("gaps", "--db", filled(tmp_path / "whole"), "--first", 1).exit_code == 0
    holed = run("gaps", "--db", filled(tmp_path, without=7), "--json")
    assert holed.exit_code == 1
    assert json.loads(holed.stdout) == {"table": "casino/fpg-01", "first": 7, "last": 7}


def test_what_cannot_be_is_one_clear_line(tmp_path: Path) -> None:
    missing = run("report", "--db", tmp_path / "none", "drop")
    assert missing.exit_code == 2
    assert "fill it with `follow` or `import`" in missing.output
    (tmp_path / "text").write_text("no database " * 100)
    broken = run("gaps", "--db", tmp_path / "text")
    assert broken.exit_code == 1
    assert "file is not a database" in broken.output
    (tmp_path / "feed").write_text("{}\n")
    nonsense = run("import", "--db", tmp_path / "books", tmp_path / "feed")
    assert nonsense.exit_code == 1
    assert "line 1: " in nonsense.output
    address = run("follow", "--db", tmp_path / "books", "--broker", "http://x")
    assert address.exit_code == 2
    with DemoBroker() as broker:
        gone = broker.url
    away = run("follow", "--db", tmp_path / "books", "--broker", gone)
    assert away.exit_code == 1
    assert "connection refused" in away.output


def test_it_follows_a_broker_until_it_is_asked_to_stop(tmp_path: Path) -> None:
    books = tmp_path / "books.sqlite3"
    with DemoBroker() as broker:
        follow = [sys.executable, "-m", "firmware_app", "backoffice", "follow"]
        process = subprocess.Popen(
            [*follow, "--db", books, "--broker", broker.url], stderr=subprocess.PIPE, text=True
        )
        try:
            publisher = new_client(broker.settings, "publishes")
            connect(publisher, broker.settings, keepalive_s=20, expiry_s=0, timeout_s=10)
            publisher.loop_start()
            events = recorded(2)
            deadline_s = time.monotonic() + 60
            # Until it has subscribed nobody keeps the events, so they are told until it has them.
            while booked(books) < len(events):
                assert time.monotonic() < deadline_s
                assert process.poll() is None
                for topic, payload in events:
                    publisher.publish(topic, payload, qos=1).wait_for_publish(10)
                time.sleep(0.2)
            publisher.disconnect()
            publisher.loop_stop()
        finally:
            os.kill(process.pid, signal.SIGTERM)
            _, said = process.communicate(timeout=20)
    assert process.returncode == 0
    assert said == f"{len(events)} events booked\n"
    assert run("gaps", "--db", books, "--first", 1).exit_code == 0


def booked(books: Path) -> int:
    with Store(books) as store:
        [(events,)] = store.connection.execute("SELECT count(*) FROM event")
    return int(events)
