"""A stream cut into what a technician reads, with nothing lost of it."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from firmware_app.diagnosis.port_tap import LONGEST_BYTES, Splitter


def test_sentences_are_cut_after_their_end() -> None:
    splitter = Splitter(b"\n")
    assert splitter.take(b"$1,BE") == []
    assert splitter.take(b"AT*1\r\n$2,") == [b"$1,BEAT*1\r\n"]
    assert splitter.rest() == b"$2,"
    assert splitter.rest() == b""


def test_each_end_of_a_shoes_record_ends_it() -> None:
    assert Splitter(b">\r").take(b" [Game]<Card:4S> \r") == [b" [Game]<Card:4S>", b" \r"]


@given(st.lists(st.binary(max_size=400), max_size=20))
def test_no_byte_is_lost_and_no_piece_is_long(portions: list[bytes]) -> None:
    splitter = Splitter(b"\n")
    pieces = [piece for portion in portions for piece in splitter.take(portion)]
    assert b"".join([*pieces, splitter.rest()]) == b"".join(portions)
    assert all(0 < len(piece) <= LONGEST_BYTES for piece in pieces)
    assert Splitter(b"\n").take(b"".join(portions)) == pieces
