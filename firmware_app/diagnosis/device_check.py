"""The Pi itself: clock, supply, temperature, storage."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from firmware_app.diagnosis.finding import Finding, finding_of
from hw.health import PiHealth

_CLOCK_CURE: Final = (
    "let the device reach a time server; timedatectl shows whether it does. Rounds are in order "
    "without it"
)


def check_device(pi: PiHealth) -> Iterator[Finding]:
    """Yield a finding for every reading of the Pi's health."""
    for reading in pi.read():
        if reading.status in ("ok", "unsupported"):
            yield Finding(reading.name, reading.status, reading.detail)
        elif reading.name == "clock":
            yield Finding("clock", reading.status, "not synchronised", _CLOCK_CURE)
        else:
            yield finding_of(reading.name, reading.status, reading.detail)
