"""The bundled fonts: how wide a text is, and its picture.

Needs ``pygame.font`` alone, no display: a layout can be computed and proven on any machine.
"""

from __future__ import annotations

from collections import OrderedDict
from functools import lru_cache
from importlib import resources
from typing import Final

import pygame

from firmware_app.signage.fitting import is_wide
from firmware_app.signage.operations import Face
from firmware_app.signage.theme import Rgb

_FILES: Final = {
    Face.TITLE: "NotoSerifDisplay-Bold.subset.ttf",
    Face.FIGURE: "InterDisplay-Bold.subset.otf",
    Face.TEXT: "InterDisplay-SemiBold.subset.otf",
}
_WIDE_FILE: Final = "NotoSansSC-Bold.subset.otf"

_CAP_HEIGHT: Final = {Face.TITLE: 0.71, Face.FIGURE: 0.73, Face.TEXT: 0.73}
_WIDE_CAP_HEIGHT: Final = 0.78
_WIDE_SCALE: Final = 0.94
"""Chinese signs fill their square: a little smaller, they look as large as Latin letters."""

_PICTURES_KEPT: Final = 600
_WIDTHS_KEPT: Final = 5_000
"""All scenes of a table in two languages measure about two thousand texts."""
_FONTS_KEPT: Final = 64
"""Every size of a font that is kept keeps its file open."""


class FontBook:
    """Widths and pictures of text. One per process and thread: pygame fonts are not shared."""

    def __init__(self) -> None:
        pygame.font.init()
        self._fonts: OrderedDict[tuple[str, int], pygame.font.Font] = OrderedDict()
        self._pictures: OrderedDict[tuple[str, Face, int, Rgb], pygame.Surface] = OrderedDict()
        self._width = lru_cache(maxsize=_WIDTHS_KEPT)(self._measured)

    def width(self, text: str, face: Face, size: int) -> int:
        """Return the width of ``text`` in pixels."""
        return self._width(text, face, size)

    def baseline(self, text: str, face: Face, size: int) -> tuple[int, int]:
        """Return the ascent of the picture and the height of capitals over the baseline."""
        wide = _is_wide_text(text)
        cap = size * _WIDE_SCALE * _WIDE_CAP_HEIGHT if wide else size * _CAP_HEIGHT[face]
        return self._font(text, face, size).get_ascent(), round(cap)

    def picture(self, text: str, face: Face, size: int, colour: Rgb) -> pygame.Surface:
        """Return ``text`` painted in ``colour`` on nothing."""
        key = (text, face, size, colour)
        picture = self._pictures.get(key)
        if picture is None:
            picture = self._font(text, face, size).render(text, True, colour)
            self._pictures[key] = picture
            if len(self._pictures) > _PICTURES_KEPT:
                self._pictures.popitem(last=False)
        else:
            self._pictures.move_to_end(key)
        return picture

    def _measured(self, text: str, face: Face, size: int) -> int:
        return self._font(text, face, size).size(text)[0]

    def _font(self, text: str, face: Face, size: int) -> pygame.font.Font:
        wide = _is_wide_text(text)
        name = _WIDE_FILE if wide else _FILES[face]
        pixels = round(size * _WIDE_SCALE) if wide else size
        font = self._fonts.get((name, pixels))
        if font is None:
            source = resources.files("firmware_app.signage") / "fonts" / name
            with resources.as_file(source) as path:
                font = pygame.font.Font(str(path), pixels)
            self._fonts[name, pixels] = font
            if len(self._fonts) > _FONTS_KEPT:
                self._fonts.popitem(last=False)
        else:
            self._fonts.move_to_end((name, pixels))
        return font


def _is_wide_text(text: str) -> bool:
    return any(is_wide(letter) for letter in text)
