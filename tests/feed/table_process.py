"""A table in a process of its own, to be killed: ``JOURNAL PORT PROTOCOL ROUNDS``.

Settles ROUNDS rounds in a real journal, says so, and publishes until it is killed.
"""

from __future__ import annotations

import signal
import sys
import time
from pathlib import Path

from feed_story import TOPICS, message

from firmware_app.feed.link import Link
from firmware_app.feed.settings import FeedSettings
from firmware_app.journal.records import Stamp
from firmware_app.journal.store import Journal
from firmware_app.table.facts import WagerChanged


def main() -> None:
    path, port, protocol, rounds = sys.argv[1:]
    with Journal.open(Path(path)) as journal:
        for _ in range(int(rounds)):
            number = journal.next_sequence
            journal.append(
                [WagerChanged(spot=3, wager="fortune", cents=number)],
                [],
                [message(number)],
                round_number=number,
                stamp=Stamp(time.time_ns(), time.monotonic_ns(), "boot", True),
            )
        settings = {
            "host": "127.0.0.1",
            "port": int(port),
            "protocol": protocol,
            "site": TOPICS.site,
            "table": TOPICS.table,
            "retry_first_s": 0.05,
            "retry_cap_s": 0.2,
        }
        link = Link(FeedSettings.model_validate(settings), journal.outbox)
        link.start()
        print("settled", flush=True)  # noqa: T201
        signal.pause()


main()
