"""The simulated reader keeps to the protocol: numbers, repeats, beats, and giving up."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from reader_helpers import MS, hand_sentence

from hw.reader.sentence import Sentence, SentenceError, ack, nak
from hw.sim.pty_port import PtyPort
from hw.sim.reader_device import (
    BEAT_EVERY_NS,
    REPEAT_AFTER_NS,
    Disturber,
    NativeDevice,
    ReaderFaults,
)

RAW = hand_sentence(7).to_bytes()


def test_sentence_is_repeated_until_it_is_acknowledged() -> None:
    device = NativeDevice(first_seq=5)
    device.say("START")
    device.say("DEALT", "4")
    start, dealt = Sentence(5, "START").to_bytes(), Sentence(6, "DEALT", ("4",)).to_bytes()
    assert device.poll(0) == start
    assert device.poll(REPEAT_AFTER_NS - 1) == b""
    assert device.due_ns() == REPEAT_AFTER_NS
    assert device.poll(REPEAT_AFTER_NS) == start
    device.receive(ack(6).to_bytes(), REPEAT_AFTER_NS)  # not the one under way
    assert device.unacknowledged == 2
    device.receive(ack(5).to_bytes(), REPEAT_AFTER_NS)
    assert device.poll(REPEAT_AFTER_NS) == dealt


def test_number_after_65535_is_0() -> None:
    device = NativeDevice(first_seq=65_535)
    device.say("START")
    device.say("START")
    assert device.poll(0) == Sentence(65_535, "START").to_bytes()
    device.receive(ack(65_535).to_bytes(), 0)
    assert device.poll(0) == Sentence(0, "START").to_bytes()


def test_beat_comes_when_there_is_nothing_else_to_say() -> None:
    device = NativeDevice()
    beats = []
    for at_ns in range(0, 10 * BEAT_EVERY_NS, 100 * MS):
        if said := device.poll(at_ns):
            beats.append(at_ns)
            device.receive(ack(Sentence.from_bytes(said).seq).to_bytes(), at_ns)
    assert beats == list(range(0, 10 * BEAT_EVERY_NS, BEAT_EVERY_NS))


@pytest.mark.parametrize("reason", ["CRC", "FORM", "CUT", "LONG", "SILENCE"])
def test_damage_is_repaired_at_once(reason: str) -> None:
    device = NativeDevice()
    device.say("START")
    said = device.poll(0)
    device.receive(nak(0, reason).to_bytes(), MS)
    assert device.poll(MS) == said


def test_busy_host_is_not_hurried() -> None:
    device = NativeDevice()
    device.say("START")
    said = device.poll(0)
    device.receive(nak(0, "BUSY").to_bytes(), MS)
    assert device.poll(MS) == b""
    assert device.poll(REPEAT_AFTER_NS) == said


@pytest.mark.parametrize("reason", ["TYPE", "FIELD"])
def test_sentence_that_is_refused_for_good_is_given_up(reason: str) -> None:
    device = NativeDevice()
    device.say("CARD", "1", "ZZ")
    device.poll(0)
    device.receive(nak(0, reason).to_bytes(), MS)
    assert device.unacknowledged == 0
    assert device.refused == ((Sentence(0, "CARD", ("1", "ZZ")), reason),)


def test_used_number_makes_the_reader_start_again_and_lose_nothing() -> None:
    device = NativeDevice(identity=("M", "S", "V"), first_seq=9)
    device.say("START")
    device.say("DEALT", "4")
    device.poll(0)
    device.receive(nak(9, "REUSED").to_bytes(), MS)
    said = []
    for seq in range(3):
        said.append(Sentence.from_bytes(device.poll(MS)))
        device.receive(ack(seq).to_bytes(), MS)
    assert said == [
        Sentence(0, "HELLO", ("M", "S", "V")),
        Sentence(1, "START"),
        Sentence(2, "DEALT", ("4",)),
    ]


def test_power_up_forgets_and_numbers_from_0() -> None:
    device = NativeDevice(first_seq=9)
    device.say("START")
    device.poll(0)
    device.hello()
    assert device.poll(MS) == Sentence(0, "HELLO", ("SIM", "0", "1")).to_bytes()
    assert device.unacknowledged == 1


def test_text_that_would_break_a_frame_is_not_queued() -> None:
    device = NativeDevice()
    with pytest.raises(SentenceError):
        device.say("MISDEAL", "a,b")
    assert device.unacknowledged == 0


def test_faults_of_one_seed_are_the_same_every_time() -> None:
    faults = ReaderFaults(noise=0.3, cut=0.3, damage=0.3, repeat=0.3)

    def run(seed: int) -> list[bytes]:
        disturber = Disturber(faults, random.Random(seed))
        return [disturber.on_wire(RAW) for _ in range(50)]

    assert run(1) == run(1)
    assert run(1) != run(2)


@pytest.mark.parametrize(
    ("faults", "shows"),
    [
        (ReaderFaults(), lambda sent: sent == RAW),
        (ReaderFaults(silent=True), lambda sent: sent == b""),
        (ReaderFaults(noise=1.0), lambda sent: sent.endswith(RAW) and len(sent) > len(RAW)),
        (ReaderFaults(cut=1.0), lambda sent: RAW.startswith(sent) and len(sent) < len(RAW)),
        (ReaderFaults(repeat=1.0), lambda sent: sent == RAW + RAW),
        (
            ReaderFaults(damage=1.0),
            lambda sent: (
                len(sent) == len(RAW) and sum(a != b for a, b in zip(sent, RAW, strict=True)) == 1
            ),
        ),
        (ReaderFaults(wrong_speed=True), lambda sent: sent != RAW and len(sent) == len(RAW)),
    ],
    ids=["none", "silent", "noise", "cut", "repeat", "damage", "wrong speed"],
)
def test_each_fault_shows_on_the_line(faults: ReaderFaults, shows: object) -> None:
    disturber = Disturber(faults, random.Random(3))
    for _ in range(50):
        assert shows(disturber.on_wire(RAW))  # type: ignore[operator]


def test_link_follows_the_cable(tmp_path: Path) -> None:
    link = tmp_path / "fortune-reader"
    port = PtyPort(link)
    first = link.resolve()
    assert first.exists()
    port.unplug()
    assert not link.is_symlink()
    assert port.read() == b""
    port.write(b"lost")
    other = PtyPort()
    port.plug_in()
    assert link.resolve().exists()
    assert str(link.resolve()) != other.path
    port.unplug()
    other.unplug()
    with pytest.raises(OSError, match="unplugged"):
        _ = other.path


def test_line_that_nobody_reads_loses_bytes_and_does_not_block() -> None:
    port = PtyPort()
    try:
        for _ in range(100):
            port.write(b"x" * 1024)
    finally:
        port.unplug()
