"""A table that plays two rounds with its storage watched: OUT PORT PROTOCOL NOTES [MODE].

First a whole round in a journal that it makes, then an orderly stop, then another round, with so
short a log that it is brought into the file and begun anew in mid-round. NOTES gets every operation
on the journal's files, and between them what the table promised: ``recorded``, ``settled``,
``delivered``. MODE, where it is given, is the ``synchronous`` of a table that is broken on purpose.
"""

from __future__ import annotations

import pickle
import random
import sqlite3
import sys
from functools import partial
from pathlib import Path
from typing import Any

from soak_table import SoakDealer, SoakTable
from storage_recorder import Promise, StorageRecorder

from firmware_app.feed.settings import BrokerSettings
from firmware_app.journal import schema
from firmware_app.journal.outbox import Outbox
from firmware_app.journal.store import Journal
from firmware_app.table.values import Phase
from firmware_app.table.view import TableView

_PATIENCE_S = 30.0
_SHORT_LOG_PAGES = 12


def note_promises(recorder: StorageRecorder) -> None:
    """Note when the journal says that something is recorded, and what it takes for delivered."""
    append, mark_sent = Journal.append, Outbox.mark_sent

    def recorded(self: Journal, *arguments: Any, **options: Any) -> None:
        append(self, *arguments, **options)
        recorder.note(Promise("recorded", self.next_fact_number - 1))

    def delivered(self: Outbox, sequences: Any) -> None:
        numbers = list(sequences)
        recorder.note(Promise("delivered", max(numbers, default=0)))
        mark_sent(self, numbers)

    Journal.append = recorded  # type: ignore[method-assign]
    Outbox.mark_sent = delivered  # type: ignore[method-assign]


def synchronous(mode: str) -> None:
    """Open the journal with less care than it takes: commits do not wait for the disk."""
    connect = schema.connect

    def connect_in_haste(path: Path) -> sqlite3.Connection:
        connection = connect(path)
        connection.execute(f"PRAGMA synchronous = {mode}")
        return connection

    schema.connect = connect_in_haste


def shows(phase: Phase, view: TableView) -> bool:
    return view.phase is phase


def play(out: Path, broker: BrokerSettings, recorder: StorageRecorder, seed: int) -> None:
    def show(view: TableView) -> None:
        if view.phase is Phase.SETTLED and view.round_number:
            recorder.note(Promise("settled", view.round_number))

    with SoakTable(out, broker, show) as played:
        played.start()
        dealer = SoakDealer(played, random.Random(seed), pause_s=0.002, voids=0.0)
        for phase in (Phase.REVEALED, Phase.SETTLED):
            assert dealer.play_until(partial(shows, phase), timeout_s=_PATIENCE_S)
        assert played.table.link.flush(_PATIENCE_S)


def main() -> None:
    out, port, protocol, notes, *sabotage = sys.argv[1:]
    folder = Path(out)
    recorder = StorageRecorder(folder)
    note_promises(recorder)
    for mode in sabotage:
        synchronous(mode)
    broker = BrokerSettings.model_validate(
        {"host": "127.0.0.1", "port": int(port), "protocol": protocol}
    )
    play(folder, broker, recorder, seed=1)
    schema._CHECKPOINT_AFTER_PAGES = _SHORT_LOG_PAGES  # type: ignore[misc]
    play(folder, broker, recorder, seed=2)
    Path(notes).write_bytes(pickle.dumps(recorder.operations))


main()
