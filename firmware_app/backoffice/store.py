"""The books: every event of every table, once, in one SQLite file.

Any number of consumers may write the same file. Which of them an event came to, and how often,
makes no difference: an event is known by its source and sequence.
"""

from __future__ import annotations

import json
import logging
import sqlite3
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Self

from firmware_app.backoffice.rows import SCHEMA, rows_of
from firmware_app.feed.consumer import Gap
from firmware_app.feed.envelope import Received, decode

logger = logging.getLogger(__name__)

_BUSY_S = 30.0
_MALFORMED = (ValueError, KeyError, TypeError, AttributeError, OverflowError)
"""What data raises that is not as the feed's schema promises."""

_OWN_SCHEMA = """
CREATE TABLE IF NOT EXISTS event (
    source TEXT NOT NULL, sequence INTEGER NOT NULL, type TEXT NOT NULL,
    happened TEXT NOT NULL, received TEXT NOT NULL, payload BLOB NOT NULL,
    repeats INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (source, sequence)
);
CREATE TABLE IF NOT EXISTS progress (
    source TEXT PRIMARY KEY, through INTEGER NOT NULL
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS refused (
    received TEXT NOT NULL, topic TEXT NOT NULL, why TEXT NOT NULL, payload BLOB NOT NULL
);
CREATE TABLE IF NOT EXISTS device (
    source TEXT PRIMARY KEY, status TEXT, reason TEXT, since TEXT,
    bridge TEXT, bridge_since TEXT
) WITHOUT ROWID;
"""

_EVENT = (
    "INSERT INTO event (source, sequence, type, happened, received, payload) "
    "VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING"
)
_REPEAT = (
    "UPDATE event SET repeats = repeats + 1 WHERE source = ? AND sequence = ? RETURNING payload"
)
_DEVICE = (
    "INSERT INTO device (source, {what}, {since}) VALUES (:source, :value, :now) "
    "ON CONFLICT DO UPDATE SET {since} = iif({what} IS :value, {since}, :now), {what} = :value"
)
# Up to which event a table is complete, from its lowest on: the first that lacks its successor.
_PROGRESS = """
INSERT OR REPLACE INTO progress
SELECT source, sequence FROM event AS here
WHERE source = :source AND NOT EXISTS (
    SELECT 1 FROM event WHERE source = :source AND sequence = here.sequence + 1
) AND sequence >= coalesce((
    SELECT through FROM progress WHERE source = :source AND through <= :lowest), 0
)
ORDER BY sequence LIMIT 1
"""
_GAPS_OF = """
SELECT before + 1, sequence - 1 FROM (
    SELECT sequence, lag(sequence, 1, :before) OVER (ORDER BY sequence) AS before
    FROM event WHERE source = :source AND sequence > :before
) WHERE sequence > before + 1 ORDER BY sequence
"""


def utc_text(moment: datetime) -> str:
    """Return a moment as the books hold it: texts of one length, that sort as the times do."""
    return f"{moment.astimezone(UTC):%Y-%m-%dT%H:%M:%S.%fZ}"


@dataclass(frozen=True, slots=True)
class Message:
    """What came from the broker."""

    topic: str
    payload: bytes


class Store:
    """The open books. One thread at a time; each consumer opens its own.

    Raises :class:`sqlite3.Error` where the file cannot be read or written.
    """

    def __init__(self, path: Path) -> None:
        # The lowest new sequence of each table, in the batch that is being booked.
        self._lowest: dict[str, int] = {}
        self._connection = sqlite3.connect(path, timeout=_BUSY_S, isolation_level=None)
        # A crash of the machine may not undo what the broker was told is saved.
        self._connection.executescript(
            "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;" + _OWN_SCHEMA + SCHEMA
        )

    def close(self) -> None:
        self._connection.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def connection(self) -> sqlite3.Connection:
        """For questions."""
        return self._connection

    def take(self, messages: Iterable[Message], *, now: datetime | None = None) -> int:
        """Book ``messages`` in one transaction, on the disk on return; return how many were new.

        What is no event, or contradicts one that is booked, is kept aside with the reason and
        stops nothing.
        """
        received = utc_text(now or datetime.now(UTC))
        self._connection.execute("BEGIN IMMEDIATE")
        try:
            self._lowest.clear()
            new = sum(self._book(message, received) for message in messages)
            for source, lowest in self._lowest.items():
                self._connection.execute(_PROGRESS, {"source": source, "lowest": lowest})
        except BaseException:
            self._connection.execute("ROLLBACK")
            raise
        self._connection.execute("COMMIT")
        return new

    def gaps(self, *, first: int | None = None) -> list[Gap]:
        """Return the events that are missing between others, by table.

        ``first`` is the sequence from which each table must be complete, and has every event
        looked at; None takes the lowest that is booked, and looks only behind what was complete.
        """
        tables = self._connection.execute("SELECT source, through FROM progress ORDER BY source")
        return [
            Gap(source, low, high)
            for source, through in tables.fetchall()
            for low, high in self._connection.execute(
                _GAPS_OF,
                {"source": source, "before": through if first is None else first - 1},
            )
        ]

    def _book(self, message: Message, received: str) -> bool:
        try:
            match message.topic.split("/"):
                case [root, version, site, table, "status"]:
                    self._note_status(f"/{root}/{version}/{site}/{table}", message, received)
                case [root, version, site, table, "bridge"]:
                    self._note_bridge(f"/{root}/{version}/{site}/{table}", message, received)
                case _:
                    return self._book_event(decode(message.payload), message, received)
        except _MALFORMED as error:
            self._refuse(message, received, f"{type(error).__name__}: {error}")
        return False

    def _book_event(self, event: Received, message: Message, received: str) -> bool:
        if not message.topic.startswith(f"{event.source[1:]}/event/"):
            raise ValueError(f"the event says that it is of {event.source}")
        # A table whose clock was not set cannot say when; then the time of arrival must do.
        happened = utc_text(event.time) if event.clock_synchronised else received
        added = self._connection.execute(
            _EVENT, (event.source, event.sequence, event.type, happened, received, message.payload)
        ).rowcount
        if not added:
            [(booked,)] = self._connection.execute(_REPEAT, (event.source, event.sequence))
            if booked != message.payload:
                raise ValueError(f"event {event.sequence} came again with other content")
            return False
        lowest = self._lowest.get(event.source, event.sequence)
        self._lowest[event.source] = min(lowest, event.sequence)
        self._book_rows(event, happened, message, received)
        return True

    def _book_rows(self, event: Received, happened: str, message: Message, received: str) -> None:
        self._connection.execute("SAVEPOINT rows")
        try:
            for statement, values in rows_of(event, happened):
                self._connection.execute(statement, values)
        except sqlite3.OperationalError:
            raise  # the disk or the file, not the event
        except (sqlite3.Error, *_MALFORMED) as error:
            # Not as the schema promises. It stays in the table of events, so that it is not missed.
            self._connection.execute("ROLLBACK TO rows")
            self._refuse(message, received, f"its data cannot be booked: {error!r}")
        self._connection.execute("RELEASE rows")

    def _note_status(self, source: str, message: Message, received: str) -> None:
        if not message.payload:
            self._connection.execute("DELETE FROM device WHERE source = ?", (source,))
            return
        told = json.loads(message.payload)
        self._connection.execute(
            _DEVICE.format(what="status", since="since"),
            {"source": source, "value": str(told["status"]), "now": received},
        )
        self._connection.execute(
            "UPDATE device SET reason = ? WHERE source = ?", (told.get("reason"), source)
        )

    def _note_bridge(self, source: str, message: Message, received: str) -> None:
        self._connection.execute(
            _DEVICE.format(what="bridge", since="bridge_since"),
            {"source": source, "value": "up" if message.payload == b"1" else "down"}
            | {"now": received},
        )

    def _refuse(self, message: Message, received: str, why: str) -> None:
        logger.warning("%s: %s", message.topic, why)
        self._connection.execute(
            "INSERT INTO refused VALUES (?, ?, ?, ?)",
            (received, message.topic, why, message.payload),
        )
