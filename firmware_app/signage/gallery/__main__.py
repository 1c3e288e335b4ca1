"""Writes every sample scene in every size, a sheet of each size, and an overview of the sign."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Final

import pygame

from firmware_app.signage.operations import Box, Face
from firmware_app.signage.samples import samples
from firmware_app.signage.settings import SIZES, Language, SignSettings, Size
from firmware_app.signage.still import save_png, still
from firmware_app.signage.theme import Theme, Tint
from firmware_app.signage.typefaces import FontBook

_LARGE, _, _UPRIGHT, _SMALL = SIZES
_ENGLISH: Final[tuple[Language, ...]] = ("en",)


@dataclass(frozen=True, slots=True)
class Look:
    """One picture: a scene in a size and in one or two languages."""

    scene: str
    size: Size
    languages: tuple[Language, ...] = _ENGLISH

    @property
    def name(self) -> str:
        return f"{self.scene}-{_written(self.size)}-{'-'.join(self.languages)}"


def _written(size: Size) -> str:
    return f"{size[0]}x{size[1]}"


_OTHER_LANGUAGES: Final = (
    Look("attract", _LARGE, ("zh",)),
    Look("attract-face-up", _LARGE, ("en", "es")),
    Look("big-win", _LARGE, ("zh", "en")),
    Look("betting", _LARGE, ("es",)),
    Look("big-win", _UPRIGHT, ("en", "zh")),
)

_THUMB: Final = (400, 225)
"""A cell of the overview, which is looked at in a browser."""
_CELL: Final = (480, 270)
"""A landscape cell of a sheet, to be read."""
_GAP: Final = 12
_ACROSS: Final = 4
_PHASES: Final = (
    *("attract", "betting", "dealing", "dealt-face-up"),
    *("reveal", "big-win-royal", "settled", "betting-daytona"),
    *("void", "suspended", "fault", "last-rounds"),
)
_OVERVIEW: Final = (
    # Column, row, columns and rows taken.
    ((0, 0, 2, 2), Look("big-win", _LARGE)),
    ((2, 0, 1, 2), Look("reveal-daytona", _UPRIGHT)),
    ((3, 0, 1, 1), Look("attract-face-up", _LARGE, ("en", "es"))),
    ((3, 1, 1, 1), Look("attract", _SMALL)),
    *(
        ((place % _ACROSS, 2 + place // _ACROSS, 1, 1), Look(scene, _LARGE))
        for place, scene in enumerate(_PHASES)
    ),
)
"""What the overview shows: every kind of scene once, and a picture of each form of sign."""

_UPRIGHT_ACROSS: Final = 7
_CAPTION: Final = 34


def _looks() -> list[Look]:
    """Return every scene in every size, and some in other languages, the sizes together."""
    looks = [Look(scene, size) for size in SIZES for scene in samples()]
    return sorted((*looks, *_OTHER_LANGUAGES), key=lambda look: SIZES.index(look.size))


def _empty(width: int, height: int) -> pygame.Surface:
    sheet = pygame.Surface((width, height))
    sheet.fill(Theme().rgb(Tint.INK))
    return sheet


def _put(sheet: pygame.Surface, picture: pygame.Surface, cell: Box) -> None:
    """Put a picture in the middle of a cell, as large as fits."""
    width, height = picture.get_size()
    scale = min(cell.w / width, cell.h / height)
    thumb = pygame.transform.smoothscale(picture, (int(width * scale), int(height * scale)))
    x, y = (cell.w - thumb.get_width()) // 2, (cell.h - thumb.get_height()) // 2
    sheet.blit(thumb, (cell.x + x, cell.y + y))


class _Sheet:
    """Every picture of one size, each with its name under it."""

    def __init__(self, size: Size, count: int, fonts: FontBook) -> None:
        self._fonts = fonts
        self._size = size
        self._columns = _ACROSS if size[0] > size[1] else _UPRIGHT_ACROSS
        width = _ACROSS * (_CELL[0] + _GAP) // self._columns
        self._cell = Box(_GAP, _GAP, width - _GAP, (width - _GAP) * size[1] // size[0])
        self._step = width, self._cell.h + _CAPTION + _GAP
        rows = -(-count // self._columns)
        self.surface = _empty(self._columns * width + _GAP, rows * self._step[1] + _GAP)
        self._filled = 0

    def add(self, look: Look, picture: pygame.Surface) -> None:
        down, across = divmod(self._filled, self._columns)
        cell = self._cell.moved(across * self._step[0], down * self._step[1])
        _put(self.surface, picture, cell)
        name = f"{look.scene} {' '.join(look.languages)}"
        caption = self._fonts.picture(name, Face.TEXT, 18, Theme().rgb(Tint.MUTED))
        self.surface.blit(caption, (cell.x, cell.bottom + 6))
        self._filled += 1


class _Overview:
    """One picture for all of the sign."""

    def __init__(self) -> None:
        self._across, self._down = _THUMB[0] + _GAP, _THUMB[1] + _GAP
        rows = max(row + high for (_, row, _, high), _ in _OVERVIEW)
        self.surface = _empty(_ACROSS * self._across + _GAP, rows * self._down + _GAP)

    def add(self, look: Look, picture: pygame.Surface) -> None:
        for (column, row, wide, high), wanted in _OVERVIEW:
            if wanted == look:
                x, y = _GAP + column * self._across, _GAP + row * self._down
                width, height = wide * self._across - _GAP, high * self._down - _GAP
                _put(self.surface, picture, Box(x, y, width, height))


def main(arguments: list[str]) -> int:
    """Write the gallery to the folder named by the one argument; return the exit code."""
    if len(arguments) != 1:
        sys.stderr.write("usage: python -m firmware_app.signage.gallery FOLDER\n")
        return 2
    folder = Path(arguments[0])
    folder.mkdir(parents=True, exist_ok=True)
    fonts, looks, shown = FontBook(), _looks(), samples()
    overview = _Overview()
    for size, group in groupby(looks, key=lambda look: look.size):
        of_size = list(group)
        sheet = _Sheet(size, len(of_size), fonts)
        for look in of_size:
            settings = SignSettings(languages=look.languages)
            picture = still(shown[look.scene].scene(), size, settings, fonts)
            save_png(picture, folder / f"{look.name}.png")
            sheet.add(look, picture)
            overview.add(look, picture)
        save_png(sheet.surface, folder / f"sheet-{_written(size)}.png")
    save_png(overview.surface, folder / "overview.png")
    sys.stdout.write(f"{len(looks)} pictures, a sheet of each size and overview.png in {folder}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
