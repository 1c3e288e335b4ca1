"""The order of sending: which messages are next, which wait, which are done. No network here.

The outbox is the only queue. At most one page of it is in memory, whatever the backlog. An outbox
that fails for a while (a full disk, a locked file) is logged and tried again; its errors end here.
"""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field

from firmware_app.feed.outbox import Message, Outbox

logger = logging.getLogger(__name__)

PAGE = 250
"""Messages read from the outbox at once: larger pages gain nothing."""

SAVE_AFTER_S = 5.0
"""How long what was acknowledged last may stay unsaved once all is sent. Each saving is a write to
the SD card; what a power cut loses of it goes out twice, and no more."""


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
    _in_flight: dict[int, int] = field(default_factory=dict)
    _acknowledged: set[int] = field(default_factory=set)
    _unsaved_since_s: float | None = None
    _resend_from: int | None = None

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
        return not (self.waiting or self._in_flight)

    def look_again(self) -> None:
        """Note that the outbox may hold new messages."""
        self._exhausted = False

    def offer(self, messages: Sequence[Message]) -> bool:
        """Take what was committed just now, in order, so that it need not be read from the outbox.

        False where it does not follow at once on what was read: the outbox has it all the same.
        """
        follows = (
            not self.waiting
            and self._resend_from is None
            and self._last_read is not None
            and [message.sequence for message in messages]
            == [self._last_read + count for count in range(1, len(messages) + 1)]
        )
        if follows:
            self._page.extend(messages)
            self._last_read = messages[-1].sequence
        return follows

    def next(self) -> Message | None:
        """Return the message to publish next, or None; it stays next until :meth:`published`."""
        if self._resend_from is not None and not self._begin_resend():
            return None
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
            # Acknowledged ones come up again after a rewind if noting them has failed.
            self._page.extend(row for row in rows if row.sequence not in self._acknowledged)
        return self._page[0] if self._page else None

    def published(self, packet_id: int) -> None:
        """Note that the next message went out as ``packet_id``."""
        self._in_flight[packet_id] = self._page.popleft().sequence

    def acknowledged(self, packet_id: int) -> None:
        """Take the broker's acknowledgement of ``packet_id``; :meth:`settle` passes it on."""
        sequence = self._in_flight.pop(packet_id, None)
        if sequence is not None:
            self._acknowledged.add(sequence)

    def settle(self, now_s: float) -> None:
        """Tell the outbox what is acknowledged; once all is sent, have it saved after a while."""
        try:
            if self._acknowledged:
                self._unsaved_since_s = now_s
                self.outbox.mark_sent(sorted(self._acknowledged))
                self._acknowledged.clear()
            elif (
                self._unsaved_since_s is not None
                and self.quiet
                and now_s - self._unsaved_since_s >= SAVE_AFTER_S
            ):
                self._unsaved_since_s = None
                self.outbox.flush()
        except Exception:
            # What is acknowledged stays known here, and is not sent again in the meantime.
            logger.exception("acknowledgements cannot be recorded; it is tried again")

    def unsent(self) -> int | None:
        """Return how many messages the broker has yet to acknowledge; None where unknown."""
        try:
            return self.outbox.unsent_count
        except Exception:
            logger.exception("the outbox cannot be counted")
            return None

    def rewind(self) -> None:
        """Begin again at the first message that is not acknowledged: the link was lost."""
        self._page.clear()
        self._in_flight.clear()
        self._last_read = None
        self._exhausted = False

    def resend(self, from_sequence: int) -> None:
        """Send everything from ``from_sequence`` on once more, when what is under way is done."""
        self._resend_from = from_sequence
        self._exhausted = False

    def _begin_resend(self) -> bool:
        if self._in_flight or self._acknowledged or self._resend_from is None:
            return False
        from_sequence, self._resend_from = self._resend_from, None
        try:
            self.outbox.resend(from_sequence)
        except Exception as error:
            logger.warning("events are not sent again: %s", error)
        else:
            logger.warning("events are sent again from sequence %d on", from_sequence)
        self.rewind()
        return True
