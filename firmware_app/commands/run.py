"""``fortune-table run``: the table on its real pins, reader, display and broker."""

from __future__ import annotations

import logging
import os
import signal
import sys
from importlib.metadata import version
from pathlib import Path
from types import FrameType

import click

from firmware_app.assembly import Table
from firmware_app.config import ConfigError, TableConfig, load_config
from firmware_app.journal.errors import JournalError
from firmware_app.journal.recovery import replace_damaged
from firmware_app.runtime.clock import Clock
from firmware_app.runtime.sign_loop import SignLoop
from firmware_app.runtime.watchdog import Notifier, Watchdog, Watched
from firmware_app.signage.theme import ThemeError
from firmware_app.signage.window import SignWindow
from hw.chips import open_pins
from hw.health import PiHealth
from hw.panel import PanelError
from hw.pin_sources import ChipError, Pins

CANNOT_OPEN = 1
BAD_CONFIGURATION = 2


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
    --accept-new-journal: the damaged file is kept beside the new one, and numbers go on.
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
        pins = open_pins(config.panel.expander_label)
        with pins, Table(config, pins, observers=(loop.show,), health_of=(loop.health,)) as table:
            watchdog = Watchdog(Notifier(os.environ), _watched(table, pins))
            table.start()
            try:
                loop.run(lambda: _turn(table, watchdog))
            finally:
                watchdog.stopping()
    except (ChipError, PanelError, JournalError, ThemeError) as error:
        click.echo(f"the table cannot open: {error}", err=True)
        sys.exit(CANNOT_OPEN)


def _replace_journal(config: TableConfig, by: str) -> None:
    clock = Clock(synchronised=lambda: PiHealth().clock().status == "ok")
    replaced = replace_damaged(
        config.journal.path, software=version("fortune-table"), by=by, stamp=clock.stamp()
    )
    click.echo(
        f"the damaged journal ({replaced.fault}) lies in {replaced.set_aside}; the new one goes on "
        f"with fact {replaced.next_fact} and message {replaced.next_message}; "
        f"{replaced.unsent} messages had not reached the broker",
        err=True,
    )


def _watched(table: Table, pins: Pins) -> Watched:
    return Watched(table.engine, table.journal, table.reader, table.link, pins.events_alive)


def _turn(table: Table, watchdog: Watchdog) -> None:
    table.tick()
    watchdog.feed()


def _stop_on_signals(loop: SignLoop) -> None:
    def stop(number: int, frame: FrameType | None) -> None:
        loop.stop()

    # A console that goes away (SIGHUP) is no reason to close the table.
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, stop)
    signal.signal(signal.SIGINT, stop)
