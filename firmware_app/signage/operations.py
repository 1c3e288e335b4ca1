"""Drawing operations: what the layout hands to the painter, in pixels, in painting order.

All are frozen values. Two lists of operations tell the painter what changed: whatever is in only
one of them is repainted.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Literal

from firmware_app.cards import Card
from firmware_app.signage.theme import Tint


@dataclass(frozen=True, slots=True)
class Box:
    """A rectangle in pixels, its origin at the top left of the screen."""

    x: int
    y: int
    w: int
    h: int

    @property
    def right(self) -> int:
        return self.x + self.w

    @property
    def bottom(self) -> int:
        return self.y + self.h

    @property
    def centre(self) -> tuple[int, int]:
        return self.x + self.w // 2, self.y + self.h // 2

    def inset(self, x: int, y: int | None = None) -> Box:
        """Return the box that is ``x`` (and ``y``) pixels smaller on each side."""
        down = x if y is None else y
        return Box(self.x + x, self.y + down, max(0, self.w - 2 * x), max(0, self.h - 2 * down))

    def moved(self, x: int, y: int) -> Box:
        return Box(self.x + x, self.y + y, self.w, self.h)

    def holds(self, other: Box) -> bool:
        """Whether ``other`` lies wholly inside."""
        return (
            self.x <= other.x
            and self.y <= other.y
            and other.right <= self.right
            and other.bottom <= self.bottom
        )

    def meets(self, other: Box) -> bool:
        """Whether the two have a pixel in common."""
        return (
            self.x < other.right
            and other.x < self.right
            and self.y < other.bottom
            and other.y < self.bottom
        )


class Face(StrEnum):
    """The type faces. ``TITLE`` is the display serif; ``FIGURE`` has figures of equal width."""

    TITLE = "title"
    FIGURE = "figure"
    TEXT = "text"


Align = Literal["left", "centre", "right"]


@dataclass(frozen=True, slots=True)
class TextOp:
    """One line of text in ``box``, centred in height. ``on`` is the ground it stands on."""

    box: Box
    text: str
    face: Face
    size: int
    tint: Tint
    on: Tint
    align: Align = "left"


@dataclass(frozen=True, slots=True)
class PanelOp:
    """A rounded rectangle. ``strength`` is the opacity of the fill, 0 to 255."""

    box: Box
    fill: Tint | None
    radius: int = 0
    edge: Tint | None = None
    edge_width: int = 0
    strength: int = 255


@dataclass(frozen=True, slots=True)
class CardOp:
    """A playing card; ``card`` None is its back."""

    box: Box
    card: Card | None
    look: Literal["plain", "lit", "dim"] = "plain"


class Mark(StrEnum):
    """Shapes that carry a meaning beside their colour: envy is always the diamond."""

    ENVY = "envy"
    COIN = "coin"
    CHIP = "chip"
    RING = "ring"
    ALARM = "alarm"
    BUTTON = "button"
    STAR = "star"
    CROSS = "cross"


@dataclass(frozen=True, slots=True)
class MarkOp:
    """A shape in ``box``."""

    box: Box
    mark: Mark
    tint: Tint


@dataclass(frozen=True, slots=True)
class LogoOp:
    """The house's logo, the PNG file ``path``, scaled to ``box``."""

    box: Box
    path: Path


Operation = TextOp | PanelOp | CardOp | MarkOp | LogoOp
