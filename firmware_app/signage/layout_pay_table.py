"""The posted pay table: line, odds "to 1", envy. What it says never moves during a round."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from firmware_app.rules.money import dollars
from firmware_app.signage.fitting import fit_lines
from firmware_app.signage.operations import Box, Face, Mark
from firmware_app.signage.pen import Pen
from firmware_app.signage.scene import Scene
from firmware_app.signage.theme import Tint
from firmware_app.signage.words import Say, say

_ROW_TEXT = 0.68
"""Size of a row's text over the height of the row."""
_SECOND = 0.8
"""Size of the second language over the first, side by side."""


@dataclass(frozen=True, slots=True)
class _Row:
    name: Say
    pays: int
    envy_cents: int
    hit_by: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class _Columns:
    """Where the columns stand, and the sizes of their texts."""

    name: Box
    hits: Box
    pays: Box
    envy: Box | None
    size: int
    second_x: int | None
    stacked: bool


def draw_pay_tables(pen: Pen, box: Box, scene: Scene, *, with_ace_high: bool) -> None:
    """Draw the Fortune pay table in ``box``, and the Ace High one under it where asked for."""
    if not scene.pay_rows:
        return
    fortune = [
        _Row(say(row.line.value), row.pays, row.envy_cents, row.hit_by) for row in scene.pay_rows
    ]
    ace = [_Row(row.name, row.pays, 0, row.hit_by) for row in scene.ace_rows]
    if not with_ace_high or not ace:
        _draw(pen, box, "fortune_bonus", fortune, scene.glow, envy=scene.shows_envy)
        return
    gap = pen.px(18)
    heads = 1.15
    row_height = (box.h - gap) / (len(fortune) + len(ace) + 2 * heads + 0.5)
    upper = round(row_height * (len(fortune) + heads + 0.25))
    _draw(
        pen,
        Box(box.x, box.y, box.w, upper),
        "fortune_bonus",
        fortune,
        scene.glow,
        envy=scene.shows_envy,
    )
    lower = Box(box.x, box.y + upper + gap, box.w, box.h - upper - gap)
    _draw(pen, lower, "ace_high_bonus", ace, scene.glow, envy=False)


def _draw(pen: Pen, box: Box, title: str, rows: Sequence[_Row], glow: int, *, envy: bool) -> None:
    pen.panel(box, Tint.PANEL, radius=pen.px(18), edge=Tint.EDGE, edge_width=pen.px(2))
    inner = box.inset(pen.px(10), pen.px(8))
    row_height = int(inner.h / (len(rows) + 1.15))
    head = Box(inner.x, inner.y, inner.w, inner.h - row_height * len(rows))
    columns = _columns(pen, inner, rows, row_height, envy=envy)
    _draw_head(pen, head, title, columns)
    for place, row in enumerate(rows):
        line = Box(inner.x, head.bottom + place * row_height, inner.w, row_height)
        _draw_row(pen, line, row, columns, glow, striped=place % 2 == 0)


def _columns(
    pen: Pen, inner: Box, rows: Sequence[_Row], row_height: int, *, envy: bool
) -> _Columns:
    size = round(row_height * _ROW_TEXT)
    pad = pen.px(16)

    def widest(texts: Sequence[str], face: Face = Face.FIGURE) -> int:
        return max(pen.metrics.width(text, face, size) for text in texts)

    pays_width = widest([pen.texts.first(_odds(row)) for row in rows])
    right = inner.right - pad
    envy_box = None
    if envy:
        figures = widest([dollars(row.envy_cents) for row in rows])
        head = pen.metrics.width(pen.texts.first(say("envy")), Face.TEXT, round(size * 0.8))
        envy_width = max(figures, head + round(size * 1.1))
        envy_box = Box(right - envy_width, inner.y, envy_width, row_height)
        right = envy_box.x - pen.px(40)
    pays = Box(right - pays_width, inner.y, pays_width, row_height)
    hits = Box(pays.x - pad - row_height * 3 // 2, inner.y, row_height * 3 // 2, row_height)
    name = Box(inner.x + pad, inner.y, hits.x - inner.x - pad, row_height)
    return _fit_names(pen, rows, _Columns(name, hits, pays, envy_box, size, None, False))


def _odds(row: _Row) -> Say:
    return say("to_one", pays=f"{row.pays:,}")


def _fit_names(pen: Pen, rows: Sequence[_Row], columns: _Columns) -> _Columns:
    """Choose size and place of the names: one language, two side by side, or two stacked."""
    name, size = columns.name, columns.size
    firsts = [pen.texts.first(row.name) for row in rows]
    seconds = [pen.texts.second(row.name) or "" for row in rows]
    smallest = max(8, size // 2)
    if not any(seconds):
        fitted = fit_lines(pen.metrics, firsts, Face.TEXT, size, smallest, name.w)
        return _Columns(name, columns.hits, columns.pays, columns.envy, fitted, None, False)

    def needs(at: int) -> tuple[int, int]:
        second = round(at * _SECOND)
        return (
            max(pen.metrics.width(text, Face.TEXT, at) for text in firsts) + at,
            max(pen.metrics.width(text, Face.TEXT, second) for text in seconds),
        )

    beside = size
    while beside > smallest and sum(needs(beside)) > name.w:
        beside -= 1
    stacked = fit_lines(
        pen.metrics, firsts + seconds, Face.TEXT, round(name.h * 0.44), smallest, name.w
    )
    if beside >= stacked and sum(needs(beside)) <= name.w:
        second_x = name.x + needs(beside)[0]
        return _Columns(name, columns.hits, columns.pays, columns.envy, beside, second_x, False)
    return _Columns(name, columns.hits, columns.pays, columns.envy, stacked, None, True)


def _draw_head(pen: Pen, head: Box, title: str, columns: _Columns) -> None:
    size = round(head.h * 0.66)
    place = Box(columns.name.x, head.y, columns.pays.x - columns.name.x - pen.px(8), head.h)
    heading = " · ".join(pen.texts.all(say(title)))
    pen.text(place, heading, size, Tint.GOLD, Tint.PANEL, face=Face.TITLE)
    small = round(columns.pays.h * _ROW_TEXT * 0.8)
    pays = Box(columns.pays.x, head.y, columns.pays.w, head.h)
    pen.text(pays, pen.texts.first(say("pays")), small, Tint.MUTED, Tint.PANEL, align="right")
    if columns.envy is not None:
        envy = Box(columns.envy.x, head.y, columns.envy.w, head.h)
        word = pen.texts.first(say("envy"))
        used = pen.text(envy, word, small, Tint.ENVY, Tint.PANEL, align="right")
        side = round(used * 0.72)
        left = envy.right - pen.metrics.width(word, Face.TEXT, used) - side - pen.px(8)
        pen.mark(Box(left, head.centre[1] - side // 2, side, side), Mark.ENVY, Tint.ENVY)


def _draw_row(
    pen: Pen, line: Box, row: _Row, columns: _Columns, glow: int, *, striped: bool
) -> None:
    lit = bool(row.hit_by)
    ground = Tint.GOLD if lit else Tint.STRIPE if striped else Tint.PANEL
    radius = pen.px(8)
    if lit:
        band = line.inset(0, pen.px(1))
        if glow:
            halo = pen.px(glow)
            pen.panel(
                Box(band.x - halo, band.y - halo, band.w + 2 * halo, band.h + 2 * halo),
                Tint.GOLD_DEEP,
                radius=radius + halo,
            )
        pen.panel(band, Tint.GOLD, radius=radius)
    elif striped:
        pen.panel(line, Tint.STRIPE, radius=radius)

    def cell(column: Box) -> Box:
        return Box(column.x, line.y, column.w, line.h)

    ink = Tint.INK if lit else Tint.IVORY
    _draw_name(pen, cell(columns.name), row.name, columns, ink, ground, lit=lit)
    if lit:
        spots = ", ".join(str(number) for number in row.hit_by)
        badge = cell(columns.hits).inset(0, max(1, line.h // 10))
        pen.panel(badge, Tint.INK, radius=badge.h // 2)
        pen.text(
            badge.inset(badge.h // 4, 0),
            spots,
            round(line.h * 0.6),
            Tint.GOLD,
            Tint.INK,
            face=Face.FIGURE,
            align="centre",
        )
    size = round(line.h * _ROW_TEXT)
    pen.text(
        cell(columns.pays),
        pen.texts.first(_odds(row)),
        size,
        Tint.INK if lit else Tint.GOLD,
        ground,
        face=Face.FIGURE,
        align="right",
    )
    if columns.envy is not None and row.envy_cents:
        pen.text(
            cell(columns.envy),
            dollars(row.envy_cents),
            size,
            Tint.INK if lit else Tint.ENVY,
            ground,
            face=Face.FIGURE,
            align="right",
        )


def _draw_name(
    pen: Pen, cell: Box, name: Say, columns: _Columns, ink: Tint, ground: Tint, *, lit: bool
) -> None:
    first, second = pen.texts.first(name), pen.texts.second(name)
    faint = Tint.INK if lit else Tint.MUTED
    if columns.stacked and second is not None:
        half = cell.h // 2
        upper = Box(cell.x, cell.y, cell.w, half)
        pen.text(upper, first, columns.size, ink, ground)
        lower = Box(cell.x, cell.y + half, cell.w, cell.h - half)
        pen.text(lower, second, round(columns.size * 0.94), faint, ground)
        return
    if columns.second_x is None or second is None:
        pen.text(cell, first, columns.size, ink, ground)
        return
    left = Box(cell.x, cell.y, columns.second_x - cell.x, cell.h)
    pen.text(left, first, columns.size, ink, ground)
    right = Box(columns.second_x, cell.y, cell.right - columns.second_x, cell.h)
    pen.text(right, second, round(columns.size * _SECOND), faint, ground)
