"""The native session: what is acted on, what is answered, and how often."""

from __future__ import annotations

import random

import pytest
from reader_helpers import MS, ROYAL, S, hand_sentence

from hw import signals
from hw.reader.native import SILENCE_LIMIT_NS
from hw.reader.sentence import Sentence, ack, nak
from hw.reader.session import BEAT_LIMIT_NS, REMEMBERED, NativeSession
from hw.reader.vocabulary import MAX_WAGER_CENTS
from hw.signals import ReaderSignal

HELLO = Sentence(0, "HELLO", ("FPG-R1", "00417", "2.3"))


class Pi:
    """A session with its inbox; says what the reader sent and keeps what it was answered."""

    def __init__(self) -> None:
        self.inbox: list[ReaderSignal] = []
        self.accepts = True
        self.at_ns = 0
        self.session = NativeSession(self._take)
        self.session.opened(0)

    def _take(self, signal: ReaderSignal) -> bool:
        if self.accepts:
            self.inbox.append(signal)
        return self.accepts

    def hears(self, *sentences: Sentence, after_ns: int = MS) -> list[Sentence]:
        self.at_ns += after_ns
        raw = b"".join(sentence.to_bytes() for sentence in sentences)
        return answers(self.session.receive(raw, self.at_ns))

    def waits(self, ns: int) -> list[Sentence]:
        self.at_ns += ns
        return answers(self.session.tick(self.at_ns))

    def acted_on(self) -> list[ReaderSignal]:
        return [signal for signal in self.inbox if not isinstance(signal, signals.ReaderUp)]

    def changes(self) -> list[str]:
        told = (signals.ReaderUp, signals.ReaderDown, signals.ReaderUnreadable)
        return [type(signal).__name__ for signal in self.inbox if isinstance(signal, told)]


def answers(raw: bytes) -> list[Sentence]:
    return [Sentence.from_bytes(part + b"\r\n") for part in raw.split(b"\r\n") if part]


@pytest.fixture
def pi() -> Pi:
    return Pi()


@pytest.mark.parametrize(
    ("kind", "fields", "expected"),
    [
        ("START", (), signals.DealStarted(None, MS)),
        ("START", ("6",), signals.DealStarted(6, MS)),
        ("HAND", ("0", "as KS 10h JK"), signals.HandRead(0, ("AS", "KS", "10H", "JK"), MS)),
        ("HAND", ("8", "TH"), signals.HandRead(8, ("TH",), MS)),
        ("CARD", ("3", "JK"), signals.CardRead(3, "JK", MS)),
        ("DEALT", ("4",), signals.DealDone(4, MS)),
        ("MISDEAL", ("card jam",), signals.MisdealReported("card jam", MS)),
        ("WAGER", ("2", "fortune", "500"), signals.WagerRead(2, "fortune", 5_00, MS)),
        ("WAGER", ("2", "ace_high", "0"), signals.WagerRead(2, "ace_high", 0, MS)),
        ("DICE", ("1", "6", "3"), signals.DiceRolled(1, 6, 3, MS)),
    ],
)
def test_sentence_is_acted_on_and_acknowledged(
    pi: Pi, kind: str, fields: tuple[str, ...], expected: ReaderSignal
) -> None:
    assert pi.hears(Sentence(41, kind, fields)) == [ack(41)]
    assert pi.acted_on() == [expected]


def test_beat_is_acknowledged_and_reports_nothing(pi: Pi) -> None:
    assert pi.hears(Sentence(9, "BEAT")) == [ack(9)]
    assert pi.acted_on() == []


@pytest.mark.parametrize(
    ("kind", "fields", "reason"),
    [
        ("SHUFFLE", (), "TYPE"),
        ("BEAT", ("1",), "FIELD"),
        ("HELLO", ("FPG-R1", "00417"), "FIELD"),
        ("START", ("9",), "FIELD"),
        ("START", ("",), "FIELD"),
        ("START", ("1", "2"), "FIELD"),
        ("HAND", ("3",), "FIELD"),
        ("HAND", ("9", "AS"), "FIELD"),
        ("HAND", ("-1", "AS"), "FIELD"),
        ("HAND", ("+1", "AS"), "FIELD"),
        ("HAND", ("1_0", "AS"), "FIELD"),
        ("HAND", ("3", ""), "FIELD"),
        ("HAND", ("3", "AS KS QS JS TS 9S 8S 7S"), "FIELD"),
        ("HAND", ("3", "AS KS AS"), "FIELD"),
        ("HAND", ("3", "JK 2D JK"), "FIELD"),
        ("HAND", ("3", "TH 10H"), "FIELD"),
        ("HAND", ("3", "1S"), "FIELD"),
        ("HAND", ("3", "AX"), "FIELD"),
        ("HAND", ("3", "JKS"), "FIELD"),
        ("CARD", ("3", "AS KS"), "FIELD"),
        ("CARD", ("3", ""), "FIELD"),
        ("DEALT", ("54",), "FIELD"),
        ("DEALT", (), "FIELD"),
        ("MISDEAL", (), "FIELD"),
        ("WAGER", ("2", "Fortune", "500"), "FIELD"),
        ("WAGER", ("2", "fortune", "5.00"), "FIELD"),
        ("WAGER", ("2", "fortune", "-5"), "FIELD"),
        ("WAGER", ("2", "fortune", str(MAX_WAGER_CENTS + 1)), "FIELD"),
        ("WAGER", ("2", "fortune", "9" * 80), "FIELD"),
        ("DICE", ("0", "1", "1"), "FIELD"),
        ("DICE", ("1", "1", "7"), "FIELD"),
        ("DICE", ("1", "1"), "FIELD"),
    ],
)
def test_sentence_that_says_nothing_usable_is_refused_with_one_alarm(
    pi: Pi, kind: str, fields: tuple[str, ...], reason: str
) -> None:
    sentence = Sentence(7, kind, fields)
    assert pi.hears(sentence) == [nak(7, reason)]
    assert pi.hears(sentence) == [nak(7, reason)]
    (alarm,) = pi.acted_on()
    assert isinstance(alarm, signals.ReaderAlarm)
    assert pi.hears(Sentence(8, "BEAT")) == [ack(8)]


def test_refusal_names_the_field_what_was_expected_and_what_came(pi: Pi) -> None:
    pi.hears(Sentence(7, "DICE", ("1", "1", "7")))
    (alarm,) = pi.acted_on()
    assert isinstance(alarm, signals.ReaderAlarm)
    assert alarm.detail == "sentence refused: DICE: expected die 1 to 6, got '7'"


def test_repeat_is_acknowledged_again_and_acted_on_once(pi: Pi) -> None:
    assert pi.hears(hand_sentence(5)) == [ack(5)]
    assert pi.hears(hand_sentence(5), hand_sentence(5)) == [ack(5), ack(5)]
    assert pi.acted_on() == [signals.HandRead(3, ROYAL, MS)]
    assert pi.session.counters.repeats == 2


def test_the_same_hand_under_a_new_number_is_another_report(pi: Pi) -> None:
    pi.hears(hand_sentence(5), hand_sentence(6))
    assert len(pi.acted_on()) == 2


def test_other_fields_under_a_used_number_are_refused_until_hello(pi: Pi) -> None:
    pi.hears(hand_sentence(5))
    other = hand_sentence(5, cards=("2C",))
    assert pi.hears(other) == [nak(5, "REUSED")]
    assert len(pi.acted_on()) == 1
    assert pi.hears(HELLO, other) == [ack(0), ack(5)]
    assert pi.acted_on()[-1] == signals.HandRead(3, ("2C",), 3 * MS)


def test_repeat_after_the_cable_came_back_is_acted_on_once(pi: Pi) -> None:
    pi.hears(hand_sentence(5))
    pi.session.closed("unplugged", 2 * MS)
    pi.session.opened(3 * MS)
    assert pi.hears(hand_sentence(5)) == [ack(5)]
    assert len([signal for signal in pi.inbox if isinstance(signal, signals.HandRead)]) == 1


def test_half_a_sentence_is_not_joined_across_ports(pi: Pi) -> None:
    raw = hand_sentence(5).to_bytes()
    pi.session.receive(raw[:20], MS)
    pi.session.closed("unplugged", 2 * MS)
    pi.session.opened(3 * MS)
    assert pi.session.receive(raw[20:], 4 * MS) == b""
    assert [signal for signal in pi.inbox if isinstance(signal, signals.HandRead)] == []


def test_hello_repeated_is_one_hello(pi: Pi) -> None:
    assert pi.hears(HELLO) == [ack(0)]
    assert pi.hears(HELLO, HELLO) == [ack(0), ack(0)]
    assert pi.inbox == [signals.ReaderUp("FPG-R1", "00417", "2.3", MS)]


def test_reader_that_starts_again_may_use_its_numbers_again(pi: Pi) -> None:
    first = hand_sentence(1)
    pi.hears(HELLO, first, Sentence(2, "BEAT"))
    assert pi.hears(HELLO, first) == [ack(0), ack(1)]
    assert pi.acted_on() == [signals.HandRead(3, ROYAL, MS), signals.HandRead(3, ROYAL, 2 * MS)]
    assert pi.changes() == ["ReaderUp", "ReaderUp"]


def test_numbers_wrap_without_a_repeat_being_mistaken(pi: Pi) -> None:
    said = [hand_sentence(number % 65_536) for number in range(65_000, 65_000 + 70_000)]
    for sentence in said:
        assert pi.hears(sentence, sentence) == [ack(sentence.seq)] * 2
    assert len(pi.acted_on()) == len(said)
    assert pi.session.counters.gaps == 0


def test_memory_of_numbers_is_bounded(pi: Pi) -> None:
    pi.hears(hand_sentence(0))
    pi.hears(*(Sentence(number, "BEAT") for number in range(1, REMEMBERED)))
    pi.hears(hand_sentence(0))
    assert len(pi.acted_on()) == 1
    pi.hears(Sentence(REMEMBERED, "BEAT"))
    pi.hears(hand_sentence(0, cards=("2C",)))
    assert len(pi.acted_on()) == 2


def test_a_jump_of_the_number_is_counted(pi: Pi) -> None:
    pi.hears(Sentence(5, "BEAT"), Sentence(6, "BEAT"), Sentence(9, "BEAT"))
    assert pi.session.counters.gaps == 1


def test_damaged_sentence_is_refused_by_number_and_then_read(pi: Pi) -> None:
    raw = hand_sentence(5).to_bytes()
    assert answers(pi.session.receive(raw.replace(b"KS", b"QS"), MS)) == [nak(5, "CRC")]
    assert pi.hears(hand_sentence(5)) == [ack(5)]
    assert len(pi.acted_on()) == 1


def test_noise_is_not_answered(pi: Pi) -> None:
    assert pi.session.receive(random.Random(1).randbytes(4096).replace(b"$", b""), MS) == b""
    assert pi.session.counters.bad_sentences == 1


def test_echo_of_our_own_answers_is_not_answered(pi: Pi) -> None:
    assert pi.hears(hand_sentence(5)) == [ack(5)]
    assert pi.hears(ack(5), nak(6, "CRC"), ack(65_535)) == []
    assert len(pi.acted_on()) == 1


def test_half_a_hand_then_silence_is_refused(pi: Pi) -> None:
    pi.session.receive(hand_sentence(5).to_bytes()[:-1], MS)
    assert pi.waits(SILENCE_LIMIT_NS) == []
    assert pi.waits(2 * MS) == [nak(5, "SILENCE")]
    assert pi.acted_on() == []


def test_signal_that_is_not_accepted_is_refused_as_busy_and_acted_on_later(pi: Pi) -> None:
    pi.hears(HELLO)
    pi.accepts = False
    assert pi.hears(hand_sentence(1)) == [nak(1, "BUSY")]
    assert pi.hears(Sentence(1, "SHUFFLE")) == [nak(1, "BUSY")]
    assert pi.acted_on() == []
    pi.accepts = True
    assert pi.hears(hand_sentence(1), hand_sentence(1)) == [ack(1), ack(1)]
    assert len(pi.acted_on()) == 1


def test_taker_that_raises_counts_as_not_accepted() -> None:
    taken: list[ReaderSignal] = []

    def take(signal: ReaderSignal) -> None:
        if isinstance(signal, signals.HandRead) and not taken:
            taken.append(signal)
            raise RuntimeError("the inbox is broken")
        taken.append(signal)

    session = NativeSession(take)
    session.opened(0)
    session.receive(HELLO.to_bytes(), 1)
    taken.clear()
    assert answers(session.receive(hand_sentence(1).to_bytes(), 2)) == [nak(1, "BUSY")]
    assert answers(session.receive(hand_sentence(1).to_bytes(), 3)) == [ack(1)]
    assert taken == [signals.HandRead(3, ROYAL, 2), signals.HandRead(3, ROYAL, 3)]
    assert session.counters.handler_faults == 1


def test_hello_that_is_not_accepted_is_told_when_it_is_repeated(pi: Pi) -> None:
    pi.accepts = False
    assert pi.hears(HELLO) == [nak(0, "BUSY")]
    pi.accepts = True
    assert pi.hears(HELLO) == [ack(0)]
    assert pi.inbox == [signals.ReaderUp("FPG-R1", "00417", "2.3", 2 * MS)]


def test_reader_is_lost_after_the_beat_limit_and_told_once(pi: Pi) -> None:
    pi.hears(HELLO)
    pi.waits(BEAT_LIMIT_NS)
    assert pi.changes() == ["ReaderUp"]
    for _ in range(5):
        pi.waits(S)
    assert pi.changes() == ["ReaderUp", "ReaderDown"]
    down = pi.inbox[-1]
    assert isinstance(down, signals.ReaderDown)
    assert down.reason.startswith("no sentence for 5 s; check that")


def test_beats_keep_the_reader_up(pi: Pi) -> None:
    pi.hears(HELLO)
    for number in range(1, 50):
        pi.hears(Sentence(number, "BEAT"), after_ns=2 * S)
        pi.waits(0)
    assert pi.changes() == ["ReaderUp"]


def test_reader_that_never_speaks_is_down(pi: Pi) -> None:
    pi.waits(BEAT_LIMIT_NS + 1)
    assert pi.changes() == ["ReaderDown"]


def test_reader_that_was_silent_is_up_again_with_its_name(pi: Pi) -> None:
    pi.hears(HELLO)
    pi.waits(BEAT_LIMIT_NS + 1)
    pi.hears(Sentence(1, "BEAT"))
    assert pi.inbox[-1] == signals.ReaderUp("FPG-R1", "00417", "2.3", pi.at_ns)


def test_reader_that_was_running_before_us_is_up_without_a_name(pi: Pi) -> None:
    pi.hears(Sentence(512, "BEAT"))
    assert pi.inbox == [signals.ReaderUp("unknown", "unknown", "unknown", MS)]


def test_wrong_line_speed_is_unreadable_not_silent(pi: Pi) -> None:
    rng = random.Random(2)
    for _ in range(6):
        pi.at_ns += 2 * S
        pi.session.receive(rng.randbytes(15), pi.at_ns)
        pi.waits(0)
    assert pi.changes() == ["ReaderDown", "ReaderUnreadable"]
    unreadable = pi.inbox[-1]
    assert isinstance(unreadable, signals.ReaderUnreadable)
    assert "check the line speed (baud)" in unreadable.reason
    pi.hears(HELLO)
    assert pi.changes() == ["ReaderDown", "ReaderUnreadable", "ReaderUp"]


def test_unreadable_reader_that_falls_silent_is_down(pi: Pi) -> None:
    for _ in range(12):
        pi.at_ns += S
        pi.session.receive(b"\xf0\x0f", pi.at_ns)
    assert pi.changes() == ["ReaderUnreadable"]
    pi.waits(BEAT_LIMIT_NS)
    assert pi.changes() == ["ReaderUnreadable", "ReaderDown"]


def test_single_disturbances_do_not_make_a_reader_unreadable(pi: Pi) -> None:
    pi.hears(HELLO)
    for number in range(1, 20):
        pi.session.receive(b"\xf0\x0f", pi.at_ns)
        pi.hears(Sentence(number, "BEAT"), after_ns=2 * S)
    assert pi.changes() == ["ReaderUp"]


def test_change_that_nobody_took_is_told_later(pi: Pi) -> None:
    pi.hears(HELLO)
    pi.accepts = False
    pi.waits(BEAT_LIMIT_NS + 1)
    assert pi.changes() == ["ReaderUp"]
    pi.accepts = True
    pi.waits(S)
    pi.waits(S)
    assert pi.changes() == ["ReaderUp", "ReaderDown"]


def test_lost_port_is_told_once_however_often_it_cannot_be_opened(pi: Pi) -> None:
    pi.hears(HELLO)
    for attempt in range(5):
        pi.session.closed(f"attempt {attempt}", pi.at_ns)
    assert pi.inbox[-1] == signals.ReaderDown("attempt 0", pi.at_ns)
    assert pi.changes() == ["ReaderUp", "ReaderDown"]


def test_each_reason_for_a_closed_port_is_logged_once_until_the_reader_is_back(
    pi: Pi, caplog: pytest.LogCaptureFixture
) -> None:
    def logged(*reasons: str) -> list[str]:
        caplog.clear()
        for reason in reasons:
            pi.session.closed(reason, pi.at_ns)
            pi.session.opened(pi.at_ns)
        return [record.getMessage().removeprefix("the reader is ") for record in caplog.records]

    pi.hears(HELLO)
    assert logged("no such file", "no such file", "permission denied", "no such file") == [
        "closed: no such file",
        "closed: permission denied",
    ]
    pi.hears(HELLO)
    assert logged("no such file") == ["closed: no such file"]
