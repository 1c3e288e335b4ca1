"""What the service manager hears of a table, over a socket like systemd's."""

from __future__ import annotations

import configparser
import os
import signal
import socket
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from whole_table import configured, lay_a_bet, running

from firmware_app.feed.link import LinkHealth
from firmware_app.runtime.watchdog import Notifier, Watchdog, Watched, standing
from firmware_app.table.view import TableView

UNIT = Path(__file__).resolve().parents[2] / "systemd" / "fortune-table.service"
WAIT_S = 30.0
SLOW_WRITE_S = 8.0


class Manager:
    """A service manager that writes down what it hears, and when."""

    def __init__(self, address: str) -> None:
        self.address = address
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self._socket.bind("\0" + address[1:] if address.startswith("@") else address)
        self.heard: list[tuple[float, str]] = []

    def listen(self, seconds: float) -> list[str]:
        """Return what is heard within that time."""
        end = time.monotonic() + seconds
        lines: list[str] = []
        while (left := end - time.monotonic()) > 0:
            lines += self._receive(left)
        return lines

    def wait(self, wanted: Callable[[str], bool]) -> str:
        end = time.monotonic() + WAIT_S
        while (left := end - time.monotonic()) > 0:
            for line in self._receive(left):
                if wanted(line):
                    return line
        raise AssertionError(f"not heard in {WAIT_S} s; heard: {self.heard[-5:]}")

    def _receive(self, timeout_s: float) -> list[str]:
        self._socket.settimeout(timeout_s)
        try:
            lines = self._socket.recv(4096).decode().split("\n")
        except TimeoutError:
            return []
        self.heard += [(time.monotonic(), line) for line in lines]
        return lines

    def close(self) -> None:
        self._socket.close()


@pytest.fixture(params=["path", "abstract"])
def any_manager(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Manager]:
    address = (
        f"@fortune-table-{os.getpid()}" if request.param == "abstract" else tmp_path / "notify"
    )
    manager = Manager(str(address))
    yield manager
    manager.close()


@pytest.fixture
def manager(tmp_path: Path) -> Iterator[Manager]:
    manager = Manager(str(tmp_path / "notify"))
    yield manager
    manager.close()


@contextmanager
def table(folder: Path, manager: Manager, journal: str) -> Iterator[subprocess.Popen[str]]:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        config = configured(folder, unused.getsockname()[1])
    with running(config, journal, NOTIFY_SOCKET=manager.address) as process:
        yield process


def limit_s() -> float:
    unit = configparser.RawConfigParser(strict=False)
    unit.optionxform = str  # type: ignore[assignment,method-assign]
    unit.read(UNIT)
    return float(unit["Service"]["WatchdogSec"])


def test_a_table_is_ready_alive_and_stops_in_good_order(tmp_path: Path, manager: Manager) -> None:
    with table(tmp_path, manager, "sound") as process:
        manager.wait(lambda line: line == "READY=1")
        assert not any(line == "WATCHDOG=1" for _, line in manager.heard[:-1])
        lay_a_bet(process)
        status = manager.wait(lambda line: line.startswith("STATUS=round 1 betting"))
        assert "reader lost; feed not connected" in status
        manager.wait(lambda line: line == "WATCHDOG=1")
        process.send_signal(signal.SIGTERM)
        manager.wait(lambda line: line == "STOPPING=1")
        assert process.wait(WAIT_S) == 0
        assert "WATCHDOG=1" not in manager.listen(1.5)


def test_an_engine_that_hangs_is_not_reported_alive(tmp_path: Path, manager: Manager) -> None:
    with table(tmp_path, manager, "hangs") as process:
        manager.wait(lambda line: line == "WATCHDOG=1")
        lay_a_bet(process)
        manager.listen(2.0)  # reports that were already on their way
        assert "WATCHDOG=1" not in manager.listen(4.0)
        assert process.poll() is None, "the table is left to the service manager"


def test_a_card_that_holds_a_write_for_eight_seconds_does_not_stop_the_table(
    tmp_path: Path, manager: Manager
) -> None:
    with table(tmp_path, manager, "slow") as process:
        manager.wait(lambda line: line == "WATCHDOG=1")
        lay_a_bet(process)
        manager.wait(lambda line: line.startswith("STATUS=round 1 betting"))
        manager.wait(lambda line: line == "WATCHDOG=1")
        alive = [at for at, line in manager.heard if line == "WATCHDOG=1"]
        longest = max(after - before for before, after in pairwise(alive))
        assert SLOW_WRITE_S - 2 < longest < limit_s() / 2


def test_a_table_that_cannot_record_its_start_is_not_ready_and_not_given_up(
    tmp_path: Path, manager: Manager
) -> None:
    with table(tmp_path, manager, "full"):
        manager.wait(lambda line: line.startswith("STATUS=") and "free space" in line)
        for _ in range(2):
            manager.wait(lambda line: line.startswith("EXTEND_TIMEOUT_USEC="))
        assert not {"READY=1", "WATCHDOG=1"} & {line for _, line in manager.heard}


# --- the parts by themselves ---------------------------------------------------------------------


class Parts:
    """A table whose parts a test moves by hand."""

    def __init__(self, view: TableView) -> None:
        self.last_turn_ns = 1
        self.next_fact_number = 1
        self.shown = view
        self.engine_lives = self.pins_live = self.is_alive = True
        self.link = LinkHealth(
            alive=True,
            connected=True,
            answer_age_s=1.0,
            unsent=0,
            problem=None,
            restarts=0,
            answer_limit_s=30.0,
        )


def watched(parts: Parts) -> Watched:
    class Engine:
        shown = property(lambda self: parts.shown)
        last_turn_ns = property(lambda self: parts.last_turn_ns)

        def is_alive(self) -> bool:
            return parts.engine_lives

    class Link:
        def health(self) -> LinkHealth:
            return parts.link

    engine: Any = Engine()
    return Watched(engine, parts, parts, Link(), lambda: parts.pins_live)


class Clock:
    def __init__(self) -> None:
        self.now_ns = 0

    def __call__(self) -> int:
        self.now_ns += 1_000_000_000
        return self.now_ns


@pytest.fixture
def parts(start: Any) -> Parts:
    bench = start()
    return Parts(bench.engine.shown)


def turn(watchdog: Watchdog, manager: Manager, parts: Parts) -> list[str]:
    """One second of the main loop, in which the engine comes round."""
    parts.last_turn_ns += 1
    watchdog.feed()
    return [line for line in manager.listen(0.05) if not line.startswith("STATUS=")]


def test_both_kinds_of_address_are_reached(any_manager: Manager) -> None:
    Notifier({"NOTIFY_SOCKET": any_manager.address}).send("READY=1", "STATUS=x")
    assert any_manager.listen(0.2) == ["READY=1", "STATUS=x"]


def test_without_a_manager_or_with_one_that_is_gone_nothing_happens(tmp_path: Path) -> None:
    Notifier({}).send("WATCHDOG=1")
    Notifier({"NOTIFY_SOCKET": str(tmp_path / "gone")}).send("WATCHDOG=1")


def test_ready_waits_for_the_first_record(manager: Manager, parts: Parts) -> None:
    watchdog = Watchdog(
        Notifier({"NOTIFY_SOCKET": manager.address}), watched(parts), clock_ns=Clock()
    )
    assert turn(watchdog, manager, parts) == ["EXTEND_TIMEOUT_USEC=30000000"]
    parts.next_fact_number += 1
    assert turn(watchdog, manager, parts) == ["READY=1", "WATCHDOG=1"]
    assert turn(watchdog, manager, parts) == ["WATCHDOG=1"]


@pytest.mark.parametrize("part", ["engine_lives", "pins_live", "is_alive"])
def test_a_thread_that_has_ended_stops_the_reports(
    manager: Manager, parts: Parts, part: str
) -> None:
    watchdog = Watchdog(
        Notifier({"NOTIFY_SOCKET": manager.address}), watched(parts), clock_ns=Clock()
    )
    parts.next_fact_number += 1
    assert "WATCHDOG=1" in turn(watchdog, manager, parts)
    setattr(parts, part, False)
    assert turn(watchdog, manager, parts) == []


def test_a_feed_that_is_started_again_each_time_stops_no_table_and_one_that_is_not_does(
    manager: Manager, parts: Parts
) -> None:
    watchdog = Watchdog(
        Notifier({"NOTIFY_SOCKET": manager.address}), watched(parts), clock_ns=Clock()
    )
    parts.next_fact_number += 1
    turn(watchdog, manager, parts)
    for restarts in (1, 2, 3):
        parts.link = replace(parts.link, alive=False, restarts=restarts)
        assert turn(watchdog, manager, parts) == ["WATCHDOG=1"]
    assert turn(watchdog, manager, parts) == []


def test_the_line_for_people_is_one_line_of_what_players_may_see(parts: Parts) -> None:
    line = standing(parts.shown, parts.link)
    assert line == "round 0 settled; reader up; feed connected, 0 unsent"
