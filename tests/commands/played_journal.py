"""A journal for the commands that look into one: two settled rounds, a void one, one in play."""

from __future__ import annotations

import sys
from importlib.metadata import version
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1] / "journal"))

from recorded_table import RecordedTable

from firmware_app.table import facts

QUADS = "QS QH QD QC JK 4D 9H"
NOTHING = "2S 2H 4C 7D 9C TS KH"


def play(path: Path) -> RecordedTable:
    """Return the table behind the journal at ``path``, which is still open.

    Round 1: $5 on four queens at spot 1 pays 25 to 1; spot 3 loses $10 and wins $5 of envy; spot 4
    loses $3. Round 2 is void. Round 3: nobody wins. Round 4 is dealt and not revealed.
    """
    table = RecordedTable(path)
    table.tell(facts.PowerReturned(software=version("fortune-table"), configuration="c"))
    table.play_round({1: 5_00, 3: 10_00, 4: 3_00}, {1: QUADS, 3: NOTHING})
    table.void_round()
    table.journal.close_shift(by="floor", stamp=table.now())
    table.play_round()
    table.bet(2, 25_00)
    table.deal({2: QUADS})
    return table


def files(folder: Path) -> dict[str, bytes]:
    """Return every file of ``folder`` with its bytes."""
    return {file.name: file.read_bytes() for file in folder.iterdir()}
