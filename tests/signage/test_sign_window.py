"""The sign's window: survives what a display can do, and shows what it was told last."""

from __future__ import annotations

import os
import select
import signal
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from firmware_app.signage.samples import samples
from firmware_app.signage.settings import SignSettings
from firmware_app.signage.window import SignWindow, painting_environment

SAMPLES = samples()
PNG_HEAD = b"\x89PNG\r\n\x1a\n"


def wait_until(sign: SignWindow, holds: Callable[[], bool], timeout_s: float = 20.0) -> None:
    """Tick ``sign`` as the runtime does until ``holds``, or fail."""
    deadline = time.monotonic() + timeout_s
    while not holds():
        assert time.monotonic() < deadline, f"still {sign.status} after {timeout_s} s"
        pause = sign.tick(time.monotonic_ns())
        select.select([], [], [], min(pause or 0.05, 0.05))


@pytest.fixture
def headless() -> Iterator[SignWindow]:
    sign = SignWindow(SignSettings(size="640x360", driver="dummy"), SAMPLES["reveal"].profile)
    sign.open()
    yield sign
    sign.close()


def test_a_screenshot_is_a_png_of_what_is_shown(headless: SignWindow, tmp_path: Path) -> None:
    headless.show(SAMPLES["dealt"].view)
    dealt = tmp_path / "dealt.png"
    assert headless.screenshot(dealt) is None
    headless.show(SAMPLES["reveal"].view)
    reveal = tmp_path / "reveal.png"
    assert headless.screenshot(reveal) is None
    assert dealt.read_bytes().startswith(PNG_HEAD)
    assert reveal.read_bytes() != dealt.read_bytes()
    assert headless.status.state == "up"
    assert headless.status.detail == "dummy 640x360"


def test_a_killed_painting_process_is_replaced_and_shows_the_same_picture(
    headless: SignWindow, tmp_path: Path
) -> None:
    headless.show(SAMPLES["reveal"].view)
    before, after = tmp_path / "before.png", tmp_path / "after.png"
    assert headless.screenshot(before) is None
    killed = headless.pid
    assert killed is not None
    os.kill(killed, signal.SIGKILL)
    wait_until(headless, lambda: headless.status.state == "down")
    began = time.monotonic()
    wait_until(headless, lambda: headless.status.state == "up")
    assert time.monotonic() - began < 10
    assert headless.pid != killed
    assert headless.screenshot(after) is None
    assert after.read_bytes() == before.read_bytes()


def test_a_missing_display_is_reported_and_nothing_is_raised() -> None:
    sign = SignWindow(
        SignSettings(size="640x360", driver="x11"),
        SAMPLES["betting"].profile,
        environment={"PATH": os.environ["PATH"]},
    )
    sign.open()
    sign.show(SAMPLES["betting"].view)
    wait_until(sign, lambda: sign.status.state == "down")
    assert "x11" in sign.status.detail
    sign.close()
    assert sign.tick(time.monotonic_ns()) is None


def test_x11_is_painted_without_opengl_and_kmsdrm_with_opengl_es() -> None:
    x11 = painting_environment(SignSettings(), {"DISPLAY": ":0"})
    assert x11["SDL_FRAMEBUFFER_ACCELERATION"] == "0"
    console = painting_environment(SignSettings(), {})
    assert console["SDL_RENDER_DRIVER"] == "opengles2"
    assert "SDL_FRAMEBUFFER_ACCELERATION" not in console
    chosen = painting_environment(SignSettings(driver="kmsdrm"), {"SDL_RENDER_DRIVER": "libgl1"})
    assert chosen["SDL_RENDER_DRIVER"] == "libgl1"
