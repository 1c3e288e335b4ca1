"""What other threads hand to the link: the latest of each retained message, and a wake-up call."""

from __future__ import annotations

import contextlib
import socket
import threading
from dataclasses import dataclass, field


class Doorbell:
    """Wakes a thread that waits on a socket. Ringing never blocks, from any thread."""

    def __init__(self) -> None:
        self._receiver, self._sender = socket.socketpair()
        self._receiver.setblocking(False)
        self._sender.setblocking(False)

    def fileno(self) -> int:
        return self._receiver.fileno()

    def ring(self) -> None:
        # A full buffer means that it was rung already, and will be heard; a closed one, that
        # nobody listens any more.
        with contextlib.suppress(OSError):
            self._sender.send(b"\0")

    def answer(self) -> bool:
        """Return whether the bell was rung since the last call."""
        heard = False
        with contextlib.suppress(BlockingIOError):
            while self._receiver.recv(4096):
                heard = True
        return heard

    def close(self) -> None:
        self._receiver.close()
        self._sender.close()


@dataclass(slots=True)
class _Slot:
    payload: bytes | None = None
    fresh: bool = False


@dataclass(slots=True)
class Mailbox:
    """One slot per topic, where a newer message takes the place of the older. Thread-safe."""

    _slots: dict[str, _Slot] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def put(self, topic: str, payload: bytes) -> None:
        with self._lock:
            slot = self._slots.setdefault(topic, _Slot())
            slot.payload, slot.fresh = payload, True

    def take(self, topic: str) -> bytes | None:
        """Return the message for ``topic`` if there is one that was not taken yet."""
        with self._lock:
            slot = self._slots.get(topic)
            if slot is None or not slot.fresh:
                return None
            slot.fresh = False
            return slot.payload

    def refresh(self, topic: str) -> None:
        """Offer the latest message for ``topic`` again: a broker may have lost it."""
        with self._lock:
            slot = self._slots.get(topic)
            if slot is not None:
                slot.fresh = True
