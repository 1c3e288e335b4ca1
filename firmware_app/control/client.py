"""Asking a running table: one request over its control socket, and its reply."""

from __future__ import annotations

import socket
import time
from contextlib import suppress
from pathlib import Path
from typing import Final

from pydantic import ValidationError

from firmware_app.control.address import address_of
from firmware_app.control.protocol import Reply, Request

PATIENCE_S: Final = 10.0
"""Longer than a table takes to say that it could not do something in time."""

_RECEIVE_BYTES: Final = 65_536
_MOST_BYTES: Final = 1 << 20


class Unreachable(Exception):  # noqa: N818 - a state of the table, as its message tells it
    """No table could be asked. The message says what to look at."""


def ask(path: Path, request: Request, *, patience_s: float = PATIENCE_S) -> Reply:
    """Return what the table at ``path`` replies; raise :class:`Unreachable`."""
    line = request.model_dump_json().encode() + b"\n"
    try:
        answer = _exchange(path, line, time.monotonic() + patience_s)
    except (FileNotFoundError, ConnectionRefusedError) as error:
        raise Unreachable(
            f"no table listens at {path}. Does it run? See: systemctl status fortune-table"
        ) from error
    except PermissionError as error:
        raise Unreachable(
            f"this user may not use {path}. Ask the technician to add the user to the group that "
            "the table runs as: fortune-table, as it is installed"
        ) from error
    except TimeoutError as error:
        raise Unreachable(
            f"the table at {path} gave no answer in {patience_s:g} s. Look at the table before "
            "asking again: it may have been done"
        ) from error
    except OSError as error:
        raise Unreachable(f"the table at {path} cannot be asked: {error}") from error
    if not answer:
        raise Unreachable(
            f"the table at {path} hung up. Look at the table before asking again: it may have been "
            "done"
        )
    try:
        return Reply.model_validate_json(answer)
    except ValidationError as error:
        raise Unreachable(
            f"what answers at {path} is no table of this software's version"
        ) from error


def _exchange(path: Path, line: bytes, due_s: float) -> bytes:
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as talk, address_of(path) as address:
        talk.settimeout(_left_s(due_s))
        talk.connect(address)
        # A table that has too many to talk to says so and hangs up before it is asked.
        with suppress(BrokenPipeError, ConnectionResetError):
            talk.sendall(line)
        answer = b""
        while not answer.endswith(b"\n") and len(answer) < _MOST_BYTES:
            talk.settimeout(_left_s(due_s))
            received = talk.recv(_RECEIVE_BYTES)
            if not received:
                break
            answer += received
    return answer


def _left_s(due_s: float) -> float:
    left_s = due_s - time.monotonic()
    if left_s <= 0:
        raise TimeoutError
    return left_s
