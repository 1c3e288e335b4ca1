"""A simulated panel: hands on sensors and buttons, and eyes on lamps, over gpiozero's mock pins.

The real :class:`hw.panel.Panel` runs on it unchanged; only the pins differ. Time is not
simulated: a press lasts as long as the caller lets it.

Faults are switches on this class: :attr:`SimPanel.bounces`, :attr:`SimPanel.edge_loss`,
:meth:`SimPanel.stick`, :meth:`SimPanel.lose_edges`, :meth:`SimPanel.kill_lamp`.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from gpiozero.pins.mock import MockFactory, MockPin

from hw.lines import spot_line
from hw.pin_sources import ExpanderPins, Pins
from hw.settings import InputLine, PanelSettings


class ContactPin(MockPin):  # type: ignore[misc]  # gpiozero has no types
    """A mock pin with a contact on it, which wins over the pull resistor as a real one does."""

    contact_high: bool | None = None
    silent = False

    def connect(self, high: bool) -> None:
        """The world outside sets the level."""
        self.contact_high = high
        if self._function == "input":
            self._drive(high)

    def _set_pull(self, value: str) -> None:
        super()._set_pull(value)
        if self.contact_high is not None:
            self._drive(self.contact_high)

    def _change_state(self, value: bool) -> bool:
        changed: bool = super()._change_state(value)
        # The stock pin remembers every level it ever had, which a table that plays for days
        # cannot afford.
        del self.states[:-1]
        return changed

    def _drive(self, high: bool) -> None:
        if high:
            self.drive_high()
        else:
            self.drive_low()

    def _call_when_changed(self) -> None:
        # The stock pin has no lock either: an edge may come while the handler is being removed.
        if self._when_changed is not None and not self.silent:
            super()._call_when_changed()


class MockExpander(ExpanderPins, MockFactory):  # type: ignore[misc]
    """Mock lines of an expander chip."""


class SimPanel:
    """The outside of a panel.

    ``pins`` is what the real ``Panel`` is given. Inputs start released; they can be worked before
    the panel is opened, as a table with bets lying on it at power-up.

    ``bounces`` is how many extra pairs of edges every change of an input makes before it rests.
    ``edge_loss`` is the probability, 0 to 1, that a change reaches the level of its line but no
    handler; the losses of one ``seed`` are the same in every run.
    """

    def __init__(self, settings: PanelSettings, *, seed: int = 0) -> None:
        header = MockFactory(pin_class=ContactPin)
        expander = MockExpander(pin_class=ContactPin)
        self.pins = Pins(header, expander)
        self.bounces = 0
        self.edge_loss = 0.0
        self._losing = random.Random(seed)
        self._settings = settings
        self._wired = {line.name: line for line in settings.inputs}
        self._wanted = dict.fromkeys(self._wired, False)
        self._stuck: dict[str, bool] = {}
        self._dead_lamps: set[int] = set()
        for wired in self._wired.values():
            self._connect(wired, False)

    def set(self, line: str, active: bool) -> None:
        """Puts any input line active or inactive; a stuck one keeps its level for now."""
        self._wanted[line] = active
        if line not in self._stuck:
            self._move(line, active)

    def bet(self, spot: int, on: bool = True) -> None:
        """Lays a Fortune bet on the sensor of a spot, or takes it up."""
        self.set(spot_line(spot, "bet"), on)

    def main(self, spot: int, on: bool = True) -> None:
        """Lays a main bet on the sensor of a spot, or takes it up."""
        self.set(spot_line(spot, "main"), on)

    def envy(self, spot: int, on: bool = True) -> None:
        """Presses the envy button of a spot, or releases it."""
        self.set(spot_line(spot, "envy"), on)

    def press(self, line: str) -> None:
        """Presses a button, ``"advance"`` or ``"void"``, and keeps it held."""
        self.set(line, True)

    def release(self, line: str) -> None:
        """Releases a button."""
        self.set(line, False)

    def lamp(self, spot: int) -> bool:
        """Whether a player sees the lamp of a spot lit."""
        ref = self._settings.lamps.get(spot)
        if ref is None or spot in self._dead_lamps:
            return False
        pin: ContactPin = self.pins.pin(ref)
        lit_high = self._settings.lamp.active == "high"
        return pin.function == "output" and bool(pin.state) is lit_high

    # ── Faults ───────────────────────────────────────────────────────────────────────────────────

    def stick(self, line: str, active: bool = True) -> None:
        """The line hangs at a level, whatever hands do, until :meth:`free`."""
        self._stuck[line] = active
        self._move(line, active)

    def free(self, line: str) -> None:
        """The stuck line follows hands again."""
        self._stuck.pop(line, None)
        self._move(line, self._wanted[line])

    @contextmanager
    def lose_edges(self, line: str) -> Iterator[None]:
        """Inside this, changes of the line reach its level but no handler."""
        pin: ContactPin = self.pins.pin(self._wired[line].pin)
        pin.silent = True
        try:
            yield
        finally:
            pin.silent = False

    def kill_lamp(self, spot: int, dead: bool = True) -> None:
        """The lamp of a spot is burnt out, or replaced."""
        if dead:
            self._dead_lamps.add(spot)
        else:
            self._dead_lamps.discard(spot)

    def _move(self, line: str, active: bool) -> None:
        wired = self._wired[line]
        pin: ContactPin = self.pins.pin(wired.pin)
        changes = pin.contact_high is not (active is wired.active_high)
        if changes and self.edge_loss and self._losing.random() < self.edge_loss:
            with self.lose_edges(wired.name):
                self._connect(wired, active)
            return
        for _ in range(self.bounces if changes else 0):
            self._connect(wired, active)
            self._connect(wired, not active)
        self._connect(wired, active)

    def _connect(self, wired: InputLine, active: bool) -> None:
        pin: Any = self.pins.pin(wired.pin)
        pin.connect(active is wired.active_high)
