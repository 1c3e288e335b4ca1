"""Everything around the guest: its power, its feed, its reader, its panel and its display."""

from __future__ import annotations

import json
import logging
import time
from collections.abc import Callable, Collection
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import pygame
from guest_machine import BOOT_S, Machine, SerialCable
from pictures import ALIKE, TOLD_APART, Painting, differing, taken_from

from firmware_app.config import TableConfig
from firmware_app.feed.consumer import FeedReader
from firmware_app.feed.demo_broker import DemoBroker
from firmware_app.feed.envelope import Received
from firmware_app.feed.topics import TableTopics
from hw.sim.reader import SimReader

log = logging.getLogger(__name__)

UNIT: Final = "fortune-table.service"
JOURNAL: Final = "/var/lib/fortune-table/journal.sqlite3"
WAIT_S: Final = 180.0
POLL_S: Final = 0.2
HELD_S: Final = 0.3
"""How long a button is held; the debounce time is a tenth of it, an emulated second is slow."""
BET_LIES, BET_TAKEN = "pull-down", "pull-up"


@dataclass(frozen=True, slots=True)
class Heard:
    """One event, and when it arrived outside (monotonic, seconds)."""

    event: Received
    at_s: float

    @property
    def type(self) -> str:
        return self.event.type.removeprefix("fpg.v1.")


class Outside:
    """What a dealer, a technician and the back office can do with one table, and see of it."""

    def __init__(
        self,
        plug_in: Callable[[], Machine],
        reader: SimReader,
        broker: DemoBroker,
        config: TableConfig,
        folder: Path,
    ) -> None:
        self._plug_in = plug_in
        self._folder = folder
        self._cable: SerialCable | None = None
        self._topics: TableTopics = config.mqtt.topics
        self._painting = Painting(config)
        self._powered_s = 0.0
        self.reader = reader
        self.broker = broker
        self.config = config
        self.feed = FeedReader(first=1)
        self.heard: list[Heard] = []
        self.state: dict[str, Any] = {}
        self.meters: dict[str, Any] = {}
        self.status: dict[str, Any] = {}

    # --- power and cables --------------------------------------------------------------------

    def switch_on(self) -> None:
        """Give it power, and nothing else."""
        self.state, self.status = {}, {}
        self._powered_s = time.monotonic()
        self.machine = self._plug_in()

    def cut_power(self) -> None:
        self.unplug_reader()
        self.machine.close()

    def on_for_s(self) -> float:
        """Return how long it has had power."""
        return time.monotonic() - self._powered_s

    def plug_in_reader(self) -> None:
        self._cable = SerialCable(self.reader.path, self.machine.reader_socket)

    def unplug_reader(self) -> None:
        if self._cable is not None:
            self._cable.close()
            self._cable = None

    # --- the feed ----------------------------------------------------------------------------

    def hear(self, topic: str, payload: bytes) -> None:
        """Take a message as the back office does: events once, and the latest of what is kept."""
        if topic == self._topics.state:
            self.state = json.loads(payload)
        elif topic == self._topics.meters:
            self.meters = json.loads(payload)
        elif topic == self._topics.status:
            self.status = json.loads(payload)
        elif topic.startswith(self._topics.event("")):
            event = self.feed.accept(payload)
            if event is not None:
                self.heard.append(Heard(event, time.monotonic()))

    def of_type(self, kind: str, since: int = 0) -> list[dict[str, Any]]:
        """Return what the events of a kind say, those after the first ``since`` of any kind."""
        return [heard.event.data for heard in self.heard[since:] if heard.type == kind]

    def check_feed(self) -> None:
        """Fail unless every event is here, once, and came in the table's order."""
        (table,) = self.feed.tables.values()
        assert list(self.feed.faults()) == []
        assert table.late == 0, "the events came in another order than the table's"
        assert table.highest == len(self.heard)

    # --- waiting -----------------------------------------------------------------------------

    def until(self, wanted: Callable[[], bool], what: str, timeout_s: float = WAIT_S) -> None:
        deadline_s = time.monotonic() + timeout_s
        while not wanted():
            self.machine.check_power()
            if time.monotonic() > deadline_s:
                raise AssertionError(
                    f"waited {timeout_s:g} s for {what}; state {self.state.get('phase')}, "
                    f"last events {[heard.type for heard in self.heard[-5:]]}\n"
                    + self.machine.run(f"journalctl -u {UNIT} -n 30 --no-pager")
                )
            time.sleep(POLL_S)

    def until_phase(self, phase: str) -> None:
        self.until(lambda: self.state.get("phase") == phase, phase)

    def until_reader_is_up(self) -> None:
        self.until(lambda: bool(self.state.get("reader_up")), "the reader")

    def until_online(self) -> None:
        """Wait until a table that was given power, or started anew, is on the line and plays."""
        self.until(lambda: self.status.get("status") == "online", "status online", BOOT_S)
        self.until(lambda: "reader_up" in self.state, "a first word of the table", BOOT_S)

    def until_event(self, kind: str, since: int, timeout_s: float = WAIT_S) -> dict[str, Any]:
        """Return what the first event of a kind says that comes after the first ``since``."""
        self.until(lambda: bool(self.of_type(kind, since)), kind, timeout_s)
        return self.of_type(kind, since)[0]

    def until_alarm(self, code: str, since: int) -> dict[str, Any]:
        """Return the alarm that is raised under ``code`` after the first ``since`` events."""

        def raised() -> list[dict[str, Any]]:
            alarms = [data["alarm"] for data in self.of_type("alarm-raised", since)]
            return [alarm for alarm in alarms if alarm["code"] == code]

        self.until(lambda: bool(raised()), f"alarm {code}")
        return raised()[0]

    def until_alarm_ended(self, code: str, since: int) -> None:
        def cleared() -> bool:
            alarms = (data["alarm"] for data in self.of_type("alarm-cleared", since))
            return any(alarm["code"] == code for alarm in alarms)

        self.until(cleared, f"the end of alarm {code}")

    # --- the panel ---------------------------------------------------------------------------

    def pin(self, line: str) -> int:
        return self.config.panel.wiring[line].number

    def bet(self, spot: int, lies: bool) -> None:
        self.machine.pull(self.pin(f"spot{spot}.bet"), BET_LIES if lies else BET_TAKEN)

    def advance(self) -> None:
        self.machine.pull(self.pin("advance"), "pull-down")
        time.sleep(HELD_S)
        self.machine.pull(self.pin("advance"), "pull-up")

    def lamp(self, spot: int) -> bool:
        return self.machine.level(self.pin(f"spot{spot}.lamp"))

    # --- the display -------------------------------------------------------------------------

    def display(self) -> pygame.Surface:
        seen = pygame.image.load(self.machine.screen(self._folder / "screen.ppm"))
        # In the format of what is painted here: pygame's masks compare pixels of one format only.
        picture = pygame.Surface(seen.get_size())
        picture.blit(seen, (0, 0))
        return picture

    def sign(self, *, idle: bool = False) -> pygame.Surface:
        """Return the sign as it ought to be, painted outside from the published state."""
        return self._painting.of(self.state, idle=idle)

    def until_shown(self, told_from: Collection[pygame.Surface] = ()) -> pygame.Surface:
        """Wait until the display shows what the table published, and none of ``told_from``.

        Both pictures lie in the test's folder, for whoever has to look.
        """
        painted_of: dict[str, Any] = {}
        wanted = seen = self.display()

        def shown() -> bool:
            nonlocal painted_of, wanted, seen
            seen = self.display()
            if painted_of is not self.state:
                painted_of = self.state
                wanted = self._painting.of(painted_of)
            return differing(seen, wanted) < ALIKE and all(
                taken_from(seen, wanted, other) > TOLD_APART for other in told_from
            )

        try:
            self.until(shown, "the picture of what the table published")
        finally:
            pygame.image.save(wanted, self._folder / "wanted.png")
            pygame.image.save(seen, self._folder / "screen.png")
        log.info(
            "display: %.2f %% of the pixels are not as painted outside; told apart by %s",
            100 * differing(seen, wanted),
            [round(taken_from(seen, wanted, other), 3) for other in told_from],
        )
        return seen

    # --- the service -------------------------------------------------------------------------

    def service(self, name: str) -> str:
        """Return one property of the unit, as the service manager tells it."""
        return self.machine.run(f"systemctl show {UNIT} -p {name} --value").strip()

    def until_standing(self, beginning: str) -> None:
        """Wait until the unit's line for people begins so: what there is without a broker."""
        self.until(lambda: self.service("StatusText").startswith(beginning), beginning)
