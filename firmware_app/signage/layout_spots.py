"""The arc of spots: each at the same place through the whole round, as it lies on the felt."""

from __future__ import annotations

from collections.abc import Sequence

from firmware_app.signage.operations import Box, Face, Mark
from firmware_app.signage.pen import CARD_SHAPE, Pen
from firmware_app.signage.scene import Award, ShownHand, SpotPanel
from firmware_app.signage.theme import Tint
from firmware_app.signage.words import say

_AWARD_TINT = {
    "fortune": Tint.GOLD,
    "envy": Tint.ENVY,
    "ace_high": Tint.IVORY,
    "main": Tint.MUTED,
}


def draw_arc(pen: Pen, box: Box, spots: Sequence[SpotPanel], *, depth: int) -> None:
    """Draw ``spots`` from left to right; the outer ones stand up to ``depth`` pixels higher."""
    count = len(spots)
    if not count:
        return
    gap = pen.px(10)
    width = min((box.w - gap * (count - 1)) // count, pen.px(330))
    left = box.x + (box.w - width * count - gap * (count - 1)) // 2
    middle = (count - 1) / 2
    for place, spot in enumerate(spots):
        off = abs(place - middle) / middle if middle else 0.0
        y = box.y + round(depth * (1 - off * off))
        tile = Box(left + place * (width + gap), y, width, box.h - depth)
        draw_spot(pen, tile, spot)


def draw_spot(pen: Pen, tile: Box, spot: SpotPanel) -> None:
    """Draw one spot in its tile."""
    edge = Tint.GOLD if spot.hit else Tint.EDGE
    pen.panel(
        tile,
        Tint.PANEL,
        radius=pen.px(20),
        edge=edge,
        edge_width=pen.px(4 if spot.hit else 2),
    )
    inner = tile.inset(pen.px(10), pen.px(10))
    badge = min(pen.px(54), inner.w // 4)
    _draw_number(pen, Box(inner.x, inner.y, badge, badge), spot)
    _draw_buttons(pen, Box(inner.right - badge, inner.y, badge, badge), spot)
    if spot.hand is not None:
        _draw_played(pen, inner, badge, spot, spot.hand)
    else:
        _draw_betting(pen, inner, badge, spot)


def _draw_number(pen: Pen, box: Box, spot: SpotPanel) -> None:
    played = spot.stake is not None or spot.hand is not None
    tint, ink = (Tint.IVORY, Tint.INK) if played else (Tint.EDGE, Tint.IVORY)
    if spot.hit:
        tint, ink = Tint.GOLD, Tint.INK
    if tint is Tint.EDGE:
        pen.mark(box, Mark.RING, tint)
    else:
        pen.mark(box, Mark.BUTTON, tint)
    on = Tint.PANEL if tint is Tint.EDGE else tint
    pen.text(box, str(spot.number), round(box.h * 0.66), ink, on, face=Face.FIGURE, align="centre")


def _draw_buttons(pen: Pen, box: Box, spot: SpotPanel) -> None:
    """The designated player's button, or the mark of the spot that the action starts at."""
    if spot.designated_player:
        pen.mark(box, Mark.BUTTON, Tint.IVORY)
        word, size = pen.texts.first(say("dp")), round(box.h * 0.46)
        pen.text(
            box.inset(box.w // 10, 0),
            word,
            size,
            Tint.INK,
            Tint.IVORY,
            face=Face.FIGURE,
            align="centre",
        )
    elif spot.first:
        pill = Box(box.x, box.y + box.h // 6, box.w, box.h * 2 // 3)
        pen.panel(pill, None, radius=pill.h // 2, edge=Tint.MUTED, edge_width=pen.px(2))
        word = pen.texts.first(say("first"))
        pen.text(
            pill.inset(pen.px(4), 0),
            word,
            round(pill.h * 0.66),
            Tint.MUTED,
            Tint.PANEL,
            align="centre",
        )


def _draw_betting(pen: Pen, inner: Box, badge: int, spot: SpotPanel) -> None:
    """A spot before its hand: the betting circle with the Fortune wager, envy, further bets."""
    lines = _small_lines(pen, spot)
    foot = pen.px(34) * max(2, len(lines) + (1 if spot.envy else 0))
    room = Box(inner.x, inner.y + badge // 3, inner.w, inner.h - foot - badge // 3)
    side = min(room.w * 3 // 5, room.h)
    circle = Box(inner.x + (inner.w - side) // 2, room.y + (room.h - side) // 2, side, side)
    if spot.broken:
        pen.mark(circle.inset(side // 5), Mark.CROSS, Tint.ALARM)
    elif spot.stake is None:
        pen.mark(circle, Mark.RING, Tint.EDGE)
    else:
        pen.mark(circle, Mark.CHIP, Tint.CHIP)
        word = pen.texts.first(say("bet_unknown")) if spot.stake == "?" else spot.stake
        pen.text(
            circle.inset(side // 5, side // 4),
            word,
            round(side * 0.32),
            Tint.IVORY,
            Tint.CHIP,
            face=Face.FIGURE,
            align="centre",
        )
    _draw_foot(pen, Box(inner.x, inner.bottom - foot, inner.w, foot), spot, lines)


def _small_lines(pen: Pen, spot: SpotPanel) -> list[tuple[str, Tint]]:
    lines: list[tuple[str, Tint]] = []
    if spot.status is not None:
        lines.append((pen.texts.first(spot.status), Tint.ALARM))
    notes = " · ".join(pen.texts.first(note) for note in spot.notes)
    if notes:
        lines.append((notes, Tint.MUTED))
    if spot.linked:
        linked = ", ".join(str(number) for number in spot.linked)
        lines.append((pen.texts.first(say("linked", spots=linked)), Tint.MUTED))
    return lines


def _draw_foot(pen: Pen, box: Box, spot: SpotPanel, lines: list[tuple[str, Tint]]) -> None:
    count = len(lines) + (1 if spot.envy else 0)
    if not count:
        return
    step = box.h // max(2, count)
    y = box.y
    if spot.envy:
        _draw_envy_word(pen, Box(box.x, y, box.w, step), pen.texts.first(say("envy")), 0.8)
        y += step
    for text, tint in lines:
        pen.text(
            Box(box.x, y, box.w, step), text, round(step * 0.74), tint, Tint.PANEL, align="centre"
        )
        y += step


def _draw_envy_word(pen: Pen, box: Box, text: str, share: float) -> None:
    """The envy diamond and its word, centred: never the colour alone."""
    side = round(box.h * 0.62)
    gap = side // 3
    room = Box(box.x, box.y, box.w - side - gap, box.h)
    size = min(round(box.h * share), pen.px(44))
    while size > 8 and pen.metrics.width(text, Face.FIGURE, size) > room.w:
        size -= 1
    width = pen.metrics.width(text, Face.FIGURE, size)
    left = box.x + (box.w - width - side - gap) // 2
    pen.mark(Box(left, box.centre[1] - side // 2, side, side), Mark.ENVY, Tint.ENVY)
    place = Box(left + side + gap, box.y, width, box.h)
    pen.text(place, text, size, Tint.ENVY, Tint.PANEL, face=Face.FIGURE)


def _draw_played(pen: Pen, inner: Box, badge: int, spot: SpotPanel, hand: ShownHand) -> None:
    """A spot with its hand: low hand above high hand as on the felt, then what it is paid."""
    lines = _small_lines(pen, spot)
    gap = pen.px(4)
    card_width = min((inner.w - 4 * gap) // 5, int(inner.h * 0.27 / CARD_SHAPE))
    card_height = round(card_width * CARD_SHAPE)
    lift = max(1, card_height // 12)
    y = inner.y + lift
    _draw_cards(pen, inner, y, hand, "front", card_width, gap, lift)
    y += card_height + lift + gap
    _draw_cards(pen, inner, y, hand, "back", card_width, gap, lift)
    y += card_height + gap
    rest = Box(inner.x, y, inner.w, inner.bottom - y)
    if spot.title is None:
        _draw_locked(pen, rest, spot, lines)
    else:
        _draw_result(pen, rest, spot, lines)


def _draw_cards(
    pen: Pen, inner: Box, y: int, hand: ShownHand, row: str, width: int, gap: int, lift: int
) -> None:
    cards = hand.front if row == "front" else hand.back
    taken = len(cards) * width + (len(cards) - 1) * gap
    x = inner.x + (inner.w - taken) // 2
    for shown in cards:
        top = y - lift if shown.look == "lit" else y
        pen.card(Box(x, top, width, round(width * CARD_SHAPE)), shown.card, shown)
        x += width + gap


def _draw_locked(pen: Pen, rest: Box, spot: SpotPanel, lines: list[tuple[str, Tint]]) -> None:
    """Bets of a spot whose hand is still closed."""
    step = min(rest.h // 3, pen.px(46))
    y = rest.y + (rest.h - step * 3) // 2
    if spot.stake is not None:
        word = pen.texts.first(say("bet_unknown")) if spot.stake == "?" else spot.stake
        side = round(step * 0.8)
        width = pen.metrics.width(word, Face.FIGURE, round(step * 0.8))
        left = rest.x + (rest.w - width - side - side // 3) // 2
        pen.mark(Box(left, y + (step - side) // 2, side, side), Mark.CHIP, Tint.CHIP)
        place = Box(left + side + side // 3, y, rest.right - left - side - side // 3, step)
        pen.text(place, word, round(step * 0.8), Tint.IVORY, Tint.PANEL, face=Face.FIGURE)
        y += step
    foot = Box(rest.x, y, rest.w, step * max(1, min(2, len(lines) + (1 if spot.envy else 0))))
    _draw_foot(pen, foot, spot, lines)


def _draw_result(pen: Pen, rest: Box, spot: SpotPanel, lines: list[tuple[str, Tint]]) -> None:
    title = pen.texts.first(spot.title) if spot.title is not None else ""
    weights = [1.5] + [1.35 if award.kind == "fortune" else 1.0 for award in spot.awards]
    weights += [0.85] * len(lines)
    step = min(rest.h / max(sum(weights), 3.4), pen.px(46))
    y = float(rest.y)
    tint = Tint.GOLD if spot.hit else Tint.MUTED
    height = round(step * weights[0])
    pen.block(
        Box(rest.x, round(y), rest.w, height),
        title,
        min(pen.px(32), round(step * 0.8)),
        tint,
        Tint.PANEL,
        align="centre",
        middle=True,
    )
    y += height
    for award, weight in zip(spot.awards, weights[1:], strict=False):
        place = Box(rest.x, round(y), rest.w, round(step * weight))
        _draw_award(pen, place, award)
        y += step * weight
    for text, line_tint in lines:
        place = Box(rest.x, round(y), rest.w, round(step * 0.85))
        pen.text(place, text, round(place.h * 0.74), line_tint, Tint.PANEL, align="centre")
        y += step * 0.85


def _draw_award(pen: Pen, box: Box, award: Award) -> None:
    text = pen.texts.first(award.text)
    if award.kind == "envy":
        _draw_envy_word(pen, box, text, 0.74)
        return
    share = 0.86 if award.kind == "fortune" else 0.7
    pen.text(
        box,
        text,
        round(box.h * share),
        _AWARD_TINT[award.kind],
        Tint.PANEL,
        face=Face.FIGURE,
        align="centre",
    )
