"""A simulation from the first round to the summary."""

from __future__ import annotations

import json
import logging
import threading
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from typing import Any

from firmware_app.rules.profile import load_profile
from firmware_app.runtime.recalling import summary
from firmware_app.runtime.sign_loop import SignLoop
from firmware_app.signage.past_rounds import RoundSummary
from firmware_app.signage.scene import SceneKind
from firmware_app.signage.window import SignWindow
from firmware_app.simulation.croupier import Croupier, Tally
from firmware_app.simulation.fault_names import parse_faults
from firmware_app.simulation.faults import Faults, World
from firmware_app.simulation.keyboard import Keyboard, legend
from firmware_app.simulation.photographer import Photographer
from firmware_app.simulation.reckoning import events_in, reckon
from firmware_app.simulation.stage import Places, Stage
from firmware_app.simulation.watch import SimulationError
from firmware_app.table.view import TableView

log = logging.getLogger(__name__)

_PAUSES_S = {"bet": 0.3, "hand": 0.25, "dealing": 0.5, "dealt": 2.0, "revealed": 5.0, "voided": 3.0}
"""How long the dealer lingers in a window, so that people can follow."""


@dataclass(frozen=True, slots=True)
class Wish:
    """What to simulate. ``rounds`` None: a person plays with the keyboard. ``faults`` are names as
    :mod:`firmware_app.simulation.faults` lists them."""

    rules: str
    rounds: int | None
    seed: int
    headless: bool
    broker_url: str | None
    faults: tuple[str, ...] = ()


def simulate(wish: Wish, places: Places) -> dict[str, Any]:
    """Play ``wish``, leave its traces in ``places``, and return the summary.

    Raises :class:`SimulationError` where the table did not play as a dealer expects,
    :class:`~firmware_app.simulation.fault_names.FaultError` for a fault that cannot be simulated,
    and what :class:`Stage` raises where it cannot be opened.
    """
    faults = parse_faults(
        wish.faults,
        spots=load_profile(wish.rules).spots,
        rounds=wish.rounds,
        own_broker=wish.broker_url is None,
    )
    places.prepare()
    sign = {"driver": "dummy", "size": "1920x1080"} if wish.headless else {"size": "1280x720"}
    loops: list[SignLoop] = []

    def show(view: TableView) -> None:
        if loops:
            loops[0].show(view if wish.rounds is not None else _with_legend(view))

    def recall(rounds: tuple[RoundSummary, ...]) -> None:
        if loops:
            loops[0].recall(rounds)

    with Stage(
        wish.rules,
        places,
        seed=wish.seed,
        broker_url=wish.broker_url,
        sign=sign,
        observers=(show,),
        recall_on_sign=recall,
        bet_stuck_after_s=faults.bet_stuck_after_s,
    ) as stage:
        keyboard = Keyboard(stage, seed=wish.seed)
        window = SignWindow(
            stage.config.sign,
            stage.profile,
            on_key=None if wish.headless else keyboard.press,
        )
        loop = SignLoop(window)
        loops.append(loop)
        if wish.rounds is None:
            return _by_hand(stage, loop, keyboard, faults)
        return _automatic(wish, wish.rounds, stage, loop, places, faults)


def _with_legend(view: TableView) -> TableView:
    return replace(view, next_step=f"{view.next_step}  ·  {legend(len(view.spots))}")


def _world(stage: Stage) -> World:
    return World(stage.panel, stage.reader, stage.watch, stage.own_broker)


def _by_hand(stage: Stage, loop: SignLoop, keyboard: Keyboard, faults: Faults) -> dict[str, Any]:
    stage.start()
    faults.begin(_world(stage))
    keyboard.on_quit = loop.stop
    loop.run(stage.table.tick)
    keyboard.close()
    return {"complete": stage.end()}


def _automatic(
    wish: Wish, rounds: int, stage: Stage, loop: SignLoop, places: Places, faults: Faults
) -> dict[str, Any]:
    photographer = Photographer(loop, stage.watch, stage.profile, places.screens)

    def linger(moment: str) -> None:
        if wish.headless and moment not in ("bet", "hand"):
            photographer.take()
        elif not wish.headless:
            time.sleep(_PAUSES_S.get(moment, 0.0))

    world = _world(stage)
    croupier = Croupier(stage.profile, world, seed=wish.seed, linger=linger, faults=faults)

    def play() -> None:
        stage.start()
        linger("open")
        faults.begin(world)
        faults.wait_until_seen(world)
        for _ in range(rounds):
            croupier.play_round()
        croupier.play_interrupted_round()
        loop.recall(tuple(map(summary, stage.table.journal.rounds().rounds)))
        if wish.headless:
            photographer.take_as(SceneKind.LAST_ROUNDS)

    _beside(loop, stage.table.tick, play)
    outcome = {
        "rules": stage.profile.name,
        "seed": wish.seed,
        "faults": [str(fault) for fault in faults.wished],
        **_summary(stage, croupier.tally, places),
        "pictures": {kind.value: names for kind, names in photographer.taken.items()},
    }
    places.summary.write_text(json.dumps(outcome, indent=2) + "\n", "utf-8")
    return outcome


def _summary(stage: Stage, tally: Tally, places: Places) -> dict[str, Any]:
    complete = stage.end()
    reader = stage.table.reader.statistics()
    found = reckon(events_in(places.feed), tally.hands, tally.settled)
    return {
        "rounds": tally.rounds,
        "voided": tally.voided,
        "hands_dealt": tally.hands_dealt,
        **asdict(found),
        "reader": {
            "bad_sentences": reader.bad_sentences,
            "repeats": reader.repeats,
            "reconnects": max(0, reader.opened - 1),
        },
        "complete": complete,
        "events": stage.recorder.last_sequence,
    }


def _beside(loop: SignLoop, every_turn: Callable[[], None], play: Callable[[], None]) -> None:
    """Run ``play`` on a thread of its own while the sign has the main one; raise what it raises."""
    fault: list[BaseException] = []

    def run() -> None:
        try:
            play()
        except Exception as error:
            fault.append(error)
        finally:
            loop.stop()

    thread = threading.Thread(target=run, name="croupier", daemon=True)
    thread.start()
    loop.run(every_turn)
    thread.join()
    if fault:
        raise fault[0]


__all__ = ["SimulationError", "Wish", "simulate"]
