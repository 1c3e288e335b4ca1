"""Fitting text into boxes: sizes and line breaks, from measured widths."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, Protocol

from firmware_app.signage.operations import Face

ELLIPSIS: Final = "…"
LINE_SPACING: Final = 1.18
_NOT_AT_START: Final = "，。、：；！？）」》…"  # noqa: RUF001 - Chinese punctuation is meant


class FontMetrics(Protocol):
    """What the layout must know of fonts. Widths and sizes in pixels."""

    def width(self, text: str, face: Face, size: int) -> int:
        """Return the width of ``text`` in one line."""
        ...


def line_height(size: int) -> int:
    """Return the height of a line of text of ``size``."""
    return round(size * LINE_SPACING)


def is_wide(letter: str) -> bool:
    """Whether ``letter`` is of a script that is written without blanks (Chinese)."""
    return letter >= "\u2e80"


def fit_lines(
    metrics: FontMetrics, texts: Iterable[str], face: Face, size: int, smallest: int, width: int
) -> int:
    """Return the largest size, ``smallest`` to ``size``, at which every text fits ``width``."""
    said = [text for text in texts if text]
    while size > smallest:
        widest = max((metrics.width(text, face, size) for text in said), default=0)
        if widest <= width:
            return size
        size = max(smallest, min(size - 1, size * width // widest))
    return size


def wrap(metrics: FontMetrics, text: str, face: Face, size: int, width: int) -> list[str]:
    """Return ``text`` in lines no wider than ``width``, broken at blanks or between Chinese signs.

    A single word that is wider stays whole.
    """
    lines: list[str] = []
    line = ""
    for piece in _pieces(text):
        if line and metrics.width((line + piece).rstrip(), face, size) > width:
            lines.append(line.rstrip())
            line = piece.lstrip()
        else:
            line += piece
    if line.strip():
        lines.append(line.rstrip())
    return lines


def _pieces(text: str) -> list[str]:
    """Return the parts between which a line may break."""
    pieces: list[str] = []
    word = ""
    for letter in text:
        if is_wide(letter) and letter not in _NOT_AT_START:
            if word:
                pieces.append(word)
            word = letter
        else:
            word += letter
            if letter == " ":
                pieces.append(word)
                word = ""
    if word:
        pieces.append(word)
    return pieces


def fit_block(
    metrics: FontMetrics,
    text: str,
    face: Face,
    size: int,
    smallest: int,
    width: int,
    height: int,
) -> tuple[int, list[str]]:
    """Return the largest size at which ``text`` fits the box in lines, and the lines.

    Where it does not fit even at ``smallest``, the last line that fits ends in an ellipsis.
    """
    while True:
        lines = balanced(metrics, text, face, size, width)
        widest = max((metrics.width(line, face, size) for line in lines), default=0)
        if widest <= width and len(lines) * line_height(size) <= height:
            return size, lines
        if size <= smallest:
            return smallest, _shortened(metrics, lines, face, smallest, width, height)
        size = max(smallest, size - max(1, size // 24))


def balanced(metrics: FontMetrics, text: str, face: Face, size: int, width: int) -> list[str]:
    """Wrap ``text`` into as few lines as fit, with lines of about equal length."""
    lines = wrap(metrics, text, face, size, width)
    narrow = width
    while len(lines) > 1:
        narrow = narrow * 19 // 20
        tighter = wrap(metrics, text, face, size, narrow)
        if len(tighter) > len(lines) or any(
            metrics.width(line, face, size) > narrow for line in tighter
        ):
            break
        lines = tighter
    return lines


def _shortened(
    metrics: FontMetrics, lines: list[str], face: Face, size: int, width: int, height: int
) -> list[str]:
    room = max(1, height // line_height(size))
    kept = lines[:room]
    if len(lines) > room:
        kept[-1] += ELLIPSIS
    return [_clipped(metrics, line, face, size, width) for line in kept]


def _clipped(metrics: FontMetrics, line: str, face: Face, size: int, width: int) -> str:
    while len(line) > 1 and metrics.width(line, face, size) > width:
        line = line.rstrip(ELLIPSIS)[:-1].rstrip() + ELLIPSIS
    return line
