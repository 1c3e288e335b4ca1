"""The debouncer in virtual time, counted in nanoseconds from ``T0``."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hw.debounce import Confirmed, Debouncer

MS = 1_000_000
DEBOUNCE_MS = 30
T0 = 10_000 * MS


def released_line(debounce_ms: int = DEBOUNCE_MS) -> Debouncer:
    """A line whose opening level, released, was confirmed at T0."""
    line = Debouncer(debounce_ms * MS)
    line.level(False, T0 - debounce_ms * MS)
    assert line.advance(T0) == Confirmed(False, T0, opening=True)
    return line


def confirmed(line: Debouncer, edges: list[tuple[int, bool]], until_ns: int) -> list[Confirmed]:
    """Feeds edges (nanoseconds, level), lets time come to ``until_ns``, returns what counted.

    Times, given and returned, are counted from T0.
    """
    found = [line.edge(active, T0 + at_ns) for at_ns, active in edges]
    found.append(line.advance(T0 + until_ns))
    return [level._replace(at_ns=level.at_ns - T0) for level in found if level is not None]


@pytest.mark.parametrize("release_ms", [1, 10, 29])
def test_a_press_shorter_than_the_debounce_time_counts_not_and_latches_not(release_ms: int) -> None:
    line = released_line()
    edges = [(0, True), (release_ms * MS, False), (5000 * MS, True), (5200 * MS, False)]
    assert confirmed(line, edges, 6000 * MS) == [
        Confirmed(True, 5030 * MS, opening=False),
        Confirmed(False, 5230 * MS, opening=False),
    ]
    assert line.active is False


@pytest.mark.parametrize("release_ms", [30, 31])
def test_a_press_as_long_as_the_debounce_time_counts(release_ms: int) -> None:
    line = released_line()
    edges = [(0, True), (release_ms * MS, False), (5000 * MS, True), (5200 * MS, False)]
    assert confirmed(line, edges, 6000 * MS) == [
        Confirmed(True, 30 * MS, opening=False),
        Confirmed(False, (release_ms + 30) * MS, opening=False),
        Confirmed(True, 5030 * MS, opening=False),
        Confirmed(False, 5230 * MS, opening=False),
    ]
    assert line.active is False


@pytest.mark.parametrize("width_ns", [1_000, 200_000, 5 * MS])
def test_spikes_never_count(width_ns: int) -> None:
    randomness = random.Random(width_ns)
    line = released_line()
    edges = []
    at_ns = 0
    for _ in range(100):
        at_ns += randomness.randrange(10_000, 200 * MS)
        edges += [(at_ns, True), (at_ns + width_ns, False)]
        at_ns += width_ns
    assert confirmed(line, edges, at_ns + 1000 * MS) == []


def test_a_steady_level_of_60_ms_counts_once() -> None:
    edges = [(0, True), (60 * MS, False)]
    assert confirmed(released_line(), edges, 89 * MS) == [Confirmed(True, 30 * MS, opening=False)]


def test_ten_edges_inside_8_ms_that_end_steady_count_once() -> None:
    edges = [(n * 800_000, n % 2 == 1) for n in range(10)]
    assert edges[-1] == (7_200_000, True)
    expected = [Confirmed(True, 37_200_000, opening=False)]
    assert confirmed(released_line(), edges, 500 * MS) == expected


def test_a_release_is_debounced_like_a_press() -> None:
    line = released_line()
    assert len(confirmed(line, [(0, True)], 100 * MS)) == 1
    assert confirmed(line, [(200 * MS, False), (229 * MS, True)], 400 * MS) == []
    assert line.active is True


def test_a_line_is_unknown_until_its_first_level_has_held() -> None:
    line = Debouncer(30 * MS)
    assert line.active is None and line.due_ns is None
    line.level(True, 0)
    assert line.advance(29 * MS) is None and line.active is None
    assert line.advance(30 * MS) == Confirmed(True, 30 * MS, opening=True)


def test_a_lost_release_is_healed_by_reading_the_level() -> None:
    line = released_line()
    assert len(confirmed(line, [(0, True)], 100 * MS)) == 1
    line.level(False, T0 + 1000 * MS)
    assert line.advance(T0 + 1029 * MS) is None
    assert line.advance(T0 + 1030 * MS) == Confirmed(False, T0 + 1030 * MS, opening=False)


def test_a_reading_that_contradicts_a_press_confirms_nothing() -> None:
    # Edge at 0, its release was lost, and the line is read only after the debounce time.
    line = released_line()
    line.edge(True, T0)
    line.level(False, T0 + 50 * MS)
    assert line.advance(T0 + 200 * MS) is None
    assert line.active is False


def test_a_reading_that_agrees_disturbs_no_rest() -> None:
    line = released_line()
    line.edge(True, T0)
    line.level(True, T0 + 20 * MS)
    assert line.advance(T0 + 30 * MS) == Confirmed(True, T0 + 30 * MS, opening=False)


def test_a_second_edge_to_the_same_level_starts_the_rest_anew() -> None:
    # Between two falling edges the line has risen, unseen.
    line = released_line()
    assert confirmed(line, [(0, True), (20 * MS, True)], 49 * MS) == []
    assert line.advance(T0 + 50 * MS) == Confirmed(True, T0 + 50 * MS, opening=False)


def test_an_edge_stamped_before_a_reading_does_not_turn_time_back() -> None:
    line = released_line()
    line.level(True, T0 + 100 * MS)
    line.edge(True, T0 + 95 * MS)
    assert line.due_ns == T0 + 130 * MS


def test_due_tells_when_to_come_back_and_is_none_at_rest() -> None:
    line = released_line()
    assert line.due_ns is None
    line.edge(True, T0 + 7 * MS)
    assert line.due_ns == T0 + 37 * MS
    line.edge(False, T0 + 8 * MS)
    assert line.due_ns is None


@given(
    gaps_ms=st.lists(st.integers(0, 90), min_size=1, max_size=60),
    debounce_ms=st.integers(10, 60),
)
def test_exactly_the_stretches_that_last_count(gaps_ms: list[int], debounce_ms: int) -> None:
    line = released_line(debounce_ms)
    edges, at_ms, level = [], 0, False
    for gap_ms in gaps_ms:
        at_ms += gap_ms
        level = not level
        edges.append((at_ms, level))
    end_ms = at_ms + 100
    # Independent of the debouncer: walk over the stretches between neighbouring edges.
    expected, believed = [], False
    for (start_ms, active), (stop_ms, _) in zip(
        edges, [*edges[1:], (end_ms, not level)], strict=True
    ):
        if stop_ms - start_ms >= debounce_ms and active is not believed:
            believed = active
            expected.append(Confirmed(active, (start_ms + debounce_ms) * MS, opening=False))
    assert confirmed(line, [(ms * MS, a) for ms, a in edges], end_ms * MS) == expected
