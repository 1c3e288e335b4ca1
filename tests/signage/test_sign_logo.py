"""A house's logo: refused where it is no good, beside the title where it is, missed by nobody."""

from __future__ import annotations

import itertools
import logging
import os
import struct
from dataclasses import replace
from functools import cache
from pathlib import Path

import pygame
import pytest
from sign_extremes import extremes

from firmware_app.signage.layout import layout
from firmware_app.signage.link import (
    Capture,
    Captured,
    Lines,
    Painted,
    Setup,
    Show,
    Status,
    decode_report,
    encode,
)
from firmware_app.signage.logo import MOST_BYTES, Logo
from firmware_app.signage.operations import Box, LogoOp, Operation, TextOp
from firmware_app.signage.painter import Painter, text_origin
from firmware_app.signage.painting import PaintingProcess
from firmware_app.signage.samples import samples
from firmware_app.signage.settings import Language, SignSettings, Size
from firmware_app.signage.still import still
from firmware_app.signage.text import Texts
from firmware_app.signage.theme import Theme, ThemeError, load_theme
from firmware_app.signage.typefaces import FontBook

SAMPLES = samples()
ALL_SAMPLES = {**SAMPLES, **extremes(SAMPLES)}
FONTS = FontBook()
WITH_LOGO: tuple[Size, ...] = (
    (1920, 1080),
    (1280, 720),
    (1080, 1920),
    (720, 1280),
    (1024, 600),
    (3840, 2160),
)
LANGUAGES: tuple[tuple[Language, ...], ...] = (("en",), ("es",), ("zh",), ("en", "es"))
SHAPES = ((300, 100), (4096, 256), (512, 512), (100, 400))
RED = (255, 0, 0)
ROUNDING = 3
"""What multiplying by alpha, scaling and blending may take of a colour, of 255."""


def house(folder: Path, logo: str = "logo.png") -> Path:
    """A theme file with a logo; the path of the theme."""
    theme = folder / "house.toml"
    theme.write_text(f'logo = "{logo}"\n')
    return theme


def draw_logo(path: Path, size: Size = (300, 100)) -> None:
    """A red picture, the left third of it transparent white."""
    picture = pygame.Surface(size, pygame.SRCALPHA)
    picture.fill((255, 255, 255, 0))
    picture.fill(RED, (size[0] // 3, 0, size[0], size[1]))
    pygame.image.save(picture, str(path))


def is_red(surface: pygame.Surface, place: tuple[int, int]) -> bool:
    red, green, blue, _ = surface.get_at(place)
    return red >= 255 - ROUNDING and max(green, blue) <= ROUNDING


def png_start(width: int, height: int) -> bytes:
    """Signature and header of a PNG, written from the standard (PNG, 5.2 and 11.2.1)."""
    signature = bytes((137, 80, 78, 71, 13, 10, 26, 10))
    return signature + struct.pack(">I4sIIBBBBB", 13, b"IHDR", width, height, 8, 6, 0, 0, 0)


def test_a_theme_names_its_logo_relative_to_itself(tmp_path: Path) -> None:
    (tmp_path / "art").mkdir()
    draw_logo(tmp_path / "art" / "logo.png", (300, 100))
    theme = load_theme(house(tmp_path, "art/logo.png"))
    assert theme.logo == Logo(tmp_path / "art" / "logo.png", 300, 100)
    assert load_theme(None).logo is None


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (None, "is no file; name a PNG file"),
        (b"", "is no PNG picture; export the logo as PNG"),
        (b"\xff\xd8\xff\xe0 a photograph", "is no PNG picture; export the logo as PNG"),
        (png_start(300, 100)[:20], "is no PNG picture; export the logo as PNG"),
        (png_start(4097, 100), "is 4097 x 100 pixels; save it with sides of 1 to 4096"),
        (png_start(100, 4097), "is 100 x 4097 pixels; save it with sides of 1 to 4096"),
        (png_start(0, 100), "is 0 x 100 pixels; save it with sides of 1 to 4096"),
        (png_start(300, 100) + bytes(MOST_BYTES), "bytes; save it smaller, 2,000,000 bytes"),
    ],
    ids=["missing", "empty", "jpeg", "cut short", "wide", "high", "no width", "large"],
)
def test_a_logo_that_cannot_be_used_is_refused_with_field_value_and_cure(
    tmp_path: Path, content: bytes | None, told: str
) -> None:
    logo = tmp_path / "logo.png"
    if content is not None:
        logo.write_bytes(content)
    with pytest.raises(ThemeError) as fault:
        load_theme(house(tmp_path))
    (line,) = fault.value.faults
    assert line.startswith("logo: ")
    assert f"{logo} " in line
    assert told in line


@pytest.mark.parametrize("named", ["3", '""', '"logo.svg"', "true"])
def test_what_names_no_png_file_is_refused(tmp_path: Path, named: str) -> None:
    theme = tmp_path / "house.toml"
    theme.write_text(f"logo = {named}\n")
    with pytest.raises(ThemeError, match=r"logo: .* is no name of a PNG file; write it as"):
        load_theme(theme)


def test_a_logo_and_a_colour_that_are_wrong_are_both_told(tmp_path: Path) -> None:
    theme = house(tmp_path)
    theme.write_text(theme.read_text() + 'gold = "yellow"\n')
    with pytest.raises(ThemeError) as fault:
        load_theme(theme)
    assert {line.split(":")[0] for line in fault.value.faults} == {"logo", "gold"}


def test_a_logo_of_the_largest_size_is_taken(tmp_path: Path) -> None:
    start = png_start(4096, 4096)
    (tmp_path / "logo.png").write_bytes(start + bytes(MOST_BYTES - len(start)))
    assert load_theme(house(tmp_path)).logo == Logo(tmp_path / "logo.png", 4096, 4096)


@cache
def ink(op: TextOp) -> Box:
    """The pixels that a text really covers."""
    picture = FONTS.picture(op.text, op.face, op.size, (255, 255, 255))
    x, y = text_origin(op, FONTS)
    covered = picture.get_bounding_rect()
    return Box(x + covered.x, y + covered.y, covered.w, covered.h)


@cache
def without(name: str, size: Size, languages: tuple[Language, ...]) -> tuple[Operation, ...]:
    return layout(ALL_SAMPLES[name].scene(), size, Texts(languages), FONTS)


def with_logo(
    name: str, size: Size, languages: tuple[Language, ...], shape: Size
) -> tuple[Operation, ...]:
    scene, logo = ALL_SAMPLES[name].scene(), Logo(Path("logo.png"), *shape)
    return layout(scene, size, Texts(languages), FONTS, logo=logo)


@pytest.mark.parametrize("size", WITH_LOGO, ids=["x".join(map(str, size)) for size in WITH_LOGO])
def test_the_logo_keeps_its_shape_and_lies_over_nothing_at_any_size(size: Size) -> None:
    screen = Box(0, 0, *size)
    for name, languages in itertools.product(ALL_SAMPLES, LANGUAGES):
        for shape in SHAPES:
            case = f"{name} {languages} {shape}"
            painted = with_logo(name, size, languages, shape)
            bare = without(name, size, languages)
            (logo,) = (op for op in painted if isinstance(op, LogoOp))
            assert screen.holds(logo.box), case
            off = abs(logo.box.w * shape[1] - logo.box.h * shape[0])
            assert off <= max(shape), case
            for op in painted:
                if op is not logo:
                    covered = ink(op) if isinstance(op, TextOp) else op.box
                    assert not covered.meets(logo.box), f"{case}: {op}"

            # It takes room from the header alone, and what stands there is still whole.
            moved = [op for op in painted if op not in bare and op is not logo]
            texts = [(op, ink(op)) for op in moved if isinstance(op, TextOp)]
            for op, covered in texts:
                slack = max(1, op.size // 8)
                assert "…" not in op.text, f"{case}: {op}"
                assert op.box.inset(-slack).holds(covered), f"{case}: {op}"
            for (one, here), (other, there) in itertools.combinations(texts, 2):
                assert not here.meets(there), f"{case}: {one} and {other}"
            line_under = next(op.box for op in bare if not isinstance(op, TextOp) and op.box.h <= 8)
            assert all(op.box.bottom <= line_under.y for op in moved), case


def test_a_bar_display_has_no_logo() -> None:
    for name in ALL_SAMPLES:
        painted = with_logo(name, (480, 320), ("en",), (300, 100))
        assert painted == without(name, (480, 320), ("en",)), name


def test_the_logo_is_painted_in_its_place_and_shows_the_ground_where_it_is_clear(
    tmp_path: Path,
) -> None:
    # So wide, the rim of the clear third falls within a pixel when it is scaled.
    draw_logo(tmp_path / "logo.png", (320, 100))
    surface, empty = pygame.Surface((100, 100)), pygame.Surface((100, 100))
    Painter(surface, Theme(), FONTS).paint([LogoOp(Box(10, 20, 60, 20), tmp_path / "logo.png")])
    Painter(empty, Theme(), FONTS).paint([])
    assert is_red(surface, (50, 30))
    seen = [
        (x, y)
        for x in range(100)
        for y in range(100)
        if surface.get_at((x, y)) != empty.get_at((x, y))
    ]
    # The clear third is 19.9 pixels wide; its hidden white bleeds into no pixel.
    assert min(x for x, _ in seen) == 29
    assert max(x for x, _ in seen) == 69
    assert (min(y for _, y in seen), max(y for _, y in seen)) == (20, 39)
    for place in seen:
        red, green, blue, _ = surface.get_at(place)
        ground = empty.get_at(place)
        assert green <= ground[1], place
        assert blue <= ground[2], place
        assert red > ground[0], place


@pytest.mark.parametrize("depth", [8, 24])
def test_a_logo_without_alpha_or_with_a_palette_is_painted(tmp_path: Path, depth: int) -> None:
    picture = pygame.Surface((30, 10), depth=depth)
    if depth == 8:
        picture.set_palette([RED] * 256)
    else:
        picture.fill(RED)
    pygame.image.save(picture, str(tmp_path / "logo.png"))
    surface = pygame.Surface((100, 100))
    Painter(surface, Theme(), FONTS).paint([LogoOp(Box(10, 20, 60, 20), tmp_path / "logo.png")])
    assert is_red(surface, (40, 30))


def test_a_picture_of_the_sign_shows_the_logo_of_its_theme(tmp_path: Path) -> None:
    draw_logo(tmp_path / "logo.png")
    settings = SignSettings(theme_file=house(tmp_path))
    picture = still(SAMPLES["big-win"].scene(), (1280, 720), settings, FONTS)
    red = pygame.mask.from_threshold(picture, RED, (ROUNDING + 1,) * 3)
    covered = red.to_surface(setcolor=RED, unsetcolor=(0, 0, 0, 0)).get_bounding_rect()
    # Two thirds of a logo three times as wide as high, in a header 60 pixels high at this size.
    assert covered.h >= 40
    assert covered.bottom < 60
    assert covered.w == pytest.approx(2 * covered.h, abs=2)


def told_by(process: PaintingProcess, reports: int) -> list[object]:
    process.run()
    with os.fdopen(os.dup(reports), "rb", buffering=0) as told:
        return [decode_report(line) for line in Lines().feed(told.read(1 << 16) or b"")]


@pytest.mark.parametrize("spoilt", [None, png_start(300, 100)], ids=["taken away", "spoilt"])
@pytest.mark.parametrize("when", ["before it starts again", "after it has started"])
def test_the_painting_process_goes_on_without_a_logo_that_is_gone(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    spoilt: bytes | None,
    when: str,
) -> None:
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    logo, captured = tmp_path / "logo.png", tmp_path / "shown.png"
    draw_logo(logo)
    settings = SignSettings(size="960x540", driver="dummy", theme_file=house(tmp_path))

    def lose() -> None:
        logo.unlink()
        if spoilt is not None:
            logo.write_bytes(spoilt)

    orders_out, orders_in = os.pipe()
    reports_out, reports_in = os.pipe()
    process = PaintingProcess(orders_out, reports_in)
    if when == "before it starts again":
        lose()
    else:
        set_up = process._set_up

        def set_up_and_lose(setup: Setup) -> None:
            set_up(setup)
            lose()

        monkeypatch.setattr(process, "_set_up", set_up_and_lose)
    sample = SAMPLES["big-win"]
    more = replace(sample.view, notice="Spot 2 is paid")
    orders = (
        Setup(settings=settings, profile=sample.profile),
        Show(number=1, view=sample.view),
        Show(number=2, view=more),
        Capture(number=3, path=str(captured)),
    )
    os.write(orders_in, b"".join(encode(order) for order in orders))
    os.close(orders_in)
    with caplog.at_level(logging.WARNING):
        told = told_by(process, reports_out)
    for end in (orders_out, reports_out, reports_in):
        os.close(end)
    pygame.display.quit()

    assert told == [
        Painted(number=1),
        Painted(number=2),
        Status(up=True, detail="dummy 960x540"),
        Captured(number=3, fault=None),
    ]
    said = [record for record in caplog.records if "the sign has no logo" in record.message]
    assert len(said) == 1, "once, not with every picture"
    shown = pygame.image.load(captured)
    assert pygame.mask.from_threshold(shown, RED, (ROUNDING + 1,) * 3).count() == 0
