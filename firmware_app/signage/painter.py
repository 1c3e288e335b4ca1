"""Paints operations on a pygame surface; repaints only where two lists of operations differ."""

from __future__ import annotations

import random
from collections import OrderedDict
from collections.abc import Callable, Hashable, Sequence
from typing import Final

import pygame

from firmware_app.signage.cards_art import CardArt
from firmware_app.signage.logo_art import logo_picture
from firmware_app.signage.marks_art import mark_picture
from firmware_app.signage.operations import (
    Box,
    CardOp,
    LogoOp,
    MarkOp,
    Operation,
    PanelOp,
    TextOp,
)
from firmware_app.signage.settings import Size
from firmware_app.signage.shapes import OVERSAMPLE
from firmware_app.signage.theme import Rgb, Theme, Tint
from firmware_app.signage.typefaces import FontBook

_PICTURES_KEPT: Final = 500
_MOST_DIRTY: Final = 24
"""More changed rectangles than this are repainted as one: the test of overlaps would cost more."""


class Painter:
    """Paints one surface. It remembers what it painted last and repaints what changed."""

    def __init__(
        self, surface: pygame.Surface, theme: Theme, fonts: FontBook, *, four_colour: bool = True
    ) -> None:
        self._surface = surface
        self._theme = theme
        self._fonts = fonts
        self._cards = CardArt(theme, fonts, four_colour=four_colour)
        self._ground = _ground(surface.get_size(), theme)
        self._pictures: OrderedDict[Hashable, pygame.Surface] = OrderedDict()
        self._painted: tuple[Operation, ...] | None = None

    def forget(self) -> None:
        """Paint everything the next time: the surface no longer holds what was painted."""
        self._painted = None

    def paint(self, operations: Sequence[Operation]) -> list[Box]:
        """Bring the surface up to ``operations``; return the rectangles that were repainted."""
        wanted = tuple(operations)
        whole = Box(0, 0, *self._surface.get_size())
        dirty = [whole] if self._painted is None else changed(self._painted, wanted, whole)
        for box in dirty:
            self._repaint(box, wanted)
        self._painted = wanted
        return dirty

    def _repaint(self, box: Box, operations: Sequence[Operation]) -> None:
        area = pygame.Rect(box.x, box.y, box.w, box.h)
        self._surface.set_clip(area)
        self._surface.blit(self._ground, area, area)
        for operation in operations:
            if reach(operation).meets(box):
                self._draw(operation)
        self._surface.set_clip(None)

    def _draw(self, operation: Operation) -> None:
        match operation:
            case TextOp():
                self._draw_text(operation)
            case PanelOp():
                box = operation.box
                key = (box.w, box.h, *_panel_look(operation))
                picture = self._kept(key, lambda: panel_picture(operation, self._theme))
                self._surface.blit(picture, (box.x, box.y))
            case CardOp(box=box, card=card, look=look):
                picture = self._kept(
                    ("card", box.w, box.h, card, look),
                    lambda: self._cards.picture(card, (box.w, box.h), look),
                )
                self._surface.blit(picture, (box.x, box.y))
            case MarkOp(box=box, mark=mark, tint=tint):
                picture = self._kept(
                    (mark, box.w, box.h, tint),
                    lambda: mark_picture(mark, (box.w, box.h), tint, self._theme),
                )
                self._surface.blit(picture, (box.x, box.y))
            case LogoOp(box=box, path=path):
                picture = self._kept(
                    ("logo", box.w, box.h, path), lambda: logo_picture(path, (box.w, box.h))
                )
                self._surface.blit(
                    picture, (box.x, box.y), special_flags=pygame.BLEND_PREMULTIPLIED
                )

    def _draw_text(self, op: TextOp) -> None:
        picture = self._fonts.picture(op.text, op.face, op.size, self._theme.rgb(op.tint))
        self._surface.blit(picture, text_origin(op, self._fonts))

    def _kept(self, key: Hashable, make: Callable[[], pygame.Surface]) -> pygame.Surface:
        picture = self._pictures.get(key)
        if picture is None:
            picture = make()
            self._pictures[key] = picture
            if len(self._pictures) > _PICTURES_KEPT:
                self._pictures.popitem(last=False)
        else:
            self._pictures.move_to_end(key)
        return picture


def text_origin(op: TextOp, fonts: FontBook) -> tuple[int, int]:
    """Return where the picture of a text goes: its capitals stand in the middle of its box."""
    width = fonts.width(op.text, op.face, op.size)
    ascent, capitals = fonts.baseline(op.text, op.face, op.size)
    x = {
        "left": op.box.x,
        "centre": op.box.x + (op.box.w - width) // 2,
        "right": op.box.right - width,
    }[op.align]
    baseline = op.box.y + (op.box.h + capitals) // 2
    return x, baseline - ascent


def reach(operation: Operation) -> Box:
    """Return the rectangle that an operation may touch: texts may hang out of theirs a little."""
    box = operation.box
    if not isinstance(operation, TextOp):
        return box
    over = max(2, operation.size // 2)
    return Box(box.x - over // 2, box.y - over, box.w + over, box.h + 2 * over)


def changed(old: Sequence[Operation], new: Sequence[Operation], whole: Box) -> list[Box]:
    """Return the rectangles in which ``new`` differs from ``old``, none of them overlapping.

    A change of nothing but the order of equal operations does not happen: the layout's order
    follows from the scene.
    """
    start, old_end, new_end = _differing(old, new)
    before, after = old[start:old_end], new[start:new_end]
    kept = set(before) & set(after)
    boxes = [
        _cut(reach(operation), whole) for operation in (*before, *after) if operation not in kept
    ]
    return _joined(boxes, whole)


def _differing(old: Sequence[Operation], new: Sequence[Operation]) -> tuple[int, int, int]:
    """Return the start of the part that differs, and its ends in ``old`` and in ``new``.

    Most changes touch one spot. To compare is ten times cheaper than to hash all operations.
    """
    start, old_end, new_end = 0, len(old), len(new)
    most = min(old_end, new_end)
    while start < most and old[start] == new[start]:
        start += 1
    while old_end > start and new_end > start and old[old_end - 1] == new[new_end - 1]:
        old_end -= 1
        new_end -= 1
    return start, old_end, new_end


def _joined(boxes: Sequence[Box], whole: Box) -> list[Box]:
    joined: list[Box] = []
    for box in boxes:
        merged = box
        overlapping = [other for other in joined if other.meets(merged)]
        while overlapping:
            for other in overlapping:
                joined.remove(other)
                merged = _around(merged, other)
            overlapping = [other for other in joined if other.meets(merged)]
        if merged.w and merged.h:
            joined.append(merged)
    if len(joined) > _MOST_DIRTY:
        return [whole]
    return joined


def _around(one: Box, other: Box) -> Box:
    x, y = min(one.x, other.x), min(one.y, other.y)
    return Box(x, y, max(one.right, other.right) - x, max(one.bottom, other.bottom) - y)


def _cut(box: Box, whole: Box) -> Box:
    x, y = max(box.x, whole.x), max(box.y, whole.y)
    right, bottom = min(box.right, whole.right), min(box.bottom, whole.bottom)
    return Box(x, y, max(0, right - x), max(0, bottom - y))


def _panel_look(op: PanelOp) -> tuple[Hashable, ...]:
    return (op.fill, op.radius, op.edge, op.edge_width, op.strength)


def panel_picture(op: PanelOp, theme: Theme) -> pygame.Surface:
    """Return a rounded panel with smooth corners.

    Only the corners are drawn large and scaled down: a whole panel would take 16 times the memory.
    """
    size = (op.box.w, op.box.h)
    radius = min(op.radius, op.box.w // 2, op.box.h // 2)
    edge = theme.rgb(op.edge) if op.edge is not None and op.edge_width else None
    fill = theme.rgb(op.fill) if op.fill is not None else None
    picture = pygame.Surface(size, pygame.SRCALPHA)
    ground = edge or fill or (0, 0, 0)
    picture.fill((*ground, 255 if edge else op.strength if fill else 0))
    if edge is not None:
        inner = picture.get_rect().inflate(-2 * op.edge_width, -2 * op.edge_width)
        picture.fill((*(fill or ground), op.strength if fill else 0), inner)
    if radius:
        _round_corners(picture, radius, op.edge_width if edge else 0, edge, fill, op.strength)
    return picture


def _round_corners(
    picture: pygame.Surface,
    radius: int,
    edge_width: int,
    edge: Rgb | None,
    fill: Rgb | None,
    strength: int,
) -> None:
    side = radius * 2
    ground = edge or fill or (0, 0, 0)
    large = pygame.Surface((side * OVERSAMPLE, side * OVERSAMPLE), pygame.SRCALPHA)
    large.fill((*ground, 0))
    centre, outer = radius * OVERSAMPLE, radius * OVERSAMPLE
    if edge is not None:
        pygame.draw.circle(large, (*edge, 255), (centre, centre), outer)
        inside = (*fill, strength) if fill else (*ground, 0)
        pygame.draw.circle(large, inside, (centre, centre), outer - edge_width * OVERSAMPLE)
    elif fill is not None:
        pygame.draw.circle(large, (*fill, strength), (centre, centre), outer)
    disc = pygame.transform.smoothscale(large, (side, side))
    width, height = picture.get_size()
    for x in (0, 1):
        for y in (0, 1):
            corner = pygame.Rect(x * radius, y * radius, radius, radius)
            place = (x * (width - radius), y * (height - radius))
            picture.fill((0, 0, 0, 0), (*place, radius, radius))
            # Copied as it is, alpha included: the corner replaces what was filled before.
            picture.blit(disc, place, corner, special_flags=pygame.BLEND_RGBA_ADD)


def _ground(size: Size, theme: Theme) -> pygame.Surface:
    """Return the felt: lit from above the middle, falling off to ink at the rim.

    Drawn on a few pixels and scaled up, then grained like cloth, which hides the steps that so
    dark a gradient has in eight bits.
    """
    felt, ink = theme.rgb(Tint.FELT), theme.rgb(Tint.INK)
    small = pygame.Surface((96, 54))
    for x in range(96):
        for y in range(54):
            away = ((x - 47.5) / 68) ** 2 + ((y - 22) / 48) ** 2
            share = max(0.0, 1 - away)
            small.set_at(
                (x, y),
                tuple(round(i + (f - i) * share) for f, i in zip(felt, ink, strict=True)),
            )
    ground = pygame.transform.smoothscale(small, size)
    grain = _grain()
    for x in range(0, size[0], grain.get_width()):
        for y in range(0, size[1], grain.get_height()):
            ground.blit(grain, (x, y), special_flags=pygame.BLEND_RGB_ADD)
    return ground


def _grain() -> pygame.Surface:
    """Return a tile of faint cloth, the same at every start."""
    side = 64
    dice = random.Random(7)
    grain = pygame.Surface((side, side))
    for x in range(side):
        for y in range(side):
            grain.set_at((x, y), (dice.choice((0, 0, 1, 2)),) * 3)
    return grain
