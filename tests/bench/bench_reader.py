"""B13: what reading hands costs above reading bytes, and how many of 100,000 are lost.

The time is that of one sentence over a pseudo-terminal, from before it is written until the signal
is there, against the same pyserial calls without any of our code. Run as a program; prints one
JSON object a line.
"""

from __future__ import annotations

import itertools
import json
import random
import statistics
import sys
import time
from collections.abc import Callable, Iterator

from measure import Measured, report

from hw.reader.link import ReaderLink
from hw.reader.port import Port, open_port
from hw.reader.sentence import SEQUENCE_NUMBERS, Sentence
from hw.reader.session import NativeSession
from hw.reader.settings import ReaderSettings
from hw.signals import HandRead, ReaderSignal
from hw.sim.pty_port import PtyPort
from hw.sim.reader import SimReader
from hw.sim.reader_device import ReaderFaults

ROUNDS = 7
SENTENCES_A_ROUND = 2_000
HANDS = 100_000
DECK = [rank + suit for rank in "23456789TJQKA" for suit in "SHDC"] + ["JK"]
BAD_LINE = ReaderFaults(noise=0.01, cut=0.01, damage=0.01, repeat=0.01, deaf=0.01)

Read = Callable[[bytes], int]
"""Send one sentence and read it; returns when it was there, in ns."""


def hand(rng: random.Random) -> tuple[int, tuple[str, ...]]:
    return rng.randrange(9), tuple(rng.sample(DECK, 7))


def raw_reader(cable: PtyPort, port: Port) -> Read:
    def read(raw: bytes) -> int:
        cable.write(raw)
        got = b""
        while not got.endswith(b"\n"):
            got += port.read(port.in_waiting or 1)
        return time.perf_counter_ns()

    return read


def parsed_reader(cable: PtyPort, port: Port) -> Read:
    arrived_ns: list[int] = []

    def take(_: ReaderSignal) -> None:
        arrived_ns.append(time.perf_counter_ns())

    session = NativeSession(take)
    session.opened(time.monotonic_ns())

    def read(raw: bytes) -> int:
        arrived_ns.clear()
        cable.write(raw)
        answer = b""
        while not answer:
            answer = session.receive(port.read(port.in_waiting or 1), time.monotonic_ns())
        # The signal is stamped; the answer is the business of the next sentence, not of this one.
        port.write(answer)
        cable.read()
        return arrived_ns[-1]

    return read


def hand_sentences() -> Iterator[bytes]:
    """Hands without end, numbered as the protocol wants it."""
    rng = random.Random(13)
    for number in itertools.count():
        position, cards = hand(rng)
        fields = (str(position), " ".join(cards))
        yield Sentence(number % SEQUENCE_NUMBERS, "HAND", fields).to_bytes()


def p50_ns(read: Read, sentences: Iterator[bytes]) -> float:
    times_ns = []
    for raw in itertools.islice(sentences, SENTENCES_A_ROUND):
        begin_ns = time.perf_counter_ns()
        times_ns.append(read(raw) - begin_ns)
    return statistics.median(times_ns)


def measure_latency() -> Measured:
    cable = PtyPort()
    port = open_port(ReaderSettings(url=cable.path))
    try:
        parsed, raw = parsed_reader(cable, port), raw_reader(cable, port)
        ratios, controls = [], []
        # Each reader sees its own numbers without a gap.
        for_parsed, for_raw = hand_sentences(), hand_sentences()
        for _ in range(ROUNDS):
            first = p50_ns(parsed, for_parsed)
            reference = p50_ns(raw, for_raw)
            second = p50_ns(parsed, for_parsed)
            ratios.append((first + second) / 2 / reference)
            controls.append(second / first)
    finally:
        port.close()
        cable.unplug()
    return Measured(statistics.median(ratios), statistics.median(controls))


def count_lost() -> tuple[int, int]:
    """Deal over a bad line; return how many hands were lost, and how many came that were not
    dealt or came twice."""
    rng = random.Random(20)
    dealt = [hand(rng) for _ in range(HANDS)]
    taken: list[ReaderSignal] = []
    with SimReader(seed=21, repeat_after_ms=2) as reader:
        reader.set_faults(BAD_LINE)
        for position, cards in dealt:
            reader.hand(position, cards)
        link = ReaderLink(ReaderSettings(url=reader.path), taken.append)
        link.start()
        reader.wait_acknowledged(timeout_s=600)
        link.stop()
    arrived = [(signal.position, signal.cards) for signal in taken if isinstance(signal, HandRead)]
    lost = len(set(dealt) - set(arrived))
    return lost, len(arrived) - (len(dealt) - lost)


def main() -> None:
    report("B13", measure_latency(), to_reach=1.5)
    lost, invented = count_lost()
    line = {"bar": "B13", "lost": lost, "invented": invented, "of": HANDS, "to_reach": 0}
    sys.stdout.write(json.dumps(line) + "\n")


if __name__ == "__main__":
    main()
