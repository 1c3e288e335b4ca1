"""The marks of the sign as vector drawings: envy diamond, chip, coin, buttons, warning triangle."""

from __future__ import annotations

import math

import pygame

from firmware_app.signage.operations import Mark
from firmware_app.signage.shapes import OVERSAMPLE, STAR, draw_polygons, smooth
from firmware_app.signage.theme import Rgb, Theme, Tint


def mark_picture(mark: Mark, size: tuple[int, int], tint: Tint, theme: Theme) -> pygame.Surface:
    """Return ``mark`` in ``tint`` as a smooth picture of ``size`` pixels."""
    colour = theme.rgb(tint)
    ivory, ink = theme.rgb(Tint.IVORY), theme.rgb(Tint.INK)

    def draw(surface: pygame.Surface) -> None:
        match mark:
            case Mark.ENVY:
                _diamond(surface, colour, ink)
            case Mark.COIN:
                _coin(surface, colour)
            case Mark.CHIP:
                _chip(surface, colour, ivory, theme.rgb(Tint.GOLD_DEEP))
            case Mark.RING:
                _ring(surface, colour)
            case Mark.BUTTON:
                _disc(surface, colour)
            case Mark.ALARM:
                _triangle(surface, colour, ink)
            case Mark.STAR:
                draw_polygons(surface, (STAR,), colour, (0, 0, *surface.get_size()))
            case Mark.CROSS:
                _cross(surface, colour)

    return smooth(size, colour, draw)


def _frame(surface: pygame.Surface) -> tuple[float, float, float]:
    """Return centre x, centre y and radius of the largest circle."""
    width, height = surface.get_size()
    return width / 2, height / 2, min(width, height) / 2 - OVERSAMPLE / 2


def _diamond(surface: pygame.Surface, colour: Rgb, ink: Rgb) -> None:
    x, y, radius = _frame(surface)

    def corners(of: float) -> list[tuple[float, float]]:
        return [(x, y - of), (x + of, y), (x, y + of), (x - of, y)]

    pygame.draw.polygon(surface, colour, corners(radius))
    pygame.draw.polygon(surface, ink, corners(radius * 0.56))
    pygame.draw.polygon(surface, colour, corners(radius * 0.36))


def _coin(surface: pygame.Surface, colour: Rgb) -> None:
    x, y, radius = _frame(surface)
    pygame.draw.circle(surface, colour, (x, y), radius * 0.62)


def _disc(surface: pygame.Surface, colour: Rgb) -> None:
    x, y, radius = _frame(surface)
    pygame.draw.circle(surface, colour, (x, y), radius)


def _ring(surface: pygame.Surface, colour: Rgb) -> None:
    x, y, radius = _frame(surface)
    pygame.draw.circle(surface, colour, (x, y), radius, max(2, round(radius * 0.06)))


def _chip(surface: pygame.Surface, colour: Rgb, ivory: Rgb, gold: Rgb) -> None:
    """A casino chip from above: eight light edge spots, a gold ring, a plain middle to write on."""
    x, y, radius = _frame(surface)
    pygame.draw.circle(surface, colour, (x, y), radius)
    for spot in range(8):
        middle = 2 * math.pi * spot / 8 + math.pi / 8
        arc = [middle - 0.16, middle - 0.05, middle + 0.05, middle + 0.16]
        outer = [(x + radius * math.cos(a), y + radius * math.sin(a)) for a in arc]
        inner = [
            (x + radius * 0.82 * math.cos(a), y + radius * 0.82 * math.sin(a))
            for a in reversed(arc)
        ]
        pygame.draw.polygon(surface, ivory, outer + inner)
    pygame.draw.circle(surface, gold, (x, y), radius * 0.77, max(2, round(radius * 0.04)))


def _triangle(surface: pygame.Surface, colour: Rgb, ink: Rgb) -> None:
    x, y, radius = _frame(surface)
    pygame.draw.polygon(
        surface,
        colour,
        [
            (x, y - radius * 0.92),
            (x + radius, y + radius * 0.82),
            (x - radius, y + radius * 0.82),
        ],
    )
    bar = radius * 0.2
    pygame.draw.rect(surface, ink, (x - bar / 2, y - radius * 0.3, bar, radius * 0.62))
    pygame.draw.circle(surface, ink, (x, y + radius * 0.56), bar * 0.62)


def _cross(surface: pygame.Surface, colour: Rgb) -> None:
    x, y, radius = _frame(surface)
    reach, thick = radius * 0.62, max(2, round(radius * 0.16))
    pygame.draw.circle(surface, colour, (x, y), radius, thick)
    pygame.draw.line(surface, colour, (x - reach, y + reach), (x + reach, y - reach), thick)
