"""A whole simulated table with its surroundings: pins, reader, broker, and a second subscriber."""

from __future__ import annotations

import time
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from firmware_app.assembly import Table
from firmware_app.config import TableConfig
from firmware_app.feed.demo_broker import DemoBroker
from firmware_app.feed.recorder import Recorder
from firmware_app.feed.settings import BrokerSettings, parse_broker_url
from firmware_app.rules.profile import SAMPLES, Profile, load_profile
from firmware_app.runtime.engine import Observer
from firmware_app.runtime.floor import RecallOnSign
from firmware_app.runtime.health import HealthSource
from firmware_app.simulation.watch import Watch
from hw.sim.panel import SimPanel
from hw.sim.reader import SimReader

SITE = "demo"
TABLE = "table-1"
_ANNOUNCED_S = 20.0
_SETTLED_INPUTS_S = 0.2
"""A button that is down when the panel first reads it was found held, not pressed."""


@dataclass(frozen=True, slots=True)
class Places:
    """Where a simulation leaves what it made."""

    out: Path

    @property
    def journal(self) -> Path:
        return self.out / "journal.sqlite3"

    @property
    def control(self) -> Path:
        return self.out / "control.sock"

    @property
    def feed(self) -> Path:
        return self.out / "feed.jsonl"

    @property
    def screens(self) -> Path:
        return self.out / "screens"

    @property
    def summary(self) -> Path:
        return self.out / "summary.json"

    def prepare(self) -> None:
        """Make the folders, and take away what an earlier simulation left in them."""
        self.screens.mkdir(parents=True, exist_ok=True)
        stale = [self.feed, self.summary, *self.screens.glob("*.png")]
        stale += self.out.glob("journal.sqlite3*")
        for path in stale:
            path.unlink(missing_ok=True)


class Stage:
    """Everything that is open while a simulated table plays; close it, or use it in ``with``."""

    def __init__(
        self,
        rules: str,
        places: Places,
        *,
        seed: int,
        broker_url: str | None,
        sign: dict[str, Any],
        observers: tuple[Observer, ...] = (),
        health_of: tuple[HealthSource, ...] = (),
        recall_on_sign: RecallOnSign | None = None,
        subscribe: bool = True,
        bet_stuck_after_s: float | None = None,
    ) -> None:
        """``subscribe`` False leaves out the second subscriber, so that no broker is needed.

        Rules that ship without a pay table are played with the sample, which the sign marks.
        ``bet_stuck_after_s`` is the limit of the bet sensors; None lets a bet lie for ever.
        """
        rules = SAMPLES.get(rules, rules)
        self.profile = load_profile(rules)
        self.watch = Watch()
        self.own_broker: DemoBroker | None = None
        self._open = ExitStack()
        try:
            if broker_url is None:
                self.own_broker = self._open.enter_context(DemoBroker())
                broker = self.own_broker.settings
            else:
                broker = parse_broker_url(broker_url)
            link = places.out / "reader"
            self.reader = SimReader(link=link, seed=seed)
            self._open.callback(self.reader.close)
            self.config = simulated_config(
                rules,
                self.profile,
                broker,
                str(link),
                places,
                sign,
                bet_stuck_after_s=bet_stuck_after_s,
            )
            self.recorder = Recorder(broker, self.config.mqtt.topics, places.feed)
            if subscribe:
                self._open.enter_context(self.recorder)
            self.panel = SimPanel(self.config.panel, seed=seed)
            self._open.callback(self.panel.pins.close)
            self.table = self._open.enter_context(
                Table(
                    self.config,
                    self.panel.pins,
                    observers=(self.watch, *observers),
                    health_of=health_of,
                    recall_on_sign=recall_on_sign,
                )
            )
        except BaseException:
            self._open.close()
            raise

    def start(self) -> None:
        """Let the table play, and wait until it has found its reader."""
        self.table.start()
        self.reader.hello()
        self.watch.until(lambda view: view.reader_up, "the reader", _ANNOUNCED_S)
        time.sleep(_SETTLED_INPUTS_S)

    def end(self) -> bool:
        """Stop the table, then :meth:`finish`. Nobody may look after its health any more."""
        self.table.close()
        return self.finish()

    def finish(self) -> bool:
        """Wait until the subscriber has every event of the table; False where some is missing."""
        last = self.table.journal.next_sequence - 1
        return self.recorder.wait_for(last, _ANNOUNCED_S)

    def close(self) -> None:
        self._open.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        exc_type: type[BaseException] | None,
        exc: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()


def simulated_config(
    rules: str,
    profile: Profile,
    broker: BrokerSettings,
    reader_url: str,
    places: Places,
    sign: dict[str, Any],
    *,
    bet_stuck_after_s: float | None = None,
) -> TableConfig:
    """Return the configuration of a simulated table: main sensors on an expander, the rest as on
    the header of a Pi."""
    spots = range(1, profile.spots + 1)
    return TableConfig.model_validate(
        {
            "game": {
                "rules": rules,
                "wager_source": "fixed",
                "unit_cents": 5_00,
                "main_unit_cents": 25_00,
                "envy_input": "none" if profile.envy is None else "button",
                # Hands go to empty spots too on most tables, and must then trigger nothing.
                "occupied_by": "main-sensor",
            },
            "panel": {
                "spots": profile.spots,
                "expander_label": "simulated expander",
                "bet": {"stuck_after_s": bet_stuck_after_s or "never"},
                "envy": {"stuck_after_s": "never"},
                "pins": {f"spot{spot}.main": f"expander:{spot}" for spot in spots},
            },
            "reader": {"url": reader_url},
            "mqtt": {**broker.model_dump(), "site": SITE, "table": TABLE},
            "sign": sign,
            "journal": {"path": places.journal},
            "control": {"socket": places.control},
        }
    )
