"""The archivist: a table archives by itself, between deals, and nothing waits for it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Generator, Iterator

import pytest

from firmware_app.journal.errors import StorageFull
from firmware_app.runtime.archivist import Archivist

WAIT_S = 10.0


class Work:
    """Steps that are counted, and say when they were taken."""

    def __init__(self, count: int) -> None:
        self.count = count
        self.taken = 0
        self.begun = 0
        self.closed = threading.Event()
        self.stepped = threading.Condition()

    def steps(self) -> Generator[None, None, None]:
        self.begun += 1
        try:
            for _ in range(self.count):
                with self.stepped:
                    self.taken += 1
                    self.stepped.notify_all()
                yield
        finally:
            self.closed.set()

    def wait_for(self, taken: int) -> None:
        with self.stepped:
            assert self.stepped.wait_for(lambda: self.taken >= taken, WAIT_S)


@pytest.fixture
def start() -> Iterator[Callable[..., Archivist]]:
    started: list[Archivist] = []

    def begin(
        steps: Callable[[], Generator[None, None, None]],
        quiet: Callable[[], bool] = lambda: True,
        look_every_s: float = 60.0,
    ) -> Archivist:
        archivist = Archivist(
            steps, quiet, first_after_s=0.0, look_every_s=look_every_s, pause_s=0.001
        )
        started.append(archivist)
        archivist.start()
        return archivist

    yield begin
    for archivist in started:
        assert archivist.stop(WAIT_S)


def status(archivist: Archivist) -> tuple[str, str]:
    [reading] = archivist.health()
    return reading.status, reading.detail


def test_every_step_is_taken(start: Callable[..., Archivist]) -> None:
    work = Work(20)
    archivist = start(work.steps)
    assert work.closed.wait(WAIT_S)
    assert (work.taken, work.begun) == (20, 1)
    assert status(archivist)[0] == "ok"


def test_no_step_is_taken_while_a_hand_may_come(start: Callable[..., Archivist]) -> None:
    quiet, asked = threading.Event(), threading.Semaphore(0)

    def between_deals() -> bool:
        asked.release()
        return quiet.is_set()

    work = Work(5)
    start(work.steps, between_deals)
    for _ in range(10):
        assert asked.acquire(timeout=WAIT_S)
    assert work.taken == 0
    quiet.set()
    work.wait_for(5)


def test_it_looks_again_and_again(start: Callable[..., Archivist]) -> None:
    work = Work(1)
    start(work.steps, look_every_s=0.001)
    work.wait_for(3)
    assert work.begun >= 3


def test_a_failure_is_told_and_tried_again(start: Callable[..., Archivist]) -> None:
    told, mended = threading.Event(), threading.Event()
    done = threading.Event()

    def steps() -> Generator[None, None, None]:
        yield
        if not mended.is_set():
            told.set()
            raise StorageFull("the card is almost full; carry archives away")
        done.set()

    archivist = start(steps, look_every_s=0.001)
    assert told.wait(WAIT_S)
    told.clear()
    assert told.wait(WAIT_S), "it was tried again, so the first failure is on record"
    assert status(archivist) == ("warning", "the card is almost full; carry archives away")
    mended.set()
    assert done.wait(WAIT_S)
    done.clear()
    assert done.wait(WAIT_S)
    assert status(archivist)[0] == "ok"


def test_even_a_fault_of_the_program_does_not_end_it(start: Callable[..., Archivist]) -> None:
    calls = threading.Semaphore(0)

    def steps() -> Generator[None, None, None]:
        calls.release()
        raise ZeroDivisionError
        yield

    archivist = start(steps, look_every_s=0.001)
    for _ in range(3):
        assert calls.acquire(timeout=WAIT_S)
    assert status(archivist) == ("warning", "archiving failed (ZeroDivisionError)")


def test_it_stops_between_two_steps_and_leaves_nothing_open(
    start: Callable[..., Archivist],
) -> None:
    work = Work(1_000_000)
    archivist = start(work.steps)
    work.wait_for(3)
    assert archivist.stop(WAIT_S)
    assert work.closed.is_set()
    assert work.taken < 1_000_000


def test_it_stops_while_it_waits_for_the_end_of_a_deal(start: Callable[..., Archivist]) -> None:
    asked, work = threading.Event(), Work(10)

    def in_mid_deal() -> bool:
        asked.set()
        return False

    archivist = start(work.steps, in_mid_deal)
    assert asked.wait(WAIT_S)
    assert archivist.stop(WAIT_S)
    assert (work.taken, archivist.stop(0.0)) == (0, True)
