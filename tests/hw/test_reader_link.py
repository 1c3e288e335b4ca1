"""The reader's thread over real pseudo-terminals: cables, names, noise, and stopping."""

from __future__ import annotations

import random
import socket
import termios
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
import serial
from reader_helpers import (
    MS,
    PATIENCE_S,
    ROYAL,
    Inbox,
    hand_sentence,
    native,
    running,
    wait_until,
)

from hw import signals
from hw.reader.health import ReaderStatus
from hw.reader.link import (
    REOPEN_AFTER_SILENCE_NS,
    RETRY_FIRST_S,
    RETRY_LONGEST_S,
    Backoff,
    ReaderLink,
)
from hw.reader.sentence import Sentence, ack
from hw.reader.session import NativeSession
from hw.reader.settings import ReaderSettings
from hw.signals import ReaderSignal
from hw.sim.pty_port import PtyPort
from hw.sim.reader import SimReader
from hw.sim.reader_device import ReaderFaults


@pytest.fixture
def inbox() -> Inbox:
    return Inbox()


@pytest.fixture
def reader(tmp_path: Path) -> Iterator[SimReader]:
    with SimReader(link=tmp_path / "fortune-reader", repeat_after_ms=50) as reader:
        yield reader


@pytest.fixture
def bare() -> Iterator[PtyPort]:
    port = PtyPort()
    yield port
    port.unplug()


def test_dealt_round_arrives_in_order(reader: SimReader, inbox: Inbox) -> None:
    with running(ReaderLink(native(reader.path), inbox.put)):
        reader.hello()
        reader.dice(2, 3, 5)
        reader.wager(3, "fortune", 5_00)
        reader.start(first_spot=3)
        reader.hand(3, ROYAL)
        reader.card(0, "2C")
        reader.dealt(4)
        reader.misdeal("red light")
        assert reader.wait_acknowledged(PATIENCE_S)
    arrived = [signal for signal in inbox.signals if not isinstance(signal, signals.ReaderDown)]
    stamps = [signal.at_ns for signal in arrived]
    assert stamps == sorted(stamps)
    assert arrived == [
        signals.ReaderUp("SIM", "0", "1", stamps[0]),
        signals.DiceRolled(2, 3, 5, stamps[1]),
        signals.WagerRead(3, "fortune", 5_00, stamps[2]),
        signals.DealStarted(3, stamps[3]),
        signals.HandRead(3, ROYAL, stamps[4]),
        signals.CardRead(0, "2C", stamps[5]),
        signals.DealDone(4, stamps[6]),
        signals.MisdealReported("red light", stamps[7]),
    ]


class FaultyPort:
    """A real port, one call of which fails."""

    def __init__(self, port: serial.Serial, call: str, fault: Exception) -> None:
        self._port = port
        self._call = call
        self._fault = fault

    def __getattr__(self, name: str) -> object:
        if name == self._call == "in_waiting":
            raise self._fault
        if name == self._call:
            return self._fail
        return getattr(self._port, name)

    def _fail(self, *_: object) -> None:
        raise self._fault


@pytest.mark.parametrize("call", ["open", "read", "write", "in_waiting", "reset_input_buffer"])
@pytest.mark.parametrize(
    "fault",
    [serial.SerialException("gone"), OSError(5, "gone"), termios.error(5, "gone")],
    ids=["SerialException", "OSError", "termios.error"],
)
def test_any_failing_call_takes_the_reader_down_and_it_is_opened_again(
    call: str,
    fault: Exception,
    reader: SimReader,
    inbox: Inbox,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    opens = serial.serial_for_url
    attempts: list[float] = []

    def open_faulty(url: str, **options: object) -> object:
        attempts.append(time.monotonic())
        if len(attempts) > 2:
            return opens(url, **options)
        if call == "open":
            raise fault
        return FaultyPort(opens(url, **options), call, fault)

    monkeypatch.setattr(serial, "serial_for_url", open_faulty)
    reader.hello()
    with running(ReaderLink(native(reader.path), inbox.put)) as link:
        inbox.wait_for(signals.ReaderDown)
        reader.hand(3, ROYAL)
        inbox.wait_for(signals.HandRead)
        assert link.statistics().port_faults == 2
    assert len(inbox.hands) == 1
    down = next(s for s in inbox.signals if isinstance(s, signals.ReaderDown))
    assert "gone" in down.reason
    assert reader.path in down.reason
    first_wait_s, second_wait_s = attempts[1] - attempts[0], attempts[2] - attempts[1]
    assert first_wait_s >= RETRY_FIRST_S
    assert second_wait_s >= RETRY_FIRST_S
    # A lost cable is no bug of ours, and must not fill the log with traces.
    assert [record for record in caplog.records if record.exc_info] == []


def test_waiting_times_double_up_to_a_cap_with_jitter() -> None:
    backoff = Backoff(0.1, 2.0, random.Random(1))
    waits_s = [backoff.next_s() for _ in range(10)]
    for wait_s, step_s in zip(waits_s, [0.1, 0.2, 0.4, 0.8, 1.6, *[2.0] * 5], strict=True):
        assert step_s <= wait_s <= step_s * 1.25
    assert len(set(waits_s[5:])) == 5
    backoff.reset()
    assert backoff.next_s() <= 0.125


def test_longest_wait_still_finds_a_reader_within_five_seconds() -> None:
    repeat_s = 0.5
    assert RETRY_LONGEST_S * 1.25 + repeat_s < 5


def test_hand_cut_by_unplugging_is_not_joined_to_the_next_one(
    reader: SimReader, inbox: Inbox
) -> None:
    with running(ReaderLink(native(reader.path), inbox.put)) as link:
        reader.hello()
        reader.hand(1, ROYAL)
        assert reader.wait_acknowledged(PATIENCE_S)
        before = link.statistics().bytes_received
        reader.write_raw(hand_sentence(9, position=2).to_bytes()[:30])
        wait_until(lambda: link.statistics().bytes_received > before, "the half hand")
        reader.unplug()
        inbox.wait_for(signals.ReaderDown)
        reader.plug_in()
        reader.hand(4, ("2C", "3C"))
        inbox.wait_for(signals.HandRead, 2)
    assert [(hand.position, hand.cards) for hand in inbox.hands] == [
        (1, ROYAL),
        (4, ("2C", "3C")),
    ]


def test_hand_whose_acknowledgement_was_lost_with_the_cable_is_taken_once(
    reader: SimReader, inbox: Inbox
) -> None:
    with running(ReaderLink(native(reader.path), inbox.put)) as link:
        reader.hello()
        assert reader.wait_acknowledged(PATIENCE_S)
        reader.set_faults(ReaderFaults(deaf=1.0))
        reader.hand(1, ROYAL)
        inbox.wait_for(signals.HandRead)
        reader.unplug()
        reader.set_faults(ReaderFaults())
        reader.plug_in()
        assert reader.wait_acknowledged(PATIENCE_S)
        assert link.statistics().repeats >= 1
    assert len(inbox.hands) == 1


def test_port_that_is_not_there_yet_is_waited_for(tmp_path: Path, inbox: Inbox) -> None:
    name = tmp_path / "fortune-reader"
    with running(ReaderLink(native(str(name)), inbox.put)):
        (down,) = inbox.wait_for(signals.ReaderDown)
        assert "No such file" in repr(down)
        with SimReader(link=name) as reader:
            reader.hand(1, ROYAL)
            inbox.wait_for(signals.HandRead)
    assert len(inbox.hands) == 1


def test_half_a_hand_that_lay_in_the_port_before_opening_is_dropped(
    bare: PtyPort, inbox: Inbox
) -> None:
    stale = hand_sentence(4, position=2).to_bytes()
    bare.write(stale[:-4])
    with running(ReaderLink(native(bare.path), inbox.put)) as link:
        wait_until(lambda: link.statistics().opened == 1, "the port to be open")
        bare.write(stale[-4:] + hand_sentence(5, position=1).to_bytes())
        inbox.wait_for(signals.HandRead)
    assert [hand.position for hand in inbox.hands] == [1]


@pytest.mark.parametrize("cut", [1, 10, 30, 37])
def test_hand_in_two_pieces_is_one_hand(cut: int, bare: PtyPort, inbox: Inbox) -> None:
    raw = hand_sentence(5).to_bytes()
    with running(ReaderLink(native(bare.path), inbox.put)) as link:
        wait_until(lambda: link.statistics().opened == 1, "the port to be open")
        bare.write(raw[:cut])
        wait_until(lambda: link.statistics().bytes_received == cut, "the first piece")
        assert inbox.hands == []
        bare.write(raw[cut:])
        inbox.wait_for(signals.HandRead)
    assert [hand.cards for hand in inbox.hands] == [ROYAL]


def wait_for_bytes(link: ReaderLink, count: int) -> None:
    wait_until(lambda: link.statistics().bytes_received >= count, f"{count} bytes")


def test_noise_at_opening_costs_no_card_and_no_thread(bare: PtyPort, inbox: Inbox) -> None:
    with running(ReaderLink(native(bare.path), inbox.put)) as link:
        wait_until(lambda: link.statistics().opened == 1, "the port to be open")
        for seed in range(1, 101):
            noise = random.Random(seed).randbytes(4096)
            for start in range(0, len(noise), 1024):
                expected = link.statistics().bytes_received + 1024
                bare.write(noise[start : start + 1024])
                wait_for_bytes(link, expected)
            bare.write(hand_sentence(seed).to_bytes())
            inbox.wait_for(signals.HandRead, seed)
        assert link.is_alive
        assert link.statistics().bad_sentences >= 100
    assert [hand.cards for hand in inbox.hands] == [ROYAL] * 100
    cards = [s for s in inbox.signals if isinstance(s, signals.HandRead | signals.CardRead)]
    assert len(cards) == 100


def test_dripping_reader_does_not_hold_up_the_stop(bare: PtyPort, inbox: Inbox) -> None:
    link = ReaderLink(native(bare.path), inbox.put)
    link.start()
    wait_until(lambda: link.statistics().opened == 1, "the port to be open")
    dripping = threading.Event()

    def drip() -> None:
        while not dripping.wait(0.02):
            bare.write(b"x")

    dripper = threading.Thread(target=drip)
    dripper.start()
    try:
        wait_until(lambda: link.statistics().bytes_received >= 10, "ten drops")
        assert link.stop(timeout_s=1.0)
    finally:
        dripping.set()
        dripper.join()
    assert link.statistics().bad_sentences == 1


@pytest.mark.parametrize("state", ["open", "waiting for the port"])
def test_quiet_link_stops_when_asked(
    state: str, tmp_path: Path, bare: PtyPort, inbox: Inbox
) -> None:
    url = bare.path if state == "open" else str(tmp_path / "absent")
    link = ReaderLink(native(url), inbox.put)
    link.start()
    if state == "open":
        wait_until(lambda: link.statistics().opened == 1, "the port to be open")
    else:
        inbox.wait_for(signals.ReaderDown)
    assert link.stop(timeout_s=1.0)
    assert not link.is_alive


def test_link_that_never_started_stops_at_once(inbox: Inbox) -> None:
    assert ReaderLink(native("/dev/absent"), inbox.put).stop()


def test_wrong_line_speed_is_told_as_unreadable(reader: SimReader, inbox: Inbox) -> None:
    settings = native(reader.path)
    session = NativeSession(inbox.put, unreadable_after_ns=600 * MS)
    reader.set_faults(ReaderFaults(wrong_speed=True))
    reader.hello()
    with running(ReaderLink(settings, inbox.put, session=session)) as link:
        inbox.wait_for(signals.ReaderUnreadable)
        assert link.statistics().status == "unreadable"
        reader.set_faults(ReaderFaults())
        inbox.wait_for(signals.ReaderUp)
        assert link.status is ReaderStatus.UP
    assert inbox.of(signals.HandRead) == []


def test_taker_that_raises_does_not_end_the_thread(reader: SimReader, inbox: Inbox) -> None:
    raised: list[ReaderSignal] = []

    def take(signal: ReaderSignal) -> None:
        if len(raised) < 3 and isinstance(signal, signals.HandRead):
            raised.append(signal)
            raise ValueError("the inbox is broken")
        inbox.put(signal)

    with running(ReaderLink(native(reader.path), take)) as link:
        reader.hello()
        reader.hand(1, ROYAL)
        reader.hand(2, ("2C",))
        assert reader.wait_acknowledged(PATIENCE_S)
        assert link.statistics().handler_faults == 3
    assert [hand.position for hand in inbox.hands] == [1, 2]


def test_fault_of_our_own_does_not_end_the_thread(reader: SimReader, inbox: Inbox) -> None:
    class Stumbling(NativeSession):
        stumbled = False

        def tick(self, at_ns: int) -> bytes:
            if not self.stumbled:
                self.stumbled = True
                raise ZeroDivisionError("a bug")
            return super().tick(at_ns)

    session = Stumbling(inbox.put)
    with running(ReaderLink(native(reader.path), inbox.put, session=session)):
        (down,) = inbox.wait_for(signals.ReaderDown)
        assert "ZeroDivisionError: a bug" in repr(down)
        reader.hand(1, ROYAL)
        inbox.wait_for(signals.HandRead)
    assert len(inbox.hands) == 1


def test_second_program_on_the_same_port_is_told_so(reader: SimReader, inbox: Inbox) -> None:
    other = Inbox()
    with running(ReaderLink(native(reader.path), inbox.put)):
        reader.hello()
        inbox.wait_for(signals.ReaderUp)
        with running(ReaderLink(native(reader.path), other.put)):
            (down,) = other.wait_for(signals.ReaderDown)
            assert "exclusively lock" in repr(down)
        reader.hand(1, ROYAL)
        inbox.wait_for(signals.HandRead)
    assert other.hands == []


class FakeTime:
    """A clock that only the fake port moves on."""

    def __init__(self) -> None:
        self.now_ns = 0

    def __call__(self) -> int:
        return self.now_ns


class QuietPort:
    """A port that delivers nothing; each read lets its time-out pass."""

    in_waiting = 0

    def __init__(self, clock: FakeTime) -> None:
        self._clock = clock

    def read(self, size: int = 1, /) -> bytes:
        self._clock.now_ns += 200 * MS
        return b""

    def write(self, data: bytes, /) -> int:
        return len(data)

    def reset_input_buffer(self) -> None: ...

    def close(self) -> None: ...


def test_port_without_a_byte_is_opened_anew(inbox: Inbox) -> None:
    clock = FakeTime()
    opened_at_ns: list[int] = []
    reopened = threading.Event()

    def open_port(_: ReaderSettings) -> QuietPort:
        opened_at_ns.append(clock.now_ns)
        if len(opened_at_ns) == 2:
            reopened.set()
        return QuietPort(clock)

    with running(ReaderLink(native("/dev/r"), inbox.put, open_port=open_port, clock_ns=clock)):
        assert reopened.wait(PATIENCE_S)
    assert opened_at_ns[1] - opened_at_ns[0] > REOPEN_AFTER_SILENCE_NS
    assert len(inbox.of(signals.ReaderDown)) == 1


@pytest.mark.parametrize(("waiting", "asked"), [(0, 1), (38, 38), (1_000_000, 4096)])
def test_what_has_arrived_is_read_at_once_and_else_one_byte_is_waited_for(
    waiting: int, asked: int, inbox: Inbox
) -> None:
    sizes: list[int] = []

    class RecordingPort(QuietPort):
        in_waiting = waiting

        def read(self, size: int = 1, /) -> bytes:
            sizes.append(size)
            return super().read(size)

    clock = FakeTime()
    link = ReaderLink(
        native("/dev/r"), inbox.put, open_port=lambda _: RecordingPort(clock), clock_ns=clock
    )
    with running(link):
        inbox.wait_for(signals.ReaderDown)
    assert set(sizes) == {asked}


def test_reader_that_takes_no_answers_is_still_read(inbox: Inbox) -> None:
    said = [hand_sentence(5).to_bytes(), hand_sentence(6).to_bytes()]

    class DeafPort(QuietPort):
        def read(self, size: int = 1, /) -> bytes:
            if said:
                return said.pop(0)
            time.sleep(0.01)  # the time-out of a port with nothing to read
            return b""

        def write(self, data: bytes, /) -> int:
            raise serial.SerialTimeoutException("Write timeout")

    link = ReaderLink(native("/dev/r"), inbox.put, open_port=lambda _: DeafPort(FakeTime()))
    with running(link):
        inbox.wait_for(signals.HandRead, 2)
        wait_until(lambda: link.statistics().answers_unsent == 2, "both answers to be given up")
        assert link.statistics().port_faults == 0


def test_reader_on_the_network_is_read_and_answered(inbox: Inbox) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(PATIENCE_S)
        url = f"socket://127.0.0.1:{server.getsockname()[1]}"
        with running(ReaderLink(native(url), inbox.put)) as link:
            connection, _ = server.accept()
            with connection:
                connection.settimeout(PATIENCE_S)
                wait_until(lambda: link.statistics().opened == 1, "the port to be open")
                connection.sendall(hand_sentence(5).to_bytes())
                inbox.wait_for(signals.HandRead)
                assert connection.recv(64) == ack(5).to_bytes()
            inbox.wait_for(signals.ReaderDown)
            again, _ = server.accept()
            with again:
                wait_until(lambda: link.statistics().opened == 2, "the second opening")
                again.sendall(hand_sentence(6, position=4).to_bytes())
                inbox.wait_for(signals.HandRead, 2)
    assert [hand.position for hand in inbox.hands] == [3, 4]


def test_line_that_echoes_is_not_answered_for_ever(bare: PtyPort, inbox: Inbox) -> None:
    """What we answer comes back, as from a two-wire adapter that hears itself."""
    with running(ReaderLink(native(bare.path), inbox.put)) as link:
        wait_until(lambda: link.statistics().opened == 1, "the port to be open")
        bare.write(hand_sentence(5).to_bytes())
        inbox.wait_for(signals.HandRead)
        bare.write(read_some(bare))
        bare.write(Sentence(6, "BEAT").to_bytes())
        assert read_some(bare) == ack(6).to_bytes()


def read_some(port: PtyPort) -> bytes:
    """Wait for what the link wrote."""
    heard = bytearray()

    def more() -> bool:
        heard.extend(port.read())
        return bool(heard)

    wait_until(more, "an answer")
    return bytes(heard)


def test_statistics_are_one_stable_line(reader: SimReader, inbox: Inbox) -> None:
    with running(ReaderLink(native(reader.path), inbox.put)) as link:
        assert " silence_ms=None " in link.statistics().line()
        reader.hello()
        reader.hand(1, ROYAL)
        assert reader.wait_acknowledged(PATIENCE_S)
        statistics = link.statistics()
    sent = len(Sentence(0, "HELLO", ("SIM", "0", "1")).to_bytes() + hand_sentence(1, 1).to_bytes())
    assert statistics.bytes_received >= sent
    assert statistics.silence_ms is not None
    assert statistics.silence_ms < PATIENCE_S * 1000
    assert [pair.partition("=")[0] for pair in statistics.line().split()[1:]] == [
        "status",
        "silence_ms",
        "bytes_received",
        "sentences",
        "repeats",
        "bad_sentences",
        "refused",
        "gaps",
        "opened",
        "port_faults",
        "answers_unsent",
        "handler_faults",
    ]
