"""What the feed asks of the journal's outbox."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol


class Message(Protocol):
    """A committed message. ``type`` is the last part of its topic, ``payload`` its bytes."""

    @property
    def sequence(self) -> int: ...
    @property
    def id(self) -> str: ...
    @property
    def type(self) -> str: ...
    @property
    def payload(self) -> bytes: ...


class Outbox(Protocol):
    """The store of messages to send, used by one thread. Any method may raise when it fails."""

    def pending(self, limit: int, after: int | None = None) -> Sequence[Message]:
        """Return up to ``limit`` unsent messages in order, those past sequence ``after`` only."""

    def mark_sent(self, sequences: Sequence[int]) -> None:
        """Record that the broker has acknowledged these."""

    def unsent_count(self) -> int:
        """Return how many messages are not marked sent."""

    def close(self) -> None:
        """Let go of the store."""
