"""gpiozero's lgpio pins, hardened: what lgpio's one thread calls must never raise."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from panel_worlds import LgpioWorld, open_world

from hw.chips import load_lgpio
from hw.panel import Panel
from hw.pins import PinRef
from hw.settings import PanelSettings

SETTINGS = PanelSettings(spots=1)
BET = SETTINGS.wiring["spot1.bet"]


@pytest.fixture
def world(tmp_path: Path) -> Iterator[LgpioWorld]:
    with open_world("lgpio", tmp_path) as opened:
        assert isinstance(opened, LgpioWorld)
        yield opened


def callbacks() -> list[Any]:
    """What lgpio's thread will call, by its own list."""
    return list(load_lgpio()._notify_thread.callbacks)


def test_an_edge_already_picked_up_when_its_pin_is_closed_ends_nothing(world: LgpioWorld) -> None:
    panel = Panel(SETTINGS, world.pins, lambda edge: None)
    (picked_up,) = [c for c in callbacks() if c.gpio == BET.number]
    panel.close()
    picked_up.func(0, BET.number, 0, 1)


def test_a_handler_that_raises_ends_nothing_and_is_logged(
    world: LgpioWorld, caplog: pytest.LogCaptureFixture
) -> None:
    def handler(ticks: float, state: int) -> None:
        raise RuntimeError("broken")

    pin = world.pins.pin(BET)
    pin.when_changed = handler
    (callback,) = [c for c in callbacks() if c.gpio == BET.number]
    with caplog.at_level(logging.ERROR):
        callback.func(0, BET.number, 0, 1)
    pin.when_changed = None
    assert [record.getMessage() for record in caplog.records] == [
        "GPIO17: an edge was lost in its handler"
    ]


def test_a_closed_panel_leaves_nothing_with_lgpios_thread(world: LgpioWorld) -> None:
    before = callbacks()
    panel = Panel(SETTINGS, world.pins, lambda edge: None)
    assert len(callbacks()) == len(before) + len(SETTINGS.inputs)
    panel.close()
    assert callbacks() == before


def test_closing_the_header_leaves_the_expander_open(world: LgpioWorld) -> None:
    header, expander = world.pins.pin(BET), world.pins.pin(PinRef("expander", BET.number))
    assert header.factory is not expander.factory
    header.factory.close()
    assert list(expander.factory.pins.values()) == [expander]
