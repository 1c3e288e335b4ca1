"""Bars B1 to B3: the line of a hand, and counting all hands.

Run as ``python tests/bench/bench_rules.py``; needs the packages of the ``bench`` extra, and a C
compiler for B3, which is left out, and said so on standard error, where there is none.
"""

from __future__ import annotations

import ctypes
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import phevaluator
import treys
from measure import interleaved, report

from firmware_app.rules import counting
from firmware_app.rules.fortune import FortuneEvaluator, posted_wager
from firmware_app.rules.lines import Line
from firmware_app.rules.profile import load_profile

HANDS = 20_000
HERE = Path(__file__).parent
PAY_TABLE = posted_wager(load_profile("face-up")).pay_table


def deals(deck_size: int) -> list[tuple[int, ...]]:
    dealer = random.Random(deck_size)
    return [tuple(dealer.sample(range(deck_size), 7)) for _ in range(HANDS)]


def line_of_each_hand() -> Callable[[], None]:
    """Ours, with the joker in the deck: theirs know no joker."""
    line, hands = FortuneEvaluator(PAY_TABLE).line, deals(53)

    def run() -> None:
        for hand in hands:
            line(hand)

    return run


def phevaluator_of_each_hand() -> Callable[[], None]:
    evaluate, hands = phevaluator.evaluate_cards, deals(52)

    def run() -> None:
        for hand in hands:
            evaluate(*hand)

    return run


def treys_of_each_hand() -> Callable[[], None]:
    evaluate = treys.Evaluator().evaluate
    hands = [
        [treys.Card.new("23456789TJQKA"[card % 13] + "shdc"[card // 13]) for card in hand]
        for hand in deals(52)
    ]

    def run() -> None:
        for hand in hands:
            evaluate(hand[:5], hand[5:])

    return run


def count_by_classes() -> Sequence[int]:
    counting._satisfied_counts.cache_clear()
    counts = counting.count_lines(PAY_TABLE)
    return [counts[line] for line in Line] + [counts[None]]


def brute_force_in_c(compiler: str, folder: str) -> Callable[[], Sequence[int]]:
    library = Path(folder) / "brute_force.so"
    source = HERE / "brute_force.c"
    subprocess.run(
        [compiler, "-O2", "-march=native", "-shared", "-fPIC", source, "-o", library], check=True
    )
    count_all_hands = ctypes.CDLL(str(library)).count_all_hands

    def run() -> Sequence[int]:
        lines = (ctypes.c_int64 * (len(Line) + 1))()
        count_all_hands(lines)
        return list(lines)

    return run


def main() -> None:
    # The clock is the processor's, so that a busy machine does not count.
    clock = time.process_time
    ours = line_of_each_hand()
    report("B1", interleaved(ours, phevaluator_of_each_hand(), rounds=15, clock=clock), 0.6)
    report("B2", interleaved(ours, treys_of_each_hand(), clock=clock), 0.08)
    compiler = shutil.which("gcc") or shutil.which("cc")
    if compiler is None:
        sys.stderr.write("B3 needs a C compiler; install gcc\n")
        return
    with tempfile.TemporaryDirectory() as folder:
        brute_force = brute_force_in_c(compiler, folder)
        if brute_force() != count_by_classes():
            raise SystemExit("counting by classes and the brute force disagree")
        report("B3", interleaved(count_by_classes, brute_force, rounds=5, clock=clock), 2)


if __name__ == "__main__":
    main()
