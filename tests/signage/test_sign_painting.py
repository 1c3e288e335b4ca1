"""The painting process from within: it reports what it does, and one bad scene does not end it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import replace
from importlib import resources
from pathlib import Path

import pygame
import pytest
from pydantic import BaseModel

from firmware_app.signage import painting
from firmware_app.signage.gallery.__main__ import main as gallery
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
from firmware_app.signage.painting import PaintingProcess
from firmware_app.signage.picture import Picture
from firmware_app.signage.samples import samples
from firmware_app.signage.scene import SceneKind
from firmware_app.signage.settings import SignSettings

SAMPLES = samples()
SETUP = Setup(
    settings=SignSettings(size="640x360", driver="dummy"), profile=SAMPLES["reveal"].profile
)


@pytest.fixture(autouse=True)
def headless(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    yield
    pygame.display.quit()


def told_after(*orders: BaseModel) -> list[BaseModel]:
    """Let a painting process serve ``orders`` to their end; return its reports."""
    orders_out, orders_in = os.pipe()
    reports_out, reports_in = os.pipe()
    os.write(orders_in, b"".join(encode(order) for order in orders))
    os.close(orders_in)
    PaintingProcess(orders_out, reports_in).run()
    os.close(reports_in)
    with os.fdopen(reports_out, "rb") as reports:
        lines = Lines().feed(reports.read())
    os.close(orders_out)
    return [decode_report(line) for line in lines]


def show(number: int, name: str) -> Show:
    return Show(number=number, view=SAMPLES[name].view)


def test_it_acknowledges_every_view_and_reports_the_display_once() -> None:
    told = told_after(SETUP, show(1, "betting"), show(2, "dealt"))
    assert told == [
        Painted(number=1),
        Painted(number=2),
        Status(up=True, detail="dummy 640x360"),
    ]


def test_a_picture_cannot_be_taken_before_anything_was_shown() -> None:
    assert Captured(number=1, fault="nothing was shown yet") in told_after(
        SETUP, Capture(number=1, path="/nowhere.png")
    )


def test_a_scene_that_cannot_be_drawn_is_told_and_the_process_goes_on(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def no_room(*_: object, **__: object) -> None:
        raise ValueError("a pay table cannot be read in 3 x 2 pixels")

    monkeypatch.setattr(painting, "layout", no_room)
    told = told_after(SETUP, show(1, "betting"))
    assert told[-1] == Status(
        up=False,
        detail="the scene betting cannot be drawn: a pay table cannot be read in 3 x 2 pixels",
    )


def test_a_table_at_rest_sells_again_after_the_time_set() -> None:
    picture = Picture(SETUP.settings, SETUP.profile)
    assert picture.now(0) == (None, None)
    picture.show(show(1, "settled"), 1_000)
    settled, next_ms = picture.now(1_000)
    assert settled is not None
    assert (settled.kind, next_ms) == (SceneKind.SETTLED, 31_000)
    selling, next_ms = picture.now(31_000)
    assert selling is not None
    assert (selling.kind, next_ms) == (SceneKind.ATTRACT, None)
    picture.show(show(2, "betting"), 40_000)
    betting, _ = picture.now(90_000)
    assert betting is not None
    assert betting.kind is SceneKind.BETTING


def test_a_change_within_the_reveal_does_not_start_it_again() -> None:
    picture = Picture(SETUP.settings, SETUP.profile)
    picture.show(show(1, "big-win"), 0)
    opening, following = picture.now(0)
    assert following is not None
    told = replace(SAMPLES["big-win"].view, notice="Spot 2 is paid")
    picture.show(Show(number=2, view=told), 60_000)
    resting, following = picture.now(60_000)
    assert resting is not None
    assert following is None
    assert resting != opening
    assert resting.strip.notice == "Spot 2 is paid"
    assert picture.at_rest(60_000) == resting


def test_the_gallery_holds_every_scene_in_every_size_sheets_and_an_overview(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert gallery([]) == 2
    assert gallery([str(tmp_path)]) == 0
    sizes = ("1920x1080", "1280x720", "1080x1920", "480x320")
    for size in sizes:
        for name in SAMPLES:
            written = pygame.image.load(tmp_path / f"{name}-{size}-en.png")
            assert "x".join(map(str, written.get_size())) == size
    sheets = {f"sheet-{size}.png" for size in sizes} | {"overview.png"}
    others = {"attract-1920x1080-zh.png", "big-win-1080x1920-en-zh.png"}
    files = {file.name for file in tmp_path.iterdir()}
    assert sheets | others <= files
    assert f"{len(files - sheets)} pictures" in capsys.readouterr().out

    shipped = resources.files("firmware_app.signage.gallery") / "overview.png"
    with resources.as_file(shipped) as path:
        sizes_of_both = {pygame.image.load(one).get_size() for one in (path, tmp_path / path.name)}
    assert len(sizes_of_both) == 1, "make gallery, and copy its overview.png over the shipped one"
