"""``fortune-table sign``: any scene into a picture, and refusals that name the cure."""

from __future__ import annotations

import itertools
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pygame
import pytest
from click.testing import CliRunner

from firmware_app.commands.sign import sign
from firmware_app.rules.profile import PROFILE_NAMES
from firmware_app.signage.scene import SceneKind


def run(*arguments: str) -> tuple[int, str]:
    done = CliRunner().invoke(sign, arguments)
    return done.exit_code, done.output


def test_a_scene_is_drawn_in_the_size_asked_for(tmp_path: Path) -> None:
    out = tmp_path / "big win.png"
    code, told = run("--scene", "big-win", "--size", "640x360", "--out", str(out), "--json")
    assert code == 0
    assert json.loads(told) == {
        "scene": "big-win",
        "file": str(out),
        "width": 640,
        "height": 360,
        "languages": ["en"],
    }
    assert pygame.image.load(out).get_size() == (640, 360)


def test_languages_and_card_colours_change_the_picture(tmp_path: Path) -> None:
    pictures = []
    for place, more in enumerate(
        (("--lang", "en"), ("--lang", "zh"), ("--lang", "zh", "--lang", "en"), ("--two-colour",))
    ):
        out = tmp_path / f"{place}.png"
        code, _ = run("--scene", "reveal", "--size", "960x540", "--out", str(out), *more)
        assert code == 0
        pictures.append(out.read_bytes())
    assert len(set(pictures)) == len(pictures)


def listed() -> dict[str, Any]:
    code, told = run("--list", "--json")
    assert code == 0
    found: dict[str, Any] = json.loads(told)
    return found


def test_the_list_names_scenes_with_kind_and_rules_sizes_and_languages() -> None:
    found = listed()
    assert set(found) == {"scenes", "sizes", "languages"}
    assert {one["kind"] for one in found["scenes"]} == set(SceneKind)
    assert {one["rules"] for one in found["scenes"]} >= {*PROFILE_NAMES, "six-card-sample"}
    assert {"scene": "void", "kind": "void", "rules": "envy"} in found["scenes"]
    assert found["sizes"] == ["1920x1080", "1280x720", "1080x1920", "480x320"]
    assert found["languages"] == ["en", "es", "zh"]


def test_the_list_for_people_names_the_same() -> None:
    found = listed()
    _, told = run("--list")
    words = told.replace(",", " ").split()
    for name in (
        *(one["scene"] for one in found["scenes"]),
        *found["sizes"],
        *found["languages"],
    ):
        assert name in words


def test_every_scene_size_and_language_that_is_listed_can_be_drawn(tmp_path: Path) -> None:
    found = listed()
    looks = itertools.cycle(itertools.product(found["sizes"], found["languages"]))
    # Where all stands is checked with the layout in every combination; here each is named once.
    for scene, (size, language) in zip(found["scenes"], looks, strict=False):
        out = tmp_path / "sign.png"
        look = ("--size", size, "--lang", language)
        code, told = run("--scene", scene["scene"], *look, "--out", str(out))
        assert code == 0, told
        assert "x".join(map(str, pygame.image.load(out).get_size())) == size


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ((), "--scene NAME and --out FILE.png"),
        (("--scene", "party", "--out", "x.png"), "write one of attract"),
        (("--scene", "void", "--out", "x.png", "--size", "huge"), "1920x1080"),
        (("--scene", "void", "--out", "x.jpg"), "no .png file"),
        (("--scene", "void", "--out", "/nowhere/at/all/x.png"), "cannot be written"),
        (("--scene", "void", "--out", "x.png", "--lang", "en", "--lang", "en"), "keep it once"),
        (("--scene", "void", "--out", "x.png", "--theme", "/nowhere.toml"), "cannot be read"),
    ],
)
def test_what_cannot_be_drawn_is_refused_with_the_cure(
    arguments: tuple[str, ...], told: str
) -> None:
    code, output = run(*arguments)
    assert code == 2
    # click breaks long lines for the terminal.
    assert told in " ".join(output.split())


def test_a_theme_whose_logo_is_missing_is_refused_with_the_cure(tmp_path: Path) -> None:
    theme = tmp_path / "house.toml"
    theme.write_text('logo = "logo.png"\n')
    code, output = run("--scene", "void", "--out", "x.png", "--theme", str(theme))
    assert code == 2
    assert "name a PNG file, relative to the theme file" in " ".join(output.split())


def test_nothing_but_the_answer_goes_to_standard_output(tmp_path: Path) -> None:
    out = tmp_path / "void.png"
    arguments = ["sign", "--scene", "void", "--size", "480x320", "--out", str(out), "--json"]
    done = subprocess.run(
        [sys.executable, "-m", "firmware_app", *arguments],
        env={key: value for key, value in os.environ.items() if key != "DISPLAY"},
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    assert json.loads(done.stdout)["scene"] == "void"
