"""The one place where the rooms meet: makes every part of a table and hands each its others.

The simulated table is assembled here too. It differs in the pins and in the reader's URL.
"""

from __future__ import annotations

import json
import logging
import time
from dataclasses import asdict
from types import TracebackType
from typing import Self

from firmware_app.config import TableConfig
from firmware_app.control.desk import Desk
from firmware_app.control.server import ControlError, ControlServer
from firmware_app.feed.envelope import encode, event_id
from firmware_app.feed.link import Link
from firmware_app.feed.topics import TableTopics
from firmware_app.journal.archiving import Archiver
from firmware_app.journal.meters import Meters
from firmware_app.journal.records import OutgoingMessage, Stamp
from firmware_app.journal.storage import storage_space
from firmware_app.journal.store import Journal
from firmware_app.runtime.archivist import Archivist
from firmware_app.runtime.clock import Clock
from firmware_app.runtime.engine import Engine, Observer, Parts
from firmware_app.runtime.floor import Floor, RecallOnSign
from firmware_app.runtime.health import HealthSource, HealthWatch
from firmware_app.runtime.inbox import Command, Inbox
from firmware_app.runtime.intake import Intake
from firmware_app.runtime.recording import Encode, Recorder
from firmware_app.runtime.recovery import recovered, told_of_replacement
from firmware_app.runtime.software import Software
from firmware_app.table.events import Event
from firmware_app.table.facts import ControllerStopped, Fact, PowerReturned
from firmware_app.table.values import Phase, StopReason
from firmware_app.table.view import TableView, view_to_json
from hw.health import PiHealth, Reading
from hw.inputs import InputBank
from hw.panel import Panel
from hw.pin_sources import Pins
from hw.reader.link import ReaderLink
from hw.signals import Edge

log = logging.getLogger(__name__)

HEALTH_EVERY_NS = 1_000_000_000
HEALTH_TOLD_EVERY_NS = 5_000_000_000
_STOP_S = 5.0
_LAST_WORDS_S = 2.0
_MIB = 1 << 20


class Table:
    """A table in operation: everything but the display, which belongs to the main thread.

    Opening claims the pins and the journal and recovers the state; :meth:`start` lets it play.
    ``pins`` stay the caller's to close. ``observers`` are shown every committed view; ``health_of``
    tells how parts do that are not the table's own, such as the display; ``recall_on_sign`` takes
    the rounds that a supervisor wants to see there.

    Raises :class:`~firmware_app.journal.errors.JournalError` for a journal that cannot be used and
    :class:`~hw.panel.PanelError` for pins that cannot be opened.
    """

    def __init__(
        self,
        config: TableConfig,
        pins: Pins,
        *,
        observers: tuple[Observer, ...],
        health_of: tuple[HealthSource, ...] = (),
        recall_on_sign: RecallOnSign | None = None,
    ) -> None:
        self.config = config
        self._pi = PiHealth()
        # Found out at each look after health: asking the kernel, which a closed-off unit may not
        # even do, would take part of the way of every fact.
        self._clock_is_set = self._pi.clock().status == "ok"
        clock = Clock(synchronised=lambda: self._clock_is_set)
        self.journal = Journal.open(config.journal.path)
        self._inbox = Inbox()
        try:
            recorder = Recorder(self.journal, _encoder(config.mqtt.topics), clock.stamp)
            rules = config.table_rules
            self._software = Software.running()
            self._after_stop = isinstance(self.journal.last_fact(), ControllerStopped)
            state = recovered(rules, config.model_dump_json(), self._software, recorder)
            self.panel = Panel(config.panel, pins, self._take_edge)
        except BaseException:
            self.journal.close()
            raise
        archiver = Archiver(
            self.journal,
            keep_days=config.journal.keep_days,
            reserve_bytes=config.journal.reserve_mib * _MIB,
            stamp=clock.stamp,
        )
        self.archivist = Archivist(archiver.steps, self._between_deals)
        self.link = Link(config.mqtt, self.journal.outbox)
        self.reader = ReaderLink(config.reader, self._inbox.put)
        self.health = HealthWatch(
            [
                self._read_pi,
                lambda: [self.panel.health()],
                self._space,
                self._control_health,
                self.archivist.health,
                *health_of,
            ]
        )
        self._health_due_ns = 0
        self._health_told_ns = 0
        self.engine = Engine(
            Parts(
                rules=rules,
                recorder=recorder,
                inbox=self._inbox,
                intake=Intake(config.intake_rules),
                inputs=InputBank(
                    config.panel.inputs, count_pulses=config.game.wager_source == "pulses"
                ),
                read_levels=self.panel.levels,
                show_lamps=self.panel.lamps.show,
                observers=(*observers, self._publish, self._tell_reader),
                committed=self.link.committed,
            ),
            state,
        )
        floor = Floor(
            self.engine, self._inbox, self.journal, self.link, recorder.stamp, recall_on_sign
        )
        self.control = ControlServer(config.control.socket, Desk(floor).answer)
        self._published_meters: Meters | None = None
        self._deal_told = 0

    def start(self) -> None:
        """Let the table play: first the record of the start, then inputs, reader and feed."""
        self.engine.start(
            PowerReturned(
                software=self._software.version,
                configuration=self.config.digest(),
                after_stop=self._after_stop,
            ),
            *told_of_replacement(self.journal),
        )
        self.reader.start()
        self.link.start()
        self.archivist.start()
        for reading in self._control_health():
            log.log(logging.INFO if reading.status == "ok" else logging.ERROR, reading.detail)

    def act(self, *facts: Fact) -> bool:
        """Let the table know facts that no sensor tells; False once it is closing."""
        return self._inbox.put(Command(facts))

    def tick(self) -> None:
        """Look after health; the main thread calls it about once a second."""
        now_ns = time.monotonic_ns()
        if now_ns < self._health_due_ns:
            return
        self._health_due_ns = now_ns + HEALTH_EVERY_NS
        changed = self.health.look()
        if changed:
            self.act(*changed)
        if changed or now_ns >= self._health_told_ns + HEALTH_TOLD_EVERY_NS:
            self._health_told_ns = now_ns
            self.link.publish_health(
                self.health.report(asdict(self.reader.statistics()), asdict(self.link.health()))
            )

    def close(self, reason: StopReason = "closed") -> None:
        """Stop in the order of the flow: what was taken in is recorded, and last that it stopped.

        The broker is told where it is there, else at the next start. A second time does nothing.
        """
        self.control.close()
        self.reader.stop()
        if not self.engine.stop(ControllerStopped(reason=reason), timeout_s=_STOP_S):
            log.error("the engine did not stop in %g s", _STOP_S)
        if self.link.health().connected:
            self.link.flush(_LAST_WORDS_S)
        self.link.stop(_STOP_S)
        self.panel.close()
        if not self.archivist.stop(_STOP_S):
            log.error("the archivist did not stop in %g s", _STOP_S)
        self.journal.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        exc_type: type[BaseException] | None,
        exc: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close("closed" if exc_type is None else "failed")

    def _between_deals(self) -> bool:
        """Whether no hand and no payment can be waiting for the journal now."""
        return self.engine.shown.phase in (Phase.SETTLED, Phase.VOIDED, Phase.BETTING)

    def _read_pi(self) -> tuple[Reading, ...]:
        readings = self._pi.read()
        self._clock_is_set = any(
            reading.name == "clock" and reading.status == "ok" for reading in readings
        )
        return readings

    def _space(self) -> tuple[Reading, ...]:
        """Tell whether the journal has room to go on."""
        settings = self.config.journal
        try:
            space = storage_space(settings.path, reserve_bytes=settings.reserve_mib * _MIB)
        except OSError as error:
            return (Reading("space", "failed", f"the journal's folder is gone: {error.strerror}"),)
        free = f"{space.free_bytes // _MIB} MiB free, {settings.reserve_mib} MiB wanted"
        if space.enough:
            return (Reading("space", "ok", free),)
        return (Reading("space", "failed", f"{free}; make room on the card"),)

    def _control_health(self) -> tuple[Reading, ...]:
        """Tell whether supervisors can reach the table; try again where they could not."""
        try:
            self.control.open()
        except ControlError as error:
            return (Reading("control", "failed", str(error)),)
        return (Reading("control", "ok", f"listening at {self.config.control.socket}"),)

    def _take_edge(self, edge: Edge) -> None:
        self._inbox.put(edge)

    def _publish(self, shown: TableView) -> None:
        """Tell the feed what was committed. Called by the engine; nothing here waits."""
        self.link.publish_state(view_to_json(shown))
        meters = self.journal.meters
        if meters is not self._published_meters:
            self._published_meters = meters
            self.link.publish_meters(_meters_json(meters))

    def _tell_reader(self, shown: TableView) -> None:
        """Tell a reader that knows only cards where the deal of this round begins."""
        if shown.phase is Phase.DEALING and shown.round_number != self._deal_told:
            self._deal_told = shown.round_number
            self.reader.start_deal(shown.first_spot)


def _encoder(topics: TableTopics) -> Encode:
    def encoded(event: Event, sequence: int, stamp: Stamp) -> OutgoingMessage:
        payload = encode(
            event,
            topics,
            sequence=sequence,
            wall_utc_ns=stamp.wall_utc_ns,
            synchronised=stamp.synchronised,
        )
        return OutgoingMessage(sequence, event_id(topics.table, sequence), event.TYPE, payload)

    return encoded


def _meters_json(meters: Meters) -> bytes:
    return json.dumps({"lifetime": dict(meters.lifetime), "shift": meters.shift}).encode()
