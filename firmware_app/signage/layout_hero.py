"""The large message beside the pay table: what happens now, in one glance."""

from __future__ import annotations

from firmware_app.cards import Card, parse_hand
from firmware_app.signage.fitting import balanced, line_height
from firmware_app.signage.operations import Align, Box, Face, Mark
from firmware_app.signage.pen import Pen
from firmware_app.signage.scene import Hero, Scene, ShownCard, ShownHand
from firmware_app.signage.theme import Tint
from firmware_app.signage.words import Say, say

_TINT = {
    "sell": Tint.GOLD,
    "bet": Tint.GOLD,
    "wait": Tint.IVORY,
    "win": Tint.GOLD,
    "calm": Tint.IVORY,
    "alarm": Tint.ALARM,
}

SHOW_HAND: tuple[Card, ...] = parse_hand("9H 10H JH QH KH AH 8H", count=7)[:6]
"""Cards of the selling picture: a straight flush in the making, no hand of any round."""


def draw_hero(pen: Pen, box: Box, scene: Scene) -> None:
    """Draw the hero of ``scene``, its dealer's hand at the foot where there is one."""
    hero = scene.hero
    dealer = scene.dealer
    foot = box.bottom
    if dealer is not None:
        height = pen.px(150)
        foot = box.bottom - height - pen.px(8)
        _draw_dealer(pen, Box(box.x, foot, box.w, height), scene)
        foot -= pen.px(8)
    upper = Box(box.x, box.y, box.w, foot - box.y)
    if hero.hand is not None:
        _draw_win(pen, upper, hero, hero.hand)
    else:
        _draw_message(pen, upper, hero)


def _draw_message(pen: Pen, box: Box, hero: Hero) -> None:
    tint = _TINT[hero.mood]
    y = box.y + pen.px(16)
    if hero.over is not None:
        y = pen.say(
            Box(box.x, y, box.w, pen.px(50)),
            hero.over,
            pen.px(36),
            Tint.MUTED,
            Tint.FELT,
            align="centre",
        )
    headline = Box(box.x, y, box.w, min(pen.px(190), (box.bottom - y) * 3 // 5))
    y = pen.say(
        headline, hero.headline, pen.px(92), tint, Tint.FELT, face=Face.TITLE, align="centre"
    )
    y += pen.px(8)
    rule = min(pen.px(160), box.w // 3)
    pen.panel(Box(box.x + (box.w - rule) // 2, y, rule, pen.px(4)), Tint.GOLD_DEEP)
    y += pen.px(20)
    draw_points(pen, Box(box.x, y, box.w, box.bottom - y), hero.points, align="centre")


def draw_points(
    pen: Pen, box: Box, points: tuple[Say, ...], *, size: int = 36, align: Align = "left"
) -> int:
    """Write short sentences one under the other; return the y under the last one."""
    if not points:
        return box.y
    gap = pen.px(10)
    each = (box.h - gap * (len(points) - 1)) // len(points)
    limit = pen.px(size * 2.6) * len(pen.texts.languages)
    y = box.y
    for point in points:
        bottom = pen.say(
            Box(box.x, y, box.w, min(each, limit)),
            point,
            pen.px(size),
            Tint.IVORY,
            Tint.FELT,
            align=align,
        )
        y = bottom + gap
    return y


def _draw_win(pen: Pen, box: Box, hero: Hero, hand: ShownHand) -> None:
    """The best hand of the round: spot, line, cards, what it pays."""
    y = box.y
    over = pen.texts.first(hero.over) if hero.over is not None else ""
    pen.text(
        Box(box.x, y, box.w, pen.px(42)), over, pen.px(36), Tint.MUTED, Tint.FELT, align="centre"
    )
    y += pen.px(44)
    two = len(pen.texts.all(hero.headline)) > 1
    height = pen.px(124 if two else 92)
    y = pen.say(
        Box(box.x, y, box.w, height),
        hero.headline,
        pen.px(70),
        Tint.GOLD,
        Tint.FELT,
        face=Face.TITLE,
        align="centre",
    )
    foot = box.bottom
    if hero.envy is not None:
        foot -= pen.px(52)
        _draw_envy(pen, Box(box.x, foot, box.w, pen.px(46)), pen.texts.first(hero.envy))
    if hero.amount is not None:
        foot -= pen.px(104)
        pen.text(
            Box(box.x, foot, box.w, pen.px(100)),
            pen.texts.first(hero.amount),
            pen.px(100),
            Tint.GOLD,
            Tint.FELT,
            face=Face.FIGURE,
            align="centre",
        )
    cards = Box(box.x, y + pen.px(6), box.w, foot - y - pen.px(12))
    lit = tuple(shown for shown in hand.cards if shown.look == "lit")
    shown = ShownHand((), tuple(ShownCard(card.card) for card in lit)) if lit else hand
    pen.hand_in_row(cards, shown, gap=pen.px(10), align="centre")


def _draw_envy(pen: Pen, box: Box, text: str) -> None:
    side = round(box.h * 0.7)
    gap = side // 2
    size = round(box.h * 0.8)
    while size > 8 and pen.metrics.width(text, Face.FIGURE, size) > box.w - side - gap:
        size -= 1
    width = pen.metrics.width(text, Face.FIGURE, size)
    left = box.x + (box.w - width - side - gap) // 2
    pen.mark(Box(left, box.centre[1] - side // 2, side, side), Mark.ENVY, Tint.ENVY)
    pen.text(
        Box(left + side + gap, box.y, width, box.h),
        text,
        size,
        Tint.ENVY,
        Tint.FELT,
        face=Face.FIGURE,
    )


def _draw_dealer(pen: Pen, box: Box, scene: Scene) -> None:
    if scene.dealer is None:
        return
    pen.panel(box, Tint.PANEL, radius=pen.px(18), edge=Tint.EDGE, edge_width=pen.px(2))
    inner = box.inset(pen.px(16), pen.px(10))
    label = Box(inner.x, inner.y, inner.w * 3 // 10, inner.h)
    pen.block(label, pen.texts.first(say("dealer")), pen.px(36), Tint.GOLD, Tint.PANEL, middle=True)
    cards = Box(label.right, inner.y, inner.right - label.right, inner.h)
    pen.hand_in_row(cards, scene.dealer.hand, gap=pen.px(6), align="right")


def draw_selling(pen: Pen, box: Box, scene: Scene) -> None:
    """Draw the selling picture: what can be won, a hand to dream of, and the posted conditions."""
    hero = scene.hero
    y = box.y + pen.px(4)
    if hero.over is not None:
        y = pen.say(
            Box(box.x, y, box.w, pen.px(56)),
            hero.over,
            pen.px(44),
            Tint.IVORY,
            Tint.FELT,
            align="centre",
        )
    first = pen.texts.first(hero.headline)
    pen.text(
        Box(box.x, y, box.w, pen.px(136)),
        first,
        pen.px(124),
        Tint.GOLD,
        Tint.FELT,
        face=Face.TITLE,
        align="centre",
    )
    y += pen.px(140)
    if scene.pay_rows:
        fan = tuple(ShownCard(card) for card in SHOW_HAND[1:])
        row = Box(box.x, y, box.w, pen.px(196))
        pen.hand_in_row(row, ShownHand((), fan), gap=pen.px(12), align="centre")
        y = row.bottom + pen.px(14)
    points = (*hero.points, *scene.conditions)
    limits = pen.px(84)
    y = _draw_conditions(pen, Box(box.x, y, box.w, box.bottom - limits - y), points)
    draw_limits(pen, Box(box.x, box.bottom - limits + pen.px(10), box.w, limits), scene)


def _draw_conditions(pen: Pen, box: Box, points: tuple[Say, ...]) -> int:
    """Write the conditions one under the other; those of envy carry its diamond."""
    texts = [text for point in points for text in pen.texts.all(point)]
    size = pen.px(32)
    side = pen.px(22)
    left = side + pen.px(16)
    gap = pen.px(8)
    while size > pen.px(17) and _height(pen, texts, size, box.w - left, gap) > box.h:
        size -= 1
    y = box.y
    for point in points:
        envy = point.key.startswith("envy")
        tint = Tint.ENVY if envy else Tint.GOLD_DEEP
        step = round(size * 1.18)
        pen.mark(
            Box(box.x, y + (step - side) // 2, side, side), Mark.ENVY if envy else Mark.COIN, tint
        )
        for place, text in enumerate(pen.texts.all(point)):
            ink = Tint.ENVY if envy and place == 0 else Tint.IVORY if place == 0 else Tint.MUTED
            room = Box(box.x + left, y, box.w - left, max(step, box.bottom - y))
            y = pen.block(room, text, size, ink, Tint.FELT)
        y += gap
    return y


def _height(pen: Pen, texts: list[str], size: int, width: int, gap: int) -> int:
    return sum(
        len(balanced(pen.metrics, text, Face.TEXT, size, width)) * line_height(size) + gap
        for text in texts
    )


def draw_limits(pen: Pen, box: Box, scene: Scene) -> None:
    """Write the posted limits in one framed line."""
    pen.panel(box, Tint.PANEL, radius=pen.px(16), edge=Tint.GOLD_DEEP, edge_width=pen.px(2))
    text = "   ·   ".join(pen.texts.first(limit) for limit in scene.limits)
    pen.block(
        box.inset(pen.px(20), pen.px(6)),
        text,
        pen.px(34),
        Tint.IVORY,
        Tint.PANEL,
        align="centre",
        middle=True,
    )
