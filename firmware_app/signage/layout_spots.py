"""The arc of spots: each at the same place through the whole round, as it lies on the felt."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from firmware_app.signage.fitting import fit_block, line_height
from firmware_app.signage.layout_hero import draw_envy
from firmware_app.signage.operations import Box, Face, Mark
from firmware_app.signage.pen import CARD_SHAPE, Pen
from firmware_app.signage.scene import ShownHand, SpotPanel
from firmware_app.signage.theme import Tint
from firmware_app.signage.words import say


def draw_arc(
    pen: Pen, box: Box, spots: Sequence[SpotPanel], *, depth: int, room_for: int = 0
) -> None:
    """Draw ``spots`` from left to right; the outer ones stand up to ``depth`` pixels higher.

    The tiles are as wide as if there were ``room_for`` of them, where that is more.
    """
    count = len(spots)
    if not count:
        return
    gap = pen.px(10)
    shares = max(count, room_for)
    width = min((box.w - gap * (shares - 1)) // shares, pen.px(330))
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
        _draw_played(pen, inner, spot, spot.hand)
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
        width = box.w * 3 // 2
        pill = Box(box.right - width, box.y + box.h // 5, width, box.h * 3 // 5)
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
    step = min(pen.px(44), inner.h // 8)
    lines = _lines(pen, spot)
    below = min(step * max(3, len(lines)), inner.h * 13 // 20)
    foot = Box(inner.x, inner.bottom - below, inner.w, below)
    room = Box(inner.x, inner.y + badge // 4, inner.w, foot.y - inner.y - badge // 4)
    side = min(inner.w - 2 * badge, room.h)
    circle = Box(inner.x + (inner.w - side) // 2, room.y + (room.h - side) // 2, side, side)
    if spot.broken:
        pen.mark(circle.inset(side // 5), Mark.CROSS, Tint.ALARM)
    elif spot.stake is None:
        pen.mark(circle, Mark.RING, Tint.EDGE)
        if spot.invites is not None:
            word = pen.texts.first(spot.invites)
            room = circle.inset(side // 7, side // 3)
            pen.text(room, word, round(side * 0.2), Tint.MUTED, Tint.PANEL, align="centre")
    else:
        pen.mark(circle, Mark.CHIP, Tint.CHIP)
        pen.text(
            circle.inset(side // 6, side // 4),
            _stake_text(pen, spot.stake),
            round(side * 0.34),
            Tint.IVORY,
            Tint.CHIP,
            face=Face.FIGURE,
            align="centre",
            smallest_share=0.3,
        )
    _draw_lines(pen, foot, lines, step, middle=False)


def _stake_text(pen: Pen, stake: str) -> str:
    return pen.texts.first(say("bet_unknown")) if stake == "?" else stake


@dataclass(frozen=True, slots=True)
class _Line:
    """A line under the cards or the circle. ``share`` is its text over the common step."""

    text: str
    tint: Tint
    share: float = 0.66
    mark: Mark | None = None
    face: Face = Face.TEXT


def _lines(pen: Pen, spot: SpotPanel) -> list[_Line]:
    """Envy, status, further bets and linked spots, the most important first."""
    lines: list[_Line] = []
    if spot.status is not None:
        lines.append(_Line(pen.texts.first(spot.status), Tint.ALARM))
    if spot.envy and spot.title is None:
        word = pen.texts.first(say("envy"))
        lines.append(_Line(word, Tint.ENVY, 0.78, Mark.ENVY, Face.FIGURE))
    lines.extend(_Line(pen.texts.first(note), Tint.MUTED) for note in spot.notes)
    if spot.linked:
        linked = ", ".join(str(number) for number in spot.linked)
        lines.append(_Line(pen.texts.first(say("linked", spots=linked)), Tint.MUTED))
    return lines


def _draw_lines(pen: Pen, box: Box, lines: Sequence[_Line], step: int, *, middle: bool) -> None:
    """Write lines at one step, closer together only where they would not fit."""
    if not lines:
        return
    weights = [max(1.0, line.share / 0.8) for line in lines]
    step = min(step, int(box.h / sum(weights)))
    y = box.y + (max(0, box.h - round(step * sum(weights))) // 2 if middle else 0)
    for line, weight in zip(lines, weights, strict=True):
        place = Box(box.x, y, box.w, round(step * weight))
        size = round(step * line.share)
        if line.mark is Mark.ENVY:
            draw_envy(pen, place, line.text, size, Tint.PANEL)
        elif line.mark is not None:
            _draw_chip_line(pen, place, line.text, size)
        else:
            pen.text(place, line.text, size, line.tint, Tint.PANEL, face=line.face, align="centre")
        y += place.h


def _draw_chip_line(pen: Pen, box: Box, text: str, size: int) -> None:
    side = round(box.h * 0.86)
    gap = side // 4
    width = pen.metrics.width(text, Face.FIGURE, size)
    left = box.x + (box.w - width - side - gap) // 2
    pen.mark(Box(left, box.y + (box.h - side) // 2, side, side), Mark.CHIP, Tint.CHIP)
    place = Box(left + side + gap, box.y, box.right - left - side - gap, box.h)
    pen.text(place, text, size, Tint.IVORY, Tint.PANEL, face=Face.FIGURE)


def _draw_played(pen: Pen, inner: Box, spot: SpotPanel, hand: ShownHand) -> None:
    """A spot with its hand: low hand above high hand as on the felt, then what it is paid."""
    gap = pen.px(4)
    card_width = min((inner.w - 4 * gap) // 5, int(inner.h * 0.26 / CARD_SHAPE))
    card_height = round(card_width * CARD_SHAPE)
    lift = max(1, card_height // 12)
    y = inner.y + lift
    for row in (hand.front, hand.back):
        taken = len(row) * card_width + (len(row) - 1) * gap
        x = inner.x + (inner.w - taken) // 2
        for shown in row:
            top = y - lift if shown.look == "lit" else y
            pen.card(Box(x, top, card_width, card_height), shown)
            x += card_width + gap
        y += card_height + lift + gap
    y += pen.px(4)
    rest = Box(inner.x, y, inner.w, inner.bottom - y)
    step = min(pen.px(44), rest.h // 4)
    if spot.title is None:
        lines = _lines(pen, spot)
        if spot.stake is not None:
            stake = _stake_text(pen, spot.stake)
            lines.insert(0, _Line(stake, Tint.IVORY, 0.95, Mark.CHIP, Face.FIGURE))
        _draw_lines(pen, rest, lines, step, middle=True)
    else:
        _draw_result(pen, rest, spot, step)


_AWARDS = {
    "fortune": (Tint.GOLD, 1.1, None),
    "envy": (Tint.ENVY, 0.84, Mark.ENVY),
    "ace_high": (Tint.IVORY, 0.76, None),
    "main": (Tint.MUTED, 0.7, None),
}


def _draw_result(pen: Pen, rest: Box, spot: SpotPanel, step: int) -> None:
    """The line of an open hand over what it is paid."""
    title = pen.texts.first(spot.title) if spot.title is not None else ""
    size = round(step * 0.78)
    tint = Tint.GOLD if spot.hit else Tint.MUTED
    lines = [
        _Line(pen.texts.first(award.text), award_tint, share, mark, Face.FIGURE)
        for award in spot.awards
        for award_tint, share, mark in (_AWARDS[award.kind],)
    ]
    lines += _lines(pen, spot)
    fitted, wrapped = fit_block(
        pen.metrics, title, Face.TEXT, size, round(size * 0.7), rest.w, step * 2
    )
    height = max(step, round(len(wrapped) * line_height(fitted)))
    head = Box(rest.x, rest.y, rest.w, height)
    pen.block(head, title, fitted, tint, Tint.PANEL, align="centre", middle=True)
    below = Box(rest.x, head.bottom, rest.w, rest.bottom - head.bottom)
    _draw_lines(pen, below, lines, step, middle=False)
