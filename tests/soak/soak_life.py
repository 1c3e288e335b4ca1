"""One life of the table: a process that plays until it is killed, and says what it shows.

Each message to the harness is a JSON object. A *statement* is what the table just showed:
``round``, ``phase``, ``suspended_from``, and ``results`` once they may be seen, a list of
``[spot, cards, owed_cents]``. The last message of a life that is allowed to end has
``last_sequence`` instead: how many events the table has told in all.
"""

from __future__ import annotations

import json
import logging
import random
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from soak_sabotage import SABOTAGES
from soak_table import SoakDealer, SoakTable
from soak_time import hurry

from firmware_app.feed.settings import BrokerSettings
from firmware_app.table.values import Phase
from firmware_app.table.view import TableView

_FINISH_S = 60.0


@dataclass(frozen=True, slots=True)
class Life:
    """What a life is given. ``finish``: end the round in play, send everything, and stop.

    With ``began_ns``, when the first life began by the wall clock, time runs fast since then.
    """

    out: Path
    broker: BrokerSettings
    seed: int
    pause_s: float
    sabotage: str | None
    finish: bool
    began_ns: int | None = None


def statement(view: TableView) -> dict[str, Any]:
    """Return what ``view`` lets the world know of the round."""
    results = [
        [spot.number, [str(card) for card in spot.cards], spot.owed_cents]
        for spot in view.spots
        if spot.result is not None
    ]
    return {
        "round": view.round_number,
        "phase": view.phase,
        "suspended_from": view.suspended_from,
        "results": results or None,
    }


def live(life: Life, told: Connection) -> None:
    """Be the table. Runs in a process of its own."""
    # That the broker is away is no news here, and the harness speaks for itself.
    logging.basicConfig(level=logging.CRITICAL)
    last: dict[str, Any] = {}

    def show(view: TableView) -> None:
        nonlocal last
        shown = statement(view)
        if shown != last:
            last = shown
            told.send_bytes(json.dumps(shown).encode())

    if life.began_ns is not None:
        hurry(life.began_ns)
    if life.sabotage is not None:
        SABOTAGES[life.sabotage]()
    with SoakTable(life.out, life.broker, show) as played:
        played.start()
        dealer = SoakDealer(played, random.Random(life.seed), pause_s=life.pause_s)
        if not life.finish:
            dealer.play_until(lambda view: False)
        if not dealer.play_until(lambda view: view.phase is Phase.SETTLED, timeout_s=_FINISH_S):
            raise RuntimeError(f"the table shows {dealer.view}, not a settled round")
        # A chip that was laid last may still be on its way into the next round.
        played.table.engine.stop()
        if not played.table.link.flush(_FINISH_S):
            raise RuntimeError(f"not everything was sent: {played.table.link.health()}")
        end = {"last_sequence": played.table.journal.next_sequence - 1}
        told.send_bytes(json.dumps(end).encode())
