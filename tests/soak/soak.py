"""The soak: kills the table with -9 at random moments, and asks from outside what was lost.

    python tests/soak/soak.py --kills 1000 [--seed N] [--out DIR]

The table is the real one, on simulated pins and a pty reader, with a broker that is up, down,
flapping and frozen. Every life goes on in the journal of the one before it. The last line printed
is the verdict as JSON; exit 1 unless nothing is lost, duplicated, disordered or contradicted.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import random
import sys
import tempfile
import time
from collections import Counter
from contextlib import ExitStack
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, TextIO

from soak_life import Life, live
from soak_sabotage import SABOTAGES
from soak_verdict import Statement, Verdict, judge
from soak_weather import Listener, PatientBroker, Weather

from firmware_app.feed.settings import BrokerSettings
from firmware_app.feed.topics import TableTopics
from firmware_app.journal.audit import audit
from firmware_app.journal.history import archive_folder
from firmware_app.simulation.stage import SITE, TABLE, Places

PHASES = ("betting", "dealing", "dealt", "revealed", "settled", "suspended", "voided")
_FINISH_S = 120.0
_ARRIVAL_S = 20.0
"""What the broker has acknowledged reaches the subscriber sooner, or not at all."""
_LONGEST_S = 1.0
"""A phase that does not come in so long is not waited for: not every life sees a void."""
_PROGRESS_EVERY_S = 15.0
_SHOWN_FINDINGS = 20

_PRELOADED = ["firmware_app.simulation.stage", "hw.sim.panel", "hw.sim.reader"]
"""A life then begins within milliseconds, as a fork of a process that has done nothing else."""

_context = multiprocessing.get_context("forkserver")


class Soak:
    """One run over many lives, in ``out``."""

    def __init__(self, out: Path, weather: Weather, seed: int, sabotage: str | None) -> None:
        self._out = out
        self._weather = weather
        self._rng = random.Random(seed)
        self._sabotage = sabotage
        self._began_ns = time.time_ns()
        self.lives: list[list[Statement]] = []
        self.killed_in: Counter[str] = Counter()

    def kill_one(self) -> None:
        """Let the table live until a random moment, then kill it."""
        broker, turns = self._weather.before_life()
        # Hands that rest differently make lives of one round and lives of many.
        pause_s = self._rng.choice((0.0, 0.002, 0.01))
        process, told = self._begin(broker, pause_s=pause_s, finish=False)
        shown: list[Statement] = []
        self.lives.append(shown)
        try:
            self._until_the_moment(told, shown, turns)
        finally:
            process.kill()
            process.join()
        _drain(told, shown)
        self.killed_in[shown[-1]["phase"] if shown else "start"] += 1

    def finish(self, broker: BrokerSettings) -> int:
        """Let the table end its round and send everything; return how many events there are."""
        process, told = self._begin(broker, pause_s=0.0, finish=True)
        shown: list[Statement] = []
        self.lives.append(shown)
        process.join(_FINISH_S)
        if process.is_alive():
            process.kill()
            process.join()
        _drain(told, shown)
        if not shown or "last_sequence" not in shown[-1]:
            raise RuntimeError("the table did not come to an end; see its traceback above")
        last: int = shown.pop()["last_sequence"]
        return last

    def _begin(self, broker: BrokerSettings, *, pause_s: float, finish: bool) -> tuple[Any, Any]:
        told, telling = _context.Pipe(duplex=False)
        seed = self._rng.randrange(2**32)
        life = Life(self._out, broker, seed, pause_s, self._sabotage, finish, self._began_ns)
        process = _context.Process(target=live, args=(life, telling))
        process.start()
        telling.close()
        return process, told

    def _until_the_moment(
        self, told: Connection, shown: list[Statement], turns: list[float]
    ) -> None:
        """Wait for the moment of the kill, and turn the weather meanwhile.

        A quarter of the moments is counted from the birth of the process, another from the first
        view that it shows; the rest comes up to some milliseconds after a phase is shown, which
        is where its next commits are.
        """
        chance = self._rng
        kind = chance.choices(("birth", "view", "phase"), (1, 1, 2))[0]
        phase = chance.choice(PHASES)
        scale_s = chance.choice((0.003, 0.02)) if kind == "phase" else chance.choice((0.05, 0.3))
        delay_s = scale_s * chance.random()
        began_s = time.monotonic()
        kill_s = began_s + (delay_s if kind == "birth" else _LONGEST_S)
        turns_s = [began_s + turn for turn in turns]
        waiting = kind != "birth"
        while (now_s := time.monotonic()) < kill_s:
            if turns_s and now_s >= turns_s[0]:
                turns_s.pop(0)
                self._weather.turn()
            elif told.poll(min([kill_s, *turns_s]) - now_s):
                shown.append(_said(told))
                if waiting and (kind == "view" or shown[-1]["phase"] == phase):
                    waiting = False
                    kill_s = time.monotonic() + delay_s


def _said(told: Connection) -> Statement:
    try:
        said: Statement = json.loads(told.recv_bytes())
    except EOFError:
        raise RuntimeError("the table ended by itself; see its traceback above") from None
    return said


def _drain(told: Connection, shown: list[Statement]) -> None:
    """Take what the process still said before it ended."""
    try:
        while True:
            shown.append(json.loads(told.recv_bytes()))
    except EOFError:
        told.close()


def soak(
    kills: int,
    seed: int,
    out: Path,
    *,
    embedded: bool = False,
    sabotage: str | None = None,
    say: TextIO = sys.stdout,
) -> Verdict:
    """Kill the table ``kills`` times in ``out``, which must be empty; return the verdict."""
    began_s = said_s = time.monotonic()
    journal = Places(out).journal
    topic = TableTopics(SITE, TABLE).events
    _context.set_forkserver_preload(_PRELOADED)
    with ExitStack() as stack:
        broker = stack.enter_context(PatientBroker(embedded=embedded))
        listener = stack.enter_context(Listener(broker, topic, out / "received.jsonl"))
        weather = stack.enter_context(Weather(broker, listener, seed))
        run = Soak(out, weather, seed, sabotage)
        for number in range(1, kills + 1):
            run.kill_one()
            if time.monotonic() - said_s > _PROGRESS_EVERY_S or number == kills:
                said_s = time.monotonic()
                _say(
                    say,
                    f"{number} kills in {said_s - began_s:.0f} s, in {_counted(run.killed_in)}; "
                    f"broker {_counted(weather.counted)}",
                )
        weather.clear()
        listener.wait_connected()
        last = run.finish(broker.settings)
        listener.wait_for(last, _ARRIVAL_S)
        _say(say, f"{last} events recorded")
        verdict = judge(listener.received(), run.lives, last)
    found = audit(journal, software="", archives=archive_folder(journal))
    _say(say, f"{len(found.archives)} archives, entries {found.first_entry} to {found.last_entry}")
    for fault in (found.fault, *(each.fault for each in found.archives)):
        if fault is not None:
            verdict.contradicted += 1
            verdict.findings.append(f"the journal: {fault}")
    return verdict


def _counted(counter: Counter[str]) -> str:
    return ", ".join(f"{name} {count}" for name, count in counter.most_common())


def _say(say: TextIO, text: str) -> None:
    say.write(text + "\n")
    say.flush()


def main() -> int:
    parser = argparse.ArgumentParser(description="Kill the table again and again; nothing is lost.")
    parser.add_argument("--kills", type=int, default=1000)
    parser.add_argument("--seed", type=int, help="for the same choices; moments still differ")
    parser.add_argument("--out", type=Path, help="an empty folder that is kept")
    parser.add_argument("--embedded", action="store_true", help="never use mosquitto")
    parser.add_argument("--sabotage", choices=SABOTAGES, help="break the table: must be found")
    asked = parser.parse_args()
    seed = asked.seed if asked.seed is not None else random.randrange(2**32)
    _say(sys.stdout, f"{asked.kills} kills, seed {seed}")
    with tempfile.TemporaryDirectory(prefix="fortune-soak-") as folder:
        out = asked.out or Path(folder)
        out.mkdir(parents=True, exist_ok=True)
        if any(out.iterdir()):
            parser.error(f"--out {out} is not empty: name a new folder")
        verdict = soak(asked.kills, seed, out, embedded=asked.embedded, sabotage=asked.sabotage)
    for finding in verdict.findings[:_SHOWN_FINDINGS]:
        _say(sys.stdout, finding)
    figures = {
        "kills": asked.kills,
        "rounds": verdict.rounds,
        "lost": verdict.lost,
        "duplicated": verdict.duplicated,
        "disordered": verdict.disordered,
        "contradicted": verdict.contradicted,
    }
    _say(sys.stdout, json.dumps(figures))
    return 0 if verdict.clean else 1


if __name__ == "__main__":
    sys.exit(main())
