"""The display: opened and closed at will, waiting for its cable, never with sound."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pygame
import pytest

from firmware_app.signage.layout import layout
from firmware_app.signage.samples import samples
from firmware_app.signage.screen import CLOSED, DisplayError, Screen
from firmware_app.signage.settings import SignSettings
from firmware_app.signage.text import Texts
from firmware_app.signage.theme import Theme
from firmware_app.signage.typefaces import FontBook

FONTS = FontBook()
SCENE = samples()["reveal"].scene()


@pytest.fixture
def cable(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The status of the one connector of a machine without a real display."""
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    folder = tmp_path / "card1-HDMI-A-1"
    folder.mkdir()
    status = folder / "status"
    status.write_text("connected\n")
    yield status
    pygame.display.quit()


def screen(cable: Path, size: str = "640x360") -> Screen:
    settings = SignSettings(size=size, connector="HDMI-A-1")
    return Screen(settings, Theme(), FONTS, cable.parent.parent)


def test_it_opens_in_the_size_asked_for_and_fills_a_headless_screen(cable: Path) -> None:
    small, full = screen(cable), screen(cable, "fullscreen")
    small.open()
    assert small.size == (640, 360)
    assert small.description == "dummy 640x360"
    full.open()
    assert full.description == "dummy 1920x1080"


def test_it_waits_for_the_cable_and_opens_when_it_is_plugged_in(cable: Path) -> None:
    shown = screen(cable)
    cable.write_text("disconnected\n")
    with pytest.raises(DisplayError, match="HDMI-A-1"):
        shown.open()
    assert not shown.is_open
    cable.write_text("connected\n")
    shown.open()
    assert shown.is_open
    cable.write_text("disconnected\n")
    assert shown.unplugged()


def test_a_driver_that_is_not_there_is_an_error_and_the_next_try_may_succeed(
    cable: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shown = screen(cable)
    monkeypatch.setenv("SDL_VIDEODRIVER", "no-such-driver")
    with pytest.raises(DisplayError):
        shown.open()
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    shown.open()
    assert shown.is_open


def test_only_display_and_font_are_initialised_never_sound(cable: Path) -> None:
    shown = screen(cable)
    shown.open()
    assert pygame.display.get_init()
    assert pygame.font.get_init()
    assert pygame.mixer.get_init() is None
    assert not pygame.joystick.get_init()


def test_keys_are_named_and_an_uncovered_window_is_painted_anew(cable: Path) -> None:
    shown = screen(cable)
    shown.open()
    operations = layout(SCENE, shown.size, Texts(("en",)), FONTS)
    shown.pump()
    assert shown.paint(operations)
    assert shown.paint(operations) == []
    for key, held in ((pygame.K_SPACE, 0), (pygame.K_1, pygame.KMOD_LSHIFT)):
        pygame.event.post(pygame.event.Event(pygame.KEYDOWN, key=key, mod=held))
    pygame.event.post(pygame.event.Event(pygame.QUIT))
    assert shown.pump() == (["space", "shift+1", CLOSED], False)
    pygame.event.post(pygame.event.Event(pygame.VIDEOEXPOSE))
    assert shown.pump() == ([], True)
    assert shown.paint(operations)


def test_a_closed_display_says_so(cable: Path, tmp_path: Path) -> None:
    shown = screen(cable)
    with pytest.raises(DisplayError, match="not open"):
        shown.paint(())
    with pytest.raises(DisplayError, match="not open"):
        shown.save(tmp_path / "x.png")
    assert shown.pump() == ([], False)
