"""Vector shapes: suits and marks as polygons in a unit square, drawn smooth at any size.

pygame draws without smoothing, so shapes are drawn large and scaled down once; the painter keeps
the pictures.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import Final

import pygame

from firmware_app.cards import CLUBS, DIAMONDS, HEARTS, SPADES
from firmware_app.signage.theme import Rgb

Point = tuple[float, float]
Polygon = tuple[Point, ...]

OVERSAMPLE: Final = 4


def _circle(x: float, y: float, radius: float, points: int = 40) -> Polygon:
    return tuple(
        (
            x + radius * math.cos(2 * math.pi * step / points),
            y + radius * math.sin(2 * math.pi * step / points),
        )
        for step in range(points)
    )


def _heart() -> Polygon:
    """The classic heart curve, brought into the unit square."""
    points: list[Point] = []
    for step in range(72):
        angle = 2 * math.pi * step / 72
        x = 16 * math.sin(angle) ** 3
        y = 13 * math.cos(angle) - 5 * math.cos(2 * angle) - 2 * math.cos(3 * angle)
        y -= math.cos(4 * angle)
        points.append((0.5 + x / 35, 0.48 - y / 33))
    return tuple(points)


def _stem() -> Polygon:
    """The foot of spade and club, with hollow sides."""
    left = [(0.5 - 0.03 - 0.21 * (step / 12) ** 2.2, 0.55 + 0.43 * step / 12) for step in range(13)]
    right = [(1 - x, y) for x, y in reversed(left)]
    return tuple(left + right)


def _diamond() -> Polygon:
    """Four sides that bend inwards a little, as on printed cards."""
    corners: tuple[Point, ...] = ((0.5, 0.02), (0.88, 0.5), (0.5, 0.98), (0.12, 0.5))
    points: list[Point] = []
    for place, (x0, y0) in enumerate(corners):
        x1, y1 = corners[(place + 1) % 4]
        middle_x, middle_y = (x0 + x1) / 2, (y0 + y1) / 2
        bend_x, bend_y = middle_x + (0.5 - middle_x) * 0.14, middle_y + (0.5 - middle_y) * 0.14
        for step in range(10):
            t = step / 10
            points.append(
                (
                    (1 - t) ** 2 * x0 + 2 * t * (1 - t) * bend_x + t * t * x1,
                    (1 - t) ** 2 * y0 + 2 * t * (1 - t) * bend_y + t * t * y1,
                )
            )
    return tuple(points)


def _spade_leaf() -> Polygon:
    return tuple((x, 0.86 - y * 0.86) for x, y in _heart())


SUIT_SHAPES: Final[dict[int, tuple[Polygon, ...]]] = {
    SPADES: (_spade_leaf(), _stem()),
    HEARTS: (_heart(),),
    DIAMONDS: (_diamond(),),
    CLUBS: (
        _circle(0.5, 0.26, 0.225),
        _circle(0.265, 0.58, 0.225),
        _circle(0.735, 0.58, 0.225),
        _circle(0.5, 0.5, 0.12),
        _stem(),
    ),
}

STAR: Final[Polygon] = tuple(
    (
        0.5 + (0.5 if step % 2 == 0 else 0.2) * math.sin(math.pi * step / 5),
        0.53 - (0.5 if step % 2 == 0 else 0.2) * math.cos(math.pi * step / 5),
    )
    for step in range(10)
)


def smooth(
    size: tuple[int, int], ground: Rgb, draw: Callable[[pygame.Surface], None]
) -> pygame.Surface:
    """Return a picture of ``size`` that ``draw`` paints at :data:`OVERSAMPLE` times the size.

    ``ground`` is the colour that edges fade into: that of the outermost shape, so that no dark
    fringe appears round it.
    """
    large = pygame.Surface((size[0] * OVERSAMPLE, size[1] * OVERSAMPLE), pygame.SRCALPHA)
    large.fill((*ground, 0))
    draw(large)
    return pygame.transform.smoothscale(large, size)


def draw_polygons(
    surface: pygame.Surface,
    polygons: Iterable[Polygon],
    colour: Rgb,
    box: tuple[float, float, float, float],
) -> None:
    """Draw unit-square ``polygons`` into ``box`` (x, y, width, height) of ``surface``."""
    x, y, width, height = box
    for polygon in polygons:
        placed = [(x + px * width, y + py * height) for px, py in polygon]
        pygame.draw.polygon(surface, colour, placed)


def shape(polygons: tuple[Polygon, ...], side: int, colour: Rgb) -> pygame.Surface:
    """Return ``polygons`` as a smooth square picture."""

    def draw(surface: pygame.Surface) -> None:
        large = side * OVERSAMPLE
        draw_polygons(surface, polygons, colour, (0, 0, large, large))

    return smooth((side, side), colour, draw)
