"""The messages are complete in every language, and the bundled fonts can write all of them."""

from __future__ import annotations

import re
from importlib import resources
from pathlib import Path

import pygame
import pytest

from firmware_app.rules.lines import Line
from firmware_app.signage.operations import Face
from firmware_app.signage.samples import samples
from firmware_app.signage.settings import Language
from firmware_app.signage.text import LANGUAGES, Texts, messages
from firmware_app.signage.typefaces import FontBook
from firmware_app.signage.words import say

FONTS = FontBook()


def missing(text: str, face: Face) -> str:
    """The letters of ``text`` that come out as the empty box of a letter that is not there."""
    white = (255, 255, 255)
    wide = "一" if any(letter >= "\u2e80" for letter in text) else ""

    def drawn(letter: str) -> bytes:
        # With a Chinese sign beside it a letter is taken from the Chinese font, as in the text.
        picture = FONTS.picture(letter + wide, face, 20, white)
        return pygame.image.tobytes(picture, "RGBA")

    nothing = drawn("\u0bba")
    return "".join(letter for letter in text if drawn(letter) == nothing)


def gaps(text: str) -> set[str]:
    return set(re.findall(r"\{(\w+)\}", text))


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_language_has_the_same_messages_with_the_same_gaps(language: Language) -> None:
    english, other = messages("en"), messages(language)
    assert set(other) == set(english)
    for key, text in other.items():
        assert gaps(text) == gaps(english[key]), key


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_letter_of_every_message_is_in_the_bundled_fonts(language: Language) -> None:
    for key, text in messages(language).items():
        for face in Face:
            assert missing(text, face) == "", key


def test_a_letter_that_no_font_holds_is_found_out() -> None:
    assert missing("a\u0bb9", Face.TEXT) == "\u0bb9"


def test_every_line_has_a_name_in_every_language() -> None:
    for language in LANGUAGES:
        names = [Texts((language,)).first(say(line.value)) for line in Line]
        assert len(set(names)) == len(list(Line))


def test_odds_are_worded_to_one_never_for() -> None:
    assert Texts(("en",)).first(say("to_one", pays="8,000")) == "8,000 to 1"
    assert Texts(("es",)).first(say("to_one", pays="25")) == "25 a 1"
    assert Texts(("zh",)).first(say("to_one", pays="25")) == "25 赔 1"
    assert not any(re.search(r"\d for \d|for one", text) for text in messages("en").values())


def test_two_languages_are_said_in_the_order_of_the_venue_and_equal_ones_once() -> None:
    both = Texts(("zh", "en"))
    assert both.all(say("flush")) == ("同花", "Flush")
    assert both.all(say("money", amount="$5")) == ("$5",)
    assert both.second(say("money", amount="$5")) is None


def test_a_name_within_a_message_is_translated_too() -> None:
    words = say("result_fortune", number=2, line="@flush", amount="$20")
    assert Texts(("es",)).first(words) == "Puesto 2: Color \u2013 $20"


def test_figures_of_amounts_are_of_equal_width() -> None:
    widths = {FONTS.width(digit * 10, Face.FIGURE, 40) for digit in "0123456789"}
    assert len(widths) == 1


def test_however_many_sizes_are_measured_few_font_files_stay_open() -> None:
    before = len(list(Path("/proc/self/fd").iterdir()))
    fonts = FontBook()
    for size in range(10, 400):
        fonts.width("Fortune", Face.TITLE, size)
    assert len(list(Path("/proc/self/fd").iterdir())) - before < 100


def test_every_message_that_a_sample_uses_can_be_said() -> None:
    for language in LANGUAGES:
        texts = Texts((language,))
        for sample in samples().values():
            scene = sample.scene()
            for words in (scene.hero.headline, *scene.hero.points, *scene.conditions):
                assert "{" not in texts.first(words)


def test_the_bundled_fonts_are_small_and_come_with_their_licence() -> None:
    folder = resources.files("firmware_app.signage") / "fonts"
    fonts = [entry for entry in folder.iterdir() if entry.name.endswith((".otf", ".ttf"))]
    assert fonts
    assert sum(len(font.read_bytes()) for font in fonts) < 1_500_000
    licence = (folder / "OFL.txt").read_text("utf-8")
    assert "SIL OPEN FONT LICENSE Version 1.1" in licence
    for font in fonts:
        assert font.name in licence
