"""The smallest sign, a bar display: the pay table first, then what happens, then the spots."""

from __future__ import annotations

from collections.abc import Sequence

from firmware_app.signage.layout_frame import draw_strip
from firmware_app.signage.layout_hero import draw_envy
from firmware_app.signage.layout_pay_table import draw_pay_tables
from firmware_app.signage.layout_recall import draw_recall
from firmware_app.signage.layout_selling import draw_conditions
from firmware_app.signage.operations import Box, Face, Mark
from firmware_app.signage.pen import Pen
from firmware_app.signage.scene import Scene, SceneKind, SpotPanel
from firmware_app.signage.theme import Tint
from firmware_app.signage.words import Say, say


def draw_bar(pen: Pen, screen: Box, scene: Scene, spots: Sequence[SpotPanel]) -> None:
    """Draw ``scene`` on a small screen: head, pay table, spots, the dealer's line."""
    margin = pen.px(14)
    width = screen.w - 2 * margin
    head = Box(margin, pen.px(6), width, pen.px(84))
    strip = Box(margin, screen.bottom - pen.px(66), width, pen.px(58))
    draw_strip(pen, strip, scene, most_urgent_only=True)
    body = Box(margin, head.bottom + pen.px(8), width, strip.y - head.bottom - pen.px(16))
    _draw_head(pen, head, scene)
    if scene.kind is SceneKind.LAST_ROUNDS:
        draw_recall(pen, body, scene, headed=False)
        return
    foot = body.bottom
    if spots:
        row = Box(body.x, foot - pen.px(138), body.w, pen.px(138))
        _draw_spots(pen, row, spots)
        foot = row.y - pen.px(8)
    elif scene.pay_rows:
        line = Box(body.x, foot - pen.px(56), body.w, pen.px(56))
        _draw_condition(pen, line, scene)
        foot = line.y - pen.px(6)
    table = Box(body.x, body.y, body.w, foot - body.y)
    if scene.pay_rows:
        draw_pay_tables(pen, table, scene, with_ace_high=False)
    else:
        points = (*scene.hero.points, *scene.conditions, *scene.limits)
        draw_conditions(pen, table.inset(pen.px(10), pen.px(20)), points, size=60)


def _draw_head(pen: Pen, box: Box, scene: Scene) -> None:
    """What happens now, and beside it the amount, the sample mark or the number of the round."""
    hero = scene.hero
    side, tint = _beside(scene)
    right = box.right
    if side is not None:
        text = pen.texts.first(side)
        size = pen.px(54)
        wide = min(pen.metrics.width(text, Face.FIGURE, size), box.w // 2)
        place = Box(right - wide, box.y, wide, box.h)
        pen.text(place, text, size, tint, Tint.FELT, face=Face.FIGURE, align="right")
        right = place.x - pen.px(20)
    said = pen.texts.first(hero.headline)
    if scene.kind is SceneKind.ATTRACT:
        said = scene.title
    elif hero.hand is not None and hero.over is not None:
        said = f"{pen.texts.first(hero.over)}: {said}"
    tint = Tint.ALARM if hero.mood == "alarm" else Tint.GOLD
    place = Box(box.x, box.y, right - box.x, box.h)
    pen.text(place, said, pen.px(74), tint, Tint.FELT, face=Face.TITLE)


def _beside(scene: Scene) -> tuple[Say | None, Tint]:
    if scene.sample_pay_table:
        return say("sample_pay_table"), Tint.ALARM
    if scene.hero.amount is not None:
        return scene.hero.amount, Tint.GOLD
    return scene.round_label, Tint.MUTED


def _draw_condition(pen: Pen, box: Box, scene: Scene) -> None:
    """The condition of envy, else the first condition there is."""
    said = next((one for one in scene.conditions if one.key == "envy_condition"), None)
    if said is not None:
        draw_envy(pen, box, pen.texts.first(said), pen.px(48), Tint.FELT)
    elif scene.conditions:
        text = pen.texts.first(scene.conditions[0])
        pen.text(box, text, pen.px(48), Tint.IVORY, Tint.FELT, align="centre")


def _draw_spots(pen: Pen, box: Box, spots: Sequence[SpotPanel]) -> None:
    gap = pen.px(8)
    width = (box.w - gap * (len(spots) - 1)) // len(spots)
    for place, spot in enumerate(spots):
        _draw_spot(pen, Box(box.x + place * (width + gap), box.y, width, box.h), spot)


def _draw_spot(pen: Pen, tile: Box, spot: SpotPanel) -> None:
    """Number and marks above; the wager, or what is paid, below."""
    edge = Tint.GOLD if spot.hit else Tint.EDGE
    pen.panel(tile, Tint.PANEL, radius=pen.px(14), edge=edge, edge_width=pen.px(4))
    inner = tile.inset(pen.px(12), pen.px(8))
    upper = Box(inner.x, inner.y, inner.w, inner.h // 2)
    lower = Box(inner.x, upper.bottom, inner.w, inner.bottom - upper.bottom)
    number = Box(upper.x, upper.y, upper.w // 2, upper.h)
    pen.text(number, str(spot.number), upper.h, Tint.IVORY, Tint.PANEL, face=Face.FIGURE)
    side = round(upper.h * 0.8)
    corner = Box(upper.right - side, upper.y + (upper.h - side) // 2, side, side)
    paid_envy = next((award for award in spot.awards if award.kind == "envy"), None)
    if spot.broken:
        pen.mark(corner, Mark.CROSS, Tint.ALARM)
    elif paid_envy is not None or (spot.envy and spot.title is None):
        pen.mark(corner, Mark.ENVY, Tint.ENVY)
    elif spot.designated_player:
        pen.mark(corner, Mark.BUTTON, Tint.IVORY)
    text, tint = _short(pen, spot)
    pen.text(
        lower,
        text,
        lower.h,
        tint,
        Tint.PANEL,
        face=Face.FIGURE,
        align="centre",
        smallest_share=0.35,
    )


def _short(pen: Pen, spot: SpotPanel) -> tuple[str, Tint]:
    """The one thing to know of a spot in few letters."""
    for award in spot.awards:
        values = dict(award.text.values)
        if award.kind == "fortune":
            odds = values.get("pays")
            text = pen.texts.first(say("to_one", pays=odds)) if odds else values["amount"]
            return text, Tint.GOLD
        if award.kind == "envy":
            return values["amount"], Tint.ENVY
    if spot.title is not None or spot.stake is None:
        return "-", Tint.MUTED
    word = pen.texts.first(say("bet_unknown")) if spot.stake == "?" else spot.stake
    return word, Tint.IVORY
