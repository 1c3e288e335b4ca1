from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from hw.lamps import LampBoard, LampPattern

MS = 1_000_000
S = 1_000_000_000


def test_off_is_dark_and_on_is_lit_at_any_time() -> None:
    for at_ns in range(0, 3 * S, 37 * MS):
        assert not LampPattern.OFF.lit(at_ns)
        assert LampPattern.ON.lit(at_ns)


def test_blinking_flashes_less_than_three_times_in_any_second() -> None:
    # WCAG 2.3.1: no more than three flashes within any one second.
    lit = [LampPattern.BLINK.lit(ms * MS) for ms in range(10_000)]
    flashes = [ms for ms in range(1, 10_000) if lit[ms] and not lit[ms - 1]]
    assert all(c - a > 1000 for a, c in zip(flashes, flashes[3:], strict=False))
    assert len(flashes) >= 10
    assert 4000 <= sum(lit) <= 6000


@given(at_ns=st.integers(0, 10**18), pattern=st.sampled_from(LampPattern))
def test_a_lamp_keeps_its_light_until_the_moment_it_names(at_ns: int, pattern: LampPattern) -> None:
    change_ns = pattern.changes_ns(at_ns)
    if change_ns is None:
        assert pattern.lit(at_ns) is pattern.lit(at_ns + 123 * MS)
    else:
        assert change_ns > at_ns
        assert pattern.lit(at_ns) is pattern.lit(change_ns - 1)
        assert pattern.lit(at_ns) is not pattern.lit(change_ns)


def test_the_board_switches_only_lamps_that_change() -> None:
    switched: list[tuple[int, bool]] = []
    board = LampBoard([1, 2, 3], lambda spot, lit: switched.append((spot, lit)))
    board.show({}, 0)
    assert switched == [(1, False), (2, False), (3, False)]
    switched.clear()
    board.show({2: LampPattern.ON}, 1)
    board.show({2: LampPattern.ON}, 2)
    board.show({3: LampPattern.ON}, 3)
    assert switched == [(2, True), (2, False), (3, True)]


def test_the_board_says_when_to_come_back_only_while_a_lamp_blinks() -> None:
    lit: dict[int, bool] = {}
    board = LampBoard([1, 2], lit.__setitem__)
    assert board.show({1: LampPattern.ON}, 0) is None
    blinking = {1: LampPattern.BLINK, 2: LampPattern.BLINK}
    at_ns: int | None = 0
    seen = []
    for _ in range(6):
        assert at_ns is not None
        at_ns = board.show(blinking, at_ns)
        seen.append((lit[1], lit[2]))
    assert seen == [(True, True), (False, False)] * 3


def test_a_spot_without_lamp_is_passed_over() -> None:
    lit: dict[int, bool] = {}
    assert LampBoard([1], lit.__setitem__).show({5: LampPattern.BLINK}, 0) is None
    assert lit == {1: False}
