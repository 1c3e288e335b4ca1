"""Colours: the contrast formula is the standard's, and a theme that cannot be read is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from firmware_app.signage.theme import (
    MINIMUM_CONTRAST,
    READABLE,
    Theme,
    ThemeError,
    contrast,
    load_theme,
    rgb,
)


def test_contrast_is_that_of_wcag() -> None:
    # Known values: black on white 21, and #767676 the first grey to reach 4.5 on white.
    assert contrast((0, 0, 0), (255, 255, 255)) == pytest.approx(21)
    assert contrast(rgb("#767676"), rgb("#FFFFFF")) == pytest.approx(4.54, abs=0.01)
    assert contrast(rgb("#777777"), rgb("#FFFFFF")) == pytest.approx(4.48, abs=0.01)


def test_every_pair_of_the_shipped_theme_reaches_seven_to_one() -> None:
    theme = Theme()
    for text, ground in READABLE:
        assert contrast(theme.rgb(text), theme.rgb(ground)) >= MINIMUM_CONTRAST, (text, ground)


def test_a_venues_colours_replace_the_shipped_ones(tmp_path: Path) -> None:
    file = tmp_path / "house.toml"
    file.write_text('felt = "#101030"\npanel = "#0C0C28"\n')
    assert load_theme(file).felt == "#101030"
    assert load_theme(file).gold == Theme().gold


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ('gold = "#335544"\n', "gold on ink has contrast"),
        ('glitter = "#FFFFFF"\n', "glitter"),
        ('gold = "yellow"\n', "gold"),
        ("gold = \n", "not valid TOML"),
    ],
)
def test_a_theme_that_cannot_be_used_is_refused_with_its_reason(
    tmp_path: Path, text: str, told: str
) -> None:
    file = tmp_path / "house.toml"
    file.write_text(text)
    with pytest.raises(ThemeError) as fault:
        load_theme(file)
    assert told in str(fault.value)
    assert str(file) in str(fault.value)


def test_a_missing_theme_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(ThemeError, match="cannot be read"):
        load_theme(tmp_path / "none.toml")
