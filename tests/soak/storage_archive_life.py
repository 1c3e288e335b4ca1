"""A journal that is archived with its storage watched: OUT NOTES.

First rounds are played that lie weeks apart, then what is old is archived in two files, while bets
go on being placed. NOTES gets every operation on the files, and between them what was promised:
``begun`` when archiving begins, and ``recorded``, the last fact that is recorded.
"""

from __future__ import annotations

import pickle
import sys
from pathlib import Path

from storage_recorder import Promise, StorageRecorder

from firmware_app.journal import archiving, schema

sys.path.append(str(Path(__file__).parents[1] / "journal"))

from aged_table import DAY_S, AgedTable, archiver

KEEP_DAYS = 30
_ROUNDS = 6
_DAYS_APART = 14
_SHORT_LOG_PAGES = 60
_STEPS_A_BET = 5


def archive_in_small() -> None:
    """Let few rounds have something to archive, in steps that are many."""
    archiving.RECALLED_ROUNDS = 2  # type: ignore[misc]
    archiving.ENTRIES_A_STEP = 10  # type: ignore[misc]


def main() -> None:
    out, notes = Path(sys.argv[1]), Path(sys.argv[2])
    recorder = StorageRecorder(out)
    archive_in_small()
    schema._CHECKPOINT_AFTER_PAGES = _SHORT_LOG_PAGES  # type: ignore[misc]
    table = AgedTable(out / "journal.sqlite3", waits_for_disk=True)
    table.rounds_per_checkpoint = 1
    for _ in range(_ROUNDS):
        table.second += _DAYS_APART * DAY_S
        table.play_checked_round()
    table.deliver()
    recorder.note(Promise("begun", 1))
    steps = archiver(table.journal, table.day, keep_days=KEEP_DAYS).steps()
    for number, _ in enumerate(steps):
        if number % _STEPS_A_BET == 0:
            table.bet(1 + number % 2, 5_00 + number)
            recorder.note(Promise("recorded", table.journal.next_fact_number - 1))
    Path(notes).write_bytes(pickle.dumps(recorder.operations))


if __name__ == "__main__":
    main()
