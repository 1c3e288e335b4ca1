"""The sign's part of a configuration: what it accepts, and how it refuses."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from firmware_app.signage.settings import SignSettings, parse_size


def test_sizes_are_written_as_on_a_box() -> None:
    assert parse_size("1920x1080") == (1920, 1080)
    assert parse_size(" 480X320 ") == (480, 320)
    assert SignSettings(size="fullscreen").size == "fullscreen"


@pytest.mark.parametrize("size", ["big", "1920", "10x10", "300x200", "1920x1080x32", "-1x5"])
def test_a_size_that_makes_no_sign_is_refused_with_the_cure(size: str) -> None:
    with pytest.raises(ValidationError, match=r"1920x1080|480x320"):
        SignSettings(size=size)


@pytest.mark.parametrize(
    "changes",
    [
        {"languages": ()},
        {"languages": ("en", "es", "zh")},
        {"languages": ("en", "en")},
        {"languages": ("fr",)},
        {"driver": "vnc"},
        {"connector": "/dev/dri/card0"},
        {"attract_after_s": 1},
        {"colour": "red"},
    ],
)
def test_anything_else_is_refused(changes: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        SignSettings.model_validate(changes)


def test_connectors_are_named_as_the_kernel_does() -> None:
    for name in ("HDMI-A-1", "DP-1", "DSI-1"):
        assert SignSettings(connector=name).connector == name
