"""A whole simulated table, played from the pins and the reader, and acted on from the floor."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from click.testing import CliRunner, Result

from firmware_app.cards import DECK, parse_hand
from firmware_app.cli import cli
from firmware_app.journal.reading import facts_of, open_for_reading
from firmware_app.simulation.stage import Places, Stage
from firmware_app.table.facts import Fact
from firmware_app.table.values import Phase
from firmware_app.table.view import TableView

WAIT_S = 20.0
NO_BROKER = "mqtt://127.0.0.1:9"
WHO = ("--by", "Ms. Ortega", "--why", "asked for by the pit")


@dataclass
class FloorStory:
    """Tells a story at one table: the dealer's hands, and the floor's command line."""

    stage: Stage
    places: Places

    def wait(self, phase: Phase) -> TableView:
        return self.stage.watch.until(lambda view: view.phase is phase, f"{phase.value}", WAIT_S)

    def bet(self, *spots: int) -> None:
        for spot in spots:
            self.stage.panel.main(spot)
            self.stage.panel.bet(spot)
        self.stage.watch.until(
            lambda view: all(
                view.spots[spot - 1].has_fortune and view.spots[spot - 1].main_cents > 0
                for spot in spots
            ),
            "the bets",
            WAIT_S,
        )

    def lock(self) -> None:
        self.stage.reader.start(1)
        self.wait(Phase.DEALING)

    def deal(self, hands: dict[int, str], *, undealt: str = "2H 2S 3S 4S") -> None:
        """Deal the given hands, and to every other position what is left of the deck."""
        given = {place: parse_hand(text, count=7) for place, text in hands.items()}
        used = {card for hand in given.values() for card in hand} | {*parse_hand(undealt, count=4)}
        rest = [card for card in DECK if card not in used]
        for place in (1, 2, 3, 4, 5, 6, 0):
            hand = given.get(place) or tuple(rest.pop() for _ in range(7))
            self.stage.reader.hand(place, [str(card) for card in hand])
        self.stage.reader.dealt(4)
        self.wait(Phase.DEALT)

    def floor(self, *words: str, who: tuple[str, ...] = WHO) -> Result:
        """Run ``fortune-table floor`` on this table."""
        return CliRunner().invoke(
            cli, ["floor", *words, *who, "--socket", str(self.places.control)]
        )

    def floor_json(self, *words: str, who: tuple[str, ...] = WHO) -> dict[str, Any]:
        reply: dict[str, Any] = json.loads(self.floor(*words, "--json", who=who).stdout)
        return reply

    def log(self) -> list[dict[str, Any]]:
        """Return what ``floor log`` lists, oldest first."""
        listed = CliRunner().invoke(
            cli, ["floor", "log", "--journal", str(self.places.journal), "--json"]
        )
        assert listed.exit_code == 0, listed.output
        return [json.loads(line) for line in reversed(listed.stdout.splitlines())]

    def recorded(self, kind: type[Fact]) -> list[Any]:
        return recorded_facts(self.places.journal, kind)


def recorded_facts(journal: Path, kind: type[Fact]) -> list[Any]:
    """Return the facts of one kind that a journal holds, oldest first."""
    with open_for_reading(journal) as reader:
        return [
            recorded.fact
            for entry in reader.forwards()
            for recorded in facts_of(entry)
            if isinstance(recorded.fact, kind)
        ]
