"""When something happened: wall time for people, monotonic time and boot id for the order.

A Pi has no battery clock: after a power cut the wall time may be years off until the network
sets it. Durations and order never use it; every stamp says whether it could be believed.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

from firmware_app.journal.records import Stamp

_BOOT_ID = Path("/proc/sys/kernel/random/boot_id")


def boot_id(path: Path = _BOOT_ID) -> str:
    """Return the kernel's id of this boot, or ``unknown`` where the kernel gives none."""
    try:
        return path.read_text("ascii").strip()
    except OSError:
        return "unknown"


class Clock:
    """Stamps facts. ``synchronised`` asks whether the wall clock has been set since power-up."""

    def __init__(self, synchronised: Callable[[], bool]) -> None:
        self._synchronised = synchronised
        self._boot_id = boot_id()

    def stamp(self) -> Stamp:
        """Return the present moment."""
        return Stamp(
            wall_utc_ns=time.time_ns(),
            mono_ns=time.monotonic_ns(),
            boot_id=self._boot_id,
            synchronised=self._synchronised(),
        )
