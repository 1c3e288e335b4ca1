"""Ways to break a table on purpose, within one of its lives, so that the soak can prove itself.

Each breaks one promise by putting itself between two parts; none is reachable from the product.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from firmware_app.journal.outbox import Outbox
from firmware_app.journal.records import OutgoingMessage
from firmware_app.runtime.engine import Engine

_A_SLOW_CARD_S = 0.01

Pending = Callable[..., list[OutgoingMessage]]


def unsent_only_in_memory() -> None:
    """What an earlier life had not sent is taken for sent: the queue died with its process."""
    opened = Outbox.__init__

    def forgetful(self: Outbox, path: Path) -> None:
        opened(self, path)
        self.mark_sent([message.sequence for message in self.pending(1_000_000)])

    Outbox.__init__ = forgetful  # type: ignore[method-assign]


def shown_before_recorded() -> None:
    """The sign is ahead of the journal: what it showed may never have been recorded."""
    record = Engine._record

    def record_late(self: Any) -> None:
        committed, self._committed = self._committed, self._ahead
        self._show()
        self._committed = committed
        time.sleep(_A_SLOW_CARD_S)
        record(self)

    Engine._record = record_late  # type: ignore[method-assign]


def other_bytes_each_time() -> None:
    """No acknowledgement is kept, and what is sent again does not look as it did before."""
    pending: Pending = Outbox.pending

    def renewed(self: Outbox, limit: int, *, after: int | None = None) -> Any:
        return [
            replace(message, payload=message.payload[:-1] + b',"sent":%d}' % time.monotonic_ns())
            for message in pending(self, limit, after=after)
        ]

    Outbox.pending = renewed  # type: ignore[method-assign]
    Outbox._save = lambda self: None  # type: ignore[method-assign]


def newest_first() -> None:
    """A backlog is sent from its end."""
    pending: Pending = Outbox.pending

    def reversed_page(self: Outbox, limit: int, *, after: int | None = None) -> Any:
        return pending(self, limit, after=after)[::-1]

    Outbox.pending = reversed_page  # type: ignore[method-assign]


SABOTAGES: dict[str, Callable[[], None]] = {
    "unsent-only-in-memory": unsent_only_in_memory,
    "shown-before-recorded": shown_before_recorded,
    "other-bytes-each-time": other_bytes_each_time,
    "newest-first": newest_first,
}
