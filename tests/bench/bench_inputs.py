"""B14: edges counted of those driven, on 14 inputs at 1 kHz in all.

The edges go through lgpio's own pipe and thread, gpiozero's pins, the panel, a queue and the bank
of inputs in the consumer's thread. Only the kernel's side of the chip is replaced, so that it runs
on any machine. Run as a program, with the seconds to drive as an argument (10 when left out);
prints one JSON object a line.
"""

from __future__ import annotations

import contextlib
import json
import queue
import sys
import tempfile
import threading
import time
from collections import Counter
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1] / "hw"))

from panel_worlds import World, open_world

from hw.inputs import InputBank
from hw.panel import Panel
from hw.settings import PanelSettings
from hw.signals import Edge

EDGES_PER_S = 1_000
SETTLE_S = 1.0
SETTINGS = PanelSettings()
LINES = [line.name for line in SETTINGS.inputs if line.name.startswith("spot")]
assert len(LINES) == 14


class Consumer:
    """A consumer as the engine is one: takes edges off a queue and feeds the bank."""

    def __init__(self) -> None:
        self.edges: queue.SimpleQueue[Edge | None] = queue.SimpleQueue()
        self.counted: Counter[tuple[str, bool]] = Counter()
        self._bank = InputBank(SETTINGS.inputs)
        self._thread = threading.Thread(target=self._run)
        self._thread.start()

    def _run(self) -> None:
        while (edge := self.edges.get()) is not None:
            self._bank.edge(edge)
            self.counted[edge.line, edge.active] += 1

    def stop(self) -> None:
        self.edges.put(None)
        self._thread.join()


def drive(world: World, seconds: float) -> Counter[tuple[str, bool]]:
    """Toggles the lines in turn, evenly in time, and returns how often each was driven where."""
    driven: Counter[tuple[str, bool]] = Counter()
    begun = time.monotonic()
    for n in range(int(seconds * EDGES_PER_S)):
        line = LINES[n % len(LINES)]
        active = n // len(LINES) % 2 == 0
        world.drive(SETTINGS.wiring[line], not active)
        driven[line, active] += 1
        time.sleep(max(0.0, begun + (n + 1) / EDGES_PER_S - time.monotonic()))
    for line in LINES:  # at rest for the next run
        if driven[line, True] > driven[line, False]:
            world.drive(SETTINGS.wiring[line], True)
            driven[line, False] += 1
    return driven


def counted_of_driven(world: World, seconds: float) -> float:
    """The share of edges that were counted; an edge too many counts against it like a lost one."""
    consumer = Consumer()
    with contextlib.closing(Panel(SETTINGS, world.pins, consumer.edges.put)):
        driven = drive(world, seconds)
        waited = time.monotonic() + SETTLE_S
        while consumer.counted != driven and time.monotonic() < waited:
            time.sleep(0.01)
    consumer.stop()
    wrong = (driven - consumer.counted).total() + (consumer.counted - driven).total()
    return 1 - wrong / driven.total()


def main() -> None:
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 10.0
    with tempfile.TemporaryDirectory() as directory, open_world("lgpio", Path(directory)) as world:
        first, second = (counted_of_driven(world, seconds / 2) for _ in range(2))
    # Not rounded: one edge lost of ten thousand is a wager lost.
    ratio, control = (first + second) / 2, second / first
    line = {"bar": "B14", "ratio": ratio, "to_reach": 1, "control": control}
    sys.stdout.write(json.dumps(line) + "\n")


if __name__ == "__main__":
    main()
