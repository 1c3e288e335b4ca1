"""The sign shows what it showed when it was last looked at.

The pictures were looked at before they were kept: that the amounts follow from the wagers and the
posted odds, that no card is open that must not be, that nothing is cut off. The texts of the scenes
are what the program made then; that they are right is for the tests of scene and settlement, and
these tell which value has changed. Both are written anew with ``python
tests/signage/sign_goldens.py``, and then read and looked at again.

Scenes are compared exactly. Pictures are compared with room for another version of the graphics
library, which smooths the edges of letters a little differently.
"""

from __future__ import annotations

from dataclasses import replace

import pygame
import pytest
from sign_goldens import (
    FONTS,
    GOLDENS,
    LANDSCAPE,
    SHOTS,
    picture,
    picture_file,
    scene_file,
    scene_text,
    smaller,
)

from firmware_app.cards import parse_card
from firmware_app.signage.samples import samples
from firmware_app.signage.settings import SignSettings
from firmware_app.signage.still import still

SAMPLES = samples()

# Between SDL 2.28 with SDL_ttf 2.20 and SDL 2.32 with SDL_ttf 2.24, no pixel of these pictures
# differs by more than 22 of 255, and their mean difference is 0.034. One card of a small hand that
# has another suit makes 45 pixels of 100,000 differ by more than 48.
MEAN_ALLOWED = 0.2
PIXEL_ALLOWED = 48
SHARE_ALLOWED = 1 / 10_000


def differences(one: pygame.Surface, other: pygame.Surface) -> tuple[float, float]:
    """Return the mean difference, and the share of pixels that differ by more than allowed."""
    assert one.get_size() == other.get_size()
    pairs = zip(pygame.image.tobytes(one, "RGB"), pygame.image.tobytes(other, "RGB"), strict=True)
    apart = [abs(here - there) for here, there in pairs]
    pixels = [max(apart[at : at + 3]) for at in range(0, len(apart), 3)]
    far = sum(difference > PIXEL_ALLOWED for difference in pixels)
    return sum(apart) / len(apart), far / len(pixels)


def test_there_is_a_golden_of_every_scene_and_picture_and_no_other() -> None:
    scenes = {path.stem for path in (GOLDENS / "scenes").iterdir()}
    pictures = {path.stem for path in (GOLDENS / "pictures").iterdir()}
    assert scenes == set(SAMPLES)
    assert pictures == set(SHOTS)


@pytest.mark.parametrize("name", SAMPLES)
def test_a_scene_holds_what_it_held(name: str) -> None:
    assert scene_text(SAMPLES[name].scene()) == scene_file(name).read_text("utf-8")


@pytest.mark.parametrize("name", SHOTS)
def test_a_picture_looks_as_it_was_looked_at(name: str) -> None:
    mean, share = differences(picture(SHOTS[name]), pygame.image.load(str(picture_file(name))))
    assert mean <= MEAN_ALLOWED
    assert share <= SHARE_ALLOWED


def test_one_other_card_in_a_small_hand_is_no_longer_the_same_scene_or_picture() -> None:
    shown = SAMPLES["reveal"].scene()
    spot = shown.spots[0]
    assert spot.hand is not None
    first, *others = spot.hand.back
    assert first.card == parse_card("AC")
    hand = replace(spot.hand, back=(replace(first, card=parse_card("AD")), *others))
    changed = replace(shown, spots=(replace(spot, hand=hand), *shown.spots[1:]))
    assert scene_text(changed) != scene_text(shown)
    before, after = (
        smaller(still(scene, LANDSCAPE, SignSettings(), FONTS)) for scene in (shown, changed)
    )
    assert differences(before, after)[1] > SHARE_ALLOWED
