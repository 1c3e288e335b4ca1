"""Simulated hardware for every reader that has a counterpart."""

from __future__ import annotations

import time

import pytest

from firmware_app.diagnosis.bench import Bench
from firmware_app.diagnosis.rehearsal import Rehearsal, RehearsalError
from hw.reader.settings import ReaderSettings
from hw.settings import PanelSettings
from hw.signals import ReaderAlarm


def line_reader(**line: object) -> ReaderSettings:
    return ReaderSettings.model_validate(
        {"url": "/dev/fortune-reader", "protocol": "line", "line": line}
    )


@pytest.mark.parametrize("preset", ["bee-tek", "scanner"])
def test_a_shoe_prints_its_own_codes(preset: str) -> None:
    codes = {"017": "2S"} if preset == "scanner" else {}
    reader = line_reader(preset=preset, codes=codes)
    panel = PanelSettings()
    with (
        Rehearsal(panel, reader) as rehearsal,
        Bench(panel, rehearsal.reader, rehearsal.pins, count_pulses=False) as bench,
    ):
        assert rehearsal.reader.url != reader.url
        assert rehearsal.reader.line == reader.line
        rehearsal.start()
        alarms: list[str] = []
        end_s = time.monotonic() + 15
        while not alarms and time.monotonic() < end_s:
            alarms += [one.detail for one in bench.turn(0.1) if isinstance(one, ReaderAlarm)]
    # No deal has been started, so the first card is read and not placed.
    assert "card" in alarms[0]
    assert "was read outside a deal" in alarms[0]


def test_a_reader_that_only_the_configuration_describes_is_refused_with_the_cure() -> None:
    reader = line_reader(card=r"(?P<code>\w\w)", record_end="\n")
    with pytest.raises(RehearsalError, match=r"without line\.preset has no simulation; name a"):
        Rehearsal(PanelSettings(), reader)
