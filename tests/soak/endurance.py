"""The endurance run: a day's rounds in minutes, and whether the table uses as much as before.

    python tests/soak/endurance.py [--rounds 1440] [--warm-up 240]

A round a minute makes 1,440 in 24 hours. The whole table plays, its sign drawn without a screen,
with what happens in a day: the broker goes and comes, the reader is unplugged, rounds are voided,
the last rounds are looked up. Prints one JSON object; exit 1 unless the memory of the table and of
its painting process, open files and threads are flat.
"""

from __future__ import annotations

import argparse
import json
import logging
import random
import sys
import tempfile
import threading
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil
from endurance_verdict import Sample, figures
from soak_table import SoakDealer, SoakTable

from firmware_app import assembly
from firmware_app.feed.demo_broker import DemoBroker
from firmware_app.runtime.recalling import summary
from firmware_app.runtime.sign_loop import SignLoop
from firmware_app.signage.window import SignWindow
from firmware_app.table.facts import Voided
from firmware_app.table.values import Phase
from firmware_app.table.view import TableView

_ROUNDS_PER_HOUR = 60
_SAMPLES = 120
_DECKS = 10
"""The same deals come again, so that what the rules remember of hands is full after a few rounds:
they may remember every hand there is, which is bounded, and which a day does not come close to."""
_PATIENCE_S = 60.0
_CALL_S = 20.0


@dataclass(frozen=True, slots=True)
class Plan:
    """How many rounds are played, and after how many of them the first sample is taken: what is
    kept of the last hundred rounds must be there first. ``leak`` breaks the table on purpose."""

    rounds: int
    warm_up: int
    leak: bool = False

    @property
    def every(self) -> int:
        """Rounds from sample to sample."""
        return max(1, (self.rounds - self.warm_up) // _SAMPLES)


class Day:
    """A table, its sign and its broker, and what happens to them. Runs on a thread of its own."""

    def __init__(
        self,
        played: SoakTable,
        loop: SignLoop,
        window: SignWindow,
        broker: DemoBroker,
        plan: Plan,
    ) -> None:
        self._played = played
        self._loop = loop
        self._window = window
        self._broker = broker
        self._plan = plan
        self._leaked: list[Any] = []
        self._dealer = SoakDealer(played, random.Random(1), voids=0.5, decks=_DECKS)
        self._process = psutil.Process()
        self.samples: list[Sample] = []
        self.fault: BaseException | None = None

    def run(self) -> None:
        try:
            self._played.start()
            for number in range(1, self._plan.rounds + 1):
                self._happen(number)
                self._play_round()
                if number > self._plan.warm_up and number % self._plan.every == 0:
                    self.samples.append(self._sample())
            self._broker.start()
            self._broker.resume()
            if not self._played.table.link.flush(_PATIENCE_S):
                raise RuntimeError(f"not all was sent: {self._played.table.link.health()}")
        except BaseException as fault:
            self.fault = fault
        finally:
            self._loop.stop()

    def _play_round(self) -> None:
        journal = self._played.table.journal
        before = journal.last_round_number

        def over(view: TableView) -> bool:
            return view.round_number > before and view.phase in (Phase.SETTLED, Phase.VOIDED)

        if not self._dealer.play_until(over, timeout_s=_PATIENCE_S):
            raise RuntimeError(f"round {before + 1} does not end: {self._dealer.view}")

    def _happen(self, number: int) -> None:
        """What happens before this round, by its number: often enough to show a leak."""
        played = self._played
        if self._plan.leak:
            self._leaked.append((bytearray(50_000), Path(__file__).open()))  # noqa: SIM115
        match number % 20:
            case 3:
                self._broker.pause()
            case 5:
                self._broker.resume()
            case 8:
                self._broker.kill()
            case 10:
                self._broker.start()
            case 13:
                played.reader.unplug()
                played.reader.plug_in()
            case 16:
                played.table.act(Voided(by="floor", reason="a card fell to the floor"))
            case 18:
                recalled = tuple(summary(each) for each in played.table.journal.rounds().rounds)
                view = self._dealer.view
                if view is not None:
                    self._loop.call(lambda window: window.show_rounds(view, recalled), _CALL_S)

    def _sample(self) -> Sample:
        painter = self._window.pid
        if painter is None:
            raise RuntimeError(f"nobody paints the sign: {self._window.status}")
        with self._process.oneshot():
            return Sample(
                rss_bytes=self._process.memory_info().rss,
                sign_rss_bytes=psutil.Process(painter).memory_info().rss,
                open_files=self._process.num_fds(),
                threads=self._process.num_threads(),
            )


def endure(plan: Plan, out: Path) -> dict[str, Any]:
    """Play in ``out``, which must be empty; return the figures."""
    # Health is looked at every 5 s of a day; here at every turn of the main loop.
    assembly.HEALTH_EVERY_NS = assembly.HEALTH_TOLD_EVERY_NS = 0
    loops: list[SignLoop] = []

    def show(view: TableView) -> None:
        loops[0].show(view)

    began_s = time.monotonic()
    sign = {"driver": "dummy", "size": "1280x720"}
    with DemoBroker() as broker, SoakTable(out, broker.settings, show, sign=sign) as played:
        window = SignWindow(played.config.sign, played.profile)
        loops.append(SignLoop(window))
        day = Day(played, loops[0], window, broker, plan)
        thread = threading.Thread(target=day.run, name="day", daemon=True)
        thread.start()
        loops[0].run(played.table.tick)
        thread.join()
        if day.fault is not None:
            raise day.fault
    return {
        "rounds": plan.rounds,
        "simulated_hours": round(plan.rounds / _ROUNDS_PER_HOUR, 1),
        "seconds": round(time.monotonic() - began_s, 1),
        **figures(day.samples),
    }


def main() -> int:
    parser = argparse.ArgumentParser(description="Play a day in minutes; what is used stays flat.")
    parser.add_argument("--rounds", type=int, default=24 * _ROUNDS_PER_HOUR)
    parser.add_argument("--warm-up", type=int, default=240)
    parser.add_argument("--leak", action="store_true", help="leak on purpose: must be found")
    asked = parser.parse_args()
    logging.basicConfig(level=logging.CRITICAL)  # the broker's absences are no news here
    with tempfile.TemporaryDirectory(prefix="fortune-endurance-") as folder:
        found = endure(Plan(asked.rounds, asked.warm_up, asked.leak), Path(folder))
    sys.stdout.write(json.dumps(found) + "\n")
    return 0 if all(each["flat"] for each in found.values() if isinstance(each, dict)) else 1


if __name__ == "__main__":
    sys.exit(main())
