"""What frames every picture: the header with the game's name, and the dealer's line at the foot."""

from __future__ import annotations

from firmware_app.signage.fitting import LINE_SPACING
from firmware_app.signage.logo import Logo
from firmware_app.signage.operations import Box, Face, Mark
from firmware_app.signage.pen import Pen
from firmware_app.signage.scene import Scene
from firmware_app.signage.theme import Tint
from firmware_app.signage.words import say

_TWO_LINES_BELOW = 0.66
"""Texts that would shrink below this share of their size are written in two lines instead."""

_LOGO_SHARE = 1 / 6
"""A logo may be so wide, as a share of the header; the rest is the title's."""


def draw_header(pen: Pen, box: Box, scene: Scene, logo: Logo | None) -> None:
    """Draw logo, title, round and, where the pay table is a sample, the mark that says so."""
    line = Box(box.x, box.y, box.w, box.h - pen.px(8))
    left, right = box.x, box.right
    if logo is not None:
        corner = Box(line.x, line.y, round(line.w * _LOGO_SHARE), line.h)
        left = pen.logo(corner, logo).right + pen.px(24)
    if scene.round_label is not None:
        text = pen.texts.first(scene.round_label)
        width = min(pen.metrics.width(text, Face.TEXT, pen.px(36)), box.w // 4)
        place = Box(right - width, line.y, width, line.h)
        pen.text(place, text, pen.px(36), Tint.MUTED, Tint.FELT, align="right")
        right = place.x - pen.px(28)
    if scene.sample_pay_table:
        size, pad = pen.px(30), pen.px(26)
        room = (right - left) // 2 - 2 * pad
        text = " · ".join(pen.texts.all(say("sample_pay_table")))
        if pen.metrics.width(text, Face.TEXT, size) > room:
            text = pen.texts.first(say("sample_pay_table"))
        width = min(pen.metrics.width(text, Face.TEXT, size), room) + 2 * pad
        pill = Box(right - width, line.y + line.h // 6, width, line.h * 2 // 3)
        pen.panel(pill, Tint.ALARM, radius=pill.h // 2)
        inner = pill.inset(pen.px(20), pen.px(2))
        pen.text(inner, text, size, Tint.INK, Tint.ALARM, align="centre")
        right = pill.x - pen.px(28)
    title = Box(left, line.y, right - left, line.h)
    pen.block(
        title,
        scene.title,
        pen.px(64),
        Tint.IVORY,
        Tint.FELT,
        face=Face.TITLE,
        middle=True,
        smallest_share=0.35,
    )
    pen.panel(Box(box.x, box.bottom - pen.px(3), box.w, pen.px(3)), Tint.GOLD_DEEP)


def draw_strip(pen: Pen, box: Box, scene: Scene, *, most_urgent_only: bool = False) -> None:
    """Draw the dealer's line, discreet, in the table's own words; alarms first, with a triangle.

    ``most_urgent_only`` leaves room for one text: the alarm, else what the dealer did, else what
    the table waits for.
    """
    pen.panel(box, Tint.INK, radius=pen.px(12))
    inner = box.inset(pen.px(16), pen.px(3))
    gap = pen.px(28)
    texts = _strip_texts(scene)
    if most_urgent_only:
        texts = texts[:1]
    x = inner.x
    if texts and texts[0][1] is Tint.ALARM:
        side = round(inner.h * 0.8)
        pen.mark(Box(x, inner.y + (inner.h - side) // 2, side, side), Mark.ALARM, Tint.ALARM)
        x += side + pen.px(12)
    size = pen.px(28)
    widths = [pen.metrics.width(text, Face.TEXT, size) + 2 for text, _ in texts]
    room = inner.right - x - gap * (len(texts) - 1)
    scale = min(1.0, room / max(1, sum(widths)))
    if scale < _TWO_LINES_BELOW:
        # Half the height a line, and half the width needed.
        size = min(size, int(inner.h / 2 / LINE_SPACING))
    for (text, tint), width in zip(texts, widths, strict=True):
        place = Box(x, inner.y, int(width * scale), inner.h)
        pen.block(place, text, size, tint, Tint.INK, middle=True)
        x = place.right + gap


def _strip_texts(scene: Scene) -> list[tuple[str, Tint]]:
    strip = scene.strip
    texts: list[tuple[str, Tint]] = []
    if strip.alarms:
        more = f" (+{len(strip.alarms) - 1})" if len(strip.alarms) > 1 else ""
        texts.append((strip.alarms[0] + more, Tint.ALARM))
    if strip.notice:
        texts.append((strip.notice, Tint.IVORY))
    if strip.step:
        texts.append((strip.step, Tint.MUTED))
    return texts
