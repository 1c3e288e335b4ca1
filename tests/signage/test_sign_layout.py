"""Every picture in every size and language: nothing cut off, nothing over anything else."""

from __future__ import annotations

import itertools
from functools import cache

import pytest
from sign_extremes import extremes

from firmware_app.signage.layout import layout
from firmware_app.signage.operations import (
    Box,
    CardOp,
    Mark,
    MarkOp,
    Operation,
    PanelOp,
    TextOp,
)
from firmware_app.signage.painter import text_origin
from firmware_app.signage.samples import samples
from firmware_app.signage.settings import Language, Size
from firmware_app.signage.text import Texts
from firmware_app.signage.theme import MINIMUM_CONTRAST, READABLE, Theme, Tint, contrast
from firmware_app.signage.typefaces import FontBook

SAMPLES = {**samples(), **extremes(samples())}
SIZES: tuple[Size, ...] = (
    (1920, 1080),
    (1280, 720),
    (1080, 1920),
    (480, 320),
    (1024, 600),
    (3840, 2160),
)
LANGUAGES: tuple[tuple[Language, ...], ...] = (
    ("en",),
    ("es",),
    ("zh",),
    ("en", "es"),
    ("en", "zh"),
    ("zh", "en"),
)
FONTS = FontBook()


@cache
def operations(name: str, size: Size, languages: tuple[Language, ...]) -> tuple[Operation, ...]:
    return layout(SAMPLES[name].scene(), size, Texts(languages), FONTS)


def ink(op: TextOp) -> Box:
    """The pixels that a text really covers."""
    picture = FONTS.picture(op.text, op.face, op.size, (255, 255, 255))
    x, y = text_origin(op, FONTS)
    covered = picture.get_bounding_rect()
    return Box(x + covered.x, y + covered.y, covered.w, covered.h)


def texts_of(painted: tuple[Operation, ...]) -> list[tuple[TextOp, Box]]:
    return [(op, ink(op)) for op in painted if isinstance(op, TextOp)]


pictures = pytest.mark.parametrize(
    ("size", "languages"),
    list(itertools.product(SIZES, LANGUAGES)),
    ids=[
        f"{'x'.join(map(str, size))}-{'-'.join(languages)}"
        for size, languages in itertools.product(SIZES, LANGUAGES)
    ],
)


@pictures
def test_no_text_leaves_its_place_or_the_screen(
    size: Size, languages: tuple[Language, ...]
) -> None:
    screen = Box(0, 0, *size)
    for name in SAMPLES:
        for op, covered in texts_of(operations(name, size, languages)):
            slack = max(1, op.size // 8)
            room = Box(
                op.box.x - slack, op.box.y - slack, op.box.w + 2 * slack, op.box.h + 2 * slack
            )
            assert room.holds(covered), f"{name}: {op}"
            assert screen.holds(covered), f"{name}: {op}"
            # Only the dealer's line may be cut short: its texts are as long as they are.
            assert "…" not in op.text or op.on is Tint.INK, f"{name}: {op}"


@pictures
def test_no_text_lies_over_another_a_card_or_half_a_mark(
    size: Size, languages: tuple[Language, ...]
) -> None:
    for name in SAMPLES:
        painted = operations(name, size, languages)
        texts = texts_of(painted)
        for (one, covered), (other, also) in itertools.combinations(texts, 2):
            assert not covered.meets(also), f"{name}: {one} and {other}"
        for op, covered in texts:
            for thing in painted:
                if isinstance(thing, CardOp):
                    assert not thing.box.meets(covered), f"{name}: {op} over {thing}"
                elif isinstance(thing, MarkOp):
                    apart = not thing.box.meets(covered)
                    written_on = thing.mark in (Mark.CHIP, Mark.BUTTON, Mark.RING)
                    assert apart or (written_on and thing.box.holds(covered)), (
                        f"{name}: {op} over {thing}"
                    )
                elif isinstance(thing, PanelOp) and thing.box.meets(covered):
                    assert thing.box.holds(covered), f"{name}: {op} over the edge of {thing}"


@pictures
def test_cards_and_marks_stay_on_the_screen_and_cards_apart(
    size: Size, languages: tuple[Language, ...]
) -> None:
    screen = Box(0, 0, *size)
    for name in SAMPLES:
        painted = operations(name, size, languages)
        cards = [op.box for op in painted if isinstance(op, CardOp)]
        marks = [op.box for op in painted if isinstance(op, MarkOp)]
        for box in (*cards, *marks):
            assert screen.holds(box), f"{name}: {box}"
        for one, other in itertools.combinations(cards, 2):
            assert not one.meets(other), f"{name}: {one} and {other}"


def ground_under(painted: tuple[Operation, ...], op: TextOp, covered: Box) -> Tint:
    """The colour that lies under a text: the last thing painted before it that holds it."""
    ground = Tint.FELT
    for thing in itertools.takewhile(lambda other: other is not op, painted):
        if isinstance(thing, PanelOp) and thing.fill is not None and thing.box.holds(covered):
            ground = thing.fill
        elif (
            isinstance(thing, MarkOp)
            and thing.mark in (Mark.CHIP, Mark.BUTTON)
            and thing.box.holds(covered)
        ):
            ground = thing.tint
    return ground


@pytest.mark.parametrize("size", SIZES, ids=["x".join(map(str, size)) for size in SIZES])
def test_every_text_has_seven_to_one_contrast_on_the_ground_it_really_stands_on(
    size: Size,
) -> None:
    theme = Theme()
    for name in SAMPLES:
        painted = operations(name, size, ("en",))
        for op, covered in texts_of(painted):
            assert op.on is ground_under(painted, op, covered), f"{name}: {op}"
            assert (op.tint, op.on) in READABLE, f"{name}: {op}"
            ratio = contrast(theme.rgb(op.tint), theme.rgb(op.on))
            assert ratio >= MINIMUM_CONTRAST, f"{name}: {op}"


@pytest.mark.parametrize(
    "languages", LANGUAGES, ids=["-".join(languages) for languages in LANGUAGES]
)
def test_nothing_at_1080p_is_written_too_small_to_be_read_from_three_metres(
    languages: tuple[Language, ...],
) -> None:
    # Letters of 20 px are 10 mm high on a 43-inch screen: one 300th of three metres.
    for name in samples():
        for op in operations(name, (1920, 1080), languages):
            if isinstance(op, TextOp) and op.on is not Tint.INK:
                assert op.size >= 20, f"{name}: {op}"
