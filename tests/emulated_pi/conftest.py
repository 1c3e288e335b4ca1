"""One guest for all scenarios: they are played on it one after the other, as on a real table."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from architecture import asked_for
from guest_image import ROOT, cache_folder, make_guest
from guest_machine import Machine
from outside import Outside
from releases import next_release

from firmware_app.config import load_config
from firmware_app.feed.demo_broker import DemoBroker
from firmware_app.feed.subscriber import Subscriber
from hw.sim.reader import SimReader


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The guest's disk, console and pictures."""
    return tmp_path_factory.mktemp("guest")


@pytest.fixture(scope="session")
def package() -> Path:
    """The package that the guest has from the beginning."""
    (built,) = (ROOT / "dist").glob(f"fortune-table_*_{asked_for().debian}.deb")
    return built


@pytest.fixture(scope="session")
def newer_package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The package of a release that changes the journal's schema."""
    return next_release(tmp_path_factory.mktemp("release"), asked_for().debian)


@pytest.fixture(scope="session")
def outside(folder: Path, package: Path) -> Iterator[Outside]:
    """The guest, without power."""
    architecture = asked_for()
    files = make_guest(architecture, package, cache_folder(architecture), folder)
    config = load_config(Path(__file__).parent / "guest" / "etc" / "fortune-table" / "table.toml")
    with DemoBroker() as broker, SimReader(seed=1) as reader:
        around = Outside(
            lambda: Machine(files, folder, broker.port), reader, broker, config, folder
        )
        subscriber = Subscriber(broker.settings, "fpg/v1/#", around.hear)
        subscriber.start()
        reader.hello()
        try:
            yield around
        finally:
            around.cut_power()
            subscriber.stop()
