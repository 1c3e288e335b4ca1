"""What the service manager is told: that the table plays, that it is alive, how it stands.

The protocol is sd_notify(3): lines of ``NAME=value`` in a datagram to ``$NOTIFY_SOCKET``. Without
that variable nothing is sent.

There is no time limit here. About once a second the main loop reports the table alive if
everything moved since the time before; how long it may stand still is ``WatchdogSec=`` of the unit
and nothing else. A main loop that hangs reports nothing by itself.
"""

from __future__ import annotations

import logging
import socket
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final, Protocol

from firmware_app.feed.link import LinkHealth
from firmware_app.table.view import TableView

log = logging.getLogger(__name__)

FEED_EVERY_NS: Final = 900_000_000
"""A little below the main loop's second, so that each of its quiet turns reports."""
START_EXTENDED_US: Final = 30_000_000
"""How much longer a start may take, asked for anew while it makes progress."""
_LONGEST_STATUS: Final = 240


class Notifier:
    """Sends to the service manager that started this process, if one did.

    It never blocks and never raises: a manager that does not listen is no fault of the table.
    """

    def __init__(self, environment: Mapping[str, str]) -> None:
        address = environment.get("NOTIFY_SOCKET", "")
        # An abstract address is written with @ for its leading null byte.
        self._address = "\0" + address[1:] if address.startswith("@") else address

    def send(self, *assignments: str) -> None:
        """Send ``NAME=value`` assignments as one datagram."""
        if not self._address:
            return
        try:
            with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_CLOEXEC) as sender:
                sender.setblocking(False)
                sender.sendto("\n".join(assignments).encode(), self._address)
        except OSError as error:
            log.debug("the service manager was not reached: %s", error)


class _Engine(Protocol):
    last_turn_ns: int

    @property
    def shown(self) -> TableView: ...
    def is_alive(self) -> bool: ...


class _Journal(Protocol):
    @property
    def next_fact_number(self) -> int: ...


class _Reader(Protocol):
    @property
    def is_alive(self) -> bool: ...


class _Link(Protocol):
    def health(self) -> LinkHealth: ...


@dataclass(frozen=True, slots=True)
class Watched:
    """The parts of a table that must move or live. ``pins_alive``: edges still reach us."""

    engine: _Engine
    journal: _Journal
    reader: _Reader
    link: _Link
    pins_alive: Callable[[], bool]


class Watchdog:
    """Reports one table to the service manager. Made before the table starts; for one thread."""

    def __init__(
        self,
        notifier: Notifier,
        watched: Watched,
        *,
        clock_ns: Callable[[], int] = time.monotonic_ns,
    ) -> None:
        self._notifier = notifier
        self._watched = watched
        self._clock_ns = clock_ns
        self._first_fact = watched.journal.next_fact_number
        self._ready = False
        self._due_ns = 0
        self._turn_ns = 0
        self._link_restarts = 0
        self._ended: list[str] = []
        self._standing = ""

    def feed(self) -> None:
        """Report the table alive if it is; the main loop calls this at every turn."""
        now_ns = self._clock_ns()
        if now_ns < self._due_ns:
            return
        self._due_ns = now_ns + FEED_EVERY_NS
        link = self._watched.link.health()
        self._tell_standing(standing(self._watched.engine.shown, link))
        if not self._alive(link):
            return
        if not self._ready and self._watched.journal.next_fact_number > self._first_fact:
            self._ready = True
            self._notifier.send("READY=1")
        if self._ready:
            self._notifier.send("WATCHDOG=1")
        else:
            # It waits for room on the card, say, and shows so; to start it again would not help.
            self._notifier.send(f"EXTEND_TIMEOUT_USEC={START_EXTENDED_US}")

    def stopping(self) -> None:
        """Tell that the table was asked to stop, and does."""
        self._notifier.send("STOPPING=1", "STATUS=stopping")

    def _alive(self, link: LinkHealth) -> bool:
        """Whether the engine came round since the last look, and every other thread lives."""
        # A feed thread that fails again and again is started again each time: the table plays on.
        link_lives = link.alive or link.restarts != self._link_restarts
        self._link_restarts = link.restarts
        lives = {
            "engine": self._watched.engine.is_alive(),
            "card reader": self._watched.reader.is_alive,
            "feed": link_lives,
            "pins": self._watched.pins_alive(),
        }
        ended = [name for name, alive in lives.items() if not alive]
        if ended != self._ended:
            self._ended = ended
            if ended:
                log.error("not alive: %s; the watchdog is not fed", ", ".join(ended))
        turn_ns, self._turn_ns = self._turn_ns, self._watched.engine.last_turn_ns
        return turn_ns != self._turn_ns and not ended

    def _tell_standing(self, line: str) -> None:
        if line != self._standing:
            self._standing = line
            self._notifier.send(f"STATUS={line}")


def standing(shown: TableView, link: LinkHealth) -> str:
    """Return in one line how the table stands; nothing in it that players may not see."""
    feed = "connected" if link.connected else "not connected"
    parts = [
        f"round {shown.round_number} {shown.phase.value}",
        f"reader {'up' if shown.reader_up else 'lost'}",
        f"feed {feed}, {'?' if link.unsent is None else link.unsent} unsent",
        *(f"alarm: {alarm.text}" for alarm in shown.alarms),
    ]
    return " ".join("; ".join(parts).split())[:_LONGEST_STATUS]
