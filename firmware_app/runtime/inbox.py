"""The inbox: where every thread leaves what happened, and the engine takes it from."""

from __future__ import annotations

import queue
import threading
import time
from dataclasses import dataclass

from firmware_app.runtime.orders import Order
from firmware_app.table.facts import Fact
from hw.signals import Edge, ReaderSignal


@dataclass(frozen=True, slots=True)
class Command:
    """Facts from elsewhere than the hardware, such as the device's own health."""

    facts: tuple[Fact, ...]


Item = Edge | ReaderSignal | Command | Order


class Inbox:
    """An unbounded queue with a door. Leaving something never blocks the thread that leaves it."""

    def __init__(self) -> None:
        self._queue: queue.SimpleQueue[Item | None] = queue.SimpleQueue()
        self._closed = threading.Event()

    def put(self, item: Item) -> bool:
        """Leave ``item``; False once the inbox is closed, so that a reader sends it again."""
        if self._closed.is_set():
            return False
        self._queue.put(item)
        return True

    def close(self) -> None:
        """Take nothing more in, and wake the engine to finish what is there."""
        self._closed.set()
        self._queue.put(None)

    @property
    def finished(self) -> bool:
        """Whether the inbox is closed and empty."""
        return self._closed.is_set() and self._queue.empty()

    def take(self, timeout_s: float) -> tuple[list[Item], int]:
        """Wait up to ``timeout_s`` for something, then return all that is waiting, in order.

        With it comes the time (monotonic nanoseconds) up to which nothing can be missing: taken
        before the queue was emptied.
        """
        items: list[Item] = []
        try:
            first = self._queue.get(timeout=timeout_s)
        except queue.Empty:
            return items, time.monotonic_ns()
        complete_until_ns = time.monotonic_ns()
        if first is not None:
            items.append(first)
        while not self._queue.empty():  # nobody else takes anything out
            item = self._queue.get()
            if item is not None:
                items.append(item)
        return items, complete_until_ns
