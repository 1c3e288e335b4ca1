"""The sign as the table's process sees it: views go in, nothing ever comes back as an exception.

The display is painted by a process of its own, fed over a pipe and started again when it dies.
Within one process a lost display cannot be survived: when the X server goes away, Xlib calls its
I/O error handler and then ``exit()``; a handler set with ``XSetIOErrorExitHandler`` (libX11 1.7 and
later) may return, but SDL then works on with a dead connection, and a graphics driver that crashes
or hangs in the kernel takes the whole process along in any case. With a process apart, the worst
display costs the table a pipe that breaks, and the cure for every failure is the same one: start
again and send the current view. It also keeps SDL's memory and signal handling out of the table.
"""

from __future__ import annotations

import contextlib
import os
import select
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Final, Literal

from firmware_app.rules.profile import Profile
from firmware_app.signage.link import (
    Capture,
    Captured,
    Key,
    Lines,
    Painted,
    Setup,
    Show,
    Status,
    decode_report,
    encode,
)
from firmware_app.signage.past_rounds import RoundSummary
from firmware_app.signage.settings import SignSettings
from firmware_app.signage.theme import load_theme
from firmware_app.table.view import TableView

_RESTART_S: Final = (0.0, 1.0, 2.0, 4.0)
"""Pauses before a start after a death, the last one for all that follow."""
_HANG_S: Final = 20.0
"""A painting process that does not answer for so long is ended and started again."""
_STABLE_S: Final = 30.0
_CHECK_S: Final = 0.5
_CHECK_FOR_KEYS_S: Final = 0.03
_WRITE_AGAIN_S: Final = 0.02
_READ_SIZE: Final = 1 << 16


@dataclass(frozen=True, slots=True)
class SignStatus:
    """Whether players see the sign. ``detail`` names driver and size, or what is wrong."""

    state: Literal["closed", "starting", "up", "down"]
    detail: str = ""


class SignWindow:
    """One sign. To be used from one thread; every method returns at once but :meth:`screenshot`.

    Raises :class:`~firmware_app.signage.theme.ThemeError` for a theme file that cannot be used.
    ``on_key`` is called from :meth:`pump` with the name of each key pressed in the window.
    """

    def __init__(
        self,
        settings: SignSettings,
        profile: Profile,
        *,
        on_key: Callable[[str], None] | None = None,
        environment: Mapping[str, str] | None = None,
    ) -> None:
        # A theme that cannot be used is a fault of the configuration: told before the table opens.
        load_theme(settings.theme_file)
        self._settings = settings
        self._on_key = on_key
        self._environment = dict(os.environ if environment is None else environment)
        self._setup = Setup(settings=settings, profile=profile, wants_keys=on_key is not None)
        self._process: subprocess.Popen[bytes] | None = None
        self._lines = Lines()
        self._unsent = b""
        self._wanted: Show | None = None
        self._pending = False
        self._painted = 0
        self._number = 0
        self._captured: dict[int, str | None] = {}
        self._asked_at = 0.0
        self._started_at = 0.0
        self._start_at = 0.0
        self._deaths = 0
        self.status = SignStatus("closed")

    @property
    def pid(self) -> int | None:
        """The painting process, while there is one."""
        return None if self._process is None else self._process.pid

    def open(self) -> None:
        """Start the sign; a display that is missing now is found later."""
        if self.status.state == "closed":
            self.status = SignStatus("starting")
            self._start()

    def show(self, view: TableView) -> None:
        """Show ``view`` from now on. Only the latest view counts; older ones may be skipped."""
        self._want(view, ())

    def show_rounds(self, view: TableView, rounds: tuple[RoundSummary, ...]) -> None:
        """Show the recall of ``rounds`` until the next :meth:`show`."""
        self._want(view, rounds)

    def _want(self, view: TableView, rounds: tuple[RoundSummary, ...]) -> None:
        if self._wanted is not None and (self._wanted.view, self._wanted.rounds) == (view, rounds):
            return
        self._number += 1
        self._wanted = Show.model_construct(number=self._number, view=view, rounds=rounds)
        self._pending = True
        self._write()

    def tick(self, now_ns: int) -> float | None:
        """Keep the sign going; return in how many seconds to call again, None once it is closed.

        ``now_ns`` is the monotonic clock (``time.monotonic_ns``).
        """
        if self.status.state == "closed":
            return None
        now = now_ns / 1e9
        self.pump()
        if self._process is None:
            if now < self._start_at:
                return self._start_at - now
            self._start()
        self._write()
        self._end_if_hung(now)
        if self._unsent or self._pending:
            return _WRITE_AGAIN_S
        return _CHECK_S if self._on_key is None else _CHECK_FOR_KEYS_S

    def pump(self) -> None:
        """Take in what the painting process reports: keys, the state of the display, its death."""
        process = self._process
        if process is None or process.stdout is None:
            return
        while self._process is process and _readable(process.stdout, 0.0):
            try:
                data = os.read(process.stdout.fileno(), _READ_SIZE)
            except OSError:
                data = b""
            if not data:
                self._bury("the painting process ended")
                return
            for line in self._lines.feed(data):
                self._take(line)

    def screenshot(self, path: Path, timeout_s: float = 10.0) -> str | None:
        """Write what is shown, at rest, to a PNG; return None, or what went wrong.

        Waits for the painting process: not for the running table's loop.
        """
        deadline = time.monotonic() + timeout_s
        self._number += 1
        number = self._number
        asked_of: subprocess.Popen[bytes] | None = None
        while time.monotonic() < deadline:
            self.tick(time.monotonic_ns())
            if self._process is not asked_of and self._process and not self._pending:
                asked_of = self._process
                self._unsent += encode(Capture(number=number, path=str(path.absolute())))
                self._write()
            if number in self._captured:
                return self._captured.pop(number)
            if self.status.state == "closed":
                return "the sign is closed"
            if self._process is not None and self._process.stdout is not None:
                _readable(self._process.stdout, 0.02)
            else:
                time.sleep(0.02)
        return f"no picture within {timeout_s:g} s: {self.status.detail or self.status.state}"

    def close(self) -> None:
        """End the painting process. The sign can be opened again."""
        process, self._process = self._process, None
        self.status = SignStatus("closed")
        self._pending = self._wanted is not None
        if process is not None:
            _end(process)

    def _start(self) -> None:
        self._started_at = self._asked_at = time.monotonic()
        self._lines = Lines()
        self._painted = 0
        try:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "firmware_app.signage.painting"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                env=painting_environment(self._settings, self._environment),
            )
        except OSError as error:
            self._process = None
            self._schedule(f"the painting process cannot start: {error}")
            return
        assert self._process.stdin is not None
        os.set_blocking(self._process.stdin.fileno(), False)
        self._unsent = encode(self._setup)
        self._pending = self._wanted is not None
        self._write()

    def _schedule(self, detail: str) -> None:
        """Note a failure and when to start again."""
        now = time.monotonic()
        if now - self._started_at > _STABLE_S:
            self._deaths = 0
        pause = _RESTART_S[min(self._deaths, len(_RESTART_S) - 1)]
        self._deaths += 1
        self._start_at = now + pause
        if self.status.state != "down" or detail != "the painting process ended":
            self.status = SignStatus("down", detail)

    def _bury(self, detail: str) -> None:
        process, self._process = self._process, None
        if process is not None:
            process.kill()
            _end(process)
        self._schedule(detail)

    def _end_if_hung(self, now: float) -> None:
        waiting = self._wanted is not None and self._painted < self._wanted.number
        if not waiting:
            self._asked_at = now
        elif self._process is not None and now - self._asked_at > _HANG_S:
            self._bury("the painting process hung")

    def _take(self, line: bytes) -> None:
        try:
            report = decode_report(line)
        except ValueError:
            return
        match report:
            case Status(up=up, detail=detail):
                self.status = SignStatus("up" if up else "down", detail)
            case Painted(number=number):
                self._painted = max(self._painted, number)
            case Captured(number=number, fault=fault):
                self._captured[number] = fault
            case Key(name=name):
                if self._on_key is not None:
                    self._on_key(name)

    def _write(self) -> None:
        """Send what the pipe takes now. A view waits until the one before it is wholly sent."""
        process = self._process
        if process is None or process.stdin is None:
            return
        try:
            while True:
                if not self._unsent and self._pending and self._wanted is not None:
                    self._unsent, self._pending = encode(self._wanted), False
                if not self._unsent:
                    return
                self._unsent = self._unsent[os.write(process.stdin.fileno(), self._unsent) :]
        except BlockingIOError:
            return
        except OSError:
            self._bury("the painting process ended")


def painting_environment(settings: SignSettings, base: Mapping[str, str]) -> dict[str, str]:
    """Return the environment of the painting process: how SDL finds and drives the display.

    Values that the venue has set itself are left alone.
    """
    environment = dict(base)
    environment["PYGAME_HIDE_SUPPORT_PROMPT"] = "1"
    environment["SDL_NO_SIGNAL_HANDLERS"] = "1"
    # The process finds the same packages as this one, wherever they are installed.
    environment["PYTHONPATH"] = os.pathsep.join(path for path in sys.path if path)
    if settings.driver != "auto":
        environment["SDL_VIDEODRIVER"] = settings.driver
    driver = environment.get("SDL_VIDEODRIVER", "")
    on_x11 = driver == "x11" or (
        not driver and "DISPLAY" in environment and "WAYLAND_DISPLAY" not in environment
    )
    if on_x11:
        # SDL would copy every frame through OpenGL: 32 ms a flip instead of 0.2 ms a rectangle.
        environment.setdefault("SDL_FRAMEBUFFER_ACCELERATION", "0")
    if driver in ("", "kmsdrm") and not on_x11:
        # Without it SDL may pick a renderer that shows a black screen on KMSDRM without an error.
        environment.setdefault("SDL_RENDER_DRIVER", "opengles2")
    return environment


def _readable(pipe: IO[bytes], timeout_s: float) -> bool:
    """Whether there is something to read, or the end, within the time.

    By ``poll``, since ``select`` knows no file descriptor from 1024 up.
    """
    poll = select.poll()
    poll.register(pipe, select.POLLIN)
    return bool(poll.poll(timeout_s * 1000))


def _end(process: subprocess.Popen[bytes]) -> None:
    """End a painting process: first by the end of its orders, then by force."""
    for pipe in (process.stdin, process.stdout):
        if pipe is not None:
            # Closing may try to send what the process no longer reads.
            with contextlib.suppress(OSError):
                pipe.close()
    try:
        process.wait(timeout=1.0)
    except subprocess.TimeoutExpired:
        process.kill()
        # One that hangs in the kernel does not die at once, and is not waited for.
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(timeout=1.0)
