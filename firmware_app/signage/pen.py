"""A pen that collects drawing operations: the parts of the layout write with it.

Sizes are given in *design pixels*, those of a 1920 x 1080 screen, and scaled by ``unit``.
"""

from __future__ import annotations

from firmware_app.cards import Card
from firmware_app.signage.fitting import FontMetrics, fit_block, fit_lines, line_height
from firmware_app.signage.operations import (
    Align,
    Box,
    CardOp,
    Face,
    Mark,
    MarkOp,
    Operation,
    PanelOp,
    TextOp,
)
from firmware_app.signage.scene import ShownCard, ShownHand
from firmware_app.signage.text import Texts
from firmware_app.signage.theme import Tint
from firmware_app.signage.words import Say

SMALLEST_SHARE = 0.5
"""A text may shrink to this share of its size before it is shortened."""

CARD_SHAPE = 1.4
"""Height of a card over its width."""


class Pen:
    """Writes texts, panels, cards and marks, each at its place."""

    def __init__(self, metrics: FontMetrics, texts: Texts, unit: float) -> None:
        self.metrics = metrics
        self.texts = texts
        self.unit = unit
        self.operations: list[Operation] = []

    def px(self, design_pixels: float) -> int:
        """Return design pixels as pixels of this screen, at least one."""
        return max(1, round(design_pixels * self.unit))

    def panel(
        self,
        box: Box,
        fill: Tint | None,
        *,
        radius: int = 0,
        edge: Tint | None = None,
        edge_width: int = 0,
        strength: int = 255,
    ) -> None:
        self.operations.append(PanelOp(box, fill, radius, edge, edge_width, strength))

    def mark(self, box: Box, mark: Mark, tint: Tint) -> None:
        self.operations.append(MarkOp(box, mark, tint))

    def card(self, box: Box, card: Card | None, look: ShownCard) -> None:
        self.operations.append(CardOp(box, card, look.look))

    def text(
        self,
        box: Box,
        text: str,
        size: int,
        tint: Tint,
        on: Tint,
        *,
        face: Face = Face.TEXT,
        align: Align = "left",
    ) -> int:
        """Write one line as large as fits, up to ``size``; return the size."""
        if not text:
            return size
        smallest = max(8, round(size * SMALLEST_SHARE))
        size = min(size, max(8, round(box.h / 1.02)))
        size = fit_lines(self.metrics, [text], face, size, min(smallest, size), box.w)
        self.operations.append(TextOp(box, text, face, size, tint, on, align))
        return size

    def block(
        self,
        box: Box,
        text: str,
        size: int,
        tint: Tint,
        on: Tint,
        *,
        face: Face = Face.TEXT,
        align: Align = "left",
        middle: bool = False,
    ) -> int:
        """Write ``text`` in as many lines as it needs; return the y under the last line."""
        smallest = max(8, round(size * SMALLEST_SHARE))
        size, lines = fit_block(self.metrics, text, face, size, smallest, box.w, box.h)
        step = line_height(size)
        y = box.y + (box.h - step * len(lines)) // 2 if middle else box.y
        for line in lines:
            place = Box(box.x, y, box.w, step)
            self.operations.append(TextOp(place, line, face, size, tint, on, align))
            y += step
        return y

    def say(
        self,
        box: Box,
        words: Say,
        size: int,
        tint: Tint,
        on: Tint,
        *,
        face: Face = Face.TEXT,
        align: Align = "left",
        second_tint: Tint = Tint.MUTED,
    ) -> int:
        """Write ``words`` in every language of the sign, the first one larger; return the bottom.

        The first language takes two thirds of the height where there are two.
        """
        said = self.texts.all(words)
        if len(said) == 1:
            return self.block(box, said[0], size, tint, on, face=face, align=align)
        upper = Box(box.x, box.y, box.w, box.h * 3 // 5)
        y = self.block(upper, said[0], size, tint, on, face=face, align=align)
        lower = Box(box.x, y, box.w, box.bottom - y)
        return self.block(lower, said[1], round(size * 0.66), second_tint, on, align=align)

    def hand_in_row(self, box: Box, hand: ShownHand, *, gap: int = 0, align: Align = "left") -> Box:
        """Lay a hand in one row, low hand first, as large as fits; return the box it takes.

        Lit cards are raised by a tenth of their height: the box includes the room for it.
        """
        front, back = len(hand.front), len(hand.back)
        between = gap * 4 if front else 0
        gaps = gap * (max(0, front - 1) + back - 1) + between
        count = front + back
        width = min((box.w - gaps) // count, int(box.h / (CARD_SHAPE * 1.1)))
        height = round(width * CARD_SHAPE)
        raised = max(1, height // 10)
        taken = width * count + gaps
        left = {"left": 0, "centre": (box.w - taken) // 2, "right": box.w - taken}[align]
        x = box.x + left
        top = box.y + raised
        for place, shown in enumerate(hand.cards):
            if place == front and front:
                x += between - gap
            y = top - raised if shown.look == "lit" else top
            self.card(Box(x, y, width, height), shown.card, shown)
            x += width + gap
        return Box(box.x + left, box.y, taken, height + raised)
