"""The order of sending: which messages are next, which wait, which are done. No network here.

The outbox is the only queue. At most one page of it is in memory, whatever the backlog. An outbox
that fails for a while (a full disk, a locked file) is logged and tried again; its errors end here.
"""

from __future__ import annotations

import logging
from collections import OrderedDict, deque
from dataclasses import dataclass, field

from firmware_app.feed.outbox import Message, Outbox

logger = logging.getLogger(__name__)

PAGE = 250
"""Messages read from the outbox at once, and marked at once: larger pages gain nothing."""

MARK_AFTER_S = 5.0
"""How long an acknowledgement may wait to be marked. Each marking is a write to the SD card; one
lost to a power cut means only that the message goes out twice."""


@dataclass(slots=True)
class Pacer:
    """Holds sending to ``per_s`` messages a second, in bursts of up to a tenth of a second."""

    per_s: int
    _credit: float = 0.0
    _seen_s: float | None = None

    def allowance(self, now_s: float) -> int:
        """Return how many messages may go out now."""
        if self._seen_s is not None:
            self._credit += (now_s - self._seen_s) * self.per_s
        self._seen_s = now_s
        self._credit = min(self._credit, max(1.0, self.per_s / 10))
        return int(self._credit)

    def spend(self, count: int) -> None:
        self._credit -= count

    def wait_s(self) -> float:
        """Return how long until the next message may go out."""
        return max(0.0, (1 - self._credit) / self.per_s)


@dataclass(slots=True)
class Pump:
    """Walks the outbox in order, and remembers what the broker has yet to acknowledge.

    A message is named by the packet id it was published under. Not thread-safe: it belongs to
    the thread that owns the outbox.
    """

    outbox: Outbox
    _page: deque[Message] = field(default_factory=deque)
    _last_read: int | None = None
    _exhausted: bool = False
    _in_flight: OrderedDict[int, Message] = field(default_factory=OrderedDict)
    _unmarked: set[int] = field(default_factory=set)
    _unmarked_since_s: float | None = None

    @property
    def in_flight(self) -> int:
        """How many messages wait for the broker's acknowledgement."""
        return len(self._in_flight)

    @property
    def waiting(self) -> bool:
        """Whether there may be a message to publish."""
        return bool(self._page) or not self._exhausted

    @property
    def quiet(self) -> bool:
        """Whether all that was committed at the last look is acknowledged."""
        return self._exhausted and not (self._page or self._in_flight)

    def look_again(self) -> None:
        """Note that the outbox may hold new messages."""
        self._exhausted = False

    def next(self) -> Message | None:
        """Return the message to publish next, or None; it stays next until :meth:`published`."""
        while not self._page and not self._exhausted:
            try:
                rows = self.outbox.pending(PAGE, after=self._last_read)
            except Exception:
                logger.exception("the outbox cannot be read; it is tried again")
                self._exhausted = True
                return None
            self._exhausted = len(rows) < PAGE
            if rows:
                self._last_read = rows[-1].sequence
            # Acknowledged ones show up again after a rewind if marking them has failed.
            self._page.extend(row for row in rows if row.sequence not in self._unmarked)
        return self._page[0] if self._page else None

    def published(self, packet_id: int) -> None:
        """Note that the next message went out as ``packet_id``."""
        self._in_flight[packet_id] = self._page.popleft()

    def acknowledged(self, packet_id: int, now_s: float) -> bool:
        """Note the broker's acknowledgement; False where ``packet_id`` is no message of ours."""
        message = self._in_flight.pop(packet_id, None)
        if message is None:
            return False
        self._unmarked.add(message.sequence)
        if self._unmarked_since_s is None:
            self._unmarked_since_s = now_s
        return True

    def marking_due(self, now_s: float) -> bool:
        """Whether acknowledgements should be marked now: a page is full, or they have waited."""
        if self._unmarked_since_s is None:
            return False
        waited_s = now_s - self._unmarked_since_s
        return waited_s >= MARK_AFTER_S or len(self._unmarked) >= PAGE

    def mark(self, now_s: float) -> bool:
        """Mark what is acknowledged as sent; False where the outbox refuses, to try again.

        What is acknowledged stays known here, and is not sent again in the meantime.
        """
        if self._unmarked:
            self._unmarked_since_s = now_s
            try:
                self.outbox.mark_sent(sorted(self._unmarked))
            except Exception:
                logger.exception("acknowledgements cannot be recorded; it is tried again")
                return False
            self._unmarked.clear()
        self._unmarked_since_s = None
        return True

    def unsent(self) -> int | None:
        """Return how many messages the broker has yet to acknowledge; None where unknown."""
        try:
            return self.outbox.unsent_count() - len(self._unmarked)
        except Exception:
            logger.exception("the outbox cannot be counted")
            return None

    def rewind(self) -> None:
        """Begin again at the first message that is not acknowledged: the link was lost."""
        self._page.clear()
        self._in_flight.clear()
        self._last_read = None
        self._exhausted = False
