"""A controller in small, for being killed: appends without end, and delivers to a file.

Each line of standard output is the number of a fact that is committed. Lines of the file given
second are what a broker received, each before it was acknowledged.
"""

from __future__ import annotations

import sys
import threading
from pathlib import Path

from recorded_table import action, message, stamp

from firmware_app.journal.outbox import Outbox
from firmware_app.journal.store import Journal


def deliver(outbox: Outbox, broker: Path) -> None:
    with broker.open("ab", buffering=0) as received:
        last = None
        while True:
            for each in outbox.pending(7, after=last):
                received.write(b"%d %b\n" % (each.sequence, each.payload))
                outbox.mark_sent([each.sequence])
                last = each.sequence


def main() -> None:
    path, broker = Path(sys.argv[1]), Path(sys.argv[2])
    journal = Journal.open(path)
    threading.Thread(target=deliver, args=(journal.outbox(), broker), daemon=True).start()
    while True:
        number, sequence = journal.next_fact_number, journal.next_sequence
        journal.append(
            [action(number), action(number + 1)],
            [],
            [message(sequence, text=f"text {sequence}")],
            round_number=number // 20,
            stamp=stamp(number),
            checkpoint=b"{}" if number % 50 == 1 else None,
        )
        sys.stdout.write(f"{number + 1}\n")
        sys.stdout.flush()


main()
