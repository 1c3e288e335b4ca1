"""A whole table that plays as fast as it can: real parts on simulated pins and a pty reader.

Only the hands are quicker than a dealer's. Phases are left by the same command that a floor
supervisor gives, since the button is not taken twice within half a second.
"""

from __future__ import annotations

import queue
import random
import time
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from firmware_app.assembly import Table
from firmware_app.cards import DECK_SIZE
from firmware_app.feed.settings import BrokerSettings, FeedSettings
from firmware_app.rules.profile import load_profile
from firmware_app.runtime.engine import Observer
from firmware_app.simulation.deck import showpiece, shuffled
from firmware_app.simulation.stage import Places, simulated_config
from firmware_app.table.facts import Advanced, Voided
from firmware_app.table.values import Phase
from firmware_app.table.view import TableView
from hw.sim.panel import SimPanel
from hw.sim.reader import SimReader

HURRIED_FEED: dict[str, Any] = {
    "retry_first_s": 0.02,
    "retry_cap_s": 0.1,
    "connect_timeout_s": 2,
    "ack_timeout_s": 2,
    "events_per_s": 10_000,
}
"""A link that tries again at once, so that lives of a few hundred milliseconds see the broker."""

_FREE = (Phase.SETTLED, Phase.VOIDED, Phase.BETTING)
_PATIENCE_S = 2.0
"""A dealer who sees nothing happen for so long does it again."""


class SoakTable:
    """The parts of one table in ``out``; close it, or use it in ``with``."""

    def __init__(
        self,
        out: Path,
        broker: BrokerSettings,
        *observers: Observer,
        rules: str = "envy",
        feed: dict[str, Any] | None = None,
        sign: dict[str, Any] | None = None,
    ) -> None:
        """``feed`` overrides settings of the link."""
        self.profile = load_profile(rules)
        link = out / "reader"
        config = simulated_config(
            rules, self.profile, broker, str(link), Places(out), sign if sign is not None else {}
        )
        wanted = config.mqtt.model_dump() | HURRIED_FEED | (feed or {})
        self.config = config.model_copy(update={"mqtt": FeedSettings.model_validate(wanted)})
        self.views: queue.SimpleQueue[TableView] = queue.SimpleQueue()
        self.reader = SimReader(link=link)
        self.panel = SimPanel(self.config.panel)
        self.table = Table(self.config, self.panel.pins, observers=(*observers, self.views.put))

    def start(self) -> None:
        self.table.start()
        self.reader.hello()

    def close(self) -> None:
        self.table.close()
        self.panel.pins.close()
        self.reader.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        fault: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


class SoakDealer:
    """Plays whatever the table shows. ``pause_s`` is how long its hands rest at most between two
    movements; ``voids`` how many of all suspended rounds it voids, 0 to 1; ``decks`` after how many
    rounds the same deals come again, None never."""

    def __init__(
        self,
        played: SoakTable,
        rng: random.Random,
        *,
        pause_s: float = 0.0,
        voids: float = 0.2,
        decks: int | None = None,
    ) -> None:
        self._played = played
        self._rng = rng
        self._pause_s = pause_s
        self._voids = voids
        self._decks = decks
        self._laid: set[tuple[str, int]] = set()
        self.view: TableView | None = None

    def play_until(self, wanted: Callable[[TableView], bool], *, timeout_s: float = 1e9) -> bool:
        """Play until the table shows something ``wanted``; False if that takes too long."""
        deadline_s = time.monotonic() + timeout_s
        answered: tuple[Phase, int, bool] | None = None
        while time.monotonic() < deadline_s:
            if self.view is not None:
                if wanted(self.view):
                    return True
                # A suspended deal is not resumed before its reader is back.
                shown = (self.view.phase, self.view.round_number, self.view.reader_up)
                if shown != answered:
                    self._move(self.view)
                    answered = shown
            try:
                self.view = self._played.views.get(timeout=_PATIENCE_S)
            except queue.Empty:
                answered = None
        return False

    def _rest(self) -> None:
        if self._pause_s:
            time.sleep(self._rng.uniform(0.0, self._pause_s))

    def _move(self, view: TableView) -> None:
        self._rest()
        if view.phase in _FREE:
            self._bet()
            self._played.reader.start(self._rng.randint(1, self._played.profile.spots))
        elif view.phase is Phase.DEALING:
            self._deal(view.round_number)
        elif view.phase is Phase.SUSPENDED and self._rng.random() < self._voids:
            self._played.table.act(Voided(by="floor", reason="the cards were taken up"))
        else:
            self._played.table.act(Advanced(by="floor", phase=view.phase, round=view.round_number))

    def _bet(self) -> None:
        """Lay or take up a few chips: there are bets, and they change."""
        panel = self._played.panel
        for _ in range(3):
            spot = self._rng.randint(1, self._played.profile.spots)
            set_line = self._rng.choice((panel.main, panel.bet, panel.envy))
            set_line(spot, self._rng.random() < 0.7)
            self._rest()

    def _deal(self, round_number: int) -> None:
        """Deal the hands of this round. They lie on the table, whoever reads them again."""
        count = self._played.profile.cards_per_hand
        if self._decks is not None:
            round_number %= self._decks
        special = showpiece(round_number, count) or ()
        rest = shuffled(random.Random(round_number), without=special)
        places = [*range(1, self._played.profile.spots + 1), 0]
        star = 1 + round_number % self._played.profile.spots
        for place in places:
            hand = special if special and place == star else [rest.pop() for _ in range(count)]
            self._played.reader.hand(place, [str(card) for card in hand])
            self._rest()
        self._played.reader.dealt(DECK_SIZE - count * len(places))
