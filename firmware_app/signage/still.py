"""A scene as a picture in memory: for the gallery, the command line and tests. No display."""

from __future__ import annotations

from pathlib import Path

import pygame

from firmware_app.signage.layout import layout
from firmware_app.signage.painter import Painter
from firmware_app.signage.scene import Scene
from firmware_app.signage.settings import SignSettings, Size
from firmware_app.signage.text import Texts
from firmware_app.signage.theme import load_theme
from firmware_app.signage.typefaces import FontBook


def still(scene: Scene, size: Size, settings: SignSettings, fonts: FontBook) -> pygame.Surface:
    """Return ``scene`` painted as a sign with ``settings`` shows it on a screen of ``size``.

    Raises :class:`~firmware_app.signage.theme.ThemeError` for a theme that cannot be used.
    """
    surface = pygame.Surface(size)
    theme = load_theme(settings.theme_file)
    painter = Painter(surface, theme, fonts, four_colour=settings.four_colour)
    texts = Texts(settings.languages)
    painter.paint(
        layout(scene, size, texts, fonts, spot_one_at=settings.spot_one_at, logo=theme.logo)
    )
    return surface


def save_png(picture: pygame.Surface, path: Path) -> None:
    """Write ``picture`` to a PNG file; raise OSError where it cannot be written."""
    if path.suffix.lower() != ".png":
        raise OSError(f"{path} is no .png file; name it so")
    try:
        pygame.image.save(picture, str(path))
    except pygame.error as error:
        raise OSError(f"{path} cannot be written: {error}") from error
