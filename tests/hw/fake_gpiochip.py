"""A gpiochip for lgpio where the machine has none.

Only the calls that reach the kernel are replaced. lgpio's notification pipe, its thread, its
callbacks and gpiozero's pins are the real ones: an edge is the 16-byte record that lgpio itself
writes to its pipe.
"""

from __future__ import annotations

import os
import struct
import time
from pathlib import Path
from types import ModuleType
from typing import Any

# struct lgGpioReport: timestamp, chip, gpio, level, flags, padding.
RECORD = struct.Struct("QBBBBI")


class FakeChips:
    """Chips by number, each with its label.

    As in lgpio, a handle carries the number of its chip in the upper half.
    ``debounce_micros`` collects what was asked of the chip's own debouncing; lines in ``busy``
    cannot be claimed.
    """

    def __init__(self, lgpio: ModuleType, labels: dict[int, str]) -> None:
        self._lgpio = lgpio
        self._labels = labels
        self._levels: dict[tuple[int, int], bool] = {}
        self._modes: dict[tuple[int, int], int] = {}
        self._alerts: set[tuple[int, int]] = set()
        self.debounce_micros: list[int] = []
        self.busy: set[tuple[int, int]] = set()
        pipe = Path(os.environ["LG_WD"]) / f".lgd-nfy{lgpio._notify_thread._notify}"
        self._pipe = os.open(pipe, os.O_WRONLY)

    def close(self) -> None:
        os.close(self._pipe)

    def functions(self) -> dict[str, Any]:
        """The replacements, by their name in lgpio."""
        return {
            "gpiochip_open": self._open,
            "gpiochip_close": lambda handle: 0,
            "gpio_get_chip_info": lambda handle: [0, 58, "gpiochip", self._labels[handle >> 16]],
            "gpio_claim_input": self._claim_input,
            "gpio_claim_output": self._claim_output,
            "gpio_claim_alert": self._claim_alert,
            "gpio_free": lambda handle, gpio: 0,
            "gpio_read": lambda handle, gpio: int(self.level(handle >> 16, gpio)),
            "gpio_write": self._write,
            "gpio_get_mode": lambda handle, gpio: self._modes.get((handle >> 16, gpio), 0),
            "gpio_set_debounce_micros": lambda h, g, micros: self.debounce_micros.append(micros),
        }

    def drive(self, chip: int, gpio: int, high: bool) -> None:
        """The outside sets the level of an input."""
        if self._levels.get((chip, gpio)) is high:
            return
        self._levels[chip, gpio] = high
        if (chip, gpio) in self._alerts:
            self.notify(chip, gpio, high)

    def notify(self, chip: int, gpio: int, high: bool) -> None:
        """Writes one edge to lgpio's pipe."""
        os.write(self._pipe, RECORD.pack(time.monotonic_ns(), chip, gpio, high, 0, 0))

    def level(self, chip: int, gpio: int) -> bool:
        return self._levels.get((chip, gpio), False)

    def is_output(self, chip: int, gpio: int) -> bool:
        return bool(self._modes.get((chip, gpio), 0) & 2)

    def _open(self, number: int) -> int:
        if number not in self._labels:
            raise self._lgpio.error("can not open gpiochip")
        return number << 16

    def _claim(self, handle: int, gpio: int) -> tuple[int, int]:
        line = (handle >> 16, gpio)
        if line in self.busy:
            raise self._lgpio.error("GPIO busy")
        self._alerts.discard(line)
        return line

    def _claim_input(self, handle: int, gpio: int, flags: int = 0) -> int:
        line = self._claim(handle, gpio)
        self._modes[line] = flags
        if flags & self._lgpio.SET_PULL_UP:
            self._levels[line] = True
        elif flags & self._lgpio.SET_PULL_DOWN:
            self._levels[line] = False
        return 0

    def _claim_output(self, handle: int, gpio: int, level: int = 0, flags: int = 0) -> int:
        line = self._claim(handle, gpio)
        self._modes[line] = 2 | flags
        self._levels[line] = bool(level)
        return 0

    def _claim_alert(self, handle: int, gpio: int, edges: int, flags: int = 0) -> int:
        line = self._claim(handle, gpio)
        self._modes[line] = flags
        self._alerts.add(line)
        return 0

    def _write(self, handle: int, gpio: int, level: int) -> int:
        self._levels[handle >> 16, gpio] = bool(level)
        return 0
