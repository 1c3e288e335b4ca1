"""B15: what a running table takes above the libraries that it is made of.

The memory of ``fortune-table run`` on simulated pins, connected to a broker and at rest, and the
time from its start until its first entry is committed, against a process that only imports the
libraries it uses. The sign is painted in a process of its own, which alone has pygame; its memory
is told beside the bars, as are the times of both processes.

Run as a program; prints one JSON object a line.
"""

from __future__ import annotations

import json
import os
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from measure import Measured, report

from firmware_app.feed.demo_broker import DemoBroker

HOME = Path(__file__).parents[2] / "out"
"""On the disk of the checkout: where /tmp is in memory, a commit would cost nothing."""
PATIENCE_S = 20.0

STARTS = 7
AT_REST_S = 3.0

LIBRARIES = """
import importlib, sys, time
for name in sys.argv[1].split():
    importlib.import_module(name)
print(time.monotonic_ns(), flush=True)
input()
"""

TABLE = """
import sys, time
from firmware_app import cli
cli.cli.get_command(None, "run")
from firmware_app.commands import run as run_module
from firmware_app.journal.store import Journal
from hw.sim.panel import SimPanel

append = Journal.append

def timed(self, facts, *rest, **named):
    append(self, facts, *rest, **named)
    if facts:
        now_ns = time.monotonic_ns()
        Journal.append = append
        ours = ("firmware_app", "hw", "__main__")
        print(now_ns, *(name for name in sys.modules if name.partition(".")[0] not in ours))
        sys.stdout.flush()

Journal.append = timed
load = run_module.load_config

def opened(path):
    # The simulated pins need to know the panel; the table reads its configuration once.
    config = load(path)
    run_module.open_pins = lambda expander: SimPanel(config.panel).pins
    return config

run_module.load_config = opened
cli.main()
"""

CONFIG = """
[game]
rules = "envy"
occupied_by = "fortune-bet"
[panel]
spots = 6
[reader]
url = "{folder}/no-reader"
[mqtt]
host = "127.0.0.1"
port = {port}
protocol = "{protocol}"
site = "bench"
table = "t15"
[sign]
driver = "dummy"
size = "1280x720"
[journal]
path = "{folder}/journal.sqlite3"
reserve_mib = 1
[control]
socket = "{folder}/control.sock"
"""


@dataclass(frozen=True)
class Start:
    """One start of a process: seconds until it was there, and its memory in KiB.

    ``libraries`` names what a table has imported by then that is not its own, in its order.
    """

    seconds: float
    resident_kib: int
    children_kib: int = 0
    told_ready_s: float = 0.0
    libraries: str = ""


def compiled_in(folder: Path) -> dict[str, str]:
    """Return the environment in which compiled code is kept, as the package's installation does."""
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    return kept | {"PYTHONPYCACHEPREFIX": str(folder / "compiled")}


def bare_start(folder: Path, names: str) -> Start:
    begin_ns = time.monotonic_ns()
    process = subprocess.Popen(
        [sys.executable, "-c", LIBRARIES, names],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env=compiled_in(folder),
    )
    assert process.stdout is not None
    end_ns = int(process.stdout.readline())
    memory = resident_kib(process.pid)
    process.communicate(b"\n")
    return Start((end_ns - begin_ns) / 1e9, memory)


def table_start(home: Path, broker: DemoBroker) -> Start:
    folder = Path(tempfile.mkdtemp(dir=home))
    config = folder / "table.toml"
    config.write_text(
        CONFIG.format(folder=folder, port=broker.port, protocol=broker.protocol), "utf-8"
    )
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager:
        manager.bind("\0" + f"bench-table-{os.getpid()}")
        manager.settimeout(PATIENCE_S)
        begin_ns = time.monotonic_ns()
        process = subprocess.Popen(
            [sys.executable, "-c", TABLE, "run", "--config", str(config)],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={**compiled_in(home), "NOTIFY_SOCKET": f"@bench-table-{os.getpid()}"},
        )
        try:
            assert process.stdout is not None
            end_ns, names = process.stdout.readline().decode().split(maxsplit=1)
            while b"READY=1" not in manager.recv(4096):
                continue
            ready_ns = time.monotonic_ns()
            time.sleep(AT_REST_S)
            return Start(
                (int(end_ns) - begin_ns) / 1e9,
                resident_kib(process.pid),
                sum(resident_kib(child) for child in children(process.pid)),
                (ready_ns - begin_ns) / 1e9,
                names,
            )
        finally:
            process.terminate()
            process.communicate()


def resident_kib(pid: int) -> int:
    for line in Path(f"/proc/{pid}/status").read_text("utf-8").splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1])
    raise RuntimeError(f"process {pid} has no memory")


def children(pid: int) -> list[int]:
    tasks = Path(f"/proc/{pid}/task").glob("*/children")
    return [int(child) for task in tasks for child in task.read_text("utf-8").split()]


def start_and_memory(folder: Path) -> None:
    """Measure B15 and print it."""
    tables: list[tuple[Start, Start]] = []
    bares: list[Start] = []
    with DemoBroker() as broker:
        # Once each before it counts, to compile.
        names = table_start(folder, broker).libraries
        bare_start(folder, names)
        for _ in range(STARTS):
            first, bare = table_start(folder, broker), bare_start(folder, names)
            tables.append((first, table_start(folder, broker)))
            bares.append(bare)

    def bar(of: Callable[[Start], float]) -> Measured:
        return Measured(
            statistics.median(
                (of(first) + of(second)) / 2 / of(bare)
                for (first, second), bare in zip(tables, bares, strict=True)
            ),
            statistics.median(of(second) / of(first) for first, second in tables),
        )

    def middle(starts: Sequence[Start], of: Callable[[Start], float]) -> float:
        return round(statistics.median(of(start) for start in starts), 3)

    report("B15 memory", bar(lambda start: start.resident_kib), 1.5)
    report("B15 ready", bar(lambda start: start.seconds), 2)
    every = [start for pair in tables for start in pair]
    tell(
        {
            "table_mib": round(middle(every, lambda start: start.resident_kib / 1024), 1),
            "libraries_mib": round(middle(bares, lambda start: start.resident_kib / 1024), 1),
            "painting_process_mib": round(
                middle(every, lambda start: start.children_kib / 1024), 1
            ),
            "first_entry_s": middle(every, lambda start: start.seconds),
            "told_ready_s": middle(every, lambda start: start.told_ready_s),
            "libraries_s": middle(bares, lambda start: start.seconds),
        }
    )


def tell(figures: dict[str, Any]) -> None:
    """Print figures for people, beside the bars."""
    sys.stderr.write(json.dumps(figures) + "\n")


def main() -> None:
    HOME.mkdir(exist_ok=True)
    folder = Path(tempfile.mkdtemp(dir=HOME))
    try:
        start_and_memory(folder)
    finally:
        shutil.rmtree(folder)


if __name__ == "__main__":
    main()
