"""B10: from the last byte of a hand until the broker has acknowledged its event.

The reader hands the line over as a whole, so that its last byte comes with its first.
Against it stands the sum of the bare parts, taken from a bare program that does what any must: a
thread reads the line from the same kind of pseudo-terminal, appends the same entry to a file and
syncs it, and publishes the same message by paho at QoS 1 to the same broker. What lies between the
parts is left out of the sum.

Hands come one at a time, each after the same rest, in both. That matters more than any code: a
processor that has just run a line of code runs it again several times faster than one that comes
back to it, and at a table hands are seconds apart. The reader is a process of its own in both.

The bar is taken on the disk of this machine. A table's disk is a memory card, where a commit is
mostly the waiting for its sync: what that makes of the ratio is told beside it, with syncs in both
that last as long as a card's. A Pi's processor is slower, too, which it does not show.

Medians of single hands. Run as a program; prints one JSON object a line.
"""

from __future__ import annotations

import json
import os
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import NamedTuple

from measure import Measured, report
from paho.mqtt.client import Client
from paho.mqtt.enums import CallbackAPIVersion, MQTTProtocolVersion
from remote_reader import RemoteReader

from firmware_app.assembly import Table
from firmware_app.feed import pump
from firmware_app.feed.demo_broker import HOST, DemoBroker
from firmware_app.feed.settings import parse_broker_url
from firmware_app.journal.packing import messages_of
from firmware_app.journal.reading import open_for_reading
from firmware_app.rules.profile import load_profile
from firmware_app.simulation.deck import shuffled
from firmware_app.simulation.stage import Places, simulated_config
from firmware_app.simulation.watch import Watch
from firmware_app.table.facts import Advanced
from firmware_app.table.values import Phase
from hw.reader.port import open_port
from hw.reader.sentence import Sentence, ack
from hw.reader.settings import ReaderSettings
from hw.sim.panel import SimPanel

HOME = Path(__file__).parents[2] / "out"
"""On the disk of the checkout: where /tmp is in memory, a commit would cost nothing."""
PATIENCE_S = 20.0
REST_S = 0.02
GROUPS = 7
ROUNDS_A_GROUP = 6
POSITIONS = (1, 2, 3, 4, 5, 6, 0)
RULES = "envy"
CARD_SYNC_US = 2_000
"""Cards of class A1 promise 500 random writes a second (SD Physical Layer Specification 5.1)."""
SYNC_TAKES_US = "SYNC_TAKES_US"


def deck_of(seed: int) -> list[str]:
    return [str(card) for card in shuffled(random.Random(seed))]


class TimedTable:
    """A whole table that tells how long each hand took to be acknowledged by the broker."""

    def __init__(self, table: Table, reader: RemoteReader, watch: Watch) -> None:
        self._table = table
        self._reader = reader
        self._watch = watch
        self._done = threading.Event()
        self._done_ns = 0
        self._hands: set[int] = set()
        self._seed = 0
        self._watch_the_feed()

    def group(self) -> float:
        """Deal some rounds; return the median time of a hand, in ns."""
        return statistics.median(
            took_ns for _ in range(ROUNDS_A_GROUP) for took_ns in self._round()
        )

    def _round(self) -> list[int]:
        self._seed += 1
        deck = deck_of(self._seed)
        self._reader.say("start", 1)
        self._until(Phase.DEALING)
        took_ns = [
            self._hand(position, deck[at * 7 : at * 7 + 7]) for at, position in enumerate(POSITIONS)
        ]
        self._reader.say("dealt", 4)
        for phase in (Phase.DEALT, Phase.REVEALED):
            self._until(phase)
            self._table.act(Advanced())
        self._until(Phase.SETTLED)
        return took_ns

    def _hand(self, position: int, cards: Sequence[str]) -> int:
        # Nothing that came before may still be under way, as at a real table.
        if not self._table.link.flush(PATIENCE_S):
            raise RuntimeError("the feed does not come to rest")
        time.sleep(REST_S)
        self._done.clear()
        self._reader.hand(position, cards)
        if not self._done.wait(PATIENCE_S):
            raise RuntimeError("a hand was not acknowledged")
        return self._done_ns - self._reader.sent_at_ns()

    def _until(self, phase: Phase) -> None:
        self._watch.until(lambda view: view.phase is phase, phase.value, PATIENCE_S)

    def _watch_the_feed(self) -> None:
        published, acknowledged = pump.Pump.published, pump.Pump.acknowledged
        hands = self._hands

        def note(self_: pump.Pump, packet_id: int) -> None:
            if self_._page[0].type == "hand-received":
                hands.add(packet_id)
            published(self_, packet_id)

        def stamp(self_: pump.Pump, packet_id: int) -> None:
            now_ns = time.monotonic_ns()
            acknowledged(self_, packet_id)
            if packet_id in hands:
                hands.remove(packet_id)
                self._done_ns = now_ns
                self._done.set()

        pump.Pump.published = note  # type: ignore[assignment, method-assign]
        pump.Pump.acknowledged = stamp  # type: ignore[assignment, method-assign]


@contextmanager
def timed_table(folder: Path, broker: DemoBroker) -> Iterator[TimedTable]:
    """Open a table of the usual parts, its reader in another process."""
    places = Places(folder)
    places.prepare()
    with ExitStack() as stack:
        link = folder / "reader"
        reader = stack.enter_context(RemoteReader(link))
        config = simulated_config(
            RULES, load_profile(RULES), parse_broker_url(broker.url), str(link), places, {}
        )
        panel = SimPanel(config.panel, seed=10)
        stack.callback(panel.pins.close)
        for spot in range(1, config.panel.spots + 1):
            panel.main(spot)
            panel.bet(spot)
        watch = Watch()
        table = stack.enter_context(Table(config, panel.pins, observers=(watch,)))
        timed = TimedTable(table, reader, watch)
        table.start()
        reader.say("hello")
        watch.until(lambda view: view.reader_up, "the reader", PATIENCE_S)
        yield timed


class Parts(NamedTuple):
    """What the parts of one hand took, in ns, and the hand as a whole."""

    read: float
    commit: float
    publish: float
    whole: float

    @property
    def sum(self) -> float:
        return self.read + self.commit + self.publish


class BareProgram:
    """Reads a line, appends ``entry`` to a file and syncs it, publishes ``payload``; no more."""

    def __init__(
        self,
        reader: RemoteReader,
        link: Path,
        file: Path,
        client: Client,
        entry: bytes,
        payload: bytes,
    ) -> None:
        self._reader = reader
        self._port = open_port(ReaderSettings(url=str(link)))
        self._file = os.open(file, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        self._client = client
        self._entry = entry
        self._payload = payload
        self._acknowledged_ns = 0
        self._done = threading.Event()
        self._closing = threading.Event()
        self._read_ns = self._begin_ns = self._committed_ns = 0
        self._thread = threading.Thread(target=self._serve)
        client.on_publish = self._on_publish

    def __enter__(self) -> BareProgram:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._closing.set()
        self._thread.join()
        self._port.close()
        os.close(self._file)

    def group(self) -> Parts:
        """Deal as many hands as a group of the table; return the median time of each part."""
        hands = [self._hand(deck_of(seed)[:7]) for seed in range(ROUNDS_A_GROUP) for _ in POSITIONS]
        return Parts(*(statistics.median(times) for times in zip(*hands, strict=True)))

    def _hand(self, cards: Sequence[str]) -> Parts:
        time.sleep(REST_S)
        self._done.clear()
        self._reader.hand(1, cards)
        if not self._done.wait(PATIENCE_S):
            raise RuntimeError("the bare program does not end")
        sent_ns = self._reader.sent_at_ns()
        return Parts(
            self._read_ns - sent_ns,
            self._committed_ns - self._begin_ns,
            self._acknowledged_ns - self._committed_ns,
            self._acknowledged_ns - sent_ns,
        )

    def _serve(self) -> None:
        line = b""
        while not self._closing.is_set():
            line += self._port.read(self._port.in_waiting or 1)
            if not line.endswith(b"\n"):
                continue
            self._read_ns = time.monotonic_ns()
            sentence, line = Sentence.from_bytes(line), b""
            self._port.write(ack(sentence.seq).to_bytes())
            if sentence.kind == "HAND":
                self._begin_ns = time.monotonic_ns()
                os.write(self._file, self._entry)
                os.fdatasync(self._file)
                self._committed_ns = time.monotonic_ns()
                self._client.publish("bench/hand", self._payload, qos=1)

    def _on_publish(self, *_: object) -> None:
        self._acknowledged_ns = time.monotonic_ns()
        self._done.set()


@contextmanager
def bare_program(
    folder: Path, broker: DemoBroker, entry: bytes, payload: bytes
) -> Iterator[BareProgram]:
    """Open the bare program beside a table at rest."""
    version5 = broker.protocol == "5"
    client = Client(
        CallbackAPIVersion.VERSION2,
        protocol=MQTTProtocolVersion.MQTTv5 if version5 else MQTTProtocolVersion.MQTTv311,
    )
    connected = threading.Event()
    client.on_connect = lambda *_: connected.set()
    link = folder / "bare-reader"
    client.connect(HOST, broker.port)
    client.loop_start()
    try:
        if not connected.wait(PATIENCE_S):
            raise RuntimeError("the broker does not take the bare client")
        with (
            RemoteReader(link) as reader,
            BareProgram(reader, link, folder / "plain", client, entry, payload) as bare,
        ):
            yield bare
    finally:
        client.disconnect()
        client.loop_stop()


def last_hand(journal: Path) -> tuple[bytes, bytes]:
    """Return what the last hand of a journal committed, as a line, and its message."""
    with open_for_reading(journal) as reader:
        for entry in reader.backwards():
            for message in messages_of(entry.told, entry.last_message):
                if message.type == "hand-received":
                    return entry.facts + message.payload + b"\n", message.payload
    raise RuntimeError("no hand in the journal")


def measure(folder: Path, bar: str) -> None:
    """Measure B10 on the disk of ``folder``, and print it as ``bar``."""
    ratios, controls, ours_ns, parts_ns = [], [], [], []
    with DemoBroker() as broker, timed_table(folder, broker) as table:
        table.group()
        entry, payload = last_hand(Places(folder).journal)
        for _ in range(GROUPS):
            first = table.group()
            # Its threads are not to take turns with those of the table.
            with bare_program(folder, broker, entry, payload) as bare:
                parts = bare.group()
            second = table.group()
            ratios.append((first + second) / 2 / parts.sum)
            controls.append(second / first)
            ours_ns += [first, second]
            parts_ns.append(parts)
    report(bar, Measured(statistics.median(ratios), statistics.median(controls)), 1.3)

    def middle_ms(times_ns: Sequence[float]) -> float:
        return round(statistics.median(times_ns) / 1e6, 3)

    # For people, beside the bar.
    figures = {"hand_to_puback_ms": middle_ms(ours_ns)} | {
        f"bare_{name}_ms": middle_ms([getattr(parts, name) for parts in parts_ns])
        for name in Parts._fields
    }
    sys.stderr.write(json.dumps(figures) + "\n")


def measure_on_a_card(folder: Path) -> None:
    """Measure the same in a process whose every sync lasts as long as a card's."""
    compiler = shutil.which("gcc") or shutil.which("cc")
    if compiler is None:
        sys.stderr.write("B10 on a card needs a C compiler; install gcc\n")
        return
    card = folder / "card.so"
    source = Path(__file__).with_name("card.c")
    subprocess.run([compiler, "-O2", "-shared", "-fPIC", source, "-o", card], check=True)
    environment = {"LD_PRELOAD": str(card), SYNC_TAKES_US: str(CARD_SYNC_US)}
    subprocess.run([sys.executable, __file__], env=os.environ | environment, check=True)


def main() -> None:
    HOME.mkdir(exist_ok=True)
    folder = Path(tempfile.mkdtemp(dir=HOME))
    try:
        if SYNC_TAKES_US in os.environ:
            # Of this process alone, and not of the broker and the reader.
            del os.environ["LD_PRELOAD"]
            measure(folder, "B10 on a card")
        else:
            measure(folder, "B10")
            measure_on_a_card(folder)
    finally:
        shutil.rmtree(folder)


if __name__ == "__main__":
    main()
