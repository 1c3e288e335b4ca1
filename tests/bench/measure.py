"""Ratios that hold from machine to machine: two codes timed in turn, and one of them twice.

A benchmark prints one JSON object a line, for ``make bench`` and for whoever compares runs.
"""

from __future__ import annotations

import gc
import json
import statistics
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass

LARGEST_CONTROL = 1.3
FEWEST_ROUNDS = 5


@dataclass(frozen=True)
class Measured:
    """``ratio`` is ours to theirs, ``control`` the same code to itself: the noise of the run."""

    ratio: float
    control: float

    @property
    def void(self) -> bool:
        """Whether the machine was too unsteady for the ratio to mean anything."""
        return not 1 / LARGEST_CONTROL <= self.control <= LARGEST_CONTROL


def interleaved(
    ours: Callable[[], object],
    theirs: Callable[[], object],
    *,
    rounds: int = 7,
    clock: Callable[[], float] = time.perf_counter,
) -> Measured:
    """Time ours, theirs and ours again, ``rounds`` times over, and return the median ratios.

    ``clock`` returns seconds; :func:`time.process_time` leaves aside what other processes do, for
    code that only computes. Each code runs once before, so that caches are warm.
    """
    if rounds < FEWEST_ROUNDS:
        raise ValueError(f"{rounds} rounds are too few; give {FEWEST_ROUNDS} or more")
    ours()
    theirs()
    ratios, controls = [], []
    for _ in range(rounds):
        first, reference, second = (_timed(code, clock) for code in (ours, theirs, ours))
        ratios.append((first + second) / 2 / reference)
        controls.append(second / first)
    return Measured(statistics.median(ratios), statistics.median(controls))


def _timed(code: Callable[[], object], clock: Callable[[], float]) -> float:
    gc.collect()
    gc.disable()
    try:
        begin = clock()
        code()
        return clock() - begin
    finally:
        gc.enable()


def report(bar: str, measured: Measured, to_reach: float) -> None:
    """Print one bar as a JSON line; a void run is marked as such."""
    line: dict[str, object] = {
        "bar": bar,
        "ratio": round(measured.ratio, 3),
        "to_reach": to_reach,
        "control": round(measured.control, 3),
    }
    if measured.void:
        line["void"] = True
    sys.stdout.write(json.dumps(line) + "\n")
    sys.stdout.flush()
