"""Where everything of a scene stands on a screen of any size: scene and size in, operations out.

Pure: the same scene, size, texts and fonts give the same operations. Three forms: landscape,
portrait, and a small bar display that keeps what matters most, the pay table first.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Literal

from firmware_app.signage.fitting import FontMetrics
from firmware_app.signage.layout_bar import draw_bar
from firmware_app.signage.layout_frame import draw_header, draw_strip
from firmware_app.signage.layout_hero import draw_hero
from firmware_app.signage.layout_pay_table import draw_pay_tables
from firmware_app.signage.layout_recall import draw_recall
from firmware_app.signage.layout_selling import draw_selling
from firmware_app.signage.layout_spots import draw_arc
from firmware_app.signage.logo import Logo
from firmware_app.signage.operations import Box, Operation
from firmware_app.signage.pen import Pen
from firmware_app.signage.scene import Scene, SceneKind, SpotPanel
from firmware_app.signage.settings import Size
from firmware_app.signage.text import Texts

SpotOneAt = Literal["left", "right"]

_BAR_BELOW: Final = 500
"""A screen with a side shorter than this is read as a bar display."""


def layout(
    scene: Scene,
    size: Size,
    texts: Texts,
    metrics: FontMetrics,
    *,
    spot_one_at: SpotOneAt = "right",
    logo: Logo | None = None,
) -> tuple[Operation, ...]:
    """Return what to paint for ``scene`` on a screen of ``size``, in painting order.

    A bar display has no room for the ``logo``.
    """
    width, height = size
    screen = Box(0, 0, width, height)
    in_order = spot_one_at == "left"
    if min(size) < _BAR_BELOW:
        one_language = Texts(texts.languages[:1])
        pen = Pen(metrics, one_language, min(width / 1440, height / 960))
        draw_bar(pen, screen, scene, scene.spots if in_order else scene.spots[::-1])
    elif width >= height:
        pen = Pen(metrics, texts, min(width / 1920, height / 1080))
        body = _frame(pen, screen, scene, logo)
        _landscape(pen, body, scene, scene.spots if in_order else scene.spots[::-1])
    else:
        pen = Pen(metrics, texts, min(width / 1080, height / 1920))
        body = _frame(pen, screen, scene, logo)
        _portrait(pen, body, scene, in_order=in_order)
    return tuple(pen.operations)


def _frame(pen: Pen, screen: Box, scene: Scene, logo: Logo | None) -> Box:
    """Draw header and dealer's line; return what is left between them."""
    margin = pen.px(32)
    width = screen.w - 2 * margin
    head = Box(margin, pen.px(10), width, pen.px(80))
    draw_header(pen, head, scene, logo)
    strip = Box(margin, screen.bottom - pen.px(60), width, pen.px(48))
    draw_strip(pen, strip, scene)
    top = head.bottom + pen.px(12)
    return Box(margin, top, width, strip.y - top - pen.px(12))


def _landscape(pen: Pen, body: Box, scene: Scene, spots: Sequence[SpotPanel]) -> None:
    if scene.kind is SceneKind.LAST_ROUNDS:
        draw_recall(pen, body, scene)
        return
    if scene.kind is SceneKind.ATTRACT:
        _landscape_selling(pen, body, scene)
        return
    arc = Box(body.x, body.bottom - pen.px(380), body.w, pen.px(380))
    draw_arc(pen, arc, spots, depth=pen.px(32))
    upper = Box(body.x, body.y, body.w, arc.y - body.y - pen.px(10))
    if not scene.pay_rows:
        width = round(upper.w * 0.7)
        hero = Box(upper.x + (upper.w - width) // 2, upper.y, width, upper.h)
        draw_hero(pen, hero, scene)
        return
    # Names in two languages need more room than the message beside them.
    table_width = round(upper.w * (0.53 if len(pen.texts.languages) == 1 else 0.61))
    table = Box(upper.x, upper.y, table_width, upper.h)
    draw_pay_tables(pen, table, scene, with_ace_high=False)
    left = table.right + pen.px(24)
    hero = Box(left, upper.y, upper.right - left, upper.h)
    draw_hero(pen, hero, scene)


def _landscape_selling(pen: Pen, body: Box, scene: Scene) -> None:
    if not scene.pay_rows:
        width = round(body.w * 0.64)
        draw_selling(pen, Box(body.x + (body.w - width) // 2, body.y, width, body.h), scene)
        return
    table_width = round(body.w * (0.6 if len(pen.texts.languages) == 1 else 0.66))
    table = Box(body.x, body.y, table_width, body.h)
    draw_pay_tables(pen, table, scene, with_ace_high=True)
    left = table.right + pen.px(36)
    draw_selling(pen, Box(left, body.y, body.right - left, body.h), scene)


def _portrait(pen: Pen, body: Box, scene: Scene, *, in_order: bool) -> None:
    if scene.kind is SceneKind.LAST_ROUNDS:
        draw_recall(pen, body, scene)
        return
    gap = pen.px(16)
    if scene.kind is SceneKind.ATTRACT:
        if not scene.pay_rows:
            draw_selling(pen, body, scene)
            return
        table = Box(body.x, body.y, body.w, round(body.h * (0.53 if scene.ace_rows else 0.47)))
        draw_pay_tables(pen, table, scene, with_ace_high=True)
        top = table.bottom + gap * 2
        draw_selling(pen, Box(body.x, top, body.w, body.bottom - top), scene)
        return
    row_height = pen.px(322)
    arc = Box(body.x, body.bottom - 2 * row_height - gap, body.w, 2 * row_height + gap)
    _two_rows(pen, arc, scene.spots, gap, in_order=in_order)
    upper = Box(body.x, body.y, body.w, arc.y - body.y - gap)
    top = upper.y
    if scene.pay_rows:
        table = Box(upper.x, upper.y, upper.w, round(upper.h * 0.53))
        draw_pay_tables(pen, table, scene, with_ace_high=False)
        top = table.bottom + gap
    hero = Box(upper.x, top, upper.w, upper.bottom - top)
    draw_hero(pen, hero, scene)


def _two_rows(pen: Pen, box: Box, spots: Sequence[SpotPanel], gap: int, *, in_order: bool) -> None:
    """Draw the spots in two rows, the low numbers above; each row runs as it does on the felt."""
    half = (len(spots) + 1) // 2
    height = (box.h - gap) // 2
    for place, row in enumerate((spots[:half], spots[half:])):
        line = Box(box.x, box.y + place * (height + gap), box.w, height)
        draw_arc(pen, line, row if in_order else row[::-1], depth=0, room_for=half)
