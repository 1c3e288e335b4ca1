"""A pen that collects drawing operations: the parts of the layout write with it.

Sizes are given in *design pixels*, those of a 1920 x 1080 screen, and scaled by ``unit``.
"""

from __future__ import annotations

from firmware_app.signage.fitting import FontMetrics, fit_block, fit_lines, line_height
from firmware_app.signage.logo import Logo
from firmware_app.signage.operations import (
    Align,
    Box,
    CardOp,
    Face,
    LogoOp,
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

    def in_first_language(self) -> Pen:
        """Return a pen that adds to the same operations in the first language alone."""
        pen = Pen(self.metrics, Texts(self.texts.languages[:1]), self.unit)
        pen.operations = self.operations
        return pen

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

    def logo(self, box: Box, logo: Logo) -> Box:
        """Draw a logo as large as fits ``box``, at its left; return what it takes."""
        scale = min(box.w / logo.width, box.h / logo.height)
        width, height = (max(1, int(side * scale)) for side in (logo.width, logo.height))
        place = Box(box.x, box.y + (box.h - height) // 2, width, height)
        self.operations.append(LogoOp(place, logo.path))
        return place

    def card(self, box: Box, shown: ShownCard) -> None:
        self.operations.append(CardOp(box, shown.card, shown.look))

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
        smallest_share: float = SMALLEST_SHARE,
    ) -> int:
        """Write one line as large as fits, up to ``size``; return the size."""
        if not text:
            return size
        smallest = max(8, round(size * smallest_share))
        size = min(size, max(8, int(box.h / 1.15)))
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
        smallest_share: float = SMALLEST_SHARE,
    ) -> int:
        """Write ``text`` in as many lines as it needs; return the y under the last line."""
        smallest = max(8, round(size * smallest_share))
        size, lines = fit_block(self.metrics, text, face, size, smallest, box.w, box.h)
        step = line_height(size)
        y = box.y + (box.h - step * len(lines)) // 2 if middle else box.y
        for line in lines:
            place = Box(box.x, y, box.w, step)
            self.operations.append(TextOp(place, line, face, size, tint, on, align))
            y += step
        return y

    def fits(self, box: Box, text: str, size: int) -> bool:
        """Whether :meth:`block` can write ``text`` in ``box`` without cutting it short."""
        smallest = max(8, round(size * SMALLEST_SHARE))
        _, lines = fit_block(self.metrics, text, Face.TEXT, size, smallest, box.w, box.h)
        return "".join(lines).replace(" ", "") == text.replace(" ", "")

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

    def hand_width(self, box: Box, hand: ShownHand, gap: int, *, raised: bool = True) -> int:
        """Return how wide :meth:`hand_in_row` lays ``hand`` in ``box``."""
        width, gaps = self._card_width(box, hand, gap, raised=raised)
        return width * len(hand.cards) + gaps

    def hand_height(self, box: Box, hand: ShownHand, gap: int) -> int:
        """Return how high :meth:`hand_in_row` lays ``hand`` in ``box`` where none is raised."""
        return round(self._card_width(box, hand, gap, raised=False)[0] * CARD_SHAPE)

    def hand_in_row(
        self, box: Box, hand: ShownHand, *, gap: int, align: Align = "left", raised: bool = True
    ) -> Box:
        """Lay a hand in one row, low hand first, as large as fits; return the box it takes.

        Lit cards are raised by a tenth of their height where ``raised``: the box includes the room.
        """
        width, gaps = self._card_width(box, hand, gap, raised=raised)
        height = round(width * CARD_SHAPE)
        lift = max(1, height // 10) if raised else 0
        taken = width * len(hand.cards) + gaps
        x = box.x + {"left": 0, "centre": (box.w - taken) // 2, "right": box.w - taken}[align]
        top = box.y + (box.h - height - lift) // 2
        place = Box(x, top, taken, height + lift)
        for count, shown in enumerate(hand.cards):
            if hand.front and count == len(hand.front):
                x += width // 3 - gap
            y = top if shown.look == "lit" else top + lift
            self.card(Box(x, y, width, height), shown)
            x += width + gap
        return place

    def _card_width(self, box: Box, hand: ShownHand, gap: int, *, raised: bool) -> tuple[int, int]:
        """Return the width of a card, and that of all gaps: a third of a card between the hands."""
        count = len(hand.cards)
        parts = 1 / 3 if hand.front else 0.0
        even = gap * (count - 1 - (1 if hand.front else 0))
        share = CARD_SHAPE * (1.1 if raised else 1.0)
        width = int(min((box.w - even) / (count + parts), box.h / share))
        return width, even + (width // 3 if hand.front else 0)
