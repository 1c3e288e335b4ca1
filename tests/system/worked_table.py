"""A whole simulated table that a test works by hand: chips, buttons, hands, and what came of it."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from firmware_app.cards import DECK, parse_hand
from firmware_app.journal.reading import events_of, facts_of, open_for_reading
from firmware_app.rules.profile import Profile
from firmware_app.signage.scene import Scene
from firmware_app.signage.staging import scene
from firmware_app.simulation.stage import Places, Stage
from firmware_app.table.values import Phase
from firmware_app.table.view import TableView
from hw.lines import ADVANCE, VOID

WAIT_S = 20.0
PRESS_S = 0.08
BETWEEN_PRESSES_S = 0.6
"""The table takes a second ADVANCE within half a second for a slip of the hand."""


class WorkedTable:
    """The dealer's hands on a :class:`Stage`, and eyes on its sign, feed and journal."""

    def __init__(self, stage: Stage, places: Places) -> None:
        self.stage = stage
        self.panel = stage.panel
        self.reader = stage.reader
        self.profile: Profile = stage.profile
        self._places = places

    # --- hands ---------------------------------------------------------------------------------

    def lay(self, spot: int, *, main: bool = True, fortune: bool = True, envy: bool = True) -> None:
        """Lay chips and the envy button, and wait until the sign shows them."""
        self.panel.main(spot, main)
        self.panel.bet(spot, fortune)
        self.panel.envy(spot, envy)
        self.until(
            lambda view: (
                (view.spots[spot - 1].main_cents > 0) is main
                and view.spots[spot - 1].has_fortune is fortune
                and view.spots[spot - 1].envy_button is envy
            ),
            f"the bets of spot {spot}",
        )

    def start(self, first_spot: int = 1) -> TableView:
        """Press the shuffler's green button."""
        self.reader.start(first_spot)
        return self.until_phase(Phase.DEALING)

    def deal(self, hands: dict[int, str], *, skip: tuple[int, ...] = ()) -> None:
        """Deal ``hands``, and to the other positions what is left of the deck.

        Positions of ``skip`` get nothing now; their hands must be in ``hands`` all the same.
        """
        for position, cards in self.dealt(hands).items():
            if position not in skip:
                self.reader.hand(position, cards)
        self.reader.dealt(4)

    def dealt(self, hands: dict[int, str]) -> dict[int, list[str]]:
        given = {place: parse_hand(text, count=7) for place, text in hands.items()}
        used = {card for hand in given.values() for card in hand}
        rest = [card for card in DECK if card not in used]
        for place in (*range(1, self.profile.spots + 1), 0):
            if place not in given:
                given[place] = tuple(rest.pop() for _ in range(7))
        return {place: [str(card) for card in hand] for place, hand in given.items()}

    def advance(self) -> None:
        time.sleep(BETWEEN_PRESSES_S)
        self.press(ADVANCE)

    def press(self, line: str, *others: int) -> None:
        """Press a button and let it go; meanwhile, the envy buttons of ``others``."""
        self.panel.press(line)
        time.sleep(PRESS_S)
        for spot in others:
            self.panel.envy(spot)
            time.sleep(PRESS_S)
        for spot in others:
            self.panel.envy(spot, False)
            time.sleep(PRESS_S)
        self.panel.release(line)
        time.sleep(PRESS_S)

    def chord(self, line: str, *spots: int, wanted: str) -> TableView:
        """Hold ADVANCE or VOID, press envy buttons, and wait until the sign says ``wanted``."""
        assert line in (ADVANCE, VOID)
        self.press(line, *spots)
        return self.until(lambda view: wanted in (view.notice or ""), wanted)

    def play_to_the_end(self) -> TableView:
        """From the last hand to the payment; return the reveal."""
        self.until_phase(Phase.DEALT)
        self.advance()
        revealed = self.until_phase(Phase.REVEALED)
        self.advance()
        self.until_phase(Phase.SETTLED)
        return revealed

    # --- eyes ----------------------------------------------------------------------------------

    def until(self, wanted: Callable[[TableView], bool], what: str) -> TableView:
        return self.stage.watch.until(wanted, what, WAIT_S)

    def until_phase(self, phase: Phase) -> TableView:
        return self.until(lambda view: view.phase is phase, phase.value)

    def sign(self, view: TableView) -> Scene:
        return scene(view, self.profile)

    def feed(self, kind: str) -> list[dict[str, Any]]:
        """Return the data of every event of ``kind`` that the independent subscriber received."""
        assert self.stage.finish(), "the subscriber has everything"
        lines = self._places.feed.read_text("utf-8").splitlines()
        events = [json.loads(line) for line in lines]
        return [event["data"] for event in events if event["type"] == f"fpg.v1.{kind}"]

    def facts(self, kind: str) -> list[Any]:
        """Return the facts of ``kind`` in the journal."""
        with open_for_reading(self._places.journal) as reader:
            recorded = [one.fact for entry in reader.forwards() for one in facts_of(entry)]
        return [fact for fact in recorded if fact.kind == kind]

    def recorded(self, kind: str) -> list[Any]:
        """Return the data of the events of ``kind`` in the journal."""
        with open_for_reading(self._places.journal) as reader:
            told = [one for entry in reader.forwards() for one in events_of(entry)]
        return [one.data for one in told if one.type == kind]


@contextmanager
def worked_table(rules: str, out: Path, broker_url: str, **settings: Any) -> Iterator[WorkedTable]:
    """Open a table of ``rules`` with its surroundings; ``settings`` go to :class:`Stage`."""
    places = Places(out)
    places.prepare()
    with Stage(
        rules, places, seed=1, broker_url=broker_url, sign={"driver": "dummy"}, **settings
    ) as stage:
        stage.start()
        yield WorkedTable(stage, places)


def eventually(found: Callable[[], bool], what: str) -> None:
    """Wait for what nobody tells: a counter of the reader's link."""
    deadline_s = time.monotonic() + WAIT_S
    while not found():
        assert time.monotonic() < deadline_s, f"no {what} in {WAIT_S} s"
        time.sleep(0.005)
