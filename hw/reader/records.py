"""Find the records of a line protocol in a stream of bytes. No port, no clock, no thread.

Rules of the stream
1. A record ends with one of the end characters; blanks and line ends around it are no part of it.
2. A record of more than ``MAX_RECORD_BYTES``, or with anything but printable ASCII in it, is bad.
   So is one that gets no byte for ``SILENCE_LIMIT_NS``: it is never joined to what comes later.
3. There is no check sum that could tell where the good part of a bad record begins, so all up to
   the next end character is bad. It is reported again when that has come: a card may have been
   swallowed there, and every card must leave a trace.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

MAX_RECORD_BYTES: Final = 128
SILENCE_LIMIT_NS: Final = 2_000_000_000
_AROUND: Final = b" \t\r\n"


@dataclass(frozen=True, slots=True)
class Record:
    """The text of one record, its end character included if that is printable."""

    text: str


@dataclass(frozen=True, slots=True)
class BadRecord:
    """Bytes that are no record; ``raw`` holds at most ``MAX_RECORD_BYTES`` of them."""

    detail: str
    raw: bytes


class RecordDecoder:
    """Bytes in, records out. Holds at most one unfinished record between calls."""

    def __init__(self, record_end: str) -> None:
        """``record_end``: the characters that end a record, each of them alone."""
        self._ends = frozenset(record_end.encode("ascii"))
        self._partial = bytearray()
        self._in_bad = False
        self._last_byte_ns = 0
        self._events: deque[Record | BadRecord] = deque()

    @property
    def pending_bytes(self) -> int:
        """Bytes of the unfinished record; never more than ``MAX_RECORD_BYTES``."""
        return len(self._partial)

    def receive(self, data: bytes, at_ns: int) -> None:
        """Take bytes that were read at ``at_ns`` (monotonic ns) in any portion."""
        self.expire(at_ns)
        if data:
            self._last_byte_ns = at_ns
        for byte in data:
            if byte in self._ends:
                self._partial.append(byte)
                self._whole()
            elif self._partial or byte not in _AROUND:
                self._partial.append(byte)
                if len(self._partial) >= MAX_RECORD_BYTES:
                    self._too_long()

    def expire(self, at_ns: int) -> None:
        """Give up an unfinished record that got no byte for ``SILENCE_LIMIT_NS``."""
        if at_ns - self._last_byte_ns > SILENCE_LIMIT_NS:
            if self._partial:
                self._bad("expected the rest of the record, got silence")
            self._in_bad = False

    def reset(self) -> None:
        """Forget the unfinished record, as when the port was opened again."""
        self._partial.clear()
        self._in_bad = False
        self._events.clear()

    def __iter__(self) -> Iterator[Record | BadRecord]:
        while self._events:
            yield self._events.popleft()

    def _whole(self) -> None:
        text = self._partial.strip(_AROUND).decode("ascii", errors="replace")
        if self._in_bad:
            self._bad("expected nothing more of a bad record")
        elif not (text.isascii() and text.isprintable()):
            self._bad("expected printable ASCII")
        elif text:
            self._events.append(Record(text))
        self._partial.clear()
        self._in_bad = False

    def _too_long(self) -> None:
        if not self._in_bad:
            self._bad(f"expected an end within {MAX_RECORD_BYTES} bytes")
        self._partial.clear()
        self._in_bad = True

    def _bad(self, detail: str) -> None:
        self._events.append(BadRecord(detail, bytes(self._partial)))
        self._partial.clear()
