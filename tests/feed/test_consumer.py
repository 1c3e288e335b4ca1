"""The proof of completeness: what a consumer can know from the events alone."""

from __future__ import annotations

from collections.abc import Iterable

import pytest
from feed_story import TOPICS, message, payout
from hypothesis import given
from hypothesis import strategies as st

from firmware_app.feed.consumer import FeedReader
from firmware_app.feed.envelope import EnvelopeError, encode
from firmware_app.feed.topics import TableTopics

SOURCE = "/fpg/v1/harbour/pg-7"


def read(sequences: Iterable[int], first: int | None = None) -> tuple[FeedReader, list[int]]:
    """A reader that was given these events, and those of them that it passed on."""
    reader = FeedReader(first)
    new = [event.sequence for s in sequences if (event := reader.accept(message(s).payload))]
    return reader, new


def test_a_whole_feed_has_no_faults() -> None:
    reader, new = read(range(1, 100))
    assert new == list(range(1, 100))
    assert list(reader.faults()) == []


def test_repeats_are_dropped() -> None:
    reader, new = read([1, 2, 3, 2, 3, 4, 1])
    assert new == [1, 2, 3, 4]
    assert list(reader.faults()) == []
    assert reader.tables[SOURCE].repeats == 3


def test_a_hole_is_named() -> None:
    reader, _ = read([1, 2, 4, 9])
    assert list(reader.faults()) == [
        f"{SOURCE}: event 3 is missing",
        f"{SOURCE}: events 5 to 8 are missing",
    ]


def test_a_hole_that_is_filled_late_is_no_fault_but_counted() -> None:
    reader, new = read([1, 4, 3, 2])
    assert new == [1, 4, 3, 2]
    assert list(reader.faults()) == []
    assert reader.tables[SOURCE].late == 2


def test_a_consumer_that_joins_later_begins_with_the_first_it_sees() -> None:
    reader, new = read([50, 51, 49, 52])
    assert new == [50, 51, 52]
    assert list(reader.faults()) == []


def test_a_beginning_that_is_asked_for_must_be_there() -> None:
    reader, _ = read([3, 4], first=1)
    assert list(reader.faults()) == [f"{SOURCE}: events 1 to 2 are missing"]


def test_an_end_that_is_asked_for_must_be_there() -> None:
    reader, _ = read([1, 2])
    assert list(reader.faults(through=2)) == []
    assert list(reader.faults(through=4)) == [f"{SOURCE}: events 3 to 4 are missing"]


def test_the_same_event_with_other_content_is_a_fault() -> None:
    reader, _ = read([1, 2])
    forged = encode(payout(999), TOPICS, sequence=2, wall_utc_ns=2 * 10**9, synchronised=True)
    assert reader.accept(forged) is None
    assert list(reader.faults()) == [f"{SOURCE}: event 2 came again with other content"]


def test_tables_are_counted_apart() -> None:
    reader, _ = read([1, 2, 3])
    other = TableTopics("harbour", "pg-8")
    for sequence in (1, 3):
        raw = encode(payout(1), other, sequence=sequence, wall_utc_ns=0, synchronised=True)
        assert reader.accept(raw) is not None
    assert list(reader.faults()) == ["/fpg/v1/harbour/pg-8: event 2 is missing"]


def test_what_is_no_event_changes_nothing() -> None:
    reader, _ = read([1])
    with pytest.raises(EnvelopeError):
        reader.accept(b"{")
    assert reader.tables[SOURCE].received == 1


@given(st.lists(st.integers(1, 40), max_size=120))
def test_it_knows_exactly_what_is_missing(sequences: list[int]) -> None:
    reader, new = read(sequences, first=1)
    assert new == list(dict.fromkeys(sequences))
    missing = {
        sequence
        for table in reader.tables.values()
        for gap in table.gaps()
        for sequence in range(gap.first, gap.last + 1)
    }
    assert missing == set(range(1, max(sequences, default=0) + 1)) - set(sequences)
