"""The protocol's page tells the truth: its bytes, its conversation and its records are played."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import hw.reader
from hw import signals
from hw.reader.line_protocol import LineSession
from hw.reader.session import NativeSession
from hw.reader.settings import LineSettings
from hw.reader.vocabulary import KINDS
from hw.signals import ReaderSignal

PAGE = (Path(hw.reader.__file__).parent / "PROTOCOL.md").read_text(encoding="utf-8")


def block(name: str) -> list[str]:
    found = re.search(rf"```{name}\n(.*?)```", PAGE, re.DOTALL)
    assert found is not None
    return found[1].splitlines()


def test_bytes_of_the_beat_are_those_of_its_text() -> None:
    (digits,) = re.findall(r"^    ((?:[0-9A-F]{2} ){8,}[0-9A-F]{2})$", PAGE, re.MULTILINE)
    assert bytes.fromhex(digits) == b"$1,BEAT*B686\r\n"
    assert "`$1,BEAT*B686` in bytes" in PAGE


def test_conversation_runs_as_printed() -> None:
    taken: list[ReaderSignal] = []
    session = NativeSession(taken.append)
    session.opened(0)
    said: list[str] = []
    for spoken in block("conversation"):
        if spoken.startswith("> "):
            said.append(spoken)
            answer = session.receive(spoken[2:].encode() + b"\r\n", 1)
            said += [f"< {line}" for line in answer.decode().splitlines()]
    assert said == block("conversation")
    assert taken == [
        signals.ReaderUp("FPG-R1", "00417", "2.3", 1),
        signals.DealStarted(3, 1),
        signals.HandRead(3, ("AS", "KS", "QS", "JS", "10S", "JK", "2D"), 1),
        signals.CardRead(0, "10H", 1),
        signals.DealDone(4, 1),
        signals.MisdealReported("red light", 1),
        signals.WagerRead(3, "fortune", 5_00, 1),
        signals.DiceRolled(2, 3, 5, 1),
        signals.DealStarted(None, 1),
    ]


def test_conversation_and_table_show_every_type() -> None:
    spoken = {re.split("[,*]", line)[1] for line in block("conversation") if line[0] == ">"}
    assert spoken == set(KINDS)
    table = PAGE.partition("### What the reader says")[2].partition("###")[0]
    assert set(re.findall(r"^\| `([A-Z]+)", table, re.MULTILINE)) == set(KINDS)


@pytest.mark.parametrize("line", block("records"))
def test_record_is_read_as_printed(line: str) -> None:
    preset, record, meaning = re.split(r"  +", line)
    taken: list[ReaderSignal] = []
    settings = LineSettings.model_validate({"preset": preset, "codes": {"0017": "AS"}})
    session = LineSession(taken.append, settings)
    session.opened(0)
    session.start_deal(1)
    taken.clear()
    session.receive(f" {record} \r\n".encode(), 1)
    kind, _, detail = meaning.partition(" ")
    expected: dict[str, list[ReaderSignal]] = {
        "card": [signals.CardRead(1, detail, 1)],
        "unread": [signals.CardUnread(1, f"the reader could not read a card: {record}", 1)],
        "alarm": [signals.ReaderAlarm(detail, 1)],
        "nothing": [],
    }
    assert taken == expected[kind]
    assert session.counters.bad_sentences == 0
