"""The last rounds on the sign: shown when asked for, and gone as soon as the table goes on."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

import pytest

from firmware_app.rules.profile import load_profile
from firmware_app.runtime import sign_loop
from firmware_app.runtime.sign_loop import SignLoop
from firmware_app.signage.past_rounds import RoundSummary
from firmware_app.table.state import TableRules, new_table
from firmware_app.table.view import TableView, view

RULES = TableRules(load_profile("envy"))
VIEW = view(new_table(RULES), RULES)
LATER = replace(VIEW, notice="Spots 1 and 2 are one player")
ROUNDS = (RoundSummary(7, "21:04"), RoundSummary(6, "21:01"))
Shown = tuple[TableView, tuple[RoundSummary, ...]]


@dataclass
class FakeWindow:
    """Remembers what it was told to show."""

    shown: list[Shown] = field(default_factory=list)
    changed: threading.Condition = field(default_factory=threading.Condition)

    def open(self) -> None: ...
    def close(self) -> None: ...

    def tick(self, now_ns: int) -> float | None:
        return None

    def show(self, view: TableView) -> None:
        self.show_rounds(view, ())

    def show_rounds(self, view: TableView, rounds: tuple[RoundSummary, ...]) -> None:
        with self.changed:
            self.shown.append((view, rounds))
            self.changed.notify_all()

    def wait_for(self, *shown: Shown) -> None:
        with self.changed:
            came = self.changed.wait_for(lambda: self.shown == list(shown), 10)
        assert came, self.shown


class Sign:
    """A sign that is served on a thread of its own."""

    def __init__(self) -> None:
        self.window = FakeWindow()
        self.loop = SignLoop(self.window)  # type: ignore[arg-type]
        self._turns = 0
        self._turned = threading.Condition()
        self._thread = threading.Thread(target=self.loop.run, args=(self._turn,))
        self._thread.start()

    def _turn(self) -> None:
        with self._turned:
            self._turns += 1
            self._turned.notify_all()

    def take_all(self) -> None:
        """Wait until the loop has taken everything that was left for it."""
        with self._turned:
            # The turn in progress may have begun before; the one after it has not.
            last = self._turns + 2
        for _ in range(2):
            self.loop.call(lambda window: None, 10)
        with self._turned:
            assert self._turned.wait_for(lambda: self._turns >= last, 10)

    def close(self) -> None:
        self.loop.stop()
        self._thread.join(10)
        assert not self._thread.is_alive()


@pytest.fixture
def sign() -> Iterator[Sign]:
    served = Sign()
    yield served
    served.close()


def test_rounds_asked_for_are_shown_until_something_happens_at_the_table(sign: Sign) -> None:
    window, loop = sign.window, sign.loop
    loop.show(VIEW)
    window.wait_for((VIEW, ()))
    loop.recall(ROUNDS)
    window.wait_for((VIEW, ()), (VIEW, ROUNDS))
    loop.show(LATER)
    window.wait_for((VIEW, ()), (VIEW, ROUNDS), (LATER, ()))


def test_a_view_that_tells_nothing_new_leaves_the_rounds_on_the_sign(sign: Sign) -> None:
    window, loop = sign.window, sign.loop
    loop.show(VIEW)
    window.wait_for((VIEW, ()))
    loop.recall(ROUNDS)
    window.wait_for((VIEW, ()), (VIEW, ROUNDS))
    loop.show(replace(VIEW))
    sign.take_all()
    assert window.shown[-1] == (VIEW, ROUNDS)


def test_the_rounds_leave_by_themselves(sign: Sign, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sign_loop, "RECALL_S", 0.2)
    window, loop = sign.window, sign.loop
    loop.show(VIEW)
    window.wait_for((VIEW, ()))
    loop.recall(ROUNDS)
    window.wait_for((VIEW, ()), (VIEW, ROUNDS), (VIEW, ()))


def test_rounds_asked_for_before_the_table_showed_anything_are_left_out(sign: Sign) -> None:
    window, loop = sign.window, sign.loop
    loop.recall(ROUNDS)
    sign.take_all()
    loop.show(VIEW)
    window.wait_for((VIEW, ()))


def test_a_second_recall_takes_the_place_of_the_first(sign: Sign) -> None:
    window, loop = sign.window, sign.loop
    loop.show(VIEW)
    window.wait_for((VIEW, ()))
    loop.recall(ROUNDS)
    window.wait_for((VIEW, ()), (VIEW, ROUNDS))
    loop.recall(ROUNDS[:1])
    window.wait_for((VIEW, ()), (VIEW, ROUNDS), (VIEW, ROUNDS[:1]))
