"""The process is killed with -9 in each phase of a round, and the table comes back right."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

TABLE = Path(__file__).with_name("table_process.py")
PHASES = ["betting", "dealing", "dealt", "revealed", "settled"]


@contextmanager
def table(out: Path, broker_url: str, until: str) -> Iterator[Any]:
    """Run a table in a process of its own up to ``until``; yield what it says of itself."""
    process = subprocess.Popen(
        [sys.executable, str(TABLE), str(out), broker_url, until],
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout is not None
        line = process.stdout.readline()
        assert line, "the table process died"
        yield process, json.loads(line)
    finally:
        if process.poll() is None:
            os.kill(process.pid, signal.SIGKILL)
        process.wait()
        if process.stdout is not None:
            process.stdout.close()


@pytest.mark.parametrize("phase", PHASES)
def test_a_killed_table_comes_back_and_contradicts_nothing(
    phase: str, out: Path, broker: Any, wiretap: Any
) -> None:
    with table(out, broker.url, phase) as (process, before):
        assert before["phase"] == phase
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
    with table(out, broker.url, "start") as (_, after):
        assert after["round"] == before["round"]
        assert after["phase"] == ("settled" if phase == "settled" else "suspended")
        assert after["suspended_from"] == (None if phase == "settled" else phase)
        if phase in ("revealed", "settled"):
            assert after["owed"] == before["owed"], "what was shown is shown again"
    with table(out, broker.url, "finish") as (_, end):
        assert end["phase"] == "settled"
        last = end["next_sequence"] - 1
        assert wiretap.wait(lambda topic, payload: b'"sequence":"%012d"' % last in payload)
    first: dict[int, bytes] = {}
    for payload in wiretap.events():
        number = int(json.loads(payload)["sequence"])
        assert first.setdefault(number, payload) == payload, "a resend is the same bytes"
    assert sorted(first) == list(range(1, last + 1))
    events = [json.loads(first[number]) for number in sorted(first)]
    settled = [event for event in events if event["type"] == "fpg.v1.round-settled"]
    rounds = [event["data"]["round"] for event in settled]
    assert rounds == sorted(set(rounds)), "no round is settled twice"
    revealed: dict[int, Any] = {}
    for event in events:
        if event["type"] == "fpg.v1.round-revealed":
            spots = event["data"]["spots"]
            assert revealed.setdefault(event["data"]["round"], spots) == spots
    for event in settled:
        assert event["data"]["spots"] == revealed[event["data"]["round"]]
