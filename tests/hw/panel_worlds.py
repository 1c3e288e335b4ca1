"""The outside of a panel's pins, for every way to pins that this machine has.

A world opens pins, drives an input line as a contact would, and sees whether a lamp's pin is
high. ``available_worlds`` lists those that work here; a machine with a simulated gpiochip
(the kernel's gpio-sim, labelled like a Pi's header) adds that one.
"""

from __future__ import annotations

import contextlib
import importlib.util
from collections.abc import Iterator
from pathlib import Path
from typing import Protocol

import pytest
from fake_gpiochip import FakeChips
from gpiozero.pins.mock import MockFactory

from hw.chips import load_lgpio, open_pins
from hw.pin_sources import Pins
from hw.pins import PinRef
from hw.sim.panel import ContactPin, MockExpander

_GPIO_SIM = Path("/sys/devices/platform")
EXPANDER_LABEL = "mcp23017"


class World(Protocol):
    pins: Pins

    def drive(self, ref: PinRef, high: bool) -> None: ...

    def lit(self, ref: PinRef) -> bool: ...


class MockWorld:
    """gpiozero's mock pins, as the simulator uses them."""

    def __init__(self) -> None:
        expander = MockExpander(pin_class=ContactPin)
        self.pins = Pins(MockFactory(pin_class=ContactPin), expander)

    def drive(self, ref: PinRef, high: bool) -> None:
        self.pins.pin(ref).connect(high)

    def lit(self, ref: PinRef) -> bool:
        pin = self.pins.pin(ref)
        return pin.function == "output" and bool(pin.state)


class LgpioWorld:
    """lgpio and gpiozero's lgpio pins on chips that exist only in this process."""

    def __init__(self, chips: FakeChips, devices: Path) -> None:
        self.chips = chips
        self.pins = open_pins(EXPANDER_LABEL, devices)

    def drive(self, ref: PinRef, high: bool) -> None:
        self.chips.drive(*self._line(ref), high)

    def lit(self, ref: PinRef) -> bool:
        line = self._line(ref)
        return self.chips.is_output(*line) and self.chips.level(*line)

    @staticmethod
    def _line(ref: PinRef) -> tuple[int, int]:
        return (0 if ref.chip == "header" else 1), ref.number


class GpioSimWorld:
    """The kernel's gpio-sim: real gpiochip, real lgpio, nothing replaced."""

    def __init__(self) -> None:
        self.pins = open_pins()
        chip = self.pins.pin(PinRef("header", 2)).factory.chip
        (self._lines,) = _GPIO_SIM.glob(f"gpio-sim.*/gpiochip{chip}")

    def drive(self, ref: PinRef, high: bool) -> None:
        pull = self._lines / f"sim_gpio{ref.number}" / "pull"
        pull.write_text("pull-up" if high else "pull-down")

    def lit(self, ref: PinRef) -> bool:
        return (self._lines / f"sim_gpio{ref.number}" / "value").read_text().strip() == "1"


def available_worlds() -> list[str]:
    worlds = ["mock"]
    if importlib.util.find_spec("lgpio") is not None:
        worlds.append("lgpio")
    if any(_GPIO_SIM.glob("gpio-sim.*/gpiochip*")):
        worlds.append("gpio-sim")
    return worlds


@contextlib.contextmanager
def open_world(name: str, tmp_path: Path) -> Iterator[World]:
    """A world with its pins open."""
    with contextlib.ExitStack() as stack:
        world: World
        if name == "mock":
            world = MockWorld()
        elif name == "gpio-sim":
            world = GpioSimWorld()
        else:
            lgpio = load_lgpio()
            chips = FakeChips(lgpio, {0: "pinctrl-bcm2711", 1: EXPANDER_LABEL})
            stack.callback(chips.close)
            patch = stack.enter_context(pytest.MonkeyPatch.context())
            for function, replacement in chips.functions().items():
                patch.setattr(lgpio, function, replacement)
            patch.setattr("gpiozero.pins.local.get_pi_revision", lambda: 0xC03114)
            for number in (0, 1):
                (tmp_path / f"gpiochip{number}").touch()
            world = LgpioWorld(chips, tmp_path)
        stack.callback(world.pins.close)
        yield world
