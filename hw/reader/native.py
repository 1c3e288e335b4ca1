"""Find sentences of the native protocol in a stream of bytes. No port, no clock, no thread.

    decoder = NativeDecoder()
    decoder.receive(data, at_ns)
    for event in decoder: ...         # Sentence or BadSentence

Rules of the stream
1. A sentence starts at ``$`` and ends at LF. Whatever stands before a ``$`` is noise.
2. A ``$`` inside a sentence cuts it: the sentence so far is bad, a new one starts there.
3. A sentence that exceeds ``MAX_SENTENCE_BYTES`` without an end is bad, and so is one that gets no
   byte for ``SILENCE_LIMIT_NS``: half a hand is never taken for a hand, and never joined to what
   comes later.
4. After every fault the decoder waits for the next ``$``; so any garbage costs at most the sentence
   that it stands in. A run of noise is reported once, however long it is.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from hw.reader.sentence import MAX_SENTENCE_BYTES, SEQUENCE_NUMBERS, Sentence, SentenceError

SILENCE_LIMIT_NS: Final = 2_000_000_000
"""A sentence may be written in pieces; a longer gap than this between two bytes ends it."""

RAW_KEPT_BYTES: Final = MAX_SENTENCE_BYTES
"""As much of a bad sentence is kept for the log."""

_DOLLAR: Final = ord("$")
_LINE_ENDS: Final = b"\r\n"
_READABLE_NUMBER: Final = re.compile(rb"\$([0-9]{1,5}),")


@dataclass(frozen=True, slots=True)
class BadSentence:
    """Bytes that are no good sentence.

    ``reason`` is NOISE (bytes outside a sentence), CUT (a ``$`` inside), LONG, SILENCE, FORM or
    CRC. ``raw`` holds at most ``RAW_KEPT_BYTES`` bytes of it. ``seq`` is the number, where one
    could still be read; a damaged sentence may carry a wrong one.
    """

    reason: str
    detail: str
    raw: bytes
    seq: int | None = None


class NativeDecoder:
    """Bytes in, sentences out. Holds at most one unfinished sentence between calls."""

    def __init__(self) -> None:
        self._partial = b""
        self._last_byte_ns = 0
        self._in_noise = False
        self._events: deque[Sentence | BadSentence] = deque()

    @property
    def pending_bytes(self) -> int:
        """Bytes of the unfinished sentence; never more than ``MAX_SENTENCE_BYTES``."""
        return len(self._partial)

    def receive(self, data: bytes, at_ns: int) -> None:
        """Take bytes that were read at ``at_ns`` (monotonic ns) in any portion."""
        self.expire(at_ns)
        if not data:
            return
        self._last_byte_ns = at_ns
        stream = self._partial + data
        self._partial = b""
        position = 0
        while position < len(stream):
            start = stream.find(b"$", position)
            if start != position:
                self._noise(stream[position : start if start >= 0 else None])
            if start < 0:
                return
            self._in_noise = False
            position = self._sentence_at(stream, start)

    def expire(self, at_ns: int) -> None:
        """Give up an unfinished sentence that got no byte for ``SILENCE_LIMIT_NS``."""
        if self._partial and at_ns - self._last_byte_ns > SILENCE_LIMIT_NS:
            raw, self._partial = self._partial, b""
            self._bad("SILENCE", "expected the rest of the sentence, got silence", raw)
            self._in_noise = True

    def reset(self) -> None:
        """Forget the unfinished sentence, as when the port was opened again."""
        self._partial = b""
        self._in_noise = False
        self._events.clear()

    def next_event(self) -> Sentence | BadSentence | None:
        """Return the oldest sentence or fault not yet taken, or None."""
        return self._events.popleft() if self._events else None

    def __iter__(self) -> Iterator[Sentence | BadSentence]:
        while self._events:
            yield self._events.popleft()

    def _sentence_at(self, stream: bytes, start: int) -> int:
        """Deal with what starts at the ``$`` at ``start``; return where to go on."""
        limit = start + MAX_SENTENCE_BYTES
        line_feed = stream.find(b"\n", start, limit)
        next_dollar = stream.find(b"$", start + 1, limit if line_feed < 0 else line_feed)
        if next_dollar >= 0:
            self._bad("CUT", "expected CR LF, got the next $", stream[start:next_dollar])
            return next_dollar
        if line_feed >= 0:
            self._whole(stream[start : line_feed + 1])
            return line_feed + 1
        if len(stream) < limit:
            self._partial = stream[start:]
            return len(stream)
        self._bad("LONG", f"expected CR LF within {MAX_SENTENCE_BYTES} bytes", stream[start:limit])
        self._in_noise = True
        return limit

    def _whole(self, raw: bytes) -> None:
        try:
            self._events.append(Sentence.from_bytes(raw))
        except SentenceError as fault:
            self._bad(fault.reason, str(fault), raw)

    def _noise(self, raw: bytes) -> None:
        # Blank lines between sentences are a technician at a terminal, not a fault.
        if not self._in_noise and raw.strip(_LINE_ENDS):
            self._in_noise = True
            self._bad("NOISE", "expected $, got other bytes", raw)

    def _bad(self, reason: str, detail: str, raw: bytes) -> None:
        seq = None
        if readable := _READABLE_NUMBER.match(raw):
            number = int(readable[1])
            seq = number if number < SEQUENCE_NUMBERS else None
        self._events.append(BadSentence(reason, detail, raw[:RAW_KEPT_BYTES], seq))
