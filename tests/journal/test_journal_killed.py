"""A controller that is killed at any moment loses nothing that it said was recorded."""

from __future__ import annotations

import random
import subprocess
import sys
from pathlib import Path

from recorded_table import SOFTWARE, action

from firmware_app.journal.audit import audit
from firmware_app.journal.reading import facts_of, open_for_reading
from firmware_app.journal.store import Journal

KILLS = 20


def run_and_kill(path: Path, broker: Path, commits: int) -> int:
    """Start a writer, kill it once it told of ``commits``; return the last number it told of."""
    child = subprocess.Popen(
        [sys.executable, Path(__file__).with_name("killed_writer.py"), path, broker],
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert child.stdout is not None
        told = [int(child.stdout.readline()) for _ in range(commits)]
        child.kill()
        # What it still told while the signal was on its way counts too.
        told += [
            int(line) for line in child.stdout.read().splitlines(keepends=True) if "\n" in line
        ]
    finally:
        child.kill()
        child.wait(10)
        child.stdout.close()  # type: ignore[union-attr]
    return told[-1]


def test_nothing_is_lost_doubled_or_out_of_order_over_many_kills(
    path: Path, tmp_path: Path
) -> None:
    chance, broker = random.Random(53), tmp_path / "broker"
    for _ in range(KILLS):
        told = run_and_kill(path, broker, chance.randint(1, 40))
        found = audit(path, software=SOFTWARE)
        assert found.whole, found.fault
        assert found.last_fact >= told

    with Journal.open(path) as journal, journal.outbox() as outbox:
        facts, messages = journal.next_fact_number - 1, journal.next_sequence - 1
        unsent = outbox.pending(messages + 1)
    with open_for_reading(path) as reader:
        recorded = [fact for entry in reader.forwards() for fact in facts_of(entry)]
    assert [(each.number, each.fact) for each in recorded] == [
        (number, action(number)) for number in range(1, facts + 1)
    ]

    received: dict[int, bytes] = {}
    for line in broker.read_bytes().splitlines():
        sequence, _, payload = line.partition(b" ")
        assert received.setdefault(int(sequence), payload) == payload
    for each in unsent:
        assert received.setdefault(each.sequence, each.payload) == each.payload
    # First deliveries came in order, and with what still waits they are complete.
    assert list(received) == list(range(1, messages + 1))
