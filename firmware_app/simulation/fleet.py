"""A floor of tables on one machine, to try a broker and its consumers before the real ones come.

Every table is the real link with real events; there are only many of them in a process. One
reader takes what all of them tell, and says how late it came and whether all of it did.
"""

from __future__ import annotations

import multiprocessing
import os
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection
from typing import Any

from firmware_app.feed.connection import connect, new_client
from firmware_app.feed.settings import BrokerSettings, FeedSettings
from firmware_app.simulation.fleet_reader import Heard, run_reader
from firmware_app.simulation.fleet_share import Share, Told, run_share
from firmware_app.simulation.rounds import deal_rounds

SITE = "fleet"
_PROCESSES = max(1, min(4, os.cpu_count() or 1))
_ANSWER_S = 150.0
_LEAVE_S = 30.0
_SWEEP_S = 5.0


class FleetError(RuntimeError):
    """The fleet cannot run. The message says what to look at."""


@dataclass(frozen=True, slots=True)
class Wish:
    """What fleet is wanted: ``rate`` events a second from each of ``tables``, for ``seconds``.

    ``whole`` of them have the real link, all where it is None; the others are only load.
    """

    broker: BrokerSettings
    tables: int
    rate: float
    seconds: float
    whole: int | None = None
    rules: str = "envy"
    site: str = SITE

    @property
    def whole_tables(self) -> int:
        return self.tables if self.whole is None else min(self.whole, self.tables)


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of the events. Lateness in ms, from the table's record to the reader."""

    tables: int
    told: int
    seconds: float
    p50_ms: float
    p99_ms: float
    worst_ms: float
    lost: int
    repeats: int
    out_of_order: int
    problems: tuple[str, ...]

    @property
    def complete(self) -> bool:
        return not (self.lost or self.out_of_order or self.problems)


def run_fleet(wish: Wish) -> Outcome:
    """Run the fleet, and return what its reader found.

    Raises :class:`FleetError` where the tables or the reader do not reach the broker, and
    :class:`~firmware_app.rules.profile.ProfileError` for rules that there are not.
    """
    next(deal_rounds(wish.rules, seed=1))
    if wish.whole_tables < wish.tables and (wish.broker.tls or wish.broker.username):
        raise FleetError("tables that are only load know neither TLS nor passwords: take all whole")
    with _reader(wish) as reader, _shares(wish) as shares:
        connected = sum(share.answer() for share in shares)
        if connected < wish.tables:
            raise FleetError(
                f"only {connected} of {wish.tables} tables are connected to broker "
                f"{wish.broker.address}: look at its log, and at its limit of open files"
            )
        begin_s = time.monotonic()
        for share in shares:
            share.tell("play")
        told: list[Told] = [
            table for share in shares for table in share.answer(wish.seconds + _ANSWER_S)
        ]
        took_s = time.monotonic() - begin_s
        reader.tell({table.source: table.events for table in told})
        heard: Heard = reader.answer()
        for share in shares:
            share.tell("leave")
    _sweep(wish)
    total = sum(table.events for table in told)
    problems = {f"{table.source}: {table.problem}" for table in told if table.problem}
    return Outcome(
        tables=wish.tables,
        told=total,
        seconds=took_s,
        p50_ms=heard.late_ms(0.5),
        p99_ms=heard.late_ms(0.99),
        worst_ms=heard.late_ms(1),
        lost=total - heard.received,
        repeats=heard.repeats,
        out_of_order=heard.out_of_order,
        problems=tuple(sorted(problems | set(heard.faults))),
    )


@contextmanager
def _reader(wish: Wish) -> Iterator[_Line]:
    with _process(run_reader, wish.broker, wish.site) as line:
        problem = line.answer()
        if problem is not None:
            raise FleetError(f"the reader: {problem}")
        yield line


@contextmanager
def _shares(wish: Wish) -> Iterator[list[_Line]]:
    tables = [_settings(wish, number) for number in range(1, wish.tables + 1)]
    whole, load = tables[: wish.whole_tables], tables[wish.whole_tables :]
    processes = min(_PROCESSES, len(whole))
    parts = [(whole[n::processes], True) for n in range(processes)]
    if load:
        parts.append((load, False))
    with ExitStack() as stack:
        yield [
            stack.enter_context(
                _process(
                    run_share,
                    Share(tuple(part), is_whole, wish.rules, wish.rate, wish.seconds),
                )
            )
            for part, is_whole in parts
        ]


def _settings(wish: Wish, number: int) -> FeedSettings:
    return FeedSettings.model_validate(
        wish.broker.model_dump() | {"site": wish.site, "table": f"table-{number:04d}"}
    )


def _sweep(wish: Wish) -> None:
    """Take back what the tables have left retained: the broker is somebody's."""
    client = new_client(wish.broker, f"fpg-fleet-{os.getpid()}")
    connect(client, wish.broker, keepalive_s=60, expiry_s=0, timeout_s=_SWEEP_S)
    client.loop_start()
    swept = [
        client.publish(_settings(wish, number).topics.status, b"", qos=1, retain=True)
        for number in range(1, wish.whole_tables + 1)
    ]
    with suppress(RuntimeError, ValueError):
        for message in swept:
            message.wait_for_publish(_SWEEP_S)
    client.disconnect()
    client.loop_stop()


class _Line:
    """Talks to a process of the fleet."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def tell(self, word: object) -> None:
        self._connection.send(word)

    def answer(self, timeout_s: float = _ANSWER_S) -> Any:
        """Return what the process says. Raises :class:`FleetError` where it does not."""
        try:
            if self._connection.poll(timeout_s):
                return self._connection.recv()
        except (EOFError, OSError):
            raise FleetError("a process of the fleet has ended; see above why") from None
        raise FleetError(f"a process of the fleet does not answer within {timeout_s:.0f} s")


@contextmanager
def _process(work: Callable[..., None], *arguments: object) -> Iterator[_Line]:
    # Spawned, not forked: nothing of this process, threads and locks, is carried over.
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    process = context.Process(target=work, args=(*arguments, theirs), daemon=True)
    process.start()
    theirs.close()
    try:
        yield _Line(ours)
        process.join(_LEAVE_S)
    finally:
        ours.close()
        if process.is_alive():
            process.kill()
        process.join()
