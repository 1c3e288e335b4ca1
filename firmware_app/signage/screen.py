"""The display itself, owned by the painting process: opened, painted, read for keys, closed.

Only ``pygame.display`` and ``pygame.font`` are initialised, never audio: the sign is silent and a
machine without a sound card must not wait for one.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pygame

from firmware_app.signage.connector import DRM_ROOT, is_disconnected
from firmware_app.signage.operations import Box, Operation
from firmware_app.signage.painter import Painter
from firmware_app.signage.settings import SignSettings, Size, parse_size
from firmware_app.signage.theme import Theme
from firmware_app.signage.typefaces import FontBook

_HEADLESS_SIZE: Size = (1920, 1080)


CLOSED = "closed"
"""The name under which closing the window is told, as if it were a key."""


class DisplayError(Exception):
    """There is no display to paint on now; the message says why."""


class Screen:
    """One window or full screen. :meth:`open` may be called again after any failure."""

    def __init__(
        self, settings: SignSettings, theme: Theme, fonts: FontBook, drm_root: Path = DRM_ROOT
    ) -> None:
        self._settings = settings
        self._theme = theme
        self._fonts = fonts
        self._drm_root = drm_root
        self._surface: pygame.Surface | None = None
        self._painter: Painter | None = None

    @property
    def is_open(self) -> bool:
        return self._painter is not None

    @property
    def size(self) -> Size:
        """The size in pixels; raises :class:`DisplayError` while there is none."""
        if self._surface is None:
            raise DisplayError("the display is not open")
        return self._surface.get_size()

    @property
    def description(self) -> str:
        """Driver and size of the open display, such as ``kmsdrm 1920x1080``."""
        width, height = self.size
        return f"{pygame.display.get_driver()} {width}x{height}"

    def open(self) -> None:
        """Open the display; raise :class:`DisplayError` where it cannot be opened now."""
        if is_disconnected(self._settings.connector, self._drm_root):
            raise DisplayError(f"no screen is plugged into {self._settings.connector}")
        try:
            # Begun anew each time: a driver begun without a screen does not find it later.
            pygame.display.quit()
            pygame.display.init()
            driver = pygame.display.get_driver()
            self._surface = self._set_mode(driver)
            pygame.display.set_caption("Fortune")
            pygame.mouse.set_visible(False)
        except pygame.error as error:
            self.close()
            raise DisplayError(str(error)) from error
        self._painter = Painter(
            self._surface, self._theme, self._fonts, four_colour=self._settings.four_colour
        )

    def _set_mode(self, driver: str) -> pygame.Surface:
        if self._settings.size != "fullscreen":
            return pygame.display.set_mode(parse_size(self._settings.size))
        if driver == "dummy":
            return pygame.display.set_mode(_HEADLESS_SIZE)
        return pygame.display.set_mode((0, 0), pygame.FULLSCREEN)

    def unplugged(self) -> bool:
        """Whether the screen was pulled out since: the mode must be set again when it is back."""
        return is_disconnected(self._settings.connector, self._drm_root)

    def paint(self, operations: Sequence[Operation]) -> list[Box]:
        """Show ``operations``; return the rectangles that changed."""
        if self._painter is None:
            raise DisplayError("the display is not open")
        dirty = self._painter.paint(operations)
        try:
            pygame.display.update([(box.x, box.y, box.w, box.h) for box in dirty])
        except pygame.error as error:
            self.close()
            raise DisplayError(str(error)) from error
        return dirty

    def repaint_all(self) -> None:
        """Paint everything the next time, whatever is on the screen now."""
        if self._painter is not None:
            self._painter.forget()

    def pump(self) -> tuple[list[str], bool]:
        """Serve the window system; return the keys pressed since, and whether to paint anew."""
        if self._painter is None:
            return [], False
        keys: list[str] = []
        exposed = False
        for event in pygame.event.get():
            if event.type == pygame.KEYDOWN:
                keys.append(_key_name(event))
            elif event.type == pygame.QUIT:
                keys.append(CLOSED)
            elif event.type in (pygame.VIDEOEXPOSE, pygame.WINDOWRESTORED, pygame.WINDOWSHOWN):
                self.repaint_all()
                exposed = True
        return keys, exposed

    def save(self, path: Path) -> None:
        """Write the pixels that are shown as a PNG; raise :class:`DisplayError` if impossible."""
        if self._surface is None:
            raise DisplayError("the display is not open")
        try:
            pygame.image.save(self._surface, str(path))
        except (pygame.error, OSError) as error:
            raise DisplayError(f"{path} cannot be written: {error}") from error

    def close(self) -> None:
        self._surface = None
        self._painter = None
        pygame.display.quit()


def _key_name(event: pygame.event.Event) -> str:
    """Return a key as ``a``, ``space`` or, held with Shift, ``shift+1``."""
    name = pygame.key.name(event.key)
    return f"shift+{name}" if event.mod & pygame.KMOD_SHIFT and "shift" not in name else name
