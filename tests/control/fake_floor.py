"""A table that answers at once, and remembers what it was asked; and a program that talks to it."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from firmware_app.journal.meters import Meters
from firmware_app.rules.profile import load_profile
from firmware_app.table.state import TableRules, new_table
from firmware_app.table.supervision import Asked, Outcome
from firmware_app.table.view import TableView, view

RULES = TableRules(load_profile("envy"))
VIEW = view(new_table(RULES), RULES)
PATIENCE_S = 10.0


@dataclass
class FakeFloor:
    """Does everything that it is asked, or what ``behave`` says."""

    behave: Callable[[Asked], Outcome] = lambda asked: Outcome(VIEW)
    asked: list[Asked] = field(default_factory=list)
    resent_from: list[int] = field(default_factory=list)
    shown: TableView = VIEW
    meters: Meters = field(default_factory=lambda: Meters({"rounds.settled": 7}, {}))

    def recall(self, rounds: int) -> Outcome:
        return Outcome(self.shown, told=f"{rounds} rounds")

    def act(self, asked: Asked) -> Outcome:
        self.asked.append(asked)
        return self.behave(asked)

    def resend(self, asked: Asked, from_sequence: int) -> Outcome:
        self.resent_from.append(from_sequence)
        return self.act(asked)

    def close_shift(self, asked: Asked) -> tuple[Outcome, Meters | None]:
        outcome = self.act(asked)
        return outcome, self.meters if outcome.refused is None else None


class Talker:
    """A program at the other end of the socket, in raw bytes."""

    def __init__(self, path: Path) -> None:
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._socket.settimeout(PATIENCE_S)
        self._socket.connect(str(path))
        self._lines = self._socket.makefile("rb")

    def send(self, data: bytes) -> None:
        self._socket.sendall(data)

    def finish_sending(self) -> None:
        self._socket.shutdown(socket.SHUT_WR)

    def reply(self) -> dict[str, Any]:
        reply: dict[str, Any] = json.loads(self._lines.readline())
        return reply

    def ended(self) -> bool:
        """Whether the table has hung up, with nothing more said."""
        try:
            return self._lines.readline() == b""
        except ConnectionResetError:
            return True

    def hang_up(self) -> None:
        self._lines.close()
        self._socket.close()

    def __enter__(self) -> Talker:
        return self

    def __exit__(self, *_: object) -> None:
        self.hang_up()


def control_threads() -> list[threading.Thread]:
    """Return the threads of all control sockets: one that listens, one for each connection."""
    return [thread for thread in threading.enumerate() if thread.name.startswith("control")]


def wait_for(wanted: Callable[[], bool]) -> None:
    """Wait for what no event tells of, such as the end of a thread."""
    for _ in range(1_000):
        if wanted():
            return
        threading.Event().wait(0.01)
    raise AssertionError("it did not come to that")
