"""Any bytes, in any portions, at any time: both decoders against a second way to read a stream.

Runs for ``FUZZ_SECONDS`` (environment) in all, 5 by default.
"""

from __future__ import annotations

import binascii
import os
import re
import time
from collections.abc import Callable

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from reader_helpers import MS

from hw.reader.native import SILENCE_LIMIT_NS, NativeDecoder
from hw.reader.records import MAX_RECORD_BYTES, Record, RecordDecoder
from hw.reader.sentence import MAX_SENTENCE_BYTES, Sentence
from hw.reader.session import NativeSession

FUZZ_SECONDS = float(os.environ.get("FUZZ_SECONDS", "5"))
SHARE_S = FUZZ_SECONDS / 3

Portion = tuple[bytes, int]

unhurried = settings(
    max_examples=200,
    deadline=None,
    database=None,
    suppress_health_check=list(HealthCheck),
)


def repeat_for(seconds: float, examples: Callable[[], None]) -> None:
    end = time.monotonic() + seconds
    while True:
        examples()
        if time.monotonic() >= end:
            return


cards = st.sampled_from([rank + suit for rank in "23456789TJQKA" for suit in "SHDC"] + ["JK"])
sentences = st.one_of(
    st.builds(
        lambda seq, position, hand: Sentence(seq, "HAND", (str(position), " ".join(hand))),
        st.integers(0, 65_535),
        st.integers(0, 8),
        st.lists(cards, min_size=1, max_size=7, unique=True),
    ),
    st.builds(
        lambda seq, kind, fields: Sentence(seq, kind, tuple(fields)),
        st.integers(0, 8),
        st.sampled_from(["BEAT", "HELLO", "START", "CARD", "DEALT", "WAGER", "DICE", "ACK", "X"]),
        st.lists(st.sampled_from(["", "0", "3", "7", "AS", "fortune", "99999999999"]), max_size=3),
    ),
)
whole = sentences.map(Sentence.to_bytes)
cut = st.builds(lambda raw, a, b: raw[min(a, b) : max(a, b)], whole, *[st.integers(0, 60)] * 2)
noise = st.one_of(
    st.binary(max_size=200),
    st.text("$*,\r\n0123456789ABCDEF", max_size=60).map(str.encode),
    st.sampled_from([b"$" * 50, b"$" + b"9" * 200, b"\r\n", b"$,*\r\n", b"\n"]),
)
gaps_ns = st.sampled_from([0, MS, 1_500 * MS, SILENCE_LIMIT_NS, SILENCE_LIMIT_NS + 1])


def portions(pieces: st.SearchStrategy[bytes]) -> st.SearchStrategy[list[Portion]]:
    """Streams of pieces, cut anew without regard to the pieces; each portion with the gap before
    it."""
    return st.builds(
        lambda stream, sizes, gaps: [
            (stream[start : start + sizes[0]], gaps[number % len(gaps)])
            for number, start in enumerate(range(0, len(stream), sizes[0]))
        ],
        st.lists(pieces, max_size=12).map(b"".join),
        st.lists(st.integers(1, 97), min_size=1, max_size=1),
        st.lists(gaps_ns, min_size=1, max_size=20),
    )


def unbroken(stream: list[Portion]) -> list[bytes]:
    """The stream divided where the silence was too long."""
    runs = [b""]
    for data, gap_ns in stream:
        if gap_ns > SILENCE_LIMIT_NS:
            runs.append(b"")
        runs[-1] += data
    return runs


FRAME = re.compile(rb"\$(([0-9]+),([A-Z]+)((?:,[ -~]*)?))\*([0-9A-Fa-f]{4})\r\n")


def sentences_by_pattern(run: bytes) -> list[bytes]:
    found = []
    for start in (place for place, byte in enumerate(run) if byte == ord("$")):
        frame = FRAME.match(run, start)
        # Greedy fields may run on into the next frame: the first end of line is the end.
        if frame is None or b"$" in frame[1] or len(frame[0]) > MAX_SENTENCE_BYTES:
            continue
        if int(frame[2]) < 65_536 and binascii.crc_hqx(frame[1], 0xFFFF) == int(frame[5], 16):
            found.append(frame[1])
    return found


def test_native_decoder_finds_what_a_pattern_finds() -> None:
    @unhurried
    @given(portions(st.one_of(whole, whole, cut, noise)))
    def examples(stream: list[Portion]) -> None:
        decoder = NativeDecoder()
        at_ns = 0
        found = []
        for data, gap_ns in stream:
            at_ns += gap_ns
            decoder.receive(data, at_ns)
            assert decoder.pending_bytes <= MAX_SENTENCE_BYTES
            found += [event for event in decoder if isinstance(event, Sentence)]
        bodies = [body for run in unbroken(stream) for body in sentences_by_pattern(run)]
        assert found == [
            Sentence(int(seq), kind, tuple(fields))
            for seq, kind, *fields in (body.decode().split(",") for body in bodies)
        ]

    repeat_for(SHARE_S, examples)


def test_native_session_survives_any_stream_and_answers_in_sentences() -> None:
    @unhurried
    @given(portions(st.one_of(whole, whole, cut, noise)))
    def examples(stream: list[Portion]) -> None:
        taken: list[object] = []
        session = NativeSession(taken.append)
        session.opened(0)
        at_ns = 0
        answers = b""
        for data, gap_ns in stream:
            at_ns += gap_ns
            answers += session.receive(data, at_ns) + session.tick(at_ns)
        for answer in answers.split(b"\r\n")[:-1]:
            assert Sentence.from_bytes(answer + b"\r\n").kind in ("ACK", "NAK")
        assert session.counters.handler_faults == 0

    repeat_for(SHARE_S, examples)


codes = st.sampled_from(["4S", "10H", "JK", "??", ""])
records = st.one_of(
    codes.map(lambda code: f" [Game]<Card:{code}> ".encode()),
    st.sampled_from([b" [Game]<Game> ", b"<W0x01>", b"[Game]<Alarm:E3 Card Not Read> "]),
    codes.map(lambda code: f"{code}\r\n".encode()),
    st.binary(max_size=200),
    st.text("[]<>: \r\n\tGame4S", max_size=300).map(str.encode),
)


def records_by_splitting(run: bytes, ends: bytes) -> list[str]:
    found = []
    for part in re.findall(b"[^" + ends + b"]*[" + ends + b"]", run, re.DOTALL):
        text = part.strip(b" \t\r\n")
        if len(part[:-1].lstrip(b" \t\r\n")) >= MAX_RECORD_BYTES:
            continue
        if text and re.fullmatch(rb"[ -~]+", text):
            found.append(text.decode())
    return found


def test_record_decoder_finds_what_splitting_finds() -> None:
    @unhurried
    @given(portions(records), st.sampled_from([">", "\r\n", "\n"]))
    def examples(stream: list[Portion], ends: str) -> None:
        decoder = RecordDecoder(ends)
        at_ns = 0
        found = []
        for data, gap_ns in stream:
            at_ns += gap_ns
            decoder.receive(data, at_ns)
            assert decoder.pending_bytes <= MAX_RECORD_BYTES
            found += [event.text for event in decoder if isinstance(event, Record)]
        assert found == [
            text for run in unbroken(stream) for text in records_by_splitting(run, ends.encode())
        ]

    repeat_for(SHARE_S, examples)
