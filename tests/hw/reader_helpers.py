"""What the reader's tests share: a taker of signals, and hands as text."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from hw.reader.link import ReaderLink
from hw.reader.sentence import Sentence
from hw.reader.settings import ReaderSettings
from hw.signals import HandRead, ReaderSignal

MS = 1_000_000
S = 1_000_000_000
PATIENCE_S = 15.0
"""Far longer than anything takes; a test that needs it has failed."""

ROYAL = ("AS", "KS", "QS", "JS", "10S", "JK", "2D")


class Inbox:
    """Takes signals from the reader's thread; a test waits for what it expects."""

    def __init__(self) -> None:
        self._signals: list[ReaderSignal] = []
        self._arrived = threading.Condition()

    def put(self, signal: ReaderSignal) -> None:
        with self._arrived:
            self._signals.append(signal)
            self._arrived.notify_all()

    @property
    def signals(self) -> list[ReaderSignal]:
        with self._arrived:
            return list(self._signals)

    def of(self, kind: type[ReaderSignal]) -> list[ReaderSignal]:
        return [signal for signal in self.signals if isinstance(signal, kind)]

    @property
    def hands(self) -> list[HandRead]:
        return [signal for signal in self.signals if isinstance(signal, HandRead)]

    def wait_for(self, kind: type[ReaderSignal], count: int = 1) -> list[ReaderSignal]:
        """Wait until ``count`` signals of ``kind`` are there, and return them."""
        with self._arrived:
            found: list[ReaderSignal] = []

            def enough() -> bool:
                found[:] = [signal for signal in self._signals if isinstance(signal, kind)]
                return len(found) >= count

            assert self._arrived.wait_for(enough, PATIENCE_S), (
                f"expected {count} {kind.__name__}, got {self._signals[-20:]}"
            )
            return found


def wait_until(condition: Callable[[], bool], what: str) -> None:
    """Wait for what no event announces, such as a counter of another thread."""
    end = time.monotonic() + PATIENCE_S
    while not condition():
        assert time.monotonic() < end, f"waited in vain for {what}"
        time.sleep(0.002)


@contextmanager
def running(link: ReaderLink) -> Iterator[ReaderLink]:
    """Run a link for the length of a block; it must stop when asked to."""
    link.start()
    try:
        yield link
    finally:
        assert link.stop()


def native(url: str) -> ReaderSettings:
    return ReaderSettings(url=url)


def hand_sentence(seq: int, position: int = 3, cards: tuple[str, ...] = ROYAL) -> Sentence:
    return Sentence(seq, "HAND", (str(position), " ".join(cards)))
