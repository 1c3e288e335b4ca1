"""A simulated table in a process of its own, to be killed: OUT BROKER_URL UNTIL.

UNTIL is a phase to play one round up to, ``start`` to only come up, or ``finish`` to bring
whatever round is open to its payment. Prints one JSON object when it is there, then waits.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

from firmware_app.cards import DECK
from firmware_app.simulation.stage import Places, Stage
from firmware_app.simulation.watch import Watch
from firmware_app.table.values import Phase
from hw.lines import ADVANCE

PATIENCE_S = 20.0
QUADS = ["QS", "QH", "QD", "QC", "JK", "4D", "9H"]


def until(watch: Watch, *phases: Phase) -> None:
    watch.until(lambda view: view.phase in phases, f"one of {phases}", PATIENCE_S)


def advance(stage: Stage) -> None:
    time.sleep(0.6)
    stage.panel.press(ADVANCE)
    time.sleep(0.1)
    stage.panel.release(ADVANCE)


def deal(stage: Stage) -> None:
    rest = [str(card) for card in DECK if str(card) not in QUADS]
    for position in (1, 2, 3, 4, 5, 6, 0):
        stage.reader.hand(position, QUADS if position == 1 else [rest.pop() for _ in range(7)])
    stage.reader.dealt(4)


def play_to(stage: Stage, wanted: Phase) -> None:
    for spot in (1, 2):
        stage.panel.main(spot)
        stage.panel.bet(spot)
    stage.watch.until(
        lambda view: view.phase is Phase.BETTING and view.spots[1].has_fortune, "bets", PATIENCE_S
    )
    steps = [
        (Phase.BETTING, lambda: None),
        (Phase.DEALING, lambda: stage.reader.start(1)),
        (Phase.DEALT, lambda: deal(stage)),
        (Phase.REVEALED, lambda: advance(stage)),
        (Phase.SETTLED, lambda: advance(stage)),
    ]
    for phase, act in steps:
        act()
        until(stage.watch, phase)
        if phase is wanted:
            return


def finish(stage: Stage) -> None:
    """Do what a dealer would: resume, deal what is missing, reveal, pay."""
    for _ in range(8):
        view = stage.watch.view
        assert view is not None
        if view.phase is Phase.SETTLED:
            return
        before = view.phase
        if before is Phase.DEALING:
            deal(stage)
        else:
            advance(stage)
        stage.watch.until(
            lambda view, before=before: view.phase is not before, f"to leave {before}", PATIENCE_S
        )


def main() -> None:
    out, broker_url, wanted = Path(sys.argv[1]), sys.argv[2], sys.argv[3]
    out.mkdir(parents=True, exist_ok=True)
    with Stage(
        "envy", Places(out), seed=3, broker_url=broker_url, sign={}, subscribe=False
    ) as stage:
        if wanted != "start":
            # The bets still lie there after the power cut.
            for spot in (1, 2):
                stage.panel.main(spot, wanted == "finish")
                stage.panel.bet(spot, wanted == "finish")
        stage.start()
        if wanted == "finish":
            finish(stage)
        elif wanted != "start":
            play_to(stage, Phase(wanted))
        view = stage.watch.view
        assert view is not None
        said = {
            "phase": view.phase,
            "suspended_from": view.suspended_from,
            "round": view.round_number,
            "owed": [spot.owed_cents for spot in view.spots],
            "next_sequence": stage.table.journal.next_sequence,
        }
        print(json.dumps(said), flush=True)  # noqa: T201 - the parent reads it
        time.sleep(120)


if __name__ == "__main__":
    main()
