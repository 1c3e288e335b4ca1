"""A stopped table on a workbench: simulated pins and reader, and a bench that watches them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from workbench import Workbench

from hw.reader.settings import ReaderSettings
from hw.settings import PanelSettings
from hw.sim.panel import SimPanel
from hw.sim.reader import SimReader


@pytest.fixture
def reader() -> Iterator[SimReader]:
    with SimReader(identity=("DEALER-7", "0042", "1.3")) as device:
        yield device


@pytest.fixture
def make_bench() -> Iterator[Callable[..., Workbench]]:
    """Opens a bench on a simulated panel, given what differs from the default settings."""
    opened: list[Workbench] = []

    def make(reader: ReaderSettings, *, count_pulses: bool = False, **panel: object) -> Workbench:
        settings = PanelSettings.model_validate(panel)
        bench = Workbench(settings, SimPanel(settings), reader, count_pulses=count_pulses)
        opened.append(bench)
        return bench

    yield make
    for bench in opened:
        bench.close()


@pytest.fixture
def journal_path(tmp_path: Path) -> Path:
    return tmp_path / "journal.sqlite3"
