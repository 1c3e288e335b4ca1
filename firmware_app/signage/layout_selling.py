"""The picture that sells the bonus, and the posted conditions and limits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from firmware_app.cards import Card, parse_card
from firmware_app.rules.lines import Line
from firmware_app.signage.fitting import LINE_SPACING, balanced, fit_lines, line_height
from firmware_app.signage.operations import Box, Face, Mark
from firmware_app.signage.pen import Pen
from firmware_app.signage.scene import Scene, ShownCard, ShownHand
from firmware_app.signage.theme import Tint
from firmware_app.signage.words import Say

_BETWEEN: Final = "  ·  "
_GAP: Final = 12
"""Room between two conditions in design pixels."""


def _hand(text: str) -> tuple[Card, ...]:
    return tuple(parse_card(word) for word in text.split())


_EXAMPLES: Final[Mapping[Line, tuple[Card, ...]]] = {
    Line.SEVEN_CARD_STRAIGHT_FLUSH: _hand("6S 7S 8S 9S 10S JS QS"),
    Line.ROYAL_FLUSH_PLUS_ROYAL_MATCH: _hand("10H JH QH KH AH KS QS"),
    Line.SEVEN_CARD_STRAIGHT_FLUSH_WITH_JOKER: _hand("6S 7S JK 9S 10S JS QS"),
    Line.FIVE_ACES: _hand("AS AH AD AC JK"),
    Line.ROYAL_FLUSH: _hand("10H JH QH KH AH"),
    Line.STRAIGHT_FLUSH: _hand("8D 9D 10D JD QD"),
}
"""A hand to dream of for each line that may stand first: no hand of any round."""


def draw_selling(pen: Pen, box: Box, scene: Scene) -> None:
    """Draw what can be won, a hand that wins it, and what a player must know before betting.

    The hand gives way where the conditions would become hard to read.
    """
    limits = Box(box.x, box.bottom - limits_height(pen), box.w, limits_height(pen))
    draw_limits(pen, limits, scene)
    points = (*scene.hero.points, *scene.conditions)
    y = _draw_promise(pen, box, scene)
    below = _example_room(pen, Box(box.x, y, box.w, limits.y - y), scene)
    foot = limits.y - pen.px(20)
    if below is not None:
        room = Box(box.x, below.bottom + pen.px(26), box.w, foot - below.bottom - pen.px(26))
        if conditions_fit(pen, room, points):
            pen.hand_in_row(below, _example(scene), gap=pen.px(8), align="centre", raised=False)
            y = room.y
    size = 40 if scene.pay_rows else 44
    draw_conditions(pen, Box(box.x, y, box.w, foot - y), points, size=size)


def _example(scene: Scene) -> ShownHand:
    """Return a hand of the best-paid line, or the scene's own where there is no bonus."""
    if scene.hero.hand is not None:
        return scene.hero.hand
    best = max(scene.pay_rows, key=lambda row: row.pays).line
    return ShownHand((), tuple(ShownCard(card) for card in _EXAMPLES.get(best, ())))


def _example_room(pen: Pen, box: Box, scene: Scene) -> Box | None:
    """Return the place of the example hand, or None where the best line has none."""
    hand = _example(scene)
    if not hand.cards:
        return None
    most = Box(box.x, box.y, box.w, pen.px(178 if scene.pay_rows else 230))
    taken = pen.hand_height(most, hand, pen.px(8))
    return Box(box.x, box.y, box.w, taken)


def _draw_promise(pen: Pen, box: Box, scene: Scene) -> int:
    """The best odds of the table in the largest figures of the sign; return the y below."""
    hero = scene.hero
    y = box.y
    if hero.over is not None:
        over = Box(box.x, y, box.w, pen.px(46 * len(pen.texts.all(hero.over))))
        pen.say(over, hero.over, pen.px(44), Tint.IVORY, Tint.FELT, align="centre")
        y = over.bottom
    if not scene.pay_rows:
        headline = Box(box.x, y, box.w, pen.px(190))
        y = pen.say(
            headline,
            hero.headline,
            pen.px(120),
            Tint.GOLD,
            Tint.FELT,
            face=Face.TITLE,
            align="centre",
        )
        return y + pen.px(28)
    odds = Box(box.x, y, box.w, pen.px(140))
    pen.text(
        odds,
        pen.texts.first(hero.headline),
        pen.px(132),
        Tint.GOLD,
        Tint.FELT,
        face=Face.TITLE,
        align="centre",
    )
    return odds.bottom + pen.px(8)


_READABLE_SIZE: Final = 28
"""Size of a condition, in design pixels, below which something else gives way."""


def conditions_fit(pen: Pen, box: Box, points: Sequence[Say]) -> bool:
    """Whether the conditions can be read well in ``box`` in every language."""
    said = [pen.texts.all(point) for point in points]
    return _height(pen, said, pen.px(_READABLE_SIZE), box.w) <= box.h


def draw_conditions(pen: Pen, box: Box, points: Sequence[Say], *, size: int) -> None:
    """Write the conditions one under the other, as large as all of them fit up to ``size``.

    Those of envy carry its diamond, the others a gold dot. Where two languages do not fit at a
    size that can be read, the first one is written alone.
    """
    said = [pen.texts.all(point) for point in points]
    if not conditions_fit(pen, box, points):
        said = [texts[:1] for texts in said]
    used = pen.px(size)
    while used > 8 and _height(pen, said, used, box.w) > box.h:
        used -= 1
    gap = pen.px(_GAP)
    step, left = line_height(used), _left(used)
    side = round(used * 0.72)
    y = box.y
    for point, texts in zip(points, said, strict=True):
        envy = point.key.startswith("envy")
        place = Box(box.x, y + (step - side) // 2, side, side)
        pen.mark(place, Mark.ENVY if envy else Mark.COIN, Tint.ENVY if envy else Tint.GOLD_DEEP)
        first_tint = Tint.ENVY if envy else Tint.IVORY
        for order, text in enumerate(texts):
            room = Box(box.x + left, y, box.w - left, max(step, box.bottom - y))
            tint = first_tint if order == 0 else Tint.MUTED
            y = pen.block(room, text, _size(used, order), tint, Tint.FELT)
        y += gap


def _size(size: int, order: int) -> int:
    """Size of the first or second language."""
    return size if order == 0 else max(8, round(size * 0.84))


def _left(size: int) -> int:
    """Room for the mark before a condition."""
    return round(size * 1.15)


def _height(pen: Pen, said: Sequence[tuple[str, ...]], size: int, width: int) -> int:
    room = width - _left(size)
    total = pen.px(_GAP) * max(0, len(said) - 1)
    for texts in said:
        for order, text in enumerate(texts):
            used = _size(size, order)
            total += len(balanced(pen.metrics, text, Face.TEXT, used, room)) * line_height(used)
    return total


def limits_height(pen: Pen) -> int:
    """Height of the framed limits."""
    return pen.px(76)


def draw_limits(pen: Pen, box: Box, scene: Scene) -> None:
    """Write the posted limits in one frame, in one line or two."""
    pen.panel(box, Tint.PANEL, radius=pen.px(16), edge=Tint.GOLD_DEEP, edge_width=pen.px(2))
    inner = box.inset(pen.px(18), pen.px(4))
    said = [pen.texts.first(limit) for limit in scene.limits]
    size = pen.px(36)
    lines = [_BETWEEN.join(said)]
    if pen.metrics.width(lines[0], Face.TEXT, round(size * 0.8)) > inner.w and len(said) > 2:
        half = (len(said) + 1) // 2
        lines = [_BETWEEN.join(said[:half]), _BETWEEN.join(said[half:])]
    size = min(size, int(inner.h / len(lines) / LINE_SPACING))
    size = fit_lines(pen.metrics, lines, Face.TEXT, size, size // 2, inner.w)
    step = inner.h // len(lines)
    for place, line in enumerate(lines):
        room = Box(inner.x, inner.y + place * step, inner.w, step)
        pen.text(room, line, size, Tint.IVORY, Tint.PANEL, align="centre")
