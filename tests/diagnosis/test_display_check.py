"""A frame is drawn and looked at; without a display the table plays on."""

from __future__ import annotations

from pathlib import Path

import pygame
import pytest

from firmware_app.diagnosis.display_check import check_display, judged
from firmware_app.diagnosis.display_probe import pattern, shows_pattern
from firmware_app.signage.settings import SignSettings


def connector(drm_root: Path, name: str, status: str) -> None:
    folder = drm_root / f"card1-{name}"
    folder.mkdir(parents=True)
    (folder / "status").write_text(f"{status}\n")


def test_a_frame_is_drawn_even_where_nobody_sees_it() -> None:
    found = check_display(SignSettings(driver="dummy", size="1280x720"))

    assert found.status == "warning"
    assert found.detail.startswith("a frame of 1280x720 with driver dummy was drawn, where nobody")
    assert 'sign.driver = "auto"' in found.cure


def test_a_display_that_cannot_be_opened_is_a_warning_with_its_reason(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("DISPLAY", raising=False)

    found = check_display(SignSettings(driver="x11", size="640x480"))

    assert found.status == "warning"
    assert found.detail.startswith("no frame can be drawn (driver x11): ")
    assert "x11" in found.detail.partition("): ")[2]
    assert "groups video and render" in found.cure


def test_a_theme_that_cannot_be_read_is_told(tmp_path: Path) -> None:
    theme = tmp_path / "theme.toml"
    found = check_display(SignSettings(driver="dummy", size="640x480", theme_file=theme))

    assert found.status == "warning"
    assert str(theme) in found.detail


def test_a_driver_that_hangs_is_given_up() -> None:
    found = check_display(SignSettings(driver="dummy", size="640x480"), draw_at_most_s=0.01)

    assert found.status == "warning"
    assert found.detail == "no frame within 0.01 s"


def test_an_output_without_a_screen_is_told_before_anything_is_drawn(tmp_path: Path) -> None:
    connector(tmp_path, "HDMI-A-1", "disconnected")
    connector(tmp_path, "HDMI-A-2", "connected")
    first = SignSettings(driver="dummy", size="640x480", connector="HDMI-A-1")
    second = SignSettings(driver="dummy", size="640x480", connector="HDMI-A-2")

    found = check_display(first, drm_root=tmp_path)
    assert (found.status, found.detail) == ("warning", "no screen is plugged into HDMI-A-1")
    assert "was drawn" in check_display(second, drm_root=tmp_path).detail


def test_a_black_picture_is_not_taken_for_a_frame() -> None:
    black = pygame.Surface((800, 600))
    assert shows_pattern(pattern((800, 600)))
    assert not shows_pattern(black)

    found = judged(SignSettings(), {"driver": "kmsdrm", "size": [800, 600], "seen": False})
    assert found.status == "warning"
    assert "stays black, without an error" in found.detail
    assert "SDL_RENDER_DRIVER=opengles2" in found.cure


def test_a_frame_that_was_seen_is_fine_and_one_drawn_to_nowhere_unasked_is_not() -> None:
    seen = {"driver": "kmsdrm", "size": [1920, 1080], "seen": True}
    found = judged(SignSettings(), seen)
    assert (found.status, found.detail) == (
        "ok",
        "a frame of 1920x1080 with driver kmsdrm was drawn and seen",
    )

    found = judged(SignSettings(), seen | {"driver": "offscreen"})
    assert found.status == "warning"
    assert "draws to nowhere" in found.detail
