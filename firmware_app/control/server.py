"""The control socket of a running table: hears a few programs of this machine, briefly.

Nothing that comes in can hold up the table: lines are short, waits are bounded, and what is wrong
is answered and logged. Who may talk at all is a matter of the socket's owner, group and mode.
"""

from __future__ import annotations

import logging
import pwd
import socket
import stat
import struct
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from firmware_app.control.address import address_of
from firmware_app.control.protocol import Reply

log = logging.getLogger(__name__)

MODE: Final = 0o660
_BREATH_S: Final = 1.0
_JOIN_S: Final = 1.0
_RECEIVE_BYTES: Final = 4096
_CREDENTIALS: Final = struct.Struct("iII")  # process, user, group
_OVERFLOW_USER: Final = 65_534
"""How the kernel calls every user that a service with PrivateUsers= cannot know."""


class ControlError(Exception):
    """The socket cannot be opened. The message says what to do."""


@dataclass(frozen=True, slots=True)
class Limits:
    """What one program may take. ``line_s`` is the time for one whole line, to send or to hear."""

    connections: int = 4
    connection_s: float = 30.0
    line_s: float = 3.0
    line_bytes: int = 8192


Answer = Callable[[bytes, str], bytes]
"""Returns the reply to a line that a program of the named user sent. Must not raise."""


class ControlServer:
    """Listens at ``path`` from :meth:`open` to :meth:`close`, on threads of its own."""

    def __init__(self, path: Path, answer: Answer, limits: Limits | None = None) -> None:
        self._path = path
        self._answer = answer
        self._limits = limits or Limits()
        self._listener: socket.socket | None = None
        self._inode = 0
        self._closed = threading.Event()
        self._lock = threading.Lock()
        self._talks: dict[socket.socket, threading.Thread] = {}

    def open(self) -> None:
        """Begin to listen, if it does not yet. Not after :meth:`close`.

        Raises :class:`ControlError`, for a socket in use among others; then it may be tried again.
        """
        if self._listener is not None or self._closed.is_set():
            return
        self._listener = _bound(self._path)
        self._inode = self._path.lstat().st_ino
        threading.Thread(
            target=self._listen, args=(self._listener,), name="control", daemon=True
        ).start()

    def close(self) -> None:
        """End all talks and take the socket away. A second time does nothing."""
        self._closed.set()
        listener, self._listener = self._listener, None
        if listener is None:
            return
        # Another controller may have put its own socket in this place by now.
        with suppress(OSError):
            if self._path.lstat().st_ino == self._inode:
                self._path.unlink()
        # On Linux this wakes the thread that waits for a connection, if it has not seen the end.
        with suppress(OSError):
            listener.shutdown(socket.SHUT_RDWR)
        with self._lock:
            talks = list(self._talks.items())
        for connection, _ in talks:
            with suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)
        for _, thread in talks:
            thread.join(_JOIN_S)

    # --- the listening thread ----------------------------------------------------------------

    def _listen(self, listener: socket.socket) -> None:
        with listener:
            while not self._closed.is_set():
                try:
                    connection, _ = listener.accept()
                    self._receive(connection)
                except Exception:
                    if self._closed.is_set():
                        return
                    # Out of file handles or threads, for one. The next try must not spin.
                    log.exception("a control connection was lost")
                    self._closed.wait(_BREATH_S)

    def _receive(self, connection: socket.socket) -> None:
        with self._lock:
            if self._closed.is_set():
                connection.close()
                return
            full = len(self._talks) >= self._limits.connections
            if not full:
                thread = threading.Thread(
                    target=self._talk, args=(connection,), name="control-talk", daemon=True
                )
                thread.start()
                self._talks[connection] = thread
        if full:
            log.warning("a control connection was turned away: enough are open")
            with connection:
                connection.setblocking(False)
                _say(connection, "Too many programs talk to this table; try again in a moment")

    # --- the thread of one connection --------------------------------------------------------

    def _talk(self, connection: socket.socket) -> None:
        try:
            with connection:
                login = _login(connection)
                for line in self._lines(connection):
                    connection.settimeout(self._limits.line_s)
                    connection.sendall(self._answer(line, login))
        except OSError as error:
            log.warning("a control connection broke: %s", error)
        except Exception:
            log.exception("a control connection failed")
        finally:
            with self._lock:
                del self._talks[connection]

    def _lines(self, connection: socket.socket) -> Iterator[bytes]:
        """Yield whole lines until the other side ends, is too slow, or sends too much."""
        end_s = time.monotonic() + self._limits.connection_s
        pending = b""
        while True:
            due_s = min(end_s, time.monotonic() + self._limits.line_s)
            while b"\n" not in pending:
                if len(pending) > self._limits.line_bytes:
                    self._give_up(connection, f"more than {self._limits.line_bytes} bytes a line")
                    return
                left_s = due_s - time.monotonic()
                if left_s <= 0:
                    self._give_up(connection, "no whole line in time")
                    return
                connection.settimeout(left_s)
                try:
                    received = connection.recv(_RECEIVE_BYTES)
                except TimeoutError:
                    continue
                if not received:
                    if pending:
                        yield pending
                    return
                pending += received
            line, _, pending = pending.partition(b"\n")
            yield line

    def _give_up(self, connection: socket.socket, why: str) -> None:
        log.warning("%s sent no request: %s", _login(connection), why)
        connection.settimeout(self._limits.line_s)
        _say(connection, f"This connection is closed: {why}")


def _say(connection: socket.socket, text: str) -> None:
    with suppress(OSError):
        connection.sendall(Reply(outcome="error", text=text).to_line())


def _login(connection: socket.socket) -> str:
    """Return the user behind the connection, as the kernel knows him."""
    raw = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _CREDENTIALS.size)
    user: int = _CREDENTIALS.unpack(raw)[1]
    if user == _OVERFLOW_USER:
        return "unknown"
    try:
        return pwd.getpwuid(user).pw_name
    except KeyError:
        return f"user {user}"


def _bound(path: Path) -> socket.socket:
    """Return a listening socket at ``path``, in the place of one that nobody listens at."""
    try:
        _clear(path)
        listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM | socket.SOCK_CLOEXEC)
        try:
            with address_of(path) as address:
                listener.bind(address)
            # Nobody can connect before listen(), so nobody slips in under a wider mode.
            path.chmod(MODE)
            listener.listen()
        except BaseException:
            listener.close()
            raise
    except FileNotFoundError as error:
        raise ControlError(
            f"there is no folder {path.parent} for the control socket; make it (the service does, "
            "by RuntimeDirectory=), or set control.socket"
        ) from error
    except OSError as error:
        raise ControlError(
            f"the control socket {path} cannot be opened ({error.strerror or error}); let this "
            f"user write {path.parent}, or set control.socket"
        ) from error
    return listener


def _clear(path: Path) -> None:
    """Take away what a controller left that did not close; refuse to take anything else."""
    try:
        found = path.lstat().st_mode
    except FileNotFoundError:
        return
    if not stat.S_ISSOCK(found):
        raise ControlError(f"{path} is no socket; remove it, or set control.socket")
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe, address_of(path) as address:
        # A listener whose queue is full is there too; it must not be waited for.
        probe.setblocking(False)
        try:
            probe.connect(address)
        except ConnectionRefusedError:
            path.unlink()
            return
        except FileNotFoundError:
            return
        except OSError as error:
            log.warning("who listens at %s cannot be told: %s", path, error)
    raise ControlError(
        f"another controller listens at {path}; stop it, or set control.socket to another path"
    )
