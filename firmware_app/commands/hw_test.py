"""``fortune-table hw-test``: every input, lamp and sentence of a table, live."""

from __future__ import annotations

import json
import signal
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import asdict
from pathlib import Path
from typing import Final, Protocol

import click
from rich.live import Live

from firmware_app.config import ConfigError, TableConfig, load_config
from firmware_app.diagnosis.bench import Bench
from firmware_app.diagnosis.keys import Keys
from firmware_app.diagnosis.lamp_walk import LampWalk
from firmware_app.diagnosis.live_view import screen
from firmware_app.diagnosis.observed import Observed, json_line
from firmware_app.diagnosis.record import Record
from firmware_app.diagnosis.rehearsal import Rehearsal, RehearsalError
from firmware_app.diagnosis.running import table_runs
from hw.chips import open_pins
from hw.panel import PanelError
from hw.pin_sources import ChipError

REFRESH_S: Final = 0.125
"""Eight pictures a second: quick enough for the eye, and little work for a Pi."""

_END_KEY: Final = "q"
_TERMINAL: Final = 0


class _Show(Protocol):
    """What shows the test to somebody."""

    def take(self, observed: Sequence[Observed]) -> None: ...
    def refresh(self) -> None: ...
    def finish(self) -> None: ...


@click.command("hw-test")
@click.option(
    "--config",
    "path",
    required=True,
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="The table's configuration.",
)
@click.option("--lamps", is_flag=True, help="Light the lamps one after the other.")
@click.option(
    "--seconds", type=click.FloatRange(min=0, min_open=True), help="End after so long; else at q."
)
@click.option("--simulate", is_flag=True, help="Try it on simulated pins and a simulated reader.")
@click.option("--json", "as_json", is_flag=True, help="Each event as an object, a line.")
def hw_test(path: Path, lamps: bool, seconds: float | None, simulate: bool, as_json: bool) -> None:
    """Watch every input, lamp and sentence of a table while somebody works them.

    For each input: its level, the edges counted (bounces included), the time since the last one,
    and whether it is stuck. Keys: a spot's number switches its lamp, l walks through the lamps,
    q ends. Only for a table that is stopped; meters and journal are not touched.
    """
    try:
        config = load_config(path)
    except ConfigError as error:
        for fault in error.faults:
            click.echo(f"{path}: {fault}", err=True)
        raise click.exceptions.Exit(2) from error
    begun_ns = time.monotonic_ns()
    walk = LampWalk(config.panel.lamps, walking_since_ns=begun_ns if lamps else None)
    record = Record.of([line.name for line in config.panel.inputs], config.panel.lamps)
    try:
        with _ended_by_signals(), ExitStack() as opened:
            bench = _bench(config, opened, simulate=simulate)
            show: _Show
            if as_json:
                show = _Lines(bench, record, begun_ns)
            else:
                show = _Screen(bench, record, opened.enter_context(Live(auto_refresh=False)))
            keys = opened.enter_context(Keys(_TERMINAL))
            try:
                _watch(bench, show, keys.pressed, walk, seconds)
            finally:
                show.finish()
    except (ChipError, RehearsalError) as error:
        raise click.ClickException(str(error)) from error
    except PanelError as error:
        raise click.ClickException("\n".join(error.faults)) from error


@contextmanager
def _ended_by_signals() -> Iterator[None]:
    """End in good order when asked to, and when the terminal is gone: a lamp may be lit, and a
    pin keeps its level when the process that set it is no more."""
    # SIGINT too: what a script starts in the background inherits that it is ignored.
    numbers = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    before = [signal.signal(number, signal.default_int_handler) for number in numbers]
    try:
        with suppress(KeyboardInterrupt):
            yield
    finally:
        for number, handler in zip(numbers, before, strict=True):
            signal.signal(number, handler)


def _bench(config: TableConfig, opened: ExitStack, *, simulate: bool) -> Bench:
    reader = config.reader
    if simulate:
        rehearsal = opened.enter_context(Rehearsal(config.panel, config.reader))
        pins, reader = rehearsal.pins, rehearsal.reader
    else:
        _refuse_beside_the_table(config.journal.path)
        pins = opened.enter_context(open_pins(config.panel.expander_label))
    pulses = config.game.wager_source == "pulses"
    bench = opened.enter_context(Bench(config.panel, reader, pins, count_pulses=pulses))
    if simulate:
        rehearsal.start()
    return bench


def _refuse_beside_the_table(journal: Path) -> None:
    try:
        running = table_runs(journal)
    except OSError as error:
        raise click.ClickException(
            f"{journal}.mark: {error.strerror}, so that nobody can tell whether the table runs; "
            "run as the service's user"
        ) from error
    if running:
        raise click.ClickException(
            "the table is running and holds its pins and its reader; stop it first: "
            "systemctl stop fortune-table"
        )


def _watch(
    bench: Bench,
    show: _Show,
    pressed: Callable[[], str],
    walk: LampWalk,
    seconds: float | None,
) -> None:
    end_s = None if seconds is None else time.monotonic() + seconds
    refresh_s = 0.0
    while end_s is None or time.monotonic() < end_s:
        show.take(bench.turn(REFRESH_S))
        for key in pressed():
            if key == _END_KEY:
                return
            walk.press(key, time.monotonic_ns())
        show.take(bench.show(walk.lit(time.monotonic_ns())))
        if time.monotonic() >= refresh_s:
            refresh_s = time.monotonic() + REFRESH_S
            show.refresh()


class _Screen:
    """The live view of a terminal."""

    def __init__(self, bench: Bench, record: Record, live: Live) -> None:
        self._bench = bench
        self._record = record
        self._live = live

    def take(self, observed: Sequence[Observed]) -> None:
        self._record.take(observed)

    def refresh(self) -> None:
        notes = []
        if unreadable := self._bench.unreadable():
            notes.append(unreadable)
        if lost := self._bench.lost_edges:
            notes.append(f"{lost} changes came without an edge; check the pins' kernel driver")
        view = screen(self._record, self._bench.statistics(), time.monotonic_ns(), tuple(notes))
        self._live.update(view, refresh=True)

    def finish(self) -> None:
        self.refresh()


class _Lines:
    """Events for a program, a line each; the last one sums up."""

    def __init__(self, bench: Bench, record: Record, begun_ns: int) -> None:
        self._bench = bench
        self._record = record
        self._begun_ns = begun_ns

    def take(self, observed: Sequence[Observed]) -> None:
        self._record.take(observed)
        for event in observed:
            click.echo(json_line(event, self._begun_ns))

    def refresh(self) -> None:
        sys.stdout.flush()

    def finish(self) -> None:
        lines = {name: asdict(line) for name, line in self._record.lines.items()}
        for line in lines.values():
            del line["moved_ns"]
        reader = asdict(self._bench.statistics())
        click.echo(json.dumps({"event": "summary", "lines": lines, "reader": reader}))
