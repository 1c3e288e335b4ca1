"""B10 and B15: what a whole table costs above the bare parts that it is made of.

B10: from before the reader sends a hand until the broker has acknowledged its event. Against it
stands the sum of a line read from a pseudo-terminal by a thread that waits for it, the same entry
appended to a file and synced, and the same message published by paho at QoS 1, to the same broker.
Medians of single hands.

B15: the memory of ``fortune-table run`` on simulated pins, connected to a broker and at rest, and
the time from its start until its first entry is committed, against a process that only imports the
libraries it uses. The sign is painted in a process of its own, which alone has pygame; its memory
is told beside the bars, as are the times of both processes.

Run as a program; prints one JSON object a line.
"""

from __future__ import annotations

import json
import os
import random
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from measure import Measured, report
from paho.mqtt.client import Client
from paho.mqtt.enums import CallbackAPIVersion, MQTTProtocolVersion

from firmware_app.feed import pump
from firmware_app.feed.demo_broker import HOST, DemoBroker
from firmware_app.journal.packing import messages_of
from firmware_app.journal.reading import open_for_reading
from firmware_app.simulation.deck import shuffled
from firmware_app.simulation.stage import Places, Stage
from firmware_app.table.facts import Advanced
from firmware_app.table.values import Phase
from hw.reader.port import open_port
from hw.reader.sentence import Sentence
from hw.reader.settings import ReaderSettings
from hw.sim.pty_port import PtyPort

HOME = Path(__file__).parents[2] / "out"
"""On the disk of the checkout: where /tmp is in memory, a commit would cost nothing."""
PATIENCE_S = 20.0

# --- B10: a hand from the reader to the broker --------------------------------------------------

GROUPS = 7
ROUNDS_A_GROUP = 6
POSITIONS = (1, 2, 3, 4, 5, 6, 0)


class TimedTable:
    """A whole table that tells how long each hand took to be acknowledged by the broker."""

    def __init__(self, stage: Stage) -> None:
        self._stage = stage
        self._sent_ns = 0
        self._done = threading.Event()
        self._took_ns = 0
        self._hands: set[int] = set()
        self._seed = 0
        self._watch_the_line()
        self._watch_the_feed()

    def group(self) -> float:
        """Deal some rounds; return the median time of a hand, in ns."""
        took_ns: list[int] = []
        for _ in range(ROUNDS_A_GROUP):
            took_ns += self._round()
        return statistics.median(took_ns)

    def _round(self) -> list[int]:
        self._seed += 1
        deck = shuffled(random.Random(self._seed))
        self._stage.reader.start(1)
        self._until(Phase.DEALING)
        took_ns = [
            self._hand(position, [str(card) for card in deck[at * 7 : at * 7 + 7]])
            for at, position in enumerate(POSITIONS)
        ]
        self._stage.reader.dealt(4)
        for phase in (Phase.DEALT, Phase.REVEALED):
            self._until(phase)
            self._stage.table.act(Advanced())
        self._until(Phase.SETTLED)
        return took_ns

    def _hand(self, position: int, cards: Sequence[str]) -> int:
        # Nothing that came before may still be under way, as at a real table.
        if not self._stage.table.link.flush(PATIENCE_S):
            raise RuntimeError("the feed does not come to rest")
        self._done.clear()
        self._stage.reader.hand(position, cards)
        if not self._done.wait(PATIENCE_S):
            raise RuntimeError("a hand was not acknowledged")
        return self._took_ns

    def _until(self, phase: Phase) -> None:
        self._stage.watch.until(lambda view: view.phase is phase, phase.value, PATIENCE_S)

    def _watch_the_line(self) -> None:
        port: PtyPort = self._stage.reader._port
        write = port.write

        def timed(data: bytes) -> None:
            if b"HAND" in data:
                self._sent_ns = time.perf_counter_ns()
            write(data)

        port.write = timed  # type: ignore[method-assign]

    def _watch_the_feed(self) -> None:
        published, acknowledged = pump.Pump.published, pump.Pump.acknowledged
        hands = self._hands

        def note(self_: pump.Pump, packet_id: int) -> None:
            if self_._page[0].type == "hand-received":
                hands.add(packet_id)
            published(self_, packet_id)

        def stamp(self_: pump.Pump, packet_id: int) -> None:
            now_ns = time.perf_counter_ns()
            acknowledged(self_, packet_id)
            if packet_id in hands:
                hands.remove(packet_id)
                self._took_ns = now_ns - self._sent_ns
                self._done.set()

        pump.Pump.published = note  # type: ignore[assignment, method-assign]
        pump.Pump.acknowledged = stamp  # type: ignore[assignment, method-assign]


@dataclass(frozen=True)
class Bare:
    """The parts without a table around them; each returns the ns that it took."""

    read: Callable[[], int]
    commit: Callable[[], int]
    publish: Callable[[], int]

    def group(self) -> tuple[float, float, float]:
        """Return the median time of each part, taken in turn with the others, in ns."""
        hands = ROUNDS_A_GROUP * len(POSITIONS)
        taken = [(self.read(), self.commit(), self.publish()) for _ in range(hands)]
        read, commit, publish = (statistics.median(times) for times in zip(*taken, strict=True))
        return read, commit, publish


@contextmanager
def bare_parts(folder: Path, broker: DemoBroker, line: bytes, payload: bytes) -> Iterator[Bare]:
    """Open what the bare parts need. ``line`` is what is committed, ``payload`` published."""
    cable = PtyPort()
    port = open_port(ReaderSettings(url=cable.path))
    version5 = broker.protocol == "5"
    client = Client(
        CallbackAPIVersion.VERSION2,
        protocol=MQTTProtocolVersion.MQTTv5 if version5 else MQTTProtocolVersion.MQTTv311,
    )
    file = os.open(folder / "plain", os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    end_ns, there, closing = 0, threading.Event(), threading.Event()

    def mark(*_: object) -> None:
        nonlocal end_ns
        end_ns = time.perf_counter_ns()
        there.set()

    def wait(begin_ns: int) -> int:
        if not there.wait(PATIENCE_S):
            raise RuntimeError("a bare part does not end")
        there.clear()
        return end_ns - begin_ns

    def read_lines() -> None:
        got = b""
        while not closing.is_set():
            got += port.read(port.in_waiting or 1)
            if got.endswith(b"\n"):
                got = b""
                mark()

    cards = " ".join(str(card) for card in shuffled(random.Random(10))[:7])
    sentence = Sentence(1, "HAND", ("1", cards)).to_bytes()

    def read() -> int:
        begin_ns = time.perf_counter_ns()
        cable.write(sentence)
        return wait(begin_ns)

    def commit() -> int:
        begin_ns = time.perf_counter_ns()
        os.write(file, line)
        os.fdatasync(file)
        return time.perf_counter_ns() - begin_ns

    def publish() -> int:
        begin_ns = time.perf_counter_ns()
        client.publish("bench/hand", payload, qos=1)
        return wait(begin_ns)

    reader = threading.Thread(target=read_lines)
    connected = threading.Event()
    client.on_connect = lambda *_: connected.set()
    client.on_publish = mark
    try:
        reader.start()
        client.connect(HOST, broker.port)
        client.loop_start()
        if not connected.wait(PATIENCE_S):
            raise RuntimeError("the broker does not take the bare client")
        yield Bare(read, commit, publish)
    finally:
        closing.set()
        client.disconnect()
        client.loop_stop()
        reader.join()
        port.close()
        cable.unplug()
        os.close(file)


def last_hand(journal: Path) -> tuple[bytes, bytes]:
    """Return what the last hand of a journal committed, as a line, and its message."""
    with open_for_reading(journal) as reader:
        for entry in reader.backwards():
            for message in messages_of(entry.told, entry.last_message):
                if message.type == "hand-received":
                    return entry.facts + message.payload + b"\n", message.payload
    raise RuntimeError("no hand in the journal")


def hand_to_broker(folder: Path) -> None:
    """Measure B10 and print it."""
    places = Places(folder / "table")
    places.prepare()
    with (
        DemoBroker() as broker,
        Stage("envy", places, seed=10, broker_url=broker.url, sign={}, subscribe=False) as stage,
    ):
        for spot in (1, 2, 3, 4, 5, 6):
            stage.panel.main(spot)
            stage.panel.bet(spot)
        stage.start()
        table = TimedTable(stage)
        table.group()
        line, payload = last_hand(places.journal)
        ratios, controls, ours_ns, parts_ns = [], [], [], []
        for _ in range(GROUPS):
            first = table.group()
            # Its threads are not to take turns with those of the table.
            with bare_parts(folder, broker, line, payload) as bare:
                parts = bare.group()
            second = table.group()
            ratios.append((first + second) / 2 / sum(parts))
            controls.append(second / first)
            ours_ns += [first, second]
            parts_ns.append(parts)
    report("B10", Measured(statistics.median(ratios), statistics.median(controls)), 1.3)
    names = ("serial_read", "commit", "publish")
    tell(
        {
            "hand_to_puback_ms": round(statistics.median(ours_ns) / 1e6, 3),
            **{
                f"{name}_ms": round(statistics.median(times) / 1e6, 3)
                for name, times in zip(names, zip(*parts_ns, strict=True), strict=True)
            },
        }
    )


# --- B15: memory and start ----------------------------------------------------------------------

STARTS = 7
AT_REST_S = 3.0

LIBRARIES = """
import click, serial
from cloudevents.core.formats.json import JSONFormat
from cloudevents.core.v1.event import CloudEvent
from gpiozero import Factory
from gpiozero.pins.mock import MockFactory
from paho.mqtt.client import Client
from pydantic import BaseModel, TypeAdapter, ValidationError
import time
print(time.monotonic_ns(), flush=True)
input()
"""

TABLE = """
import sys, time
from pathlib import Path
from firmware_app import cli
cli.cli.get_command(None, "run")
from firmware_app.commands import run as run_module
from firmware_app.journal.store import Journal
from hw.sim.panel import SimPanel

append = Journal.append

def timed(self, facts, *rest, **named):
    append(self, facts, *rest, **named)
    if facts:
        print(time.monotonic_ns(), flush=True)
        Journal.append = append

Journal.append = timed
config = Path(sys.argv[-1])
run_module.open_pins = lambda expander: SimPanel(run_module.load_config(config).panel).pins
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
    """One start of a process: seconds until it was there, and its memory in KiB."""

    seconds: float
    resident_kib: int
    children_kib: int = 0
    told_ready_s: float = 0.0


def compiled_in(folder: Path) -> dict[str, str]:
    """Return the environment in which compiled code is kept, as the package's installation does."""
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    return kept | {"PYTHONPYCACHEPREFIX": str(folder / "compiled")}


def bare_start(folder: Path) -> Start:
    begin_ns = time.monotonic_ns()
    process = subprocess.Popen(
        [sys.executable, "-c", LIBRARIES],
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
            end_ns = int(process.stdout.readline())
            while b"READY=1" not in manager.recv(4096):
                continue
            ready_ns = time.monotonic_ns()
            time.sleep(AT_REST_S)
            return Start(
                (end_ns - begin_ns) / 1e9,
                resident_kib(process.pid),
                sum(resident_kib(child) for child in children(process.pid)),
                (ready_ns - begin_ns) / 1e9,
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
        bare_start(folder)
        table_start(folder, broker)
        for _ in range(STARTS):
            first, bare = table_start(folder, broker), bare_start(folder)
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
        hand_to_broker(folder)
        start_and_memory(folder)
    finally:
        shutil.rmtree(folder)


if __name__ == "__main__":
    main()
