"""The native protocol's bytes: framing, check sum, resynchronisation, bounded memory."""

from __future__ import annotations

import random

import pytest

from hw.reader.native import SILENCE_LIMIT_NS, BadSentence, NativeDecoder
from hw.reader.sentence import MAX_SENTENCE_BYTES, Sentence, SentenceError, crc16

HAND = Sentence(812, "HAND", ("3", "AS KS QS JS 10S JK 2D"))
RAW_HAND = HAND.to_bytes()
BEAT = Sentence(813, "BEAT")
MS = 1_000_000


def decode(*portions: bytes, gap_ns: int = 0) -> list[Sentence | BadSentence]:
    decoder = NativeDecoder()
    for number, portion in enumerate(portions):
        decoder.receive(portion, number * gap_ns)
        assert decoder.pending_bytes <= MAX_SENTENCE_BYTES
    return list(decoder)


def good(events: list[Sentence | BadSentence]) -> list[Sentence]:
    return [event for event in events if isinstance(event, Sentence)]


def reasons(events: list[Sentence | BadSentence]) -> list[str]:
    return [event.reason for event in events if isinstance(event, BadSentence)]


def crc_by_long_division(body: bytes) -> int:
    """CRC-16/IBM-3740 bit by bit, as the catalogue of CRC algorithms defines it."""
    register = 0xFFFF
    for byte in body:
        register ^= byte << 8
        for _ in range(8):
            register = (register << 1) ^ (0x1021 if register & 0x8000 else 0)
            register &= 0xFFFF
    return register


def test_check_sum_is_the_published_one() -> None:
    assert crc16(b"123456789") == 0x29B1  # the catalogue's check value
    for seed in range(20):
        body = random.Random(seed).randbytes(seed * 3)
        assert crc16(body) == crc_by_long_division(body)


def test_sentence_is_ascii_that_a_technician_can_read() -> None:
    body = b"812,HAND,3,AS KS QS JS 10S JK 2D"
    assert b"$" + body + b"*%04X\r\n" % crc_by_long_division(body) == RAW_HAND


def test_check_sum_digits_may_be_small_letters() -> None:
    head, tail = RAW_HAND.split(b"*")
    assert Sentence.from_bytes(head + b"*" + tail.lower()) == HAND


@pytest.mark.parametrize("cut", range(1, len(RAW_HAND)))
@pytest.mark.parametrize("gap_ms", [50, 1_500])
def test_hand_in_two_pieces_is_one_hand(cut: int, gap_ms: int) -> None:
    assert decode(RAW_HAND[:cut], RAW_HAND[cut:], gap_ns=gap_ms * MS) == [HAND]


@pytest.mark.parametrize("gap_ms", [0, 50, 1_500])
def test_hand_byte_by_byte_is_one_hand(gap_ms: int) -> None:
    assert decode(*(bytes([byte]) for byte in RAW_HAND), gap_ns=gap_ms * MS) == [HAND]


@pytest.mark.parametrize("cut", range(1, len(RAW_HAND)))
def test_half_a_hand_is_never_taken_nor_joined_after_silence(cut: int) -> None:
    decoder = NativeDecoder()
    decoder.receive(RAW_HAND[:cut], 0)
    decoder.expire(SILENCE_LIMIT_NS)
    assert list(decoder) == []
    decoder.expire(SILENCE_LIMIT_NS + 1)
    assert reasons(list(decoder)) == ["SILENCE"]
    assert decoder.pending_bytes == 0
    decoder.receive(RAW_HAND[cut:] + BEAT.to_bytes(), SILENCE_LIMIT_NS + 2)
    assert list(decoder) == [BEAT]


@pytest.mark.parametrize("cut", range(1, len(RAW_HAND)))
def test_half_a_hand_is_not_joined_although_nobody_asked_in_between(cut: int) -> None:
    events = decode(RAW_HAND[:cut], RAW_HAND[cut:], gap_ns=SILENCE_LIMIT_NS + 1)
    assert good(events) == []


@pytest.mark.parametrize("cut", range(1, len(RAW_HAND)))
def test_cut_hand_costs_only_itself(cut: int) -> None:
    events = decode(RAW_HAND[:cut] + RAW_HAND + BEAT.to_bytes())
    assert good(events) == [HAND, BEAT]
    assert reasons(events) == ["CUT"]


@pytest.mark.parametrize("place", range(len(RAW_HAND)))
def test_every_changed_bit_is_noticed(place: int) -> None:
    for bit in range(8):
        damaged = bytearray(RAW_HAND)
        damaged[place] ^= 1 << bit
        events = decode(bytes(damaged) + BEAT.to_bytes())
        # The case of a hex digit carries nothing, so that one bit may change.
        in_digits = len(RAW_HAND) - 6 <= place < len(RAW_HAND) - 2
        if in_digits and damaged.upper() == RAW_HAND:
            assert good(events) == [HAND, BEAT]
        else:
            assert good(events) == [BEAT]
            assert len(reasons(events)) >= 1


@pytest.mark.parametrize("seed", range(1, 101))
def test_hand_after_4_kib_of_noise_is_read_once(seed: int) -> None:
    noise = random.Random(seed).randbytes(4096)
    assert len(set(noise)) == 256
    events = decode(noise, RAW_HAND)
    assert good(events) == [HAND]
    assert reasons(events)


def test_dripping_bytes_are_one_fault_and_bounded() -> None:
    decoder = NativeDecoder()
    for number in range(600):
        decoder.receive(b"x", number * 100 * MS)
    assert decoder.pending_bytes == 0
    decoder.receive(RAW_HAND, 60_000 * MS)
    assert reasons(events := list(decoder)) == ["NOISE"]
    assert good(events) == [HAND]


def test_dripping_bytes_after_a_start_are_one_fault_and_bounded() -> None:
    decoder = NativeDecoder()
    for number in range(600):
        decoder.receive(b"$" if number == 0 else b"x", number * 100 * MS)
        assert decoder.pending_bytes <= MAX_SENTENCE_BYTES
    decoder.receive(RAW_HAND, 60_000 * MS)
    assert reasons(events := list(decoder)) == ["LONG"]
    assert good(events) == [HAND]


def test_a_megabyte_without_an_end_is_not_kept() -> None:
    decoder = NativeDecoder()
    decoder.receive(b"$" + b"7" * 1_000_000, 0)
    assert decoder.pending_bytes == 0
    (event,) = decoder
    assert isinstance(event, BadSentence)
    assert event.reason == "LONG"
    assert len(event.raw) <= MAX_SENTENCE_BYTES


def test_blank_lines_between_sentences_are_no_fault() -> None:
    assert decode(b"\r\n" + RAW_HAND + b"\r\n\n" + BEAT.to_bytes()) == [HAND, BEAT]


def test_faults_are_reported_in_the_order_of_the_stream() -> None:
    events = decode(b"boot 1.2" + RAW_HAND + b"$9,HAN" + BEAT.to_bytes())
    assert [getattr(event, "reason", "good") for event in events] == [
        "NOISE",
        "good",
        "CUT",
        "good",
    ]


def framed(body: bytes) -> bytes:
    return b"$%b*%04X\r\n" % (body, crc_by_long_division(body))


@pytest.mark.parametrize(
    ("raw", "reason", "says"),
    [
        (RAW_HAND.replace(b"\r\n", b"\n"), "FORM", r"CR LF \(0d 0a\) at the end, got .. 0a"),
        (b"$\r\n", "FORM", r"expected \* and four hex digits"),
        (b"$1,BEAT#AAAA\r\n", "FORM", r"expected \* and four hex digits"),
        (b"$813,BEAT*0000\r\n", "CRC", "expected CRC .{4}, got 0000"),
        (b"$813,BEAT*+1_0\r\n", "FORM", r"expected \* and four hex digits"),
        (framed(b"65536,BEAT"), "FORM", "a number 0 to 65535, got 65536"),
        (framed(b"123456,BEAT"), "FORM", "a number 0 to 65535, got b'.123456,BEAT"),
        (framed(b"-1,BEAT"), "FORM", "a number 0 to 65535, got b'.-1,BEAT"),
        (framed(b",BEAT"), "FORM", "a number 0 to 65535, got b'.,BEAT"),
        (framed(b"12"), "FORM", "expected an upper-case type"),
        (framed(b"12,BEA7"), "FORM", "expected an upper-case type"),
        (framed(b"12,"), "FORM", "expected an upper-case type"),
        (framed(b"12,beat"), "FORM", "expected an upper-case type"),
        (framed(b"12,HAND,3,\xd0\x90S"), "FORM", "expected printable ASCII"),
        (framed(b"12,HAND,3,A\x00S"), "FORM", "expected printable ASCII"),
    ],
)
def test_bad_sentence_says_what_was_expected_and_what_came(
    raw: bytes, reason: str, says: str
) -> None:
    with pytest.raises(SentenceError, match=says) as caught:
        Sentence.from_bytes(raw)
    assert caught.value.reason == reason
    assert good(decode(raw)) == []


def test_number_of_a_damaged_sentence_is_told_where_it_can_be_read() -> None:
    events = decode(b"$813,BEAT*0000\r\n" + b"$99999,BEAT*0000\r\n" + b"$,BEAT*0000\r\n")
    assert [event.seq for event in events if isinstance(event, BadSentence)] == [813, None, None]


@pytest.mark.parametrize("field", ["a,b", "a*b", "$a", "a\r\n", "é", "\x00"])
def test_field_that_would_break_the_frame_is_not_written(field: str) -> None:
    with pytest.raises(SentenceError, match="field"):
        Sentence(1, "MISDEAL", (field,)).to_bytes()


def test_sentence_that_no_decoder_would_take_is_not_written() -> None:
    with pytest.raises(SentenceError, match=f"more than {MAX_SENTENCE_BYTES}"):
        Sentence(1, "MISDEAL", ("x" * MAX_SENTENCE_BYTES,)).to_bytes()


def test_longest_sentence_is_read() -> None:
    empty = len(Sentence(1, "MISDEAL", ("",)).to_bytes())
    longest = Sentence(1, "MISDEAL", ("x" * (MAX_SENTENCE_BYTES - empty),))
    assert len(longest.to_bytes()) == MAX_SENTENCE_BYTES
    assert decode(longest.to_bytes()) == [longest]
    assert decode(*(bytes([byte]) for byte in longest.to_bytes())) == [longest]
