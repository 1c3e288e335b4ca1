"""Listens in on the reader's port: what comes and goes, sentence by sentence, as it is."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Final, Literal

from firmware_app.diagnosis.observed import SerialText
from hw.reader.port import OpenPort, Port, open_port
from hw.reader.settings import ReaderSettings

LONGEST_BYTES: Final = 160
"""What has no end is shown in pieces of this length."""
REST_AFTER_NS: Final = 1_000_000_000
"""An unfinished sentence is shown as it is once nothing more has come for so long."""

Hear = Callable[[SerialText], None]


class Splitter:
    """Cuts a stream after each of its end characters. Pure: bytes in, pieces out."""

    def __init__(self, ends: bytes) -> None:
        self._ends = frozenset(ends)
        self._partial = bytearray()

    def take(self, data: bytes) -> list[bytes]:
        """Return the pieces that ``data`` completes."""
        pieces = []
        for byte in data:
            self._partial.append(byte)
            if byte in self._ends or len(self._partial) >= LONGEST_BYTES:
                pieces.append(self.rest())
        return pieces

    def rest(self) -> bytes:
        """Return what has no end yet, and forget it."""
        rest = bytes(self._partial)
        self._partial.clear()
        return rest


class TappedPort:
    """A port that tells what passes through it, and is otherwise the port it was given."""

    def __init__(self, port: Port, ends: bytes, hear: Hear) -> None:
        self._port = port
        self._splitter = Splitter(ends)
        self._hear = hear
        self._last_byte_ns = 0

    @property
    def in_waiting(self) -> int:
        return self._port.in_waiting

    def read(self, size: int = 1, /) -> bytes:
        data = self._port.read(size)
        now_ns = time.monotonic_ns()
        pieces = self._splitter.take(data)
        if data:
            self._last_byte_ns = now_ns
        elif now_ns - self._last_byte_ns > REST_AFTER_NS:
            pieces.append(self._splitter.rest())
        for piece in pieces:
            self._tell("received", piece, now_ns)
        return data

    def write(self, data: bytes, /) -> int | None:
        self._tell("sent", data, time.monotonic_ns())
        return self._port.write(data)

    def reset_input_buffer(self) -> None:
        self._port.reset_input_buffer()

    def close(self) -> None:
        self._port.close()

    def _tell(self, direction: Literal["received", "sent"], raw: bytes, at_ns: int) -> None:
        text = repr(raw.strip(b"\r\n"))[2:-1]
        if text:
            self._hear(SerialText(direction, text, at_ns))


def tapped(settings: ReaderSettings, hear: Hear) -> OpenPort:
    """Return what opens the reader's port with a tap on it."""
    ends = b"\n" if settings.line is None else settings.line.format().record_end.encode("ascii")

    def open_tapped(wanted: ReaderSettings) -> Port:
        return TappedPort(open_port(wanted), ends, hear)

    return open_tapped
