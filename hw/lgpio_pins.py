"""gpiozero's lgpio pins, hardened. Import only after ``hw.chips.load_lgpio()``.

lgpio has one notification thread for every pin of the process. An exception in any handler ends
it, silently, and no pin reports an edge any more. The stock pin raises in that thread even
without a handler's fault, when it is closed while an edge is still on its way.
"""

from __future__ import annotations

import logging
from collections import defaultdict
from threading import Lock
from typing import Any

import lgpio
from gpiozero import Pin
from gpiozero.pins import PinInfo
from gpiozero.pins.lgpio import LGPIOFactory, LGPIOPin

from hw.pin_sources import ExpanderPins, Pins

log = logging.getLogger(__name__)


class GuardedPin(LGPIOPin):  # type: ignore[misc]  # gpiozero has no types
    """A pin whose handler cannot end the notification thread."""

    def _call_when_changed(self, chip: int, gpio: int, level: int, ticks: int) -> None:
        if self._when_changed is None:
            return  # closed, with this edge still on its way
        try:
            super()._call_when_changed(chip, gpio, level, ticks)
        except Exception:
            log.exception("%r: an edge was lost in its handler", self)


class ChipFactory(LGPIOFactory):  # type: ignore[misc]
    """One gpiochip. Stock factories share one table of pins, and closing one closes them all."""

    def __init__(self, chip: int) -> None:
        super().__init__(chip=chip)
        self.pins: dict[PinInfo, Pin] = {}
        self._reservations: defaultdict[Any, list[Any]] = defaultdict(list)
        self._res_lock = Lock()
        self.pin_class: Any = GuardedPin


class ExpanderFactory(ExpanderPins, ChipFactory):
    """The lines of an expander chip."""


def notifications_alive() -> bool:
    """Whether lgpio's notification thread lives. It has no public name for it."""
    return bool(lgpio._notify_thread.is_alive())


def open_lgpio_pins(header_chip: int, expander_chip: int | None) -> Pins:
    """The pins of the gpiochips with these numbers."""
    header = ChipFactory(header_chip)
    try:
        expander = None if expander_chip is None else ExpanderFactory(expander_chip)
    except Exception:
        header.close()
        raise
    return Pins(header, expander, notifications_alive)
