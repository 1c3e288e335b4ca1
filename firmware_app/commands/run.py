"""``fortune-table run``: the table on its real pins, reader, display and broker."""

from __future__ import annotations

import logging
import os
import signal
import sys
import time
from importlib.metadata import version
from pathlib import Path
from types import FrameType, TracebackType

import click

from firmware_app.assembly import Table
from firmware_app.config import ConfigError, TableConfig, load_config
from firmware_app.journal.errors import JournalError, StorageFull
from firmware_app.runtime.clock import Clock
from firmware_app.runtime.engine import STORAGE_ALARM
from firmware_app.runtime.sign_loop import SignLoop
from firmware_app.runtime.watchdog import START_EXTENDED_US, Notifier, Watchdog, Watched
from firmware_app.signage.theme import ThemeError
from firmware_app.signage.window import SignWindow
from firmware_app.table.view import closed_view
from hw.chips import open_pins
from hw.health import PiHealth
from hw.panel import PanelError
from hw.pin_sources import ChipError, Pins

log = logging.getLogger(__name__)

CANNOT_OPEN = 1
BAD_CONFIGURATION = 2
_AGAIN_NS = 5_000_000_000


@click.command()
@click.option(
    "--config",
    "config_path",
    type=click.Path(dir_okay=False, path_type=Path),
    default=Path("/etc/fortune-table/table.toml"),
    show_default=True,
    help="the table's configuration",
)
@click.option(
    "--accept-new-journal",
    "accepted_by",
    metavar="NAME",
    help="set a damaged journal aside and go on with a new one; NAME is who decided so",
)
def run(config_path: Path, accepted_by: str | None) -> None:
    """Run the table until it is told to stop (SIGTERM or Ctrl-C).

    Exits with 2 and every fault at once where the configuration cannot be used, and with 1 where
    pins or journal cannot be opened. A missing reader, display or broker is waited for.

    A damaged journal keeps the table closed. A supervisor may start once with
    --accept-new-journal: the damaged file is kept beside the new one, numbers go on, and what had
    not reached the broker is sent, as far as it is proven.
    """
    logging.basicConfig(level=logging.INFO, format="%(levelname)s %(name)s: %(message)s")
    try:
        config = load_config(config_path)
    except ConfigError as error:
        for fault in error.faults:
            click.echo(f"{error.path}: {fault}", err=True)
        sys.exit(BAD_CONFIGURATION)
    try:
        if accepted_by is not None:
            _replace_journal(config, accepted_by)
        loop = SignLoop(SignWindow(config.sign, config.game.profile))
        _stop_on_signals(loop)
        with (
            open_pins(config.panel.expander_label) as pins,
            _Operation(config, pins, loop) as table,
        ):
            table.open()
            loop.run(table.turn)
    except (ChipError, PanelError, JournalError, ThemeError) as error:
        click.echo(f"the table cannot open: {error}", err=True)
        sys.exit(CANNOT_OPEN)


def _replace_journal(config: TableConfig, by: str) -> None:
    # Here and not above: once in the life of a card, and no start is to wait for it.
    from firmware_app.journal.recovery import replace_damaged

    clock = Clock(synchronised=lambda: PiHealth().clock().status == "ok")
    replaced = replace_damaged(
        config.journal.path, software=version("fortune-table"), by=by, stamp=clock.stamp()
    )
    click.echo(
        f"the damaged journal ({replaced.fault}) lies in {replaced.set_aside}; the new one goes on "
        f"with fact {replaced.next_fact} and message {replaced.next_message}; "
        f"{replaced.messages_text}",
        err=True,
    )


class _Operation:
    """A table from opening to closing. One that starts on a full card waits, and shows why."""

    def __init__(self, config: TableConfig, pins: Pins, loop: SignLoop) -> None:
        self._config = config
        self._pins = pins
        self._loop = loop
        self._notifier = Notifier(os.environ)
        self._table: Table | None = None
        self._watchdog: Watchdog | None = None
        self._again_ns = 0

    def open(self) -> None:
        """Open the table if the card has room; raise what else keeps it closed."""
        loop = self._loop
        try:
            table = Table(
                self._config,
                self._pins,
                observers=(loop.show,),
                health_of=(loop.health,),
                recall_on_sign=loop.recall,
            )
        except StorageFull as error:
            log.error("the table waits: %s", error)
            self._again_ns = time.monotonic_ns() + _AGAIN_NS
            loop.show(closed_view(self._config.table_rules, STORAGE_ALARM, str(error)))
            return
        self._table = table
        parts = (table.engine, table.journal, table.reader, table.link, self._pins.events_alive)
        self._watchdog = Watchdog(self._notifier, Watched(*parts))
        table.start()

    def turn(self) -> None:
        """Look after the table, or try again to open it."""
        if self._table is not None and self._watchdog is not None:
            self._table.tick()
            self._watchdog.feed()
        elif time.monotonic_ns() >= self._again_ns:
            self._notifier.send(f"EXTEND_TIMEOUT_USEC={START_EXTENDED_US}")
            self.open()

    def __enter__(self) -> _Operation:
        return self

    def __exit__(
        self,
        exc_type: type[BaseException] | None,
        exc: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if self._watchdog is not None:
            self._watchdog.stopping()
        if self._table is not None:
            self._table.close(self._loop.stop_reason if exc_type is None else "failed")


def _stop_on_signals(loop: SignLoop) -> None:
    def stop(number: int, frame: FrameType | None) -> None:
        loop.stop("terminated" if number == signal.SIGTERM else "interrupted")

    # A console that goes away (SIGHUP) is no reason to close the table.
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, stop)
    signal.signal(signal.SIGINT, stop)
