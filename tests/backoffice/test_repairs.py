"""Tables are asked for what is missing: not too soon, not too often."""

from __future__ import annotations

from firmware_app.backoffice.repairs import Repairs
from firmware_app.feed.consumer import Gap

HOLE = Gap("/fpg/v1/casino/fpg-01", 5, 6)
LATER = Gap("/fpg/v1/casino/fpg-01", 9, 9)
OTHER = Gap("/fpg/v1/casino/fpg-02", 1, 3)


def test_a_hole_that_is_filled_in_time_is_not_asked_for() -> None:
    repairs = Repairs(grace_s=10)
    assert repairs.due([HOLE], 0) == {}
    assert repairs.due([], 5) == {}
    assert repairs.due([HOLE], 11) == {}


def test_a_hole_that_stays_is_asked_for_from_its_first_event_on() -> None:
    repairs = Repairs(grace_s=10)
    repairs.due([HOLE, LATER, OTHER], 0)
    assert repairs.due([HOLE, LATER, OTHER], 9.9) == {}
    assert repairs.due([HOLE, LATER, OTHER], 10) == {HOLE.source: 5, OTHER.source: 1}


def test_a_table_has_time_to_answer_before_it_is_asked_again() -> None:
    repairs = Repairs(grace_s=10, again_s=120)
    repairs.due([HOLE], 0)
    assert repairs.due([HOLE], 10) == {HOLE.source: 5}
    assert repairs.due([HOLE], 129) == {}
    assert repairs.due([HOLE], 130) == {HOLE.source: 5}


def test_the_next_hole_has_its_own_grace() -> None:
    repairs = Repairs(grace_s=10)
    repairs.due([HOLE, LATER], 0)
    assert repairs.due([HOLE, LATER], 10) == {HOLE.source: 5}
    assert repairs.due([LATER], 11) == {}
    assert repairs.due([LATER], 21) == {HOLE.source: 9}
