"""What the guest's display ought to show, painted outside, and how alike two pictures are."""

from __future__ import annotations

from typing import Any, Final

import pygame
from guest_machine import SCREEN
from pydantic import TypeAdapter

from firmware_app.config import TableConfig
from firmware_app.rules.profile import load_profile
from firmware_app.signage.staging import scene
from firmware_app.signage.still import still
from firmware_app.signage.typefaces import FontBook
from firmware_app.table.view import TableView

ALIKE: Final = 0.005
"""The share of pixels that two versions of the font library paint differently, with a margin."""
TOLD_APART: Final = 0.9
"""Of the pixels that differ between two pictures, how many a display must have of the one it shows;
letters are set a pixel apart by two versions of the font library."""
_FAR: Final = (48, 48, 48)
_VIEW: Final = TypeAdapter(TableView)


class Painting:
    """Paints the sign of one table from its published state."""

    def __init__(self, config: TableConfig) -> None:
        self._settings = config.sign
        self._profile = load_profile(config.game.rules)
        self._fonts = FontBook()

    def of(self, state: dict[str, Any], *, idle: bool = False) -> pygame.Surface:
        """Return the sign at rest of a table in ``state``, as long as the guest's display is."""
        shown = _VIEW.validate_python(state)
        return still(scene(shown, self._profile, idle=idle), SCREEN, self._settings, self._fonts)


def differing(one: pygame.Surface, other: pygame.Surface) -> float:
    """Return the share of pixels that differ by more than what two font libraries may differ."""
    width, height = one.get_size()
    alike = pygame.mask.from_threshold(one, (0, 0, 0), (*(far + 1 for far in _FAR), 255), other)
    return 1 - alike.count() / (width * height)


def taken_from(seen: pygame.Surface, one: pygame.Surface, other: pygame.Surface) -> float:
    """Return how much of ``one`` is in ``seen``, 0 to 1, where ``one`` and ``other`` differ.

    Says which of two pictures of the same table is shown, however little sets them apart.
    """
    threshold = (*(far + 1 for far in _FAR), 255)
    apart = pygame.mask.from_threshold(one, (0, 0, 0), threshold, other)
    apart.invert()
    as_one = pygame.mask.from_threshold(seen, (0, 0, 0), threshold, one)
    return as_one.overlap_area(apart, (0, 0)) / apart.count()
