"""The large message beside the pay table: what happens now, in one glance."""

from __future__ import annotations

from firmware_app.signage.layout_pay_table import draw_ace_high
from firmware_app.signage.layout_selling import (
    conditions_fit,
    draw_conditions,
    draw_limits,
    limits_height,
)
from firmware_app.signage.operations import Box, Face, Mark
from firmware_app.signage.pen import Pen
from firmware_app.signage.scene import (
    BankerHand,
    Hero,
    Scene,
    SceneKind,
    ShownCard,
    ShownHand,
)
from firmware_app.signage.theme import Tint
from firmware_app.signage.words import say

_TINT = {
    "sell": Tint.GOLD,
    "bet": Tint.GOLD,
    "wait": Tint.IVORY,
    "win": Tint.GOLD,
    "calm": Tint.IVORY,
    "alarm": Tint.ALARM,
}


def draw_hero(pen: Pen, box: Box, scene: Scene) -> None:
    """Draw the hero of ``scene``: the message, or the best hand, and the banker's hand below."""
    hero, banker = scene.hero, scene.banker
    opened = banker is not None and banker.hand.back[0].card is not None
    if banker is not None and opened and (scene.kind is SceneKind.DEALT or not scene.pay_rows):
        _draw_open_dealer(pen, box, hero, banker)
        return
    foot = box.bottom
    # A big win takes the room of the dealer's hand, not that of a hand which it had to beat.
    gives_way = scene.kind is SceneKind.BIG_WIN and banker is not None and banker.spot is None
    if banker is not None and not gives_way:
        panel = Box(box.x, box.bottom - pen.px(136), box.w, pen.px(136))
        _draw_banker(pen, panel, banker)
        foot = panel.y - pen.px(12)
    upper = Box(box.x, box.y, box.w, foot - box.y)
    if hero.hand is not None:
        framed = scene.kind is SceneKind.BIG_WIN
        if framed:
            upper = _draw_big_win_frame(pen, upper, scene.glow)
        _draw_win(pen, upper, hero, hero.hand, Tint.PANEL if framed else Tint.FELT)
    elif scene.kind is SceneKind.BETTING:
        _draw_betting(pen, upper, scene)
    else:
        _draw_message(pen, upper, hero)


def _draw_big_win_frame(pen: Pen, box: Box, glow: int) -> Box:
    """A gold frame that glows with the row that is hit; return the room inside it."""
    edge = pen.px(5) + (pen.px(glow / 2) if glow else 0)
    pen.panel(box, Tint.PANEL, radius=pen.px(24), edge=Tint.GOLD, edge_width=edge)
    side = pen.px(38)
    for x in (box.x + pen.px(30), box.right - pen.px(30) - side):
        pen.mark(Box(x, box.y + pen.px(18), side, side), Mark.STAR, Tint.GOLD)
    return box.inset(pen.px(24), pen.px(14))


def _draw_headline(pen: Pen, box: Box, hero: Hero, *, size: int) -> int:
    """The headline over a short gold rule; return the y under it."""
    y = box.y
    if hero.over is not None:
        over = Box(box.x, y, box.w, pen.px(46))
        text = pen.texts.first(hero.over)
        pen.text(over, text, pen.px(38), Tint.MUTED, Tint.FELT, align="centre")
        y = over.bottom
    two = len(pen.texts.all(hero.headline)) > 1
    room = Box(box.x, y, box.w, min(pen.px(size * (2.1 if two else 1.25)), box.bottom - y))
    tint = _TINT[hero.mood]
    y = pen.say(room, hero.headline, pen.px(size), tint, Tint.FELT, face=Face.TITLE, align="centre")
    y += pen.px(6)
    rule = min(pen.px(140), box.w // 3)
    pen.panel(Box(box.x + (box.w - rule) // 2, y, rule, pen.px(4)), Tint.GOLD_DEEP)
    return y + pen.px(24)


def _draw_message(pen: Pen, box: Box, hero: Hero) -> None:
    """A headline with a sentence or two, in the middle of the height."""
    inner = box.inset(pen.px(20), 0)
    start = inner.y + max(0, (inner.h - pen.px(330)) // 2)
    y = _draw_headline(pen, Box(inner.x, start, inner.w, inner.bottom - start), hero, size=96)
    _draw_points(pen, Box(inner.x, y, inner.w, inner.bottom - y), hero)


def _draw_points(pen: Pen, box: Box, hero: Hero) -> None:
    """One sentence in every language, or several in the first."""
    if len(hero.points) == 1:
        pen.say(box, hero.points[0], pen.px(40), Tint.IVORY, Tint.FELT, align="centre")
        return
    step = min(pen.px(56), box.h // max(1, len(hero.points)))
    for place, point in enumerate(hero.points):
        room = Box(box.x, box.y + place * step, box.w, step)
        text = pen.texts.first(point)
        pen.text(room, text, pen.px(40), Tint.IVORY, Tint.FELT, align="centre")


_WHILE_BETTING = ("envy", "must_beat", "cap_aggregate", "cap_spot", "table_not_posted")
"""Conditions that bear on the bet about to be made: the others are posted between rounds."""


def _draw_betting(pen: Pen, box: Box, scene: Scene) -> None:
    """What a player needs while betting: who banks, the conditions, Ace High, the limits.

    The limits, which the attract picture posts too, give way where all would become too small.
    """
    y = _draw_headline(pen, box, scene.hero, size=72 if scene.ace_rows else 88)
    gap = pen.px(14)
    ace_height = pen.px(172) if scene.ace_rows else 0
    limits = Box(box.x, box.bottom - limits_height(pen), box.w, limits_height(pen))
    conditions = scene.conditions
    if scene.pay_rows:
        conditions = tuple(said for said in conditions if said.key.startswith(_WHILE_BETTING))
    points = (*scene.hero.points, *conditions)
    foot = box.bottom
    room = Box(box.x, y, box.w, limits.y - y - gap - (ace_height + gap if ace_height else 0))
    if conditions_fit(pen.in_first_language(), room, points):
        draw_limits(pen, limits, scene)
        foot = limits.y - gap
    if ace_height:
        ace = Box(box.x, foot - ace_height, box.w, ace_height)
        draw_ace_high(pen, ace, scene)
        foot = ace.y - gap
    size = 34 if scene.pay_rows else 44
    draw_conditions(pen, Box(box.x, y, box.w, foot - y), points, size=size)


def _draw_win(pen: Pen, box: Box, hero: Hero, hand: ShownHand, on: Tint) -> None:
    """The best hand of the round: whose it is, its line, its cards and what it pays."""
    y = box.y
    if hero.over is not None:
        over = pen.texts.first(hero.over)
        line = Box(box.x, y, box.w, pen.px(46))
        pen.text(line, over, pen.px(40), Tint.IVORY, on, align="centre")
        y = line.bottom
    two = len(pen.texts.all(hero.headline)) > 1
    room = Box(box.x, y, box.w, pen.px(136 if two else 96))
    y = pen.say(room, hero.headline, pen.px(78), Tint.GOLD, on, face=Face.TITLE, align="centre")
    foot = box.bottom
    if hero.envy is not None:
        foot -= pen.px(56)
        text = pen.texts.first(hero.envy)
        draw_envy(pen, Box(box.x, foot, box.w, pen.px(52)), text, pen.px(42), on)
        foot -= pen.px(8)
    lit = tuple(ShownCard(shown.card) for shown in hand.cards if shown.look == "lit")
    row = Box(box.x, y + pen.px(8), box.w, foot - y - pen.px(8))
    _draw_cards_and_amount(pen, row, ShownHand((), lit) if lit else hand, hero, on)


def _draw_cards_and_amount(pen: Pen, row: Box, hand: ShownHand, hero: Hero, on: Tint) -> None:
    """The cards of the line with the amount beside them, or below where there is room or need."""
    gap = pen.px(8)
    if hero.amount is None:
        pen.hand_in_row(row, hand, gap=gap, align="centre", raised=False)
        return
    amount = pen.texts.first(hero.amount)
    size = pen.px(104)
    if len(hand.cards) > 5 or row.h >= pen.px(240):
        upper = Box(row.x, row.y, row.w, row.h * 12 // 20)
        pen.hand_in_row(upper, hand, gap=gap, align="centre", raised=False)
        lower = Box(row.x, upper.bottom, row.w, row.bottom - upper.bottom)
        pen.text(lower, amount, size, Tint.GOLD, on, face=Face.FIGURE, align="centre")
        return
    share = round(row.w * 0.45)
    while size > pen.px(50) and pen.metrics.width(amount, Face.FIGURE, size) > share:
        size -= 1
    width = min(pen.metrics.width(amount, Face.FIGURE, size), share)
    between = pen.px(36)
    room = Box(row.x, row.y, row.w - width - between, min(row.h, pen.px(176)))
    taken = pen.hand_width(room, hand, gap, raised=False)
    left = row.x + (row.w - taken - between - width) // 2
    place = Box(left, row.y + (row.h - room.h) // 2, taken, room.h)
    cards = pen.hand_in_row(place, hand, gap=gap, raised=False)
    beside = Box(left + taken + between, cards.y, width, cards.h)
    pen.text(beside, amount, size, Tint.GOLD, on, face=Face.FIGURE)


def draw_envy(pen: Pen, box: Box, text: str, size: int, on: Tint) -> None:
    """The envy diamond and a text, together in the middle: never the colour alone."""
    side = round(box.h * 0.66)
    gap = side // 3
    while size > 8 and pen.metrics.width(text, Face.FIGURE, size) > box.w - side - gap:
        size -= 1
    width = pen.metrics.width(text, Face.FIGURE, size)
    left = box.x + (box.w - width - side - gap) // 2
    pen.mark(Box(left, box.centre[1] - side // 2, side, side), Mark.ENVY, Tint.ENVY)
    place = Box(left + side + gap, box.y, width, box.h)
    pen.text(place, text, size, Tint.ENVY, on, face=Face.FIGURE)


def _draw_banker(pen: Pen, box: Box, banker: BankerHand) -> None:
    pen.panel(box, Tint.PANEL, radius=pen.px(18), edge=Tint.EDGE, edge_width=pen.px(2))
    inner = box.inset(pen.px(20), pen.px(10))
    share = round(inner.w * (0.75 if banker.left is None else 0.62))
    room = Box(inner.right - share, inner.y, share, inner.h)
    cards = pen.hand_in_row(room, banker.hand, gap=pen.px(6), align="right", raised=False)
    label = Box(inner.x, inner.y, cards.x - inner.x - pen.px(20), inner.h)
    words = say("dealer") if banker.spot is None else say("dp_hand", number=banker.spot)
    if banker.left is not None:
        half = label.h // 2
        left = Box(label.x, label.y + half, label.w, label.h - half)
        text = pen.texts.first(banker.left)
        pen.text(left, text, pen.px(34), Tint.GOLD, Tint.PANEL, face=Face.FIGURE)
        label = Box(label.x, label.y, label.w, half)
    pen.block(label, pen.texts.first(words), pen.px(38), Tint.IVORY, Tint.PANEL, middle=True)


def _draw_open_dealer(pen: Pen, box: Box, hero: Hero, banker: BankerHand) -> None:
    """The dealer's hand where it is opened first: large, as the house way has set it."""
    y = _draw_headline(pen, box, hero, size=80)
    foot = box.bottom
    for point in hero.points:
        height = pen.px(54 * len(pen.texts.all(point)))
        foot -= height
        room = Box(box.x, foot, box.w, height)
        pen.say(room, point, pen.px(38), Tint.IVORY, Tint.FELT, align="centre")
    if banker.clause:
        foot -= pen.px(44)
        clause = Box(box.x, foot, box.w, pen.px(40))
        pen.text(clause, banker.clause, pen.px(30), Tint.MUTED, Tint.FELT, align="centre")
    row = Box(box.x, y, box.w, foot - y - pen.px(10))
    pen.hand_in_row(row, banker.hand, gap=pen.px(8), align="centre", raised=False)
