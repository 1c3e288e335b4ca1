"""The last rounds, recalled to the sign of a table in play from the floor's command line."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path

import pygame
import pytest
from supervised_table import NO_BROKER, WAIT_S, FloorStory

from firmware_app.rules.lines import Line
from firmware_app.rules.profile import load_profile
from firmware_app.runtime.sign_loop import SignLoop
from firmware_app.signage.past_rounds import RoundSpot, RoundSummary
from firmware_app.signage.settings import SignSettings
from firmware_app.signage.staging import recall_scene
from firmware_app.signage.still import still
from firmware_app.signage.typefaces import FontBook
from firmware_app.signage.window import SignWindow
from firmware_app.simulation.stage import Places, Stage
from firmware_app.table import facts
from firmware_app.table.values import Phase
from firmware_app.table.view import TableView

# Posted at the envy rules: four of a kind 25 to 1, and envy $5.
QUADS = "QS QH QD QC JK 4D 9H"
KINGS = "KS KD JH 7C 6H 4C 2D"
NOTHING = "QS 10H 8D 6C 5H 3D 2C"
SETTINGS = SignSettings(size="640x360", driver="dummy")
Shown = tuple[TableView, tuple[RoundSummary, ...]]


class WatchedWindow(SignWindow):
    """A sign that tells what it was asked to show."""

    def __init__(self) -> None:
        super().__init__(SETTINGS, load_profile("envy"))
        self.changed = threading.Condition()
        self.rounds: tuple[RoundSummary, ...] = ()
        self.view: TableView | None = None

    def show(self, view: TableView) -> None:
        super().show(view)
        self._tell(view, ())

    def show_rounds(self, view: TableView, rounds: tuple[RoundSummary, ...]) -> None:
        super().show_rounds(view, rounds)
        self._tell(view, rounds)

    def _tell(self, view: TableView, rounds: tuple[RoundSummary, ...]) -> None:
        with self.changed:
            self.view, self.rounds = view, rounds
            self.changed.notify_all()

    def forget(self) -> None:
        """Have the next :meth:`until` wait for what is shown from now on."""
        with self.changed:
            self.rounds = ()

    def until(self, *, recalled: bool, phase: Phase | None = None) -> Shown:
        with self.changed:
            came = self.changed.wait_for(
                lambda: (
                    self.view is not None
                    and bool(self.rounds) is recalled
                    and phase in (None, self.view.phase)
                ),
                WAIT_S,
            )
            assert came, (recalled, phase, self.rounds)
            assert self.view is not None
            return self.view, self.rounds


class SignedTable(FloorStory):
    """A table with a sign that can be watched."""

    def __init__(self, stage: Stage, places: Places, loop: SignLoop, window: WatchedWindow) -> None:
        super().__init__(stage, places)
        self.loop = loop
        self.window = window

    def recall(self, *options: str) -> tuple[RoundSummary, ...]:
        """Ask for the last rounds as the floor does; return those that came on the sign."""
        self.window.forget()
        done = self.floor("recall", *options, who=())
        assert done.exit_code == 0, done.output
        return self.window.until(recalled=True)[1]

    def deal_round(self, first: str = QUADS) -> None:
        self.bet(1, 2)
        self.lock()
        self.deal({1: first, 2: KINGS}, undealt="3H 3S 3C 5S")

    def advance(self, phase: Phase) -> None:
        assert self.floor("advance").exit_code == 0
        self.wait(phase)
        self.window.until(recalled=False, phase=phase)


@pytest.fixture
def table(tmp_path: Path) -> Iterator[SignedTable]:
    """A simulated table at the ``envy`` rules with its sign, in play."""
    places = Places(tmp_path)
    places.prepare()
    window = WatchedWindow()
    loop = SignLoop(window)
    stage = Stage(
        "envy",
        places,
        seed=1,
        broker_url=NO_BROKER,
        sign=SETTINGS.model_dump(),
        observers=(loop.show,),
        recall_on_sign=loop.recall,
        subscribe=False,
    )
    painting = threading.Thread(target=loop.run, args=(lambda: None,))
    with stage:
        painting.start()
        try:
            stage.start()
            yield SignedTable(stage, places, loop, window)
        finally:
            loop.stop()
            painting.join(WAIT_S)
    assert not painting.is_alive()


def test_in_every_phase_the_last_rounds_are_shown_and_nothing_that_is_secret(
    table: SignedTable,
) -> None:
    first = table.floor("recall", who=())
    assert first.exit_code == 1
    assert "No round is on record yet" in first.stderr
    table.bet(1, 2)
    (betting,) = table.recall()
    hidden = RoundSummary(1, betting.time_text, finished=False)
    assert betting == hidden
    table.lock()
    table.window.until(recalled=False, phase=Phase.DEALING)
    assert table.recall() == (hidden,)
    table.deal({1: QUADS, 2: KINGS}, undealt="3H 3S 3C 5S")
    table.window.until(recalled=False, phase=Phase.DEALT)
    assert table.recall() == (hidden,)
    table.advance(Phase.REVEALED)
    assert table.recall() == (hidden,), "it is not paid yet"
    table.advance(Phase.SETTLED)
    (paid,) = table.recall()
    assert paid.finished
    assert [spot for spot in paid.spots if spot.fortune_cents or spot.envy_cents] == [
        RoundSpot(1, Line.FOUR_OF_A_KIND, 25 * 5_00, 0),
        RoundSpot(2, None, 0, 5_00),
    ]


def test_the_sign_goes_back_to_the_table_when_a_chip_is_put_down(table: SignedTable) -> None:
    table.bet(1)
    table.recall()
    table.stage.panel.bet(2)
    view, _ = table.window.until(recalled=False)
    assert view.phase is Phase.BETTING


def test_a_void_round_tells_why_and_no_hand(table: SignedTable) -> None:
    table.deal_round()
    assert table.floor("void").exit_code == 0
    table.window.until(recalled=False, phase=Phase.VOIDED)
    (void,) = table.recall()
    assert void == RoundSummary(1, void.time_text, void_reason="asked for by the pit")


def test_rounds_can_be_recalled_beside_a_fault_and_while_the_table_is_suspended(
    table: SignedTable,
) -> None:
    table.deal_round()
    table.advance(Phase.REVEALED)
    table.advance(Phase.SETTLED)
    table.bet(3)
    table.stage.table.act(facts.AlarmRaised(code="fan-failed", text="The fan stands still"))
    table.stage.watch.until(lambda view: bool(view.alarms), "the alarm", WAIT_S)
    assert [one.number for one in table.recall()] == [2, 1]
    table.lock()
    table.stage.reader.unplug()
    table.window.until(recalled=False, phase=Phase.SUSPENDED)
    assert [one.number for one in table.recall()] == [2, 1]
    assert [one.number for one in table.recall("--rounds", "1")] == [2]


def test_two_deals_cannot_be_told_apart_by_their_recall(table: SignedTable, tmp_path: Path) -> None:
    pictures = []
    for number, hand in enumerate((QUADS, NOTHING)):
        table.deal_round(hand)
        view, _ = table.window.until(recalled=False, phase=Phase.DEALT)
        rounds = table.recall("--rounds", "1")
        path = tmp_path / f"{number}.png"
        assert table.loop.call(lambda window, path=path: window.screenshot(path), WAIT_S) is None
        shown = pygame.image.tobytes(pygame.image.load(path), "RGB")
        # The sign shows these rounds and nothing beside them.
        expected = still(
            recall_scene(rounds, view, load_profile("envy")), (640, 360), SETTINGS, FontBook()
        )
        assert shown == pygame.image.tobytes(expected, "RGB")
        pictures.append([(one.spots, one.void_reason, one.finished) for one in rounds])
        table.floor("void")
        table.wait(Phase.VOIDED)
        # The bets still lie there: they open the next round.
        table.advance(Phase.BETTING)
    assert pictures[0] == pictures[1] == [((), None, False)]


def test_a_table_without_a_sign_says_so(tmp_path: Path) -> None:
    places = Places(tmp_path)
    places.prepare()
    with Stage("envy", places, seed=1, broker_url=NO_BROKER, sign={}, subscribe=False) as stage:
        stage.start()
        told = FloorStory(stage, places).floor("recall", who=())
    assert told.exit_code == 1
    assert "no sign" in told.stderr
