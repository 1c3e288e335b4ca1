"""The bytes of an event: fixed, and a CloudEvent to the project that defines it."""

from __future__ import annotations

import json
from datetime import UTC, datetime

import pytest
from feed_story import TOPICS, payout
from hypothesis import given
from hypothesis import strategies as st

from firmware_app.feed.envelope import EnvelopeError, decode, encode
from firmware_app.feed.examples import EXAMPLES
from firmware_app.feed.topics import TableTopics
from firmware_app.table.events import EVENTS, Event

MOMENT_NS = 1_785_585_845_123_456_789  # 2026-08-01 12:04:05.123456789 UTC


def bytes_of(event: Event, sequence: int = 42) -> bytes:
    return encode(event, TOPICS, sequence=sequence, wall_utc_ns=MOMENT_NS, synchronised=True)


def test_the_bytes_of_an_event_are_these() -> None:
    assert bytes_of(payout(7)).decode() == (
        '{"specversion":"1.0","id":"pg-7-42","source":"/fpg/v1/harbour/pg-7",'
        '"type":"fpg.v1.payout","subject":"round/7","time":"2026-08-01T12:04:05.123456Z",'
        '"datacontenttype":"application/json","dataschema":"urn:fpg:v1:payout",'
        '"sequence":"000000000042","clocksynchronised":true,'
        '"data":{"round":7,"spot":3,"player":"spot 3","main_cents":0,"fortune_cents":7,'
        '"ace_high_cents":0,"envy_cents":0,"owed_cents":7}}'
    )


def test_there_is_a_sample_of_every_kind_of_event() -> None:
    assert [type(sample) for sample in EXAMPLES] == list(EVENTS)


@pytest.mark.parametrize("event", EXAMPLES, ids=lambda event: event.TYPE)
def test_an_event_read_back_from_json_gives_the_same_bytes(event: Event) -> None:
    """What a replay of the journal builds must not differ from what went out."""
    again = type(event).model_validate_json(event.model_dump_json())
    assert bytes_of(again) == bytes_of(event)


@pytest.mark.parametrize("event", EXAMPLES, ids=lambda event: event.TYPE)
def test_the_cloudevents_sdk_reads_what_we_write(event: Event) -> None:
    received = decode(bytes_of(event))
    assert received.id == "pg-7-42"
    assert received.source == "/fpg/v1/harbour/pg-7"
    assert received.type == f"fpg.v1.{event.TYPE}"
    assert received.sequence == 42
    assert received.time == datetime(2026, 8, 1, 12, 4, 5, 123456, tzinfo=UTC)
    assert received.clock_synchronised is True
    assert type(event).model_validate(received.data) == event


def test_cards_go_out_as_text_and_the_line_in_snake_case() -> None:
    [revealed] = [sample for sample in EXAMPLES if sample.TYPE == "round-revealed"]
    data = json.loads(bytes_of(revealed))["data"]
    assert data["spots"][0]["cards"] == ["QS", "QH", "QD", "QC", "JK", "4D", "9H"]
    assert data["spots"][0]["line"] == "four_of_a_kind"


def test_a_clock_that_is_not_set_is_told() -> None:
    raw = encode(payout(1), TOPICS, sequence=1, wall_utc_ns=0, synchronised=False)
    assert json.loads(raw)["time"] == "1970-01-01T00:00:00.000000Z"
    assert decode(raw).clock_synchronised is False


@given(st.integers(1, 10**12 - 1), st.integers(1, 10**12 - 1))
def test_sequences_sort_as_text_as_they_do_as_numbers(one: int, other: int) -> None:
    texts = [json.loads(bytes_of(payout(1), number))["sequence"] for number in (one, other)]
    assert (texts[0] < texts[1]) == (one < other)


@pytest.mark.parametrize("sequence", [0, -1, 10**12])
def test_a_sequence_that_cannot_be_written_is_refused(sequence: int) -> None:
    with pytest.raises(ValueError, match=f"sequence {sequence} is outside"):
        bytes_of(payout(1), sequence)


@pytest.mark.parametrize("name", ["", "a b", "a/b", "+", "a#", "é", "-a", "x" * 49])
def test_a_name_that_cannot_be_a_topic_level_is_refused(name: str) -> None:
    with pytest.raises(ValueError, match=r"^site .* cannot stand in a topic"):
        TableTopics(name, "t")
    with pytest.raises(ValueError, match=r"^table .* cannot stand in a topic"):
        TableTopics("s", name)


def altered(**changes: object) -> bytes:
    document = json.loads(bytes_of(payout(1)))
    document.update(changes)
    return json.dumps(
        {name: value for name, value in document.items() if value is not None}
    ).encode()


HOSTILE = {
    "empty": b"",
    "cut off": b"{",
    "not UTF-8": b"\xff\xfe{}",
    "a list": b"[]",
    "a number": b"3",
    "null": b"null",
    "a text": b'"event"',
    "a mebibyte of nothing": b" " * 2**20,
    "a mebibyte of x": b"x" * 2**20,
    "nested without end": b"[" * 100_000,
    "no id": altered(id=None),
    "an id that is a number": altered(id=4),
    "no time": altered(time=None),
    "no version": altered(specversion=None),
    "no type": altered(type=None),
    "another version": altered(specversion="2.0"),
    "a version that is a list": altered(specversion=["1.0"]),
    "a time that is a number": altered(time=5),
    "a time that is none": altered(time="yesterday"),
    "no sequence": altered(sequence=None),
    "a sequence that is a number": altered(sequence=42),
    "a sequence in other digits": altered(sequence="٤٢"),
    "a negative sequence": altered(sequence="-1"),
    "a sequence of 5000 digits": altered(sequence="9" * 5000),
    "no data": altered(data=None),
    "data that is a list": altered(data=[1]),
    "data that is text": altered(data="{}"),
}


@pytest.mark.parametrize("payload", HOSTILE.values(), ids=HOSTILE.keys())
def test_what_is_no_event_is_refused_with_a_reason(payload: bytes) -> None:
    with pytest.raises(EnvelopeError, match=r"\w"):
        decode(payload)


@given(st.binary(max_size=300))
def test_no_bytes_at_all_end_a_consumer(payload: bytes) -> None:
    with pytest.raises(EnvelopeError):
        decode(payload)


def test_an_event_of_a_newer_table_is_read_all_the_same() -> None:
    event = decode(altered(type="fpg.v1.chip-counted", newattribute="x", data={"chips": 5}))
    assert (event.type, event.data) == ("fpg.v1.chip-counted", {"chips": 5})
