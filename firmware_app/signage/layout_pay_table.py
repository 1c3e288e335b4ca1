"""The posted pay table: line, odds "to 1", envy. What it says never moves during a round."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from firmware_app.rules.money import dollars
from firmware_app.signage.operations import Box, Face, Mark
from firmware_app.signage.pen import Pen
from firmware_app.signage.scene import Scene, SceneKind
from firmware_app.signage.theme import Tint
from firmware_app.signage.words import Say, say

_ROW_TEXT = 0.74
"""Size of a row's text over the height of the row."""
_HEAD_ROWS = 1.2
"""Height of a table's head in rows."""
_SECOND = 0.8
"""Size of the second language over the first, side by side."""
_STACKED = 0.4
"""Size of a name over the height of the row where two languages stand one over the other."""


@dataclass(frozen=True, slots=True)
class _Row:
    name: Say
    pays: int
    envy_cents: int
    hit_by: tuple[int, ...]

    @property
    def odds(self) -> Say:
        return say("to_one", pays=f"{self.pays:,}")


@dataclass(frozen=True, slots=True)
class _Columns:
    """Where the columns stand, in x and width, and the sizes of their texts.

    ``second_x`` is where the second language stands; None: under the first one, if there is one.
    """

    name_x: int
    name_width: int
    second_x: int | None
    name_size: int
    hits_x: int
    hits_width: int
    pays_x: int
    pays_width: int
    envy_x: int
    envy_width: int
    figure_size: int


def draw_pay_tables(pen: Pen, box: Box, scene: Scene, *, with_ace_high: bool) -> None:
    """Draw the Fortune pay table in ``box``, and the Ace High one under it where asked for."""
    fortune = [
        _Row(say(row.line.value), row.pays, row.envy_cents, row.hit_by) for row in scene.pay_rows
    ]
    ace = [_Row(row.name, row.pays, 0, row.hit_by) for row in scene.ace_rows]
    if not with_ace_high:
        ace = []
    if not fortune:
        return
    gap, pad = pen.px(16), pen.px(8)
    tables = 2 if ace else 1
    rows = len(fortune) + len(ace) + _HEAD_ROWS * tables
    row_height = int((box.h - (gap + 2 * pad) * tables + gap) / rows)
    inner = box.inset(pen.px(10), pad)
    columns = _fit(pen, inner, [*fortune, *ace], row_height, scene)
    upper = box.h
    if ace:
        upper = round(row_height * (len(fortune) + _HEAD_ROWS)) + 2 * pad
        lower = Box(box.x, box.y + upper + gap, box.w, box.h - upper - gap)
        _draw(pen, lower, "ace_high_bonus", ace, columns, row_height, scene)
    _draw(
        pen,
        Box(box.x, box.y, box.w, upper),
        "fortune_bonus",
        fortune,
        columns,
        row_height,
        scene,
    )


def draw_ace_high(pen: Pen, box: Box, scene: Scene) -> None:
    """Draw the Ace High pay table alone, where room is scarce: in the first language."""
    pen = pen.in_first_language()
    rows = [_Row(row.name, row.pays, 0, row.hit_by) for row in scene.ace_rows]
    alone = replace(scene, shows_envy=False)
    inner = box.inset(pen.px(10), pen.px(8))
    row_height = int(inner.h / (len(rows) + _HEAD_ROWS))
    columns = _fit(pen, inner, rows, row_height, alone)
    _draw(pen, box, "ace_high_bonus", rows, columns, row_height, alone)


def _fit(pen: Pen, inner: Box, rows: Sequence[_Row], row_height: int, scene: Scene) -> _Columns:
    """Return the columns at the largest size at which every row fits.

    Two languages stand side by side, or one over the other where that lets them be larger.
    """
    largest = max(8, round(row_height * _ROW_TEXT))
    two = len(pen.texts.languages) > 1
    stacked = round(row_height * _STACKED)
    for size in range(largest, 7, -1):
        if two and size <= stacked:
            # As large as it gets one over the other: the figures may be larger than the names.
            for figures in range(min(largest, round(size * 1.5)), size, -1):
                columns = _columns(pen, inner, rows, figures, size, scene, stack=True)
                if columns is not None:
                    return columns
        figures = min(largest, round(size * 1.2)) if two else size
        columns = _columns(pen, inner, rows, figures, size, scene)
        if columns is not None:
            return columns
    raise ValueError(f"a pay table cannot be read in {inner.w} x {inner.h} pixels")


def _columns(
    pen: Pen,
    inner: Box,
    rows: Sequence[_Row],
    figure_size: int,
    name_size: int,
    scene: Scene,
    *,
    stack: bool = False,
) -> _Columns | None:
    """Return the columns at these sizes, or None where the names do not fit."""

    def widest(texts: Sequence[str], face: Face, size: int) -> int:
        return max((pen.metrics.width(text, face, size) for text in texts if text), default=0)

    pad = pen.px(16)
    pays_width = widest([pen.texts.first(row.odds) for row in rows], Face.FIGURE, figure_size)
    right = inner.right - pad
    envy_width = 0
    if scene.shows_envy:
        figures = [dollars(row.envy_cents) for row in rows if row.envy_cents]
        head = pen.metrics.width(pen.texts.first(say("envy")), Face.TEXT, _small(figure_size))
        envy_width = max(widest(figures, Face.FIGURE, figure_size), head + figure_size)
    envy_x = right - envy_width
    pays_x = envy_x - (pen.px(36) if envy_width else 0) - pays_width
    hits_width = 0 if scene.kind is SceneKind.ATTRACT else figure_size * 2
    hits_x = pays_x - pad - hits_width
    name_x = inner.x + pad
    name_width = hits_x - pad - name_x
    firsts = widest([pen.texts.first(row.name) for row in rows], Face.TEXT, name_size)
    second_size = round(name_size * (1 if stack else _SECOND))
    seconds = widest([pen.texts.second(row.name) or "" for row in rows], Face.TEXT, second_size)
    second_x = None if stack or not seconds else name_x + firsts + name_size
    needed = max(firsts, seconds) if second_x is None else second_x - name_x + seconds
    if needed > name_width:
        return None
    return _Columns(
        name_x=name_x,
        name_width=name_width,
        second_x=second_x,
        name_size=name_size,
        hits_x=hits_x,
        hits_width=hits_width,
        pays_x=pays_x,
        pays_width=pays_width,
        envy_x=envy_x,
        envy_width=envy_width,
        figure_size=figure_size,
    )


def _small(figure_size: int) -> int:
    """Size of the heads of the columns."""
    return max(8, round(figure_size * 0.76))


def _draw(
    pen: Pen,
    box: Box,
    title: str,
    rows: Sequence[_Row],
    columns: _Columns,
    row_height: int,
    scene: Scene,
) -> None:
    pen.panel(box, Tint.PANEL, radius=pen.px(18), edge=Tint.EDGE, edge_width=pen.px(2))
    inner = box.inset(pen.px(10), pen.px(8))
    head = Box(inner.x, inner.y, inner.w, inner.h - row_height * len(rows))
    _draw_head(pen, head, title, columns, envy=any(row.envy_cents for row in rows))
    for place, row in enumerate(rows):
        line = Box(inner.x, head.bottom + place * row_height, inner.w, row_height)
        _draw_row(pen, line, row, columns, scene.glow, striped=place % 2 == 0)


def _draw_head(pen: Pen, head: Box, title: str, columns: _Columns, *, envy: bool) -> None:
    place = Box(columns.name_x, head.y, columns.pays_x - columns.name_x - pen.px(12), head.h)
    size = min(round(head.h * 0.74), round(columns.figure_size * 1.25))
    heading = " · ".join(pen.texts.all(say(title)))
    if pen.metrics.width(heading, Face.TITLE, round(size * 0.7)) > place.w:
        heading = pen.texts.first(say(title))
    pen.text(place, heading, size, Tint.GOLD, Tint.PANEL, face=Face.TITLE)
    small = _small(columns.figure_size)
    pays = Box(columns.pays_x, head.y, columns.pays_width, head.h)
    word = pen.texts.first(say("pays"))
    pen.text(pays, word, small, Tint.MUTED, Tint.PANEL, align="right")
    if envy:
        column = Box(columns.envy_x, head.y, columns.envy_width, head.h)
        word = pen.texts.first(say("envy"))
        used = pen.text(column, word, small, Tint.ENVY, Tint.PANEL, align="right")
        side = round(used * 0.8)
        left = column.right - pen.metrics.width(word, Face.TEXT, used) - side - used // 4
        pen.mark(Box(left, head.centre[1] - side // 2, side, side), Mark.ENVY, Tint.ENVY)


def _draw_row(
    pen: Pen, line: Box, row: _Row, columns: _Columns, glow: int, *, striped: bool
) -> None:
    lit = bool(row.hit_by)
    ground = Tint.GOLD if lit else Tint.STRIPE if striped else Tint.PANEL
    if lit:
        _draw_light(pen, line, glow)
    elif striped:
        pen.panel(line, Tint.STRIPE, radius=pen.px(8))
    ink = Tint.INK if lit else Tint.IVORY
    _draw_name(pen, line, row.name, columns, ink, ground, lit=lit)
    if lit and columns.hits_width:
        _draw_hits(pen, Box(columns.hits_x, line.y, columns.hits_width, line.h), row)
    pen.text(
        Box(columns.pays_x, line.y, columns.pays_width, line.h),
        pen.texts.first(row.odds),
        columns.figure_size,
        Tint.INK if lit else Tint.GOLD,
        ground,
        face=Face.FIGURE,
        align="right",
    )
    if row.envy_cents and columns.envy_width:
        pen.text(
            Box(columns.envy_x, line.y, columns.envy_width, line.h),
            dollars(row.envy_cents),
            columns.figure_size,
            Tint.INK if lit else Tint.ENVY,
            ground,
            face=Face.FIGURE,
            align="right",
        )


def _draw_light(pen: Pen, line: Box, glow: int) -> None:
    """The gold band of a row that is hit, with an edge that grows and shrinks while it glows."""
    pen.panel(
        line.inset(0, pen.px(1)),
        Tint.GOLD,
        radius=pen.px(8),
        edge=Tint.GOLD_DEEP if glow else None,
        edge_width=pen.px(glow * 0.75) if glow else 0,
    )


def _draw_hits(pen: Pen, column: Box, row: _Row) -> None:
    """The spots that hold the line, in a dark pill: the light alone must not carry it."""
    height = min(column.h * 7 // 9, column.w * 3 // 5)
    badge = Box(column.x, column.y + (column.h - height) // 2, column.w, height)
    pen.panel(badge, Tint.INK, radius=badge.h // 2)
    spots = ", ".join(str(number) for number in row.hit_by)
    pen.text(
        badge.inset(badge.h // 4, 0),
        spots,
        round(badge.h * 0.8),
        Tint.GOLD,
        Tint.INK,
        face=Face.FIGURE,
        align="centre",
    )


def _draw_name(
    pen: Pen, line: Box, name: Say, columns: _Columns, ink: Tint, ground: Tint, *, lit: bool
) -> None:
    first, second = pen.texts.first(name), pen.texts.second(name)
    faint = Tint.INK if lit else Tint.MUTED
    x, width, size = columns.name_x, columns.name_width, columns.name_size
    if second is None:
        pen.text(Box(x, line.y, width, line.h), first, size, ink, ground)
    elif columns.second_x is None:
        upper = Box(x, line.y + line.h // 20, width, line.h * 9 // 20)
        pen.text(upper, first, size, ink, ground)
        lower = Box(x, line.y + line.h // 2, width, line.h * 9 // 20)
        pen.text(lower, second, round(size * 0.94), faint, ground)
    else:
        pen.text(Box(x, line.y, columns.second_x - x, line.h), first, size, ink, ground)
        right = Box(columns.second_x, line.y, x + width - columns.second_x, line.h)
        pen.text(right, second, round(size * _SECOND), faint, ground)
