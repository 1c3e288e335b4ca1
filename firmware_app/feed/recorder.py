"""Writes down what an independent subscriber received: one CloudEvent a line, as it came."""

from __future__ import annotations

import logging
import threading
from pathlib import Path
from types import TracebackType

from firmware_app.feed.envelope import EnvelopeError, decode
from firmware_app.feed.settings import BrokerSettings
from firmware_app.feed.subscriber import Subscriber
from firmware_app.feed.topics import TableTopics

logger = logging.getLogger(__name__)


class Recorder:
    """Records the events of one table to ``path``, repeats included, in the order of arrival.

    Start it before the table, :meth:`wait_for` the last event, then stop it. What is no event is
    counted and logged, and not written: every line of the file can be read.
    """

    def __init__(self, broker: BrokerSettings, topics: TableTopics, path: Path) -> None:
        self._subscriber = Subscriber(broker, topics.events, self._record)
        self._path = path
        self._changed = threading.Condition()
        self._last_sequence = 0
        self._rejected = 0

    @property
    def last_sequence(self) -> int:
        """The highest sequence received; 0 before the first."""
        return self._last_sequence

    @property
    def rejected(self) -> int:
        """How many messages were no events."""
        return self._rejected

    def start(self) -> None:
        """Open the file and subscribe. Raises OSError, or LinkLostError without a broker."""
        self._file = self._path.open("wb")
        try:
            self._subscriber.start()
        except BaseException:
            self._file.close()
            raise

    def wait_for(self, sequence: int, timeout_s: float) -> bool:
        """Wait until event ``sequence`` was received; False if it took too long."""
        with self._changed:
            return self._changed.wait_for(lambda: self._last_sequence >= sequence, timeout_s)

    def stop(self) -> None:
        """End the subscription and close the file."""
        self._subscriber.stop()
        self._file.close()

    def __enter__(self) -> Recorder:
        self.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.stop()

    def _record(self, topic: str, payload: bytes) -> None:
        try:
            event = decode(payload)
        except EnvelopeError as error:
            self._rejected += 1
            logger.warning("%s: %s", topic, error)
            return
        # JSON knows no raw line breaks within a text, so these can only be layout.
        line = payload.replace(b"\r", b" ").replace(b"\n", b" ")
        self._file.write(line + b"\n")
        self._file.flush()
        with self._changed:
            self._last_sequence = max(self._last_sequence, event.sequence)
            self._changed.notify_all()
