"""B5 and B6: what a commit of the journal costs above appending the same to a file and syncing it.

Real rounds of the ``envy`` sheet, one entry a fact as at a running table, with the messages as the
feed encodes them. Time is the median of all commits. Bytes are those that the process had the
kernel write to the disk (``write_bytes`` of ``/proc/self/io``: whole pages of 4 KiB), the file of
the journal included, for which its log is brought in at the end.

B6 stands against appending the bare facts, each with its stamp; ``B6 with messages`` against
appending facts and messages, which is what an entry holds. Run as a program; prints one JSON
object a line.
"""

from __future__ import annotations

import json
import os
import random
import shutil
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from measure import Measured, report

from firmware_app.cards import DECK
from firmware_app.feed.envelope import encode, event_id
from firmware_app.feed.topics import TableTopics
from firmware_app.journal.records import OutgoingMessage, Stamp
from firmware_app.journal.store import Journal
from firmware_app.rules.profile import load_profile
from firmware_app.table import facts
from firmware_app.table.events import Event
from firmware_app.table.facts import Fact, fact_to_json
from firmware_app.table.round import step
from firmware_app.table.state import TableRules, new_table, state_to_json

RUNS = 7
ROUNDS_A_RUN = 120
ROUNDS_PER_CHECKPOINT = 20
TABLE = TableTopics(site="daytona", table="table-12")
NOON_NS = 1_764_504_000_000_000_000


@dataclass(frozen=True)
class Commit:
    """What one commit holds. ``as_line`` is the same as a program without SQLite would append."""

    facts: tuple[Fact, ...]
    events: tuple[Event, ...]
    messages: tuple[OutgoingMessage, ...]
    round_number: int
    stamp: Stamp
    checkpoint: bytes | None

    def as_line(self, *, with_messages: bool) -> bytes:
        stamp = b"%d %d %d " % (self.stamp.wall_utc_ns, self.stamp.mono_ns, self.round_number)
        told = b"".join(each.payload for each in self.messages) if with_messages else b""
        return stamp + b"\n".join(fact_to_json(fact) for fact in self.facts) + told + b"\n"


def told(rng: random.Random, number: int) -> Iterator[Fact]:
    """Yield the facts of a round of six spots."""
    for spot in range(1, 7):
        # Chips move from round to round, so that each wager is a fact.
        cents = rng.choice((1_00, 5_00, 10_00)) + number % 2 * 25
        yield facts.WagerChanged(spot=spot, wager="fortune", cents=cents)
        yield facts.EnvyButtonChanged(spot=spot, placed=number % 2 == 0)
    yield facts.DealStarted(first_spot=rng.randint(1, 6))
    deck = rng.sample(DECK, 49)
    for position in range(7):
        cards = tuple(deck[position * 7 : position * 7 + 7])
        yield facts.HandRead(position=position, cards=cards)
    yield facts.Advanced()
    yield facts.Advanced()


def commits(rounds: int) -> list[Commit]:
    """Return the commits of that many rounds, encoded as a running table would."""
    rng, rules = random.Random(6), TableRules(load_profile("envy"))
    state, made, sequence, second = new_table(rules), [], 0, 0
    for number in range(rounds):
        for fact in told(rng, number):
            after = step(rules, state, fact)
            state, second = after.state, second + 1
            stamp = Stamp(NOON_NS + second * 1_017_003_019, second * 1_017_003_019, "boot", True)
            messages = []
            for event in after.events:
                sequence += 1
                payload = encode(
                    event,
                    TABLE,
                    sequence=sequence,
                    wall_utc_ns=stamp.wall_utc_ns,
                    synchronised=True,
                )
                messages.append(
                    OutgoingMessage(sequence, event_id(TABLE.table, sequence), event.TYPE, payload)
                )
            settled = any(event.TYPE == "round-settled" for event in after.events)
            due = settled and state.round_number % ROUNDS_PER_CHECKPOINT == 0
            made.append(
                Commit(
                    (fact,),
                    after.events,
                    tuple(messages),
                    state.round_number,
                    stamp,
                    state_to_json(state) if due else None,
                )
            )
    return made


@dataclass(frozen=True)
class Cost:
    """Seconds of the median commit, and bytes of the whole run."""

    commit_s: float
    written_bytes: int


def measured(
    write: Callable[[Commit], None], close: Callable[[], None], all_of: Sequence[Commit]
) -> Cost:
    begin_bytes, times = written_bytes(), []
    for commit in all_of:
        begin = time.perf_counter()
        write(commit)
        times.append(time.perf_counter() - begin)
    close()
    return Cost(statistics.median(times), written_bytes() - begin_bytes)


def written_bytes() -> int:
    for line in Path("/proc/self/io").read_text().splitlines():
        name, _, value = line.partition(": ")
        if name == "write_bytes":
            return int(value)
    raise RuntimeError("this kernel does not count the bytes that a process writes")


def journal_run(folder: Path, all_of: Sequence[Commit]) -> Cost:
    journal = Journal.open(folder / "journal.sqlite3")

    def write(commit: Commit) -> None:
        journal.append(
            commit.facts,
            commit.events,
            commit.messages,
            round_number=commit.round_number,
            stamp=commit.stamp,
            checkpoint=commit.checkpoint,
        )

    return measured(write, journal.close, all_of)


def append_run(folder: Path, all_of: Sequence[Commit], *, with_messages: bool) -> Cost:
    lines = {id(commit): commit.as_line(with_messages=with_messages) for commit in all_of}
    file = os.open(folder / "plain", os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)

    def write(commit: Commit) -> None:
        os.write(file, lines[id(commit)])
        os.fdatasync(file)

    return measured(write, lambda: os.close(file), all_of)


def main() -> None:
    home = Path(__file__).parents[2] / "out"
    home.mkdir(exist_ok=True)
    all_of = commits(ROUNDS_A_RUN)
    found: dict[str, list[Cost]] = {}
    runs: dict[str, Callable[[Path], Cost]] = {
        "journal": lambda folder: journal_run(folder, all_of),
        "facts": lambda folder: append_run(folder, all_of, with_messages=False),
        "messages": lambda folder: append_run(folder, all_of, with_messages=True),
        "journal again": lambda folder: journal_run(folder, all_of),
    }
    for _ in range(RUNS):
        for name, run in runs.items():
            # On the disk of the checkout: where /tmp is in memory, nothing would be written.
            folder = Path(tempfile.mkdtemp(dir=home))
            try:
                found.setdefault(name, []).append(run(folder))
            finally:
                shutil.rmtree(folder)
    if not found["facts"][0].written_bytes:
        sys.exit(f"{home} lies in memory: run the benchmark from a checkout on a disk")

    def ratio(ours: str, theirs: str, of: Callable[[Cost], float]) -> float:
        return statistics.median(
            of(mine) / of(other) for mine, other in zip(found[ours], found[theirs], strict=True)
        )

    def time_of(cost: Cost) -> float:
        return cost.commit_s

    def bytes_of(cost: Cost) -> float:
        return cost.written_bytes

    def bar(theirs: str, of: Callable[[Cost], float]) -> Measured:
        return Measured(ratio("journal", theirs, of), ratio("journal again", "journal", of))

    report("B5", bar("messages", time_of), 1.3)
    report("B6", bar("facts", bytes_of), 1.5)
    report("B6 with messages", bar("messages", bytes_of), 1.5)
    per_round = {
        name: round(statistics.median(cost.written_bytes for cost in costs) / ROUNDS_A_RUN)
        for name, costs in found.items()
    }
    # For people, beside the bars.
    figures = {"bytes_per_round": per_round, "commits_per_round": len(all_of) / ROUNDS_A_RUN}
    sys.stderr.write(json.dumps(figures) + "\n")


if __name__ == "__main__":
    main()
