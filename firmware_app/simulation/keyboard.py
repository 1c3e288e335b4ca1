"""The keyboard of the simulator: a person's fingers on chips, buttons and the shuffler."""

from __future__ import annotations

import queue
import random
import threading
import time
from collections.abc import Callable

from firmware_app.cards import DECK_SIZE
from firmware_app.signage.screen import CLOSED
from firmware_app.simulation.deck import shuffled
from firmware_app.simulation.stage import Stage
from hw.lines import ADVANCE, VOID, spot_line


def legend(spots: int) -> str:
    """Return what the keys do, in one line."""
    return f"Keys: 1-{spots} chip, Shift+1-{spots} envy, D deal, SPACE advance, V void, ESC quit"


_TAP_S = 0.12
_HOLD_S = 2.2


class Keyboard:
    """Turns key names into what a person would do, on a thread of its own: a held button takes
    its time and must not hold up the sign."""

    def __init__(self, stage: Stage, *, seed: int) -> None:
        self._stage = stage
        self._rng = random.Random(seed)
        self._laid: set[str] = set()
        self._keys: queue.SimpleQueue[str | None] = queue.SimpleQueue()
        self.on_quit: Callable[[], None] = lambda: None
        self._thread = threading.Thread(target=self._run, name="keyboard", daemon=True)
        self._thread.start()

    def press(self, key: str) -> None:
        """Take a key as the sign's window names it: ``1``, ``shift+1``, ``space``, ``v``."""
        if key in ("escape", CLOSED):
            self.on_quit()
        else:
            self._keys.put(key)

    def close(self) -> None:
        self._keys.put(None)
        self._thread.join(_HOLD_S + 1)

    def _run(self) -> None:
        while (key := self._keys.get()) is not None:
            self._act(key)

    def _act(self, key: str) -> None:
        spot = key.removeprefix("shift+")
        if spot.isdigit() and 1 <= int(spot) <= self._stage.profile.spots:
            if key.startswith("shift+"):
                self._toggle(spot_line(int(spot), "envy"))
            else:
                self._toggle(spot_line(int(spot), "bet"))
                self._toggle(spot_line(int(spot), "main"))
        elif key == "space":
            self._hold(ADVANCE, _TAP_S)
        elif key == "v":
            self._hold(VOID, _HOLD_S)
        elif key == "d":
            self._deal()

    def _toggle(self, line: str) -> None:
        lies = line in self._laid
        self._stage.panel.set(line, not lies)
        if lies:
            self._laid.discard(line)
        else:
            self._laid.add(line)

    def _hold(self, line: str, seconds: float) -> None:
        self._stage.panel.press(line)
        time.sleep(seconds)
        self._stage.panel.release(line)

    def _deal(self) -> None:
        profile = self._stage.profile
        reader = self._stage.reader
        reader.start(self._rng.randint(1, profile.spots))
        deck = shuffled(self._rng)
        first = 0 if profile.banker == "dealer" else 1
        positions = [*range(1, profile.spots + 1), *([0] if first == 0 else [])]
        for position in positions:
            hand = [str(deck.pop()) for _ in range(profile.cards_per_hand)]
            reader.hand(position, hand)
        reader.dealt(DECK_SIZE - profile.cards_per_hand * len(positions))
