"""Simulated hardware for trying the hardware test without any: a panel that is worked line after
line, and a reader that deals. Only the pins and the reader's URL differ from the real ones."""

from __future__ import annotations

import itertools
import threading
from collections.abc import Callable, Iterator
from functools import partial
from types import TracebackType
from typing import Final, Self

from firmware_app.cards import DECK
from hw.reader.settings import LineSettings, ReaderSettings
from hw.settings import PanelSettings
from hw.sim.panel import SimPanel
from hw.sim.reader import SimReader
from hw.sim.shoe import SimShoe

_HOLD_S: Final = 0.3
_CARDS_PER_HAND: Final = 7
_DECK: Final = tuple(str(card) for card in DECK)


class RehearsalError(ValueError):
    """This configuration has no simulated counterpart. The message says what to do."""


class Rehearsal:
    """Simulated pins and a simulated reader, worked by a thread until :meth:`close`."""

    def __init__(self, panel: PanelSettings, reader: ReaderSettings) -> None:
        """Raises :class:`RehearsalError` for a reader that only the configuration describes."""
        if reader.line is not None and reader.line.preset is None:
            raise RehearsalError(
                "a reader without line.preset has no simulation; name a preset to try the test"
            )
        self._panel = SimPanel(panel)
        self._lines = tuple(line.name for line in panel.inputs)
        self._device: SimReader | SimShoe
        if reader.line is None:
            self._device = SimReader()
            self._words = _native_words(self._device, panel.spots)
        else:
            self._device = SimShoe(reader.line.preset or "bee-tek")
            self._words = _shoe_words(self._device, reader.line)
        self.pins = self._panel.pins
        self.reader = reader.model_copy(update={"url": self._device.path})
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._work, name="rehearsal", daemon=True)

    def start(self) -> None:
        """Begin to work the panel and the reader."""
        self._thread.start()

    def close(self) -> None:
        """End the thread and take everything away."""
        self._stop.set()
        if self._thread.ident is not None:
            self._thread.join()
        self._device.close()
        self.pins.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        exc_type: type[BaseException] | None,
        exc: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def _work(self) -> None:
        for line in itertools.cycle(self._lines):
            next(self._words)()
            for active in (True, False):
                self._panel.set(line, active)
                if self._stop.wait(_HOLD_S):
                    return


def _native_words(reader: SimReader, spots: int) -> Iterator[Callable[[], None]]:
    yield reader.hello
    positions = (*range(1, spots), 0)
    while True:
        yield partial(reader.start, 1)
        for place, position in enumerate(positions):
            dealt = place * _CARDS_PER_HAND
            yield partial(reader.hand, position, _DECK[dealt : dealt + _CARDS_PER_HAND])
        yield partial(reader.dealt, len(_DECK) - _CARDS_PER_HAND * len(positions))


def _shoe_words(shoe: SimShoe, line: LineSettings) -> Iterator[Callable[[], None]]:
    printed = {card.upper(): code for code, card in line.codes.items()}
    for card in itertools.cycle(_DECK):
        code = line.joker_code if card == "JK" else printed.get(card, card)
        if code is None:
            yield shoe.unread
        else:
            yield partial(shoe.card, code)
