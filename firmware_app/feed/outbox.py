"""What the feed asks of the journal's outbox; a test may put something else in its place."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Protocol


class Message(Protocol):
    """A committed message. ``type`` is the last part of its topic, ``payload`` its bytes."""

    @property
    def sequence(self) -> int: ...
    @property
    def type(self) -> str: ...
    @property
    def payload(self) -> bytes: ...


class Outbox(Protocol):
    """The store of messages to send, used by one thread. Any method may raise when it fails."""

    def pending(self, limit: int, *, after: int | None = None) -> Sequence[Message]:
        """Return up to ``limit`` unacknowledged messages in order, past ``after`` if given."""

    def mark_sent(self, sequences: Iterable[int]) -> None:
        """Take note that the broker has acknowledged these; may keep that in memory for a while."""

    def flush(self) -> None:
        """Save what was noted."""

    def resend(self, from_sequence: int) -> None:
        """Make everything from ``from_sequence`` on pending again."""

    @property
    def unsent_count(self) -> int:
        """How many messages are not acknowledged."""

    def close(self) -> None:
        """Save what was noted, and let go of the store."""
