"""The order of sending, whatever the broker, the link and the disk do."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from feed_story import MemoryOutbox
from hypothesis import given
from hypothesis import strategies as st

from firmware_app.feed.pump import PAGE, SAVE_AFTER_S, Pump


class Wire:
    """Publishes from a pump by hand: ``heard`` is every sequence that went out, in order."""

    def __init__(self, outbox: MemoryOutbox) -> None:
        self.pump = Pump(outbox)
        self.heard: list[int] = []
        self.packet_ids: list[int] = []
        self._last_id = 0

    def publish(self, count: int = 1) -> None:
        for _ in range(count):
            message = self.pump.next()
            if message is None:
                return
            self._last_id += 1
            self.pump.published(self._last_id)
            self.packet_ids.append(self._last_id)
            self.heard.append(message.sequence)

    def acknowledge(self, place: int = 0) -> None:
        if self.packet_ids:
            self.pump.acknowledged(self.packet_ids.pop(place % len(self.packet_ids)))

    def lose(self) -> None:
        self.packet_ids.clear()
        self.pump.rewind()


def test_messages_go_out_in_order_across_pages() -> None:
    wire = Wire(MemoryOutbox(2 * PAGE + 3))
    wire.publish(10**4)
    assert wire.heard == list(range(1, 2 * PAGE + 4))


def test_nothing_is_marked_sent_before_its_acknowledgement() -> None:
    outbox = MemoryOutbox(3)
    wire = Wire(outbox)
    wire.publish(3)
    wire.pump.settle(0)
    assert outbox.sent == []
    wire.acknowledge()
    wire.pump.settle(0)
    assert outbox.sent == [1]


def test_after_a_lost_link_it_begins_at_the_first_unacknowledged() -> None:
    wire = Wire(MemoryOutbox(5))
    wire.publish(4)
    wire.acknowledge()
    wire.acknowledge()
    wire.pump.settle(0)
    wire.lose()
    wire.publish(10)
    assert wire.heard == [1, 2, 3, 4, 3, 4, 5]


def test_an_acknowledgement_of_another_message_changes_nothing() -> None:
    outbox = MemoryOutbox(2)
    wire = Wire(outbox)
    wire.publish(1)
    wire.pump.acknowledged(999)
    wire.pump.settle(0)
    assert (outbox.sent, wire.pump.in_flight) == ([], 1)


def test_new_messages_are_found_when_told_to_look_again() -> None:
    outbox = MemoryOutbox(1)
    wire = Wire(outbox)
    wire.publish(5)
    outbox.add(2)
    wire.publish(5)
    assert wire.heard == [1]
    wire.pump.look_again()
    wire.publish(5)
    assert wire.heard == [1, 2, 3]


def test_a_message_acknowledged_but_not_recorded_is_not_sent_again() -> None:
    outbox = MemoryOutbox(3)
    wire = Wire(outbox)
    wire.publish(2)
    wire.acknowledge()
    outbox.fail.add("mark_sent")
    wire.pump.settle(0)
    wire.lose()
    wire.publish(5)
    assert wire.heard == [1, 2, 2, 3]
    outbox.fail.clear()
    wire.pump.settle(1)
    assert outbox.sent == [1]


def test_an_outbox_that_cannot_be_read_is_tried_again_when_told_to_look() -> None:
    outbox = MemoryOutbox(2)
    outbox.fail |= {"pending", "unsent_count"}
    wire = Wire(outbox)
    wire.publish(5)
    assert (wire.heard, wire.pump.waiting, wire.pump.unsent()) == ([], False, None)
    outbox.fail.clear()
    wire.pump.look_again()
    wire.publish(5)
    assert (wire.heard, wire.pump.unsent()) == ([1, 2], 2)


def test_what_came_last_is_saved_once_and_only_after_a_while() -> None:
    outbox = MemoryOutbox(1)
    wire = Wire(outbox)
    wire.publish(5)
    wire.acknowledge()
    for now_s in (0.0, 1.0, SAVE_AFTER_S - 0.1):
        wire.pump.settle(now_s)
    assert outbox.saved == 0
    for now_s in (SAVE_AFTER_S, 100.0):
        wire.pump.settle(now_s)
    assert outbox.saved == 1


def test_a_resend_waits_for_what_is_under_way_and_then_starts_where_asked() -> None:
    wire = Wire(MemoryOutbox(5))
    wire.publish(5)
    wire.acknowledge()
    wire.pump.resend(2)
    wire.publish(5)
    assert wire.heard == [1, 2, 3, 4, 5]
    for _ in range(4):
        wire.acknowledge()
    wire.publish(1)
    assert wire.heard == [1, 2, 3, 4, 5], "acknowledgements must be recorded before"
    wire.pump.settle(0)
    wire.publish(10)
    assert wire.heard == [1, 2, 3, 4, 5, 2, 3, 4, 5]


def test_a_resend_that_the_outbox_refuses_leaves_the_order_alone() -> None:
    outbox = MemoryOutbox(2)
    outbox.fail.add("resend")
    wire = Wire(outbox)
    wire.pump.resend(1)
    wire.publish(10)
    assert wire.heard == [1, 2]


def test_what_was_just_committed_goes_out_without_being_read_from_the_outbox() -> None:
    outbox = MemoryOutbox(1)
    wire = Wire(outbox)
    wire.publish(5)
    committed = outbox.add(2)
    outbox.fail.add("pending")
    assert wire.pump.offer(committed)
    wire.publish(5)
    assert wire.heard == [1, 2, 3]


@pytest.mark.parametrize(
    "before",
    [
        pytest.param(lambda wire: wire.pump.look_again(), id="more to be read"),
        pytest.param(lambda wire: wire.lose(), id="link lost"),
        pytest.param(lambda wire: wire.pump.resend(1), id="resend asked for"),
    ],
)
def test_what_was_just_committed_never_overtakes_what_comes_first(
    before: Callable[[Wire], None],
) -> None:
    outbox = MemoryOutbox(1)
    wire = Wire(outbox)
    wire.publish(5)
    before(wire)
    assert not wire.pump.offer(outbox.add(1))


def test_a_gap_between_what_was_read_and_what_was_committed_is_read_first() -> None:
    outbox = MemoryOutbox(1)
    wire = Wire(outbox)
    wire.publish(5)
    outbox.add(1)
    assert not wire.pump.offer(outbox.add(1))
    wire.pump.look_again()
    wire.publish(5)
    assert wire.heard == [1, 2, 3]
    assert not wire.pump.offer([outbox.rows[3]]), "it went out already"


steps = st.lists(
    st.one_of(
        st.tuples(st.just("publish"), st.integers(1, 8)),
        st.tuples(st.just("acknowledge"), st.integers(0, 20)),
        st.tuples(st.just("lose"), st.just(0)),
        st.tuples(st.just("add"), st.integers(1, 5)),
        st.tuples(st.just("commit"), st.integers(1, 5)),
        st.tuples(st.just("settle"), st.just(0)),
        st.tuples(st.just("disk full"), st.just(0)),
        st.tuples(st.just("disk free"), st.just(0)),
    ),
    max_size=60,
)


@given(st.integers(0, 10), steps)
def test_nothing_is_lost_invented_or_out_of_order(count: int, story: list[tuple[str, int]]) -> None:
    outbox = MemoryOutbox(count)
    wire = Wire(outbox)
    for what, number in story:
        if what == "publish":
            wire.pump.look_again()
            wire.publish(number)
        elif what == "commit":
            wire.pump.offer(outbox.add(number))
            wire.publish(number)
        elif what == "acknowledge":
            wire.acknowledge(number)
        elif what == "lose":
            wire.lose()
        elif what == "add":
            outbox.add(number)
        elif what == "settle":
            wire.pump.settle(0)
        else:
            outbox.fail = {"mark_sent", "pending"} if what == "disk full" else set()
    outbox.fail = set()
    wire.lose()
    while wire.pump.waiting:
        wire.publish(100)
    while wire.packet_ids:
        wire.acknowledge()
    wire.pump.settle(0)
    firsts = list(dict.fromkeys(wire.heard))
    assert firsts == sorted(outbox.rows)
    assert sorted(outbox.sent) == sorted(outbox.rows)
