"""Tables that a floor supervisor can reach."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from supervised_table import NO_BROKER, FloorStory

from firmware_app.simulation.stage import Places, Stage


@pytest.fixture
def table(tmp_path: Path) -> Iterator[FloorStory]:
    """A simulated table at the ``envy`` rules, in play."""
    places = Places(tmp_path)
    places.prepare()
    with Stage(
        "envy", places, seed=1, broker_url=NO_BROKER, sign={"driver": "dummy"}, subscribe=False
    ) as stage:
        stage.start()
        yield FloorStory(stage, places)
