"""The last rounds, for a contested result: one row a round, newest first."""

from __future__ import annotations

from typing import Final

from firmware_app.rules.money import dollars
from firmware_app.signage.operations import Box, Face
from firmware_app.signage.pen import Pen
from firmware_app.signage.scene import RoundSummary, Scene
from firmware_app.signage.theme import Tint
from firmware_app.signage.words import say


_ROWS: Final = 10
"""A recall shows the last round and the nine before it, on a sign of any size (AGCO 13.1)."""


def draw_recall(pen: Pen, box: Box, scene: Scene) -> None:
    """Draw the newest rounds of ``scene`` in ``box``."""
    pen.panel(box, Tint.PANEL, radius=pen.px(18), edge=Tint.EDGE, edge_width=pen.px(2))
    inner = box.inset(pen.px(14), pen.px(10))
    row_height = int(inner.h / (_ROWS + 1.1))
    head = Box(inner.x, inner.y, inner.w, inner.h - row_height * _ROWS)
    heading = " · ".join(pen.texts.all(scene.hero.headline))
    place = head.inset(pen.px(16), 0)
    pen.text(place, heading, round(head.h * 0.62), Tint.GOLD, Tint.PANEL, face=Face.TITLE)
    size = min(pen.px(40), round(row_height * 0.56))
    for count, one in enumerate(scene.rounds[:_ROWS]):
        line = Box(inner.x, head.bottom + count * row_height, inner.w, row_height)
        if count % 2 == 0:
            pen.panel(line, Tint.STRIPE, radius=pen.px(8))
        _draw_round(pen, line.inset(pen.px(16), 0), one, size, striped=count % 2 == 0)


def _draw_round(pen: Pen, line: Box, one: RoundSummary, size: int, *, striped: bool) -> None:
    ground = Tint.STRIPE if striped else Tint.PANEL
    number = Box(line.x, line.y, size * 3, line.h)
    pen.text(number, str(one.number), size, Tint.IVORY, ground, face=Face.FIGURE)
    time = Box(number.right, line.y, size * 7 // 2, line.h)
    pen.text(time, one.time_text, size, Tint.MUTED, ground, face=Face.FIGURE)
    text, tint = _outcome(pen, one)
    place = Box(time.right, line.y, line.right - time.right, line.h)
    pen.block(place, text, size, tint, ground, middle=True)


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
