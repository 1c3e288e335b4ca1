"""A stop in good order is told, with its reason; a kill is not, and that is how to tell them."""

from __future__ import annotations

import json
import signal
import socket
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest
from whole_table import configured, lay_a_bet, running

from firmware_app.assembly import Table
from firmware_app.config import load_config
from firmware_app.feed.demo_broker import DemoBroker
from firmware_app.journal.errors import JournalError
from firmware_app.journal.reading import events_of, open_for_reading
from hw.sim.panel import SimPanel

WAIT_S = 30.0


def said(tap: Any) -> list[tuple[str, dict[str, Any]]]:
    """What came on the table's topics but state, meters and health: topic's end, and content."""
    found = []
    for _, topic, payload in tap.heard:
        name = topic.removeprefix("fpg/v1/test/t1/")
        if name.startswith("event/") or name == "status":
            found.append((name, json.loads(payload)))
    return found


def is_event(kind: str) -> Callable[[str, bytes], bool]:
    return lambda topic, _: topic.endswith(f"/event/{kind}")


@contextmanager
def in_a_round(config: Path, tap: Any) -> Iterator[subprocess.Popen[str]]:
    """Run a table until its first round is open."""
    with running(config) as process:
        assert tap.wait(is_event("device-started"))
        lay_a_bet(process)
        assert tap.wait(is_event("round-opened"))
        yield process


@pytest.mark.parametrize(
    ("number", "reason"), [(signal.SIGTERM, "terminated"), (signal.SIGINT, "interrupted")]
)
def test_a_signal_is_told_as_the_reason_before_the_link_closes(
    tmp_path: Path, broker: DemoBroker, wiretap: Any, number: signal.Signals, reason: str
) -> None:
    config = configured(tmp_path, broker.port, broker.protocol)
    with in_a_round(config, wiretap) as process:
        process.send_signal(number)
        assert process.wait(WAIT_S) == 0
    assert wiretap.wait(lambda topic, payload: b'"stopped"' in payload)
    last_event, status = said(wiretap)[-2:]
    assert last_event[0] == "event/device-stopped"
    assert last_event[1]["data"] == {"round": 1, "reason": reason, "phase": "betting"}
    assert status == ("status", {"status": "offline", "reason": "stopped"})


def test_without_a_broker_it_is_told_at_the_next_start(
    tmp_path: Path, broker: DemoBroker, wiretap: Any
) -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        config = configured(tmp_path, unused.getsockname()[1])
        with running(config) as process:
            until_recorded(tmp_path / "journal.sqlite3", "device-started", process)
            process.send_signal(signal.SIGTERM)
            assert process.wait(WAIT_S) == 0
    with running(configured(tmp_path, broker.port, broker.protocol)):
        assert wiretap.wait(
            lambda topic, payload: (
                is_event("device-started")(topic, payload)
                and json.loads(payload)["sequence"] > "000000000003"
            )
        )
    events = [content for name, content in said(wiretap) if name.startswith("event/")]
    assert [event["sequence"] for event in events] == [
        f"{number:012}" for number in range(1, len(events) + 1)
    ]
    device = [event for event in events if "device-" in event["type"]]
    assert [event["type"] for event in device][:3] == [
        "fpg.v1.device-started",
        "fpg.v1.device-stopped",
        "fpg.v1.device-started",
    ]
    assert device[1]["data"]["reason"] == "terminated"
    applied = [event["data"]["changed"] for event in events if "applied" in event["type"]]
    # The broker's protocol differs where the embedded one stands in for mosquitto.
    assert applied[0] is None
    assert set(applied[1]) - {"mqtt.protocol"} == {"mqtt.port"}


def test_a_kill_tells_nothing_and_the_will_says_why(
    tmp_path: Path, broker: DemoBroker, wiretap: Any
) -> None:
    config = configured(tmp_path, broker.port, broker.protocol)
    with running(config) as process:
        assert wiretap.wait(is_event("device-started"))
        process.kill()
        process.wait()
        assert wiretap.wait(lambda topic, payload: b'"connection lost"' in payload)
    assert "event/device-stopped" not in [name for name, _ in said(wiretap)]
    with running(config):
        assert wiretap.wait(
            lambda *_: sum(name == "event/device-started" for name, _ in said(wiretap)) > 1
        )
    kinds = [name for name, _ in said(wiretap) if "/device-" in name]
    assert set(kinds) == {"event/device-started"}


@pytest.mark.parametrize(
    ("number", "why"),
    [
        (signal.SIGTERM, "the table was stopped in mid-round and has started again"),
        (signal.SIGKILL, "the power came back in mid-round"),
    ],
)
def test_a_round_that_waits_after_a_start_says_why(
    tmp_path: Path, broker: DemoBroker, wiretap: Any, number: signal.Signals, why: str
) -> None:
    config = configured(tmp_path, broker.port, broker.protocol)
    with in_a_round(config, wiretap) as process:
        process.send_signal(number)
        process.wait(WAIT_S)
    with running(config):
        assert wiretap.wait(is_event("round-suspended"))
    [suspended] = [content for name, content in said(wiretap) if name == "event/round-suspended"]
    assert suspended["data"]["reason"] == why


def test_a_table_that_never_started_does_not_say_that_it_stopped(tmp_path: Path) -> None:
    config = load_config(configured(tmp_path, 1))
    panel = SimPanel(config.panel)
    Table(config, panel.pins, observers=()).close()
    panel.pins.close()
    assert recorded(config.journal.path) == ["configuration-applied"]


def recorded(journal: Path) -> list[str]:
    with open_for_reading(journal) as reader:
        return [event.type for entry in reader.forwards() for event in events_of(entry)]


def until_recorded(journal: Path, kind: str, process: subprocess.Popen[str]) -> None:
    for _ in range(600):
        # It may be in the making.
        with suppress(JournalError):
            if kind in recorded(journal):
                return
        assert process.poll() is None
        with suppress(subprocess.TimeoutExpired):
            process.wait(0.05)
    raise AssertionError(f"{kind} was not recorded")
