"""A bench on a simulated panel, with patience: tests wait for what they expect to be observed."""

from __future__ import annotations

import time
from collections.abc import Callable

from firmware_app.diagnosis.bench import Bench
from firmware_app.diagnosis.observed import Observed
from firmware_app.diagnosis.record import Record
from hw.reader.settings import ReaderSettings
from hw.settings import PanelSettings
from hw.sim.panel import SimPanel

PATIENCE_S = 15.0


class Workbench:
    """What a test holds: the panel that hands work, the bench, and the record of what was seen."""

    def __init__(
        self,
        settings: PanelSettings,
        panel: SimPanel,
        reader: ReaderSettings,
        *,
        count_pulses: bool,
    ) -> None:
        self.panel = panel
        self.settings = settings
        self.bench = Bench(settings, reader, panel.pins, count_pulses=count_pulses)
        self.record = Record.of([line.name for line in settings.inputs], settings.lamps)
        self.seen: list[Observed] = []
        self._looked_at = 0

    def until(self, wanted: Callable[[Observed], bool]) -> Observed:
        """Watch until something ``wanted`` is observed after what was found last; return it."""
        end_s = time.monotonic() + PATIENCE_S
        while time.monotonic() < end_s:
            for event in self.seen[self._looked_at :]:
                self._looked_at += 1
                if wanted(event):
                    return event
            observed = self.bench.turn(0.1)
            self.record.take(observed)
            self.seen += observed
        raise AssertionError(f"waited in vain; seen: {self.seen[-20:]}")

    def close(self) -> None:
        self.bench.close()
