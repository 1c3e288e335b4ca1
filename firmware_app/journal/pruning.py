"""Letting go of messages that were delivered long ago. Facts and movements of meters stay.

Age goes by the wall clock, and only where it can be believed: an entry is at least as old as any
later one, so what lies before a synchronised entry that is old enough is old enough too.
"""

from __future__ import annotations

import sqlite3
from typing import Final

from firmware_app.journal import chain, packing
from firmware_app.journal.records import Stamp

KEEP_DAYS: Final = 30
KEEP_ROUNDS: Final = 100
"""Rounds whose events stay for recall, however old they are."""
ENTRIES_PER_CALL: Final = 500

_NS_PER_DAY: Final = 86_400_000_000_000


def prune(connection: sqlite3.Connection, now: Stamp) -> int:
    """Prune up to :data:`ENTRIES_PER_CALL` entries; return how many were looked at and passed.

    To be called inside a transaction. Nothing happens while ``now`` is not synchronised.
    """
    if not now.synchronised:
        return 0
    through, pruned_through = connection.execute(
        "SELECT through, pruned_through FROM delivery"
    ).fetchone()
    last_round = connection.execute(
        "SELECT round FROM entry ORDER BY number DESC LIMIT 1"
    ).fetchone()
    if last_round is None:
        return 0
    rows = connection.execute(
        "SELECT number, wall_utc_ns, synchronised, told FROM entry "
        "WHERE number > ? AND last_message <= ? AND round <= ? ORDER BY number LIMIT ?",
        (pruned_through, through, last_round[0] - KEEP_ROUNDS, ENTRIES_PER_CALL),
    ).fetchall()
    latest = now.wall_utc_ns - KEEP_DAYS * _NS_PER_DAY
    old = [number for number, wall_utc_ns, known, _ in rows if known and wall_utc_ns <= latest]
    if not old:
        return 0
    passed = [row for row in rows if row[0] <= old[-1]]
    for number, _, _, told in passed:
        if told is not None:
            connection.execute(
                "UPDATE entry SET told = NULL, told_digest = ? WHERE number = ?",
                (chain.digest(packing.unpack(told)), number),
            )
    connection.execute("UPDATE delivery SET pruned_through = ?", (old[-1],))
    return len(passed)
