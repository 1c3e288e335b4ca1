"""The painting process: orders on standard input, reports on standard output, one display.

Started by :class:`firmware_app.signage.window.SignWindow`, which explains why it is a process of
its own. It ends when its standard input does, so it cannot outlive the table.
"""

from __future__ import annotations

import logging
import os
import select
import signal
import sys
import time
from pathlib import Path
from typing import Final

from pydantic import BaseModel

from firmware_app.signage.layout import layout
from firmware_app.signage.link import (
    Capture,
    Captured,
    Key,
    Lines,
    Painted,
    Setup,
    Show,
    Status,
    decode_order,
    encode,
)
from firmware_app.signage.logo import Logo
from firmware_app.signage.picture import Picture
from firmware_app.signage.scene import Scene
from firmware_app.signage.screen import DisplayError, Screen
from firmware_app.signage.text import Texts
from firmware_app.signage.theme import load_theme
from firmware_app.signage.typefaces import FontBook

log = logging.getLogger(__name__)

_RETRY_S: Final = 3.0
_PUMP_S: Final = 1.0
_PUMP_FOR_KEYS_S: Final = 0.04
_READ_SIZE: Final = 1 << 16


class PaintingProcess:
    """Reads orders, keeps the display up, paints. ``reports`` is a file descriptor to write to."""

    def __init__(self, orders: int, reports: int) -> None:
        self._orders = orders
        self._reports = reports
        self._lines = Lines()
        self._setup: Setup | None = None
        self._screen: Screen | None = None
        self._picture: Picture | None = None
        self._texts: Texts | None = None
        self._logo: Logo | None = None
        self._fonts = FontBook()
        self._retry_at = 0.0
        self._pump_at = 0.0
        self._next_ms: int | None = None
        self._reported: Status | None = None

    def run(self) -> None:
        """Serve until the orders end."""
        while True:
            ready, _, _ = select.select([self._orders], [], [], self._wait_s())
            if ready:
                data = os.read(self._orders, _READ_SIZE)
                if not data:
                    return
                self._obey(self._lines.feed(data))
            self._keep_up()

    def _obey(self, lines: list[bytes]) -> None:
        for line in lines:
            match decode_order(line):
                case Setup() as setup:
                    self._set_up(setup)
                case Show() as show if self._picture is not None:
                    self._picture.show(show, _now_ms())
                    self._next_ms = _now_ms()
                    self._report(Painted(number=show.number))
                case Capture() as capture:
                    self._report(Captured(number=capture.number, fault=self._capture(capture)))
                case _:
                    continue

    def _set_up(self, setup: Setup) -> None:
        self._setup = setup
        self._texts = Texts(setup.settings.languages)
        self._picture = Picture(setup.settings, setup.profile)
        # This process may start again long after the table did, and paint without the logo then.
        theme = load_theme(setup.settings.theme_file, logo_may_fail=True)
        self._logo = theme.logo
        self._screen = Screen(setup.settings, theme, self._fonts)

    def _keep_up(self) -> None:
        """Open the display if it is down, serve its events, paint what is due."""
        screen = self._screen
        if screen is None:
            return
        now = time.monotonic()
        try:
            if not screen.is_open:
                if now < self._retry_at:
                    return
                self._retry_at = now + _RETRY_S
                screen.open()
                self._tell(up=True, detail=screen.description)
                self._next_ms = _now_ms()
            if now >= self._pump_at:
                self._pump_at = now + self._pump_s()
                self._serve(screen)
            if self._next_ms is not None and _now_ms() >= self._next_ms:
                self._paint(screen)
        except DisplayError as error:
            self._tell(up=False, detail=str(error))

    def _serve(self, screen: Screen) -> None:
        if screen.unplugged():
            screen.close()
            raise DisplayError("the screen was unplugged")
        keys, exposed = screen.pump()
        if exposed:
            self._next_ms = _now_ms()
        for name in keys:
            self._report(Key(name=name))

    def _paint(self, screen: Screen) -> None:
        if self._picture is None:
            return
        scene, self._next_ms = self._picture.now(_now_ms())
        if scene is None:
            return
        try:
            self._put(screen, scene)
        except DisplayError:
            raise
        except Exception as error:
            # The picture before it stays. To end here would start again with the same view, over
            # and over; the next view may well be drawn.
            log.exception("a scene cannot be drawn")
            self._tell(up=False, detail=f"the scene {scene.kind} cannot be drawn: {error}")
        else:
            self._tell(up=True, detail=screen.description)

    def _put(self, screen: Screen, scene: Scene) -> None:
        assert self._setup is not None and self._texts is not None
        screen.paint(
            layout(
                scene,
                screen.size,
                self._texts,
                self._fonts,
                spot_one_at=self._setup.settings.spot_one_at,
                logo=self._logo,
            )
        )

    def _capture(self, capture: Capture) -> str | None:
        """Write the scene at rest to a file; return what went wrong."""
        screen, picture = self._screen, self._picture
        if screen is None or picture is None:
            return "nothing was shown yet"
        try:
            if not screen.is_open:
                screen.open()
                self._tell(up=True, detail=screen.description)
            scene = picture.at_rest(_now_ms())
            if scene is None:
                return "nothing was shown yet"
            self._put(screen, scene)
            screen.save(Path(capture.path))
        except (DisplayError, ValueError) as error:
            return str(error)
        self._next_ms = _now_ms()
        return None

    def _pump_s(self) -> float:
        wants_keys = self._setup is not None and self._setup.wants_keys
        return _PUMP_FOR_KEYS_S if wants_keys else _PUMP_S

    def _wait_s(self) -> float | None:
        """How long nothing is due; None: until the first order."""
        screen = self._screen
        if screen is None:
            return None
        now = time.monotonic()
        if not screen.is_open:
            return max(0.0, self._retry_at - now)
        due = self._pump_at - now
        if self._next_ms is not None:
            due = min(due, (self._next_ms - _now_ms()) / 1000)
        return max(0.0, due)

    def _tell(self, *, up: bool, detail: str) -> None:
        """Report the state of the display once per change: a dead screen must not flood the log."""
        status = Status(up=up, detail=detail)
        if status != self._reported:
            self._reported = status
            self._report(status)

    def _report(self, message: BaseModel) -> None:
        data = encode(message)
        while data:
            data = data[os.write(self._reports, data) :]


def _now_ms() -> int:
    return time.monotonic_ns() // 1_000_000


def main() -> None:
    """Entry of ``python -m firmware_app.signage.painting``."""
    # The table decides when to stop: the end of the orders, not a signal to the whole group.
    for number in (signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    reports = os.dup(1)
    # Whatever a library prints must not end up among the reports.
    os.dup2(2, 1)
    try:
        PaintingProcess(0, reports).run()
    except BrokenPipeError:
        sys.exit(0)


if __name__ == "__main__":
    main()
