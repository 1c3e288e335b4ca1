"""What a panel promises, on every kind of pins that this machine has."""

from __future__ import annotations

import contextlib
import queue
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from panel_worlds import World, available_worlds, open_world

from hw.lamps import LampPattern
from hw.panel import Panel
from hw.settings import PanelSettings
from hw.signals import Edge

SETTINGS = PanelSettings.model_validate(
    {
        "pins": {"shuffler-fault": "GPIO2"},
        "shuffler_fault": {"pull": "up", "active": "high"},  # a normally-closed contact
    }
)
WAIT_S = 5


class Table:
    """A panel in its world, and the edges that came out of it."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.edges: queue.Queue[Edge] = queue.Queue()
        self.refuse: Callable[[Edge], bool] = lambda edge: False
        self.panel = Panel(SETTINGS, world.pins, self._take)

    def _take(self, edge: Edge) -> None:
        if self.refuse(edge):
            raise RuntimeError(f"the consumer cannot take {edge.line}")
        self.edges.put(edge)

    def set(self, line: str, high: bool) -> None:
        self.world.drive(SETTINGS.wiring[line], high)

    def next_edge(self) -> Edge:
        return self.edges.get(timeout=WAIT_S)

    def wait_for(self, line: str) -> None:
        """Waits for an edge of this line; others that come before it are passed over."""
        while self.next_edge().line != line:
            pass


@pytest.fixture(params=available_worlds())
def world(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[World]:
    with open_world(request.param, tmp_path) as opened:
        yield opened


@pytest.fixture
def table(world: World) -> Iterator[Table]:
    opened = Table(world)
    yield opened
    opened.panel.close()


def test_a_contact_to_ground_is_an_active_edge_and_its_opening_an_inactive_one(
    table: Table,
) -> None:
    table.set("spot3.bet", False)
    down = table.next_edge()
    table.set("spot3.bet", True)
    up = table.next_edge()
    assert (down.line, down.active) == ("spot3.bet", True)
    assert (up.line, up.active) == ("spot3.bet", False)


def test_a_normally_closed_contact_is_active_when_it_opens(table: Table) -> None:
    table.set("shuffler-fault", False)
    assert table.next_edge().active is False
    table.set("shuffler-fault", True)
    assert table.next_edge().active is True


def test_edges_are_stamped_by_the_monotonic_clock(table: Table) -> None:
    before_ns = time.monotonic_ns()
    table.set("advance", False)
    first = table.next_edge()
    table.set("advance", True)
    second = table.next_edge()
    # A float of seconds carries the stamp through gpiozero; it is good to a microsecond.
    assert before_ns - 1000 <= first.at_ns <= second.at_ns <= time.monotonic_ns() + 1000


def test_every_input_is_read_as_its_logical_level(table: Table) -> None:
    # All contacts open: pulled up, which is inactive, but for the normally-closed one.
    open_contacts = {line.name: line.name == "shuffler-fault" for line in SETTINGS.inputs}
    assert table.panel.levels() == open_contacts
    table.set("spot7.envy", False)
    table.set("void", False)
    assert table.panel.levels() == open_contacts | {"spot7.envy": True, "void": True}


def test_each_line_reports_itself_and_no_other(table: Table) -> None:
    for line in SETTINGS.inputs:
        table.set(line.name, False)
        assert table.next_edge().line == line.name
    assert table.edges.empty()


def test_a_consumer_that_raises_for_one_line_silences_no_other(table: Table) -> None:
    failures = iter([True])
    table.refuse = lambda edge: edge.line == "spot1.bet" and next(failures, False)
    for level in (False, True):  # the press of spot 1 is refused, its release is not
        for spot in range(1, 8):
            table.set(f"spot{spot}.bet", level)
    edges = [table.next_edge() for _ in range(13)]
    assert [e.line for e in edges if e.active] == [f"spot{n}.bet" for n in range(2, 8)]
    assert [e.line for e in edges if not e.active] == [f"spot{n}.bet" for n in range(1, 8)]
    assert table.panel.emit_failures == 1
    assert table.panel.health().status == "warning"


def test_lamps_are_dark_until_shown_and_dark_again_after_closing(table: Table) -> None:
    pins = SETTINGS.lamps
    assert not any(table.world.lit(pin) for pin in pins.values())
    table.panel.lamps.show({2: LampPattern.ON, 6: LampPattern.ON}, time.monotonic_ns())
    assert [spot for spot, pin in pins.items() if table.world.lit(pin)] == [2, 6]
    table.panel.close()
    assert not any(table.world.lit(pin) for pin in pins.values())


def test_a_closed_panel_reports_nothing_and_its_pins_can_be_opened_again(table: Table) -> None:
    table.panel.close()
    table.set("spot1.bet", False)
    again = Table(table.world)
    with contextlib.closing(again.panel):
        again.set("spot2.bet", False)
        again.wait_for("spot2.bet")
    assert table.edges.empty()


def test_edges_on_their_way_at_closing_cannot_silence_the_next_panel(table: Table) -> None:
    for line in SETTINGS.inputs:
        table.set(line.name, False)
    table.panel.close()
    for line in SETTINGS.inputs:
        table.set(line.name, True)
    again = Table(table.world)
    with contextlib.closing(again.panel):
        for spot in range(1, 8):
            again.set(f"spot{spot}.bet", False)
        for spot in range(1, 8):
            again.wait_for(f"spot{spot}.bet")
        assert again.panel.health().status == "ok"


def test_a_panel_may_be_closed_twice(table: Table) -> None:
    table.panel.close()
    table.panel.close()
    assert table.panel.levels() == {}


def test_a_panel_at_rest_is_healthy(table: Table) -> None:
    health = table.panel.health()
    assert (health.status, health.detail) == ("ok", "17 inputs, 7 lamps")
