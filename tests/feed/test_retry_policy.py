"""How often the broker is called, and how fast it is fed."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firmware_app.feed.backoff import Backoff
from firmware_app.feed.pacer import Pacer


def test_delays_double_up_to_the_cap() -> None:
    longest = Backoff(1, 20, uniform=lambda low, high: high)
    assert [longest.delay_s(attempt) for attempt in range(7)] == [1, 2, 4, 8, 16, 20, 20]


@given(st.randoms(use_true_random=False))
def test_delays_grow_until_the_cap_whatever_the_jitter(source: random.Random) -> None:
    backoff = Backoff(1, 20, uniform=source.uniform)
    delays = [backoff.delay_s(attempt) for attempt in range(5)]
    assert delays == sorted(delays)
    assert all(10 <= backoff.delay_s(attempt) <= 20 for attempt in range(5, 30))


def test_two_tables_do_not_call_in_step() -> None:
    one, other = (Backoff(1, 20, uniform=random.Random(seed).uniform) for seed in (1, 2))
    assert all(one.delay_s(attempt) != other.delay_s(attempt) for attempt in range(10))


def test_a_week_of_failures_does_not_overflow() -> None:
    assert Backoff(1, 20).delay_s(10**6) <= 20


@pytest.mark.parametrize("per_s", [1, 7, 500])
def test_no_more_than_the_rate_goes_out(per_s: int) -> None:
    pacer = Pacer(per_s)
    sent = 0
    for tick in range(10_001):  # ten seconds, a look every millisecond
        allowed = pacer.allowance(tick / 1000)
        pacer.spend(allowed)
        sent += allowed
    assert 10 * per_s - 1 <= sent <= 10 * per_s


def test_a_pause_is_not_made_up_for_by_a_flood() -> None:
    pacer = Pacer(500)
    pacer.allowance(0)
    assert pacer.allowance(3600) == 50


def test_the_wait_ends_when_the_next_message_may_go() -> None:
    pacer = Pacer(10)
    pacer.allowance(0)
    assert pacer.wait_s() == pytest.approx(0.1)
    assert pacer.allowance(0.1) == 1
    assert pacer.wait_s() == 0
