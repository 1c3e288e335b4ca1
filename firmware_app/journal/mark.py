"""The mark: a small file beside the journal that says how far the journal had come.

A journal that lost its tail (a log file removed, an older copy put back) is whole in itself, so
only something outside it can tell. The mark is written after each commit without waiting for the
disk: it may lag behind the journal after a power cut, but never be ahead of it. It also carries
the numbers and the lifetime meters over to a new journal should the file become unreadable, and
its lock keeps a second controller out.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import logging
import os
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Self

from firmware_app.journal.errors import JournalError, JournalInUse

_LOG = logging.getLogger(__name__)

SYNC_EVERY_NUMBERS = 1_000
"""The mark on the disk is never further behind than this many facts or messages."""

_MODE = 0o640


@dataclass(frozen=True, slots=True)
class Mark:
    """How far a journal had come: last numbers, chain of the last entry, meters up to it."""

    entry: int = 0
    fact: int = 0
    message: int = 0
    round: int = 0
    chain: str = ""
    lifetime: Mapping[str, int] = field(default_factory=dict)
    shift_base: Mapping[str, int] = field(default_factory=dict)


def mark_path(journal: Path) -> Path:
    """Return where the mark of ``journal`` lies."""
    return journal.with_name(journal.name + ".mark")


def read_mark(journal: Path) -> Mark | None:
    """Return the mark of ``journal``; None where there is none or where it is unreadable."""
    try:
        return _decode(mark_path(journal).read_bytes())
    except OSError:
        return None


def _encode(mark: Mark, meters: bytes) -> bytes:
    body = b'{"entry":%d,"fact":%d,"message":%d,"round":%d,"chain":"%b",%b}' % (
        mark.entry, mark.fact, mark.message, mark.round, mark.chain.encode(), meters,
    )  # fmt: skip
    return b"%08x %b\n" % (zlib.crc32(body), body)


def _decode(data: bytes) -> Mark | None:
    line, newline, _ = data.partition(b"\n")
    checksum, _, body = line.partition(b" ")
    if not newline or checksum != b"%08x" % zlib.crc32(body):
        return None
    try:
        return Mark(**json.loads(body))
    except (ValueError, TypeError):
        return None


class MarkFile:
    """The mark of an open journal, locked for this process."""

    def __init__(self, descriptor: int, journal: Path) -> None:
        self._descriptor = descriptor
        self._journal = journal
        self._synced_fact = self._synced_message = 0
        self._failed = False
        self._lifetime: Mapping[str, int] | None = None
        self._shift_base: Mapping[str, int] | None = None
        self._meters = b""

    @classmethod
    def open(cls, journal: Path) -> Self:
        """Lock the mark of ``journal``, made if missing; raise :class:`JournalInUse` if taken."""
        path = mark_path(journal)
        try:
            descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, _MODE)
        except OSError as error:
            raise JournalError(
                f"journal {journal}: {path.name} cannot be written ({error.strerror}); check that "
                f"{path.parent} exists and belongs to the service's user"
            ) from error
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(descriptor)
            raise JournalInUse(
                f"journal {journal} is written by another controller; stop that one first"
            ) from None
        return cls(descriptor, journal)

    def read(self) -> Mark | None:
        """Return the mark as it was left, None for a new or an unreadable one."""
        return read_mark(self._journal)

    def write(self, mark: Mark) -> None:
        """Write the mark; on the disk it lags at most :data:`SYNC_EVERY_NUMBERS` behind.

        A mark that cannot be written is logged once, and does not undo what is recorded.
        """
        try:
            os.pwrite(self._descriptor, _encode(mark, self._meters_json(mark)), 0)
            if (
                mark.fact - self._synced_fact >= SYNC_EVERY_NUMBERS
                or mark.message - self._synced_message >= SYNC_EVERY_NUMBERS
            ):
                os.fdatasync(self._descriptor)
                self._synced_fact, self._synced_message = mark.fact, mark.message
            self._failed = False
        except OSError as error:
            if not self._failed:
                _LOG.warning("mark of journal %s not written: %s", self._journal, error)
            self._failed = True

    def close(self) -> None:
        """Give up the lock, with the mark on the disk. A second time does nothing."""
        if self._descriptor < 0:
            return
        with contextlib.suppress(OSError):
            os.fdatasync(self._descriptor)
        os.close(self._descriptor)
        # The number may name another file from here on.
        self._descriptor = -1

    def _meters_json(self, mark: Mark) -> bytes:
        # Meters move once a round; between that the mark is written many times.
        if self._lifetime is not mark.lifetime or self._shift_base is not mark.shift_base:
            self._lifetime, self._shift_base = mark.lifetime, mark.shift_base
            text = json.dumps(
                {"lifetime": dict(mark.lifetime), "shift_base": dict(mark.shift_base)},
                separators=(",", ":"),
            )
            self._meters = text[1:-1].encode()
        return self._meters
