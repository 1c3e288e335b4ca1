"""Panels that cannot be opened or read, on simulated pins, and the faults of the simulator."""

from __future__ import annotations

import logging
import queue
import time
from pathlib import Path
from typing import Any

import pytest
from panel_worlds import EXPANDER_LABEL, LgpioWorld, open_world

from hw.inputs import InputBank
from hw.lamps import LampPattern
from hw.panel import Panel, PanelError
from hw.settings import PanelSettings
from hw.signals import Edge, InputSignal, LevelChanged
from hw.sim.panel import SimPanel

MS = 1_000_000


class Clock:
    """The monotonic clock, when the test says so."""

    def __init__(self) -> None:
        self.now_ns = 10**18  # thirty years on: no stamp of the machine's own clock is near it

    def __call__(self) -> int:
        return self.now_ns


class SimTable:
    """The real panel and bank on simulated pins, in virtual time."""

    def __init__(self, settings: PanelSettings | None = None) -> None:
        self.settings = settings or PanelSettings(spots=3)
        self.sim = SimPanel(self.settings)
        self.clock = Clock()
        self.edges: queue.SimpleQueue[Edge] = queue.SimpleQueue()
        self.bank = InputBank(self.settings.inputs)

    def open(self) -> list[InputSignal]:
        self.panel = Panel(self.settings, self.sim.pins, self.edges.put, self.clock)
        return self.turn(100)

    def turn(self, ms: int, *, read: bool = True) -> list[InputSignal]:
        """One turn of a consumer now, and one after so many milliseconds."""
        told: list[InputSignal] = []
        for _ in range(2):
            while not self.edges.empty():
                told += self.bank.edge(self.edges.get())
            if read:
                told += self.bank.levels(self.panel.levels(), self.clock.now_ns)
            told += self.bank.advance(self.clock.now_ns)
            self.clock.now_ns += ms * MS
        return told


def told_of(signals: list[InputSignal], line: str) -> list[bool]:
    return [s.active for s in signals if isinstance(s, LevelChanged) and s.line == line]


def test_bets_that_lie_there_at_power_up_are_found() -> None:
    table = SimTable()
    table.sim.bet(2)
    opening = table.open()
    assert told_of(opening, "spot2.bet") == [True]
    assert told_of(opening, "spot1.bet") == [False]


def test_a_bouncing_contact_counts_once() -> None:
    table = SimTable()
    table.open()
    table.sim.bounces = 5
    table.sim.press("advance")
    assert table.edges.qsize() == 11
    assert told_of(table.turn(100), "advance") == [True]
    table.sim.release("advance")
    assert told_of(table.turn(100), "advance") == [False]


def test_a_lost_edge_is_healed_by_reading_the_level() -> None:
    table = SimTable()
    table.open()
    with table.sim.lose_edges("spot1.bet"):
        table.sim.bet(1)
    assert told_of(table.turn(100, read=False), "spot1.bet") == []
    assert told_of(table.turn(100), "spot1.bet") == [True]
    assert table.bank.healed_edges == 1


def test_a_stuck_line_ignores_hands_until_it_is_freed() -> None:
    table = SimTable()
    table.open()
    table.sim.stick("spot1.envy")
    assert told_of(table.turn(100), "spot1.envy") == [True]
    table.sim.envy(1, on=True)
    table.sim.envy(1, on=False)
    assert told_of(table.turn(100), "spot1.envy") == []
    table.sim.free("spot1.envy")
    assert told_of(table.turn(100), "spot1.envy") == [False]


def test_the_simulator_sees_what_a_player_sees_of_a_lamp() -> None:
    table = SimTable()
    table.open()
    table.panel.lamps.show({1: LampPattern.ON, 3: LampPattern.ON}, 0)
    assert [table.sim.lamp(n) for n in (1, 2, 3)] == [True, False, True]
    table.sim.kill_lamp(3)
    assert table.sim.lamp(3) is False
    table.sim.kill_lamp(3, dead=False)
    assert table.sim.lamp(3) is True


@pytest.mark.parametrize("active", ["low", "high"])
def test_a_lamp_lights_at_its_own_level(active: str) -> None:
    table = SimTable(PanelSettings.model_validate({"spots": 1, "lamp": {"active": active}}))
    table.open()
    assert table.sim.lamp(1) is False
    table.panel.light(1, True)
    assert table.sim.lamp(1) is True
    assert table.sim.pins.pin(table.settings.lamps[1]).state == (active == "high")


def test_lines_of_the_expander_work_like_those_of_the_header() -> None:
    table = SimTable(
        PanelSettings.model_validate(
            {
                "spots": 1,
                "expander_label": EXPANDER_LABEL,
                # Same number as the header line of the bet: two chips, two lines.
                "pins": {"spot1.main": "expander:17", "spot1.bet": "GPIO17"},
            }
        )
    )
    table.open()
    table.sim.main(1)
    told = table.turn(100)
    assert told_of(told, "spot1.main") == [True] and told_of(told, "spot1.bet") == []


def test_the_service_stamps_an_edge_itself_when_the_kernels_stamp_is_of_another_clock() -> None:
    # The mock stamps with the machine's clock; this panel lives by another.
    table = SimTable()
    table.open()
    table.sim.press("void")
    assert table.edges.get().at_ns == table.clock.now_ns


def test_every_line_that_cannot_be_opened_is_named_and_nothing_stays_open(tmp_path: Path) -> None:
    settings = PanelSettings(spots=2)
    with open_world("lgpio", tmp_path) as world:
        assert isinstance(world, LgpioWorld)
        world.chips.busy = {(0, 17), (0, 13)}
        with pytest.raises(PanelError) as caught:
            Panel(settings, world.pins, lambda edge: None)
        assert len(caught.value.faults) == 2
        lamp, bet = caught.value.faults
        assert lamp.startswith("spot2.lamp on GPIO13 (BOARD33) cannot be opened ('GPIO busy');")
        assert bet.startswith("spot1.bet on GPIO17 (BOARD11) cannot be opened ('GPIO busy');")
        world.chips.busy = set()
        Panel(settings, world.pins, lambda edge: None).close()


def test_a_line_that_cannot_be_read_is_left_out_and_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    settings = PanelSettings.model_validate(
        {"spots": 1, "expander_label": EXPANDER_LABEL, "pins": {"spot1.main": "expander:0"}}
    )
    with (
        open_world("lgpio", tmp_path) as world,
        Panel(settings, world.pins, lambda edge: None) as panel,
    ):
        main = world.pins.pin(settings.wiring["spot1.main"])
        assert len(panel.levels()) == 6

        def unplugged(_pin: Any) -> bool:
            raise OSError("remote I/O error")

        with monkeypatch.context() as patch, caplog.at_level(logging.ERROR):
            patch.setattr(type(main), "_get_state", lambda p: unplugged(p) if p is main else True)
            for _ in range(3):
                assert set(panel.levels()) == {line.name for line in settings.inputs} - {
                    "spot1.main"
                }
            health = panel.health()
        assert (health.status, health.detail) == (
            "failed",
            "no access to spot1.main; check chip and cable",
        )
        assert len(caplog.records) == 1
        assert len(panel.levels()) == 6 and panel.health().status == "ok"


def test_a_lamp_that_cannot_be_switched_is_told_and_stops_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = PanelSettings(spots=2)
    with (
        open_world("lgpio", tmp_path) as world,
        Panel(settings, world.pins, lambda edge: None) as panel,
    ):
        broken = world.pins.pin(settings.lamps[1])
        stock = type(broken)._set_state

        def set_state(pin: Any, value: bool) -> None:
            if pin is broken:
                raise OSError("remote I/O error")
            stock(pin, value)

        with monkeypatch.context() as patch:
            patch.setattr(type(broken), "_set_state", set_state)
            panel.lamps.show({1: LampPattern.ON, 2: LampPattern.ON}, time.monotonic_ns())
            assert world.lit(settings.lamps[2])
            assert panel.health().detail == "no access to spot1.lamp; check chip and cable"
        panel.lamps.show({}, time.monotonic_ns())
        assert panel.health().status == "ok"


@pytest.mark.parametrize("active", ["low", "high"])
def test_closing_drives_the_lamps_dark_before_it_lets_go_of_them(active: str) -> None:
    table = SimTable(PanelSettings.model_validate({"spots": 1, "lamp": {"active": active}}))
    table.open()
    table.panel.light(1, True)
    table.panel.close()
    # A mock pin keeps the level it was last driven to.
    assert bool(table.sim.pins.pin(table.settings.lamps[1]).state) is (active == "low")


def test_the_chip_is_never_asked_to_debounce(tmp_path: Path) -> None:
    # Filtering in two places would make the outcome depend on the kind of pins.
    with open_world("lgpio", tmp_path) as world:
        assert isinstance(world, LgpioWorld)
        Panel(PanelSettings(), world.pins, lambda edge: None).close()
        assert set(world.chips.debounce_micros) <= {0}
