"""The last rounds, for a contested result: one row a round, newest first."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from firmware_app.rules.money import dollars
from firmware_app.signage.operations import Box, Face
from firmware_app.signage.past_rounds import RoundSummary
from firmware_app.signage.pen import Pen
from firmware_app.signage.scene import Scene
from firmware_app.signage.theme import Tint
from firmware_app.signage.words import say

_ROWS: Final = (10, 5)
"""A recall shows the last round and the nine before it (AGCO 13.1); on the smallest sign fewer
where so much was won that all would become too small to be read."""
_HEAD_ROWS: Final = 1.1
_COLUMNS: Final = (3.0, 3.5)
"""Widths of a round's number and time over the size of the text."""


def draw_recall(pen: Pen, box: Box, scene: Scene, *, headed: bool = True) -> None:
    """Draw the newest rounds of ``scene`` in ``box``, under a heading where ``headed``."""
    pen.panel(box, Tint.PANEL, radius=pen.px(18), edge=Tint.EDGE, edge_width=pen.px(2))
    inner = box.inset(pen.px(14), pen.px(10))
    above = _HEAD_ROWS if headed else 0
    told = [_outcome(pen, one) for one in scene.rounds]
    texts = [text for text, _ in told]
    heights = [(rows, int(inner.h / (rows + above))) for rows in _ROWS]
    rows, height = next(
        (one for one in heights if _fit(pen, inner.w, one[1], texts[: one[0]])), heights[-1]
    )
    head = Box(inner.x, inner.y, inner.w, inner.h - height * rows)
    if headed:
        heading = " · ".join(pen.texts.all(scene.hero.headline))
        place = head.inset(pen.px(16), 0)
        pen.text(place, heading, round(head.h * 0.62), Tint.GOLD, Tint.PANEL, face=Face.TITLE)
    for count, (one, (text, tint)) in enumerate(zip(scene.rounds[:rows], told, strict=False)):
        line = Box(inner.x, head.bottom + count * height, inner.w, height)
        ground = Tint.PANEL if count % 2 else Tint.STRIPE
        if ground is Tint.STRIPE:
            pen.panel(line, ground, radius=pen.px(8))
        number, time, outcome = _cells(pen, line)
        size = _size(pen, height)
        pen.text(number, str(one.number), size, Tint.IVORY, ground, face=Face.FIGURE)
        pen.text(time, one.time_text, size, Tint.MUTED, ground, face=Face.FIGURE)
        pen.block(outcome, text, size, tint, ground, middle=True)


def _fit(pen: Pen, width: int, height: int, texts: Sequence[str]) -> bool:
    """Whether each of ``texts`` is told whole in a row of that height."""
    outcome = _cells(pen, Box(0, 0, width, height))[-1]
    return all(pen.fits(outcome, text, _size(pen, height)) for text in texts)


def _size(pen: Pen, height: int) -> int:
    return min(pen.px(40), round(height * 0.56))


def _cells(pen: Pen, line: Box) -> tuple[Box, Box, Box]:
    """Return the places of a round's number, its time and what came of it."""
    inner = line.inset(pen.px(16), 0)
    first, second = (round(_size(pen, line.h) * share) for share in _COLUMNS)
    number = Box(inner.x, inner.y, first, inner.h)
    time = Box(number.right, inner.y, second, inner.h)
    return number, time, Box(time.right, inner.y, inner.right - time.right, inner.h)


def _outcome(pen: Pen, one: RoundSummary) -> tuple[str, Tint]:
    first = pen.texts.first
    if one.void_reason is not None:
        return first(say("round_void_row", reason=one.void_reason)), Tint.ALARM
    if not one.finished:
        return first(say("round_open")), Tint.MUTED
    parts = [
        first(
            say(
                "result_fortune",
                number=spot.number,
                line=f"@{spot.line.value}",
                amount=dollars(spot.fortune_cents),
            )
        )
        for spot in one.spots
        if spot.line is not None and spot.fortune_cents
    ]
    parts += [
        first(say("result_envy", number=spot.number, amount=dollars(spot.envy_cents)))
        for spot in one.spots
        if spot.envy_cents
    ]
    if not parts:
        return first(say("round_no_hits")), Tint.MUTED
    return " · ".join(parts), Tint.GOLD
