"""Writes every sample scene, the other sizes and languages, and a contact sheet of them all."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pygame

from firmware_app.signage.operations import Face
from firmware_app.signage.samples import samples
from firmware_app.signage.settings import Language, SignSettings, Size
from firmware_app.signage.still import save_png, still
from firmware_app.signage.theme import Theme, Tint
from firmware_app.signage.typefaces import FontBook

_LARGE: Final[Size] = (1920, 1080)
_OTHER: Final[tuple[tuple[str, Size, tuple[Language, ...]], ...]] = (
    ("attract", _LARGE, ("zh",)),
    ("attract-face-up", _LARGE, ("en", "es")),
    ("big-win", _LARGE, ("zh", "en")),
    ("betting", _LARGE, ("es",)),
    ("reveal", (1280, 720), ("en",)),
    ("attract-face-up", (1080, 1920), ("en",)),
    ("big-win", (1080, 1920), ("en", "zh")),
    ("attract", (480, 320), ("en",)),
    ("reveal-face-up", (480, 320), ("en",)),
)
_THUMB_WIDTH: Final = 480
_THUMB_HEIGHT: Final = 270
_CAPTION: Final = 34
_COLUMNS: Final = 4


def _pictures(fonts: FontBook) -> Iterator[tuple[str, pygame.Surface]]:
    shown = samples()
    wanted = [(name, _LARGE, SignSettings()) for name in shown]
    wanted += [(name, size, SignSettings(languages=said)) for name, size, said in _OTHER]
    for name, size, settings in wanted:
        title = f"{name}-{size[0]}x{size[1]}-{'-'.join(settings.languages)}"
        yield title, still(shown[name].scene(), size, settings, fonts)


def _sheet(pictures: list[tuple[str, pygame.Surface]], fonts: FontBook) -> pygame.Surface:
    theme = Theme()
    rows = -(-len(pictures) // _COLUMNS)
    cell = (_THUMB_WIDTH + 16, _THUMB_HEIGHT + _CAPTION + 16)
    sheet = pygame.Surface((cell[0] * _COLUMNS + 16, cell[1] * rows + 16))
    sheet.fill(theme.rgb(Tint.INK))
    for place, (title, picture) in enumerate(pictures):
        x = 16 + place % _COLUMNS * cell[0]
        y = 16 + place // _COLUMNS * cell[1]
        width, height = picture.get_size()
        scale = min(_THUMB_WIDTH / width, _THUMB_HEIGHT / height)
        thumb = pygame.transform.smoothscale(picture, (int(width * scale), int(height * scale)))
        left = x + (_THUMB_WIDTH - thumb.get_width()) // 2
        sheet.blit(thumb, (left, y + (_THUMB_HEIGHT - thumb.get_height()) // 2))
        caption = fonts.picture(title, Face.TEXT, 18, theme.rgb(Tint.MUTED))
        sheet.blit(caption, (x, y + _THUMB_HEIGHT + 6))
    return sheet


def main(arguments: list[str]) -> int:
    """Write the gallery to the folder named by the one argument; return the exit code."""
    if len(arguments) != 1:
        sys.stderr.write("usage: python -m firmware_app.signage.gallery FOLDER\n")
        return 2
    folder = Path(arguments[0])
    folder.mkdir(parents=True, exist_ok=True)
    fonts = FontBook()
    pictures = list(_pictures(fonts))
    for title, picture in pictures:
        save_png(picture, folder / f"{title}.png")
    save_png(_sheet(pictures, fonts), folder / "contact-sheet.png")
    sys.stdout.write(f"{len(pictures)} pictures and contact-sheet.png in {folder}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
