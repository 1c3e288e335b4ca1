"""Where everything of a scene stands on a screen of any size: scene and size in, operations out.

Pure: the same scene, size, texts and fonts give the same operations. Three forms: landscape,
portrait, and a small bar display that keeps what matters most, the pay table first.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from firmware_app.signage.fitting import FontMetrics
from firmware_app.signage.layout_hero import draw_hero, draw_selling
from firmware_app.signage.layout_pay_table import draw_pay_tables
from firmware_app.signage.layout_spots import draw_arc
from firmware_app.signage.operations import Box, Face, Mark, Operation
from firmware_app.signage.pen import Pen
from firmware_app.signage.scene import Scene, SceneKind, SpotPanel
from firmware_app.signage.settings import Size
from firmware_app.signage.text import Texts
from firmware_app.signage.theme import Tint
from firmware_app.signage.words import say

SpotOneAt = Literal["left", "right"]


def layout(
    scene: Scene,
    size: Size,
    texts: Texts,
    metrics: FontMetrics,
    *,
    spot_one_at: SpotOneAt = "right",
) -> tuple[Operation, ...]:
    """Return what to paint for ``scene`` on a screen of ``size``, in painting order."""
    width, height = size
    spots = scene.spots if spot_one_at == "left" else scene.spots[::-1]
    pen = Pen(metrics, texts, min(width / 1920, height / 1080))
    _landscape(pen, Box(0, 0, width, height), scene, spots)
    return tuple(pen.operations)


def _landscape(pen: Pen, screen: Box, scene: Scene, spots: Sequence[SpotPanel]) -> None:
    margin = pen.px(32)
    head = Box(margin, pen.px(14), screen.w - 2 * margin, pen.px(84))
    _draw_header(pen, head, scene)
    strip = Box(margin, screen.bottom - pen.px(66), head.w, pen.px(54))
    _draw_strip(pen, strip, scene)
    body = Box(margin, head.bottom + pen.px(14), head.w, strip.y - head.bottom - pen.px(26))
    if scene.kind is SceneKind.ATTRACT:
        _landscape_selling(pen, body, scene)
        return
    if not scene.spots:
        draw_hero(pen, body, scene)
        return
    arc_height = pen.px(392)
    arc = Box(body.x, body.bottom - arc_height, body.w, arc_height)
    upper = Box(body.x, body.y, body.w, arc.y - body.y - pen.px(8))
    table_width = round(upper.w * 0.56)
    draw_pay_tables(pen, Box(upper.x, upper.y, table_width, upper.h), scene, with_ace_high=False)
    gap = pen.px(24)
    hero = Box(upper.x + table_width + gap, upper.y, upper.w - table_width - gap, upper.h)
    draw_hero(pen, hero, scene)
    draw_arc(pen, arc, spots, depth=pen.px(20))


def _landscape_selling(pen: Pen, body: Box, scene: Scene) -> None:
    if not scene.pay_rows:
        width = round(body.w * 0.7)
        draw_selling(pen, Box(body.x + (body.w - width) // 2, body.y, width, body.h), scene)
        return
    table_width = round(body.w * 0.58)
    draw_pay_tables(pen, Box(body.x, body.y, table_width, body.h), scene, with_ace_high=True)
    gap = pen.px(36)
    side = Box(body.x + table_width + gap, body.y, body.w - table_width - gap, body.h)
    draw_selling(pen, side, scene)


def _draw_header(pen: Pen, box: Box, scene: Scene) -> None:
    title = Box(box.x, box.y, box.w * 11 // 20, box.h - pen.px(8))
    size = pen.text(title, scene.title, pen.px(66), Tint.IVORY, Tint.FELT, face=Face.TITLE)
    right = box.right
    if scene.round_label is not None:
        text = pen.texts.first(scene.round_label)
        width = pen.metrics.width(text, Face.TEXT, pen.px(36)) + pen.px(4)
        place = Box(right - width, box.y, width, title.h)
        pen.text(place, text, pen.px(36), Tint.MUTED, Tint.FELT, align="right")
        right = place.x - pen.px(28)
    if scene.sample_pay_table:
        left = title.x + pen.metrics.width(scene.title, Face.TITLE, size) + pen.px(28)
        pill = Box(left, box.y + pen.px(14), right - left, title.h - pen.px(28))
        pen.panel(pill, Tint.ALARM, radius=pill.h // 2)
        pen.text(
            pill.inset(pen.px(24), pen.px(4)),
            " · ".join(pen.texts.all(say("sample_pay_table"))),
            pen.px(32),
            Tint.INK,
            Tint.ALARM,
            align="centre",
        )
    pen.panel(Box(box.x, box.bottom - pen.px(3), box.w, pen.px(3)), Tint.GOLD_DEEP)


def _draw_strip(pen: Pen, box: Box, scene: Scene) -> None:
    """The dealer's line: discreet, in the table's own words, alarms with their triangle."""
    pen.panel(box, Tint.INK, radius=pen.px(12))
    inner = box.inset(pen.px(16), pen.px(4))
    size = pen.px(28)
    strip = scene.strip
    x = inner.x
    if strip.alarms:
        more = f" (+{len(strip.alarms) - 1})" if len(strip.alarms) > 1 else ""
        text = strip.alarms[0] + more
        side = round(inner.h * 0.8)
        pen.mark(Box(x, inner.y + (inner.h - side) // 2, side, side), Mark.ALARM, Tint.ALARM)
        x += side + pen.px(12)
        width = min(pen.metrics.width(text, Face.TEXT, size), inner.w // 2)
        pen.block(Box(x, inner.y, width, inner.h), text, size, Tint.ALARM, Tint.INK, middle=True)
        x += width + pen.px(28)
    right = inner.right
    if strip.notice:
        room = (right - x) // 2
        width = min(pen.metrics.width(strip.notice, Face.TEXT, size), room)
        place = Box(right - width, inner.y, width, inner.h)
        pen.block(place, strip.notice, size, Tint.IVORY, Tint.INK, align="right", middle=True)
        right = place.x - pen.px(28)
    if strip.step:
        place = Box(x, inner.y, max(1, right - x), inner.h)
        pen.block(place, strip.step, size, Tint.MUTED, Tint.INK, middle=True)
