"""Which lamp is lit when, by itself and by keys."""

from __future__ import annotations

from firmware_app.diagnosis.lamp_walk import LampWalk

S = 1_000_000_000


def test_the_walk_lights_one_lamp_after_the_other_and_begins_again() -> None:
    walk = LampWalk([3, 1, 7], walking_since_ns=100 * S)
    lit = [walk.lit(100 * S + half * S // 2) for half in range(7)]
    assert lit == [{1}, {1}, {3}, {3}, {7}, {7}, {1}]


def test_a_number_switches_its_lamp_and_ends_the_walk() -> None:
    walk = LampWalk([1, 2, 3], walking_since_ns=0)
    walk.press("2", 0)
    assert walk.lit(0) == {2}
    walk.press("3", 0)
    assert walk.lit(S) == {2, 3}
    walk.press("2", 0)
    assert walk.lit(S) == {3}
    walk.press("0", 0)
    assert walk.lit(S) == frozenset()


def test_l_starts_and_stops_the_walk() -> None:
    walk = LampWalk([1, 2], walking_since_ns=None)
    assert walk.lit(0) == frozenset()
    walk.press("l", 10 * S)
    assert walk.lit(11 * S) == {2}
    walk.press("l", 12 * S)
    assert walk.lit(12 * S) == frozenset()


def test_keys_without_a_meaning_and_panels_without_lamps_change_nothing() -> None:
    walk = LampWalk([1], walking_since_ns=None)
    for key in "x9²\x1b":
        walk.press(key, 0)
    assert walk.lit(0) == frozenset()
    assert LampWalk([], walking_since_ns=0).lit(5 * S) == frozenset()
