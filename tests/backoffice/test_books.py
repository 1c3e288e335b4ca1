"""Every event is booked once, whatever order it comes in, however often, and beside whatever."""

from __future__ import annotations

import json
import sqlite3
from datetime import UTC, datetime
from pathlib import Path

import pytest
from book_story import Table, count, round_of, spot, void, whole
from hypothesis import given, settings
from hypothesis import strategies as st

from firmware_app.backoffice.store import Message, Store
from firmware_app.feed.examples import EXAMPLES
from firmware_app.rules.lines import Line

IN_MEMORY = Path(":memory:")


def two_tables() -> list[Message]:
    first, second = Table("fpg-01"), Table("fpg-02")
    quads = spot(1, main=(2500, 0, 0), fortune=(0, 500, 12_500), line=Line.FOUR_OF_A_KIND)
    envious = spot(4, fortune=(500, 0, 0), envy=[(1, Line.FOUR_OF_A_KIND, 500)])
    return [
        *first.tell(*round_of(1, quads, envious), *round_of(2, quads)),
        *second.tell(*round_of(1, envious), void(2)),
    ]


def test_every_kind_of_event_can_be_booked(store: Store) -> None:
    messages = Table("fpg-01").tell(*EXAMPLES)
    assert store.take(messages) == len(EXAMPLES)
    assert count(store, "event") == len(EXAMPLES)
    assert count(store, "refused") == 0


@settings(deadline=None, max_examples=40)
@given(st.data())
def test_order_repeats_and_batches_make_no_difference(data: st.DataObject) -> None:
    messages = two_tables()
    again = data.draw(st.lists(st.sampled_from(messages), max_size=8))
    shuffled = data.draw(st.permutations(messages + again))
    cut = data.draw(st.integers(0, len(shuffled)))
    with Store(IN_MEMORY) as straight:
        straight.take(messages)
        expected = whole(straight)
    with Store(IN_MEMORY) as store:
        new = store.take(shuffled[:cut]) + store.take(shuffled[cut:])
        assert new == len(messages)
        assert store.gaps(first=1) == []
        assert whole(store) == expected


def test_two_consumers_write_the_same_books(tmp_path: Path) -> None:
    messages = two_tables()
    with Store(tmp_path / "books") as one, Store(tmp_path / "books") as other:
        for place, message in enumerate(messages):
            (one if place % 2 else other).take([message])
        one.take(messages)
        assert count(other, "event") == len(messages)
        assert one.gaps(first=1) == other.gaps(first=1) == []


@settings(deadline=None, max_examples=60)
@given(st.lists(st.integers(1, 30), min_size=1, max_size=60), st.integers(1, 5))
def test_it_knows_exactly_what_is_missing(sequences: list[int], batch: int) -> None:
    messages = Table("fpg-01").tell(*[void(number) for number in range(1, 31)])
    with Store(IN_MEMORY) as store:
        for start in range(0, len(sequences), batch):
            store.take([messages[number - 1] for number in sequences[start : start + batch]])
        for first in (None, 1):
            missing = {
                number
                for gap in store.gaps(first=first)
                for number in range(gap.first, gap.last + 1)
            }
            low = min(sequences) if first is None else first
            assert missing == set(range(low, max(sequences))) - set(sequences)


def test_an_event_that_comes_again_with_other_content_is_put_aside(store: Store) -> None:
    honest = Table("fpg-01").tell(*round_of(1, spot(1, main=(2500, 0, 0))))
    forged = Table("fpg-01").tell(*round_of(1, spot(1, main=(0, 2500, 2500))))
    store.take(honest)
    assert store.take(forged) == 0
    [(why, payload)] = store.connection.execute("SELECT why, payload FROM refused")
    assert "came again with other content" in why
    assert payload == forged[2].payload
    assert list(store.connection.execute("SELECT paid_cents FROM wager WHERE kind = 'main'")) == [
        (0,)
    ]


@pytest.mark.parametrize(
    "payload",
    [b"", b"{", b"\xff\xfe", b"[]", b'{"specversion": "1.0"}', b"x" * 100_000],
    ids=["empty", "cut", "no text", "list", "bare", "long"],
)
def test_nonsense_is_put_aside_and_the_rest_is_booked(store: Store, payload: bytes) -> None:
    table = Table("fpg-01")
    nonsense = Message(table.topics.event("round-settled"), payload)
    before, after = table.tell(void(1)), table.tell(void(2))
    assert store.take([*before, nonsense, *after]) == 2
    assert count(store, "refused") == 1
    assert store.gaps(first=1) == []


@pytest.mark.parametrize(
    "damage",
    [
        lambda data: data.pop("spots"),
        lambda data: data.update(spots=7),
        lambda data: data["spots"].append("spot"),
        lambda data: data["spots"][0].update(line={"five": "aces"}),
        lambda data: data["spots"][0]["main"].update(paid_cents=None),
        lambda data: data["spots"][0]["main"].update(paid_cents=2**70),
        lambda data: data.update(round=None),
    ],
)
def test_data_that_breaks_the_contract_is_no_hole_and_books_no_money(
    store: Store, damage: object
) -> None:
    table = Table("fpg-01")
    *_, settled = table.tell(*round_of(1, spot(1, main=(2500, 0, 0))))
    document = json.loads(settled.payload)
    damage(document["data"])  # type: ignore[operator]
    broken = Message(settled.topic, json.dumps(document).encode())
    store.take([broken, *table.tell(void(2))])
    assert count(store, "event") == 2
    assert count(store, "wager") == count(store, "hand") == 0
    assert count(store, "refused") == 1


def test_a_table_cannot_speak_for_another(store: Store) -> None:
    [told] = Table("fpg-01").tell(void(1))
    other = Message(Table("fpg-02").topics.event("round-voided"), told.payload)
    assert store.take([other]) == 0
    assert count(store, "event") == 0
    assert count(store, "refused") == 1


def test_a_round_of_a_table_without_a_clock_is_booked_when_it_arrives(store: Store) -> None:
    arrived = datetime(2026, 8, 1, 9, 30, tzinfo=UTC)
    store.take(Table("fpg-01").tell(*round_of(1), clock_known=False), now=arrived)
    store.take(Table("fpg-02").tell(*round_of(1)), now=arrived)
    settled = list(store.connection.execute("SELECT settled FROM round ORDER BY source"))
    assert settled == [("2026-08-01T09:30:00.000000Z",), ("2026-08-01T06:03:00.000000Z",)]


def test_a_batch_is_booked_as_a_whole_or_not_at_all(store: Store) -> None:
    def messages() -> object:
        yield from Table("fpg-01").tell(void(1), void(2))
        raise sqlite3.OperationalError("disk full")

    with pytest.raises(sqlite3.OperationalError, match="disk full"):
        store.take(messages())  # type: ignore[arg-type]
    assert count(store, "event") == 0
    assert store.take(Table("fpg-01").tell(void(1), void(2))) == 2
