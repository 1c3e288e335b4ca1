"""The reader's thread: keeps the port open, reads it, and survives whatever the cable does."""

from __future__ import annotations

import logging
import random
import threading
import time
from collections.abc import Callable
from typing import Final, Protocol

import serial

from hw.reader.health import Emit, ReaderHealth, ReaderStatus
from hw.reader.line_protocol import LineSession
from hw.reader.port import PORT_FAULTS, OpenPort, Port, open_port
from hw.reader.session import NativeSession
from hw.reader.settings import ReaderSettings
from hw.reader.statistics import ReaderCounters, ReaderStatistics

RETRY_FIRST_S: Final = 0.1
RETRY_LONGEST_S: Final = 2.0
"""A cable that is plugged back in is found within this time and its jitter."""

REOPEN_AFTER_SILENCE_NS: Final = 15_000_000_000
"""A port that delivers no byte for so long is opened anew: the name may point elsewhere by now, and
a network connection can be dead without saying so."""

_LARGEST_READ_BYTES: Final = 4096
_NS_PER_MS: Final = 1_000_000

_log = logging.getLogger(__name__)


class Session(Protocol):
    """What speaks the reader's protocol; see :class:`hw.reader.session.NativeSession`."""

    health: ReaderHealth
    counters: ReaderCounters

    def start_deal(self, first_position: int) -> None: ...
    def opened(self, at_ns: int) -> None: ...
    def closed(self, reason: str, at_ns: int) -> None: ...
    def receive(self, data: bytes, at_ns: int) -> bytes: ...
    def tick(self, at_ns: int) -> bytes: ...


class Backoff:
    """Waiting times between attempts: doubling, capped, with jitter so that many do not march in
    step."""

    def __init__(self, first_s: float, longest_s: float, jitter: random.Random) -> None:
        self._first_s = first_s
        self._longest_s = longest_s
        self._jitter = jitter
        self._next_s = first_s

    def next_s(self) -> float:
        """Return the next waiting time in seconds, up to a quarter longer than its step."""
        step_s = self._next_s
        self._next_s = min(step_s * 2, self._longest_s)
        return step_s * self._jitter.uniform(1.0, 1.25)

    def reset(self) -> None:
        """The attempt succeeded; the next waiting time is the first one again."""
        self._next_s = self._first_s


class ReaderLink:
    """Runs a session over a serial port in a thread of its own.

    No fault of the port and no exception of ``emit`` ends the thread; only :meth:`stop` does.
    ``emit`` is called in this thread and must not block: put the signal in a queue.
    """

    def __init__(
        self,
        settings: ReaderSettings,
        emit: Emit,
        *,
        session: Session | None = None,
        open_port: OpenPort = open_port,
        clock_ns: Callable[[], int] = time.monotonic_ns,
        jitter: random.Random | None = None,
    ) -> None:
        """``session`` default: what ``settings`` call for."""
        self._settings = settings
        self._session = session if session is not None else session_for(settings, emit)
        self._open_port = open_port
        self._clock_ns = clock_ns
        self._backoff = Backoff(
            RETRY_FIRST_S, RETRY_LONGEST_S, jitter if jitter is not None else random.Random()
        )
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, name="card-reader", daemon=True)

    def start(self) -> None:
        """Start the thread; a missing port is not an error, it is waited for."""
        self._thread.start()

    def stop(self, timeout_s: float = 1.0) -> bool:
        """Ask the thread to end and wait for it; True if it has ended.

        It ends within one read timeout, unless the operating system holds it in opening a network
        address that does not answer; being a daemon thread, it does not hold up the exit then.
        """
        self._stopping.set()
        if self._thread.ident is not None:
            self._thread.join(timeout_s)
        return not self._thread.is_alive()

    def start_deal(self, first_position: int) -> None:
        """The deal starts at ``first_position``. A device of the line protocol cannot know it; a
        native reader needs no telling. May be called from any thread.
        """
        self._session.start_deal(first_position)

    @property
    def is_alive(self) -> bool:
        """Whether the thread runs; for the watchdog."""
        return self._thread.is_alive()

    @property
    def status(self) -> ReaderStatus:
        return self._session.health.status

    def statistics(self) -> ReaderStatistics:
        """Return what was counted since the start."""
        last_ns = self._session.health.last_good_ns
        return ReaderStatistics.of(
            self._session.counters,
            status=self.status.value,
            silence_ms=None if last_ns is None else (self._clock_ns() - last_ns) // _NS_PER_MS,
        )

    def _run(self) -> None:
        while not self._stopping.is_set():
            try:
                reason = self._serve()
            except PORT_FAULTS as fault:
                reason = f"{self._settings.url}: {fault}"
            except Exception as fault:
                # A bug of ours must not leave the table without its reader for the rest of the day.
                _log.exception("the card reader's thread goes on after a fault of its own")
                reason = f"{self._settings.url}: {type(fault).__name__}: {fault}"
            if self._stopping.is_set():
                break
            self._session.counters.port_faults += 1
            self._session.closed(reason, self._clock_ns())
            self._stopping.wait(self._backoff.next_s())

    def _serve(self) -> str:
        """Open the port and read until it is given up; return why."""
        port = self._open_port(self._settings)
        try:
            self._session.counters.opened += 1
            self._session.opened(self._clock_ns())
            return self._read(port)
        finally:
            _close(port)

    def _read(self, port: Port) -> str:
        last_byte_ns = self._clock_ns()
        while not self._stopping.is_set():
            # One byte is waited for, all that came with it is fetched: never a blocking read of
            # more than has arrived, and not one system call per byte either.
            data = port.read(min(port.in_waiting, _LARGEST_READ_BYTES) or 1)
            if data and (more := min(port.in_waiting, _LARGEST_READ_BYTES)):
                data += port.read(more)
            now_ns = self._clock_ns()
            if data:
                last_byte_ns = now_ns
                self._write(port, self._session.receive(data, now_ns))
            elif self._silent_port(now_ns - last_byte_ns):
                return f"{self._settings.url}: no byte for {REOPEN_AFTER_SILENCE_NS // 10**9} s"
            self._write(port, self._session.tick(now_ns))
            if self._session.health.status is ReaderStatus.UP:
                self._backoff.reset()
        return "stopped"

    def _silent_port(self, silence_ns: int) -> bool:
        return self._session.health.beats and silence_ns > REOPEN_AFTER_SILENCE_NS

    def _write(self, port: Port, answer: bytes) -> None:
        if not answer:
            return
        try:
            port.write(answer)
        except serial.SerialTimeoutException:
            # The reader does not take its answers; it will repeat and be answered again.
            self._session.counters.answers_unsent += 1


def session_for(settings: ReaderSettings, emit: Emit) -> Session:
    """Return the session that speaks the protocol of ``settings``."""
    if settings.line is not None:
        return LineSession(emit, settings.line)
    return NativeSession(emit, beat_limit_ns=settings.beat_limit_ms * _NS_PER_MS)


def _close(port: Port) -> None:
    try:
        port.close()
    except PORT_FAULTS:
        _log.debug("closing a lost port failed", exc_info=True)
