"""The painter repaints what changed and nothing else, and ends with the same pixels."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import pygame
import pytest

from firmware_app.cards import CLUBS, DECK, DIAMONDS, HEARTS, JOKER, SPADES, Card
from firmware_app.signage.cards_art import CardArt, suit_tint
from firmware_app.signage.layout import layout
from firmware_app.signage.operations import Box, Mark, MarkOp, PanelOp
from firmware_app.signage.painter import Painter, changed
from firmware_app.signage.samples import samples
from firmware_app.signage.scene import Scene
from firmware_app.signage.settings import SignSettings, Size
from firmware_app.signage.staging import scene
from firmware_app.signage.still import still
from firmware_app.signage.text import Texts
from firmware_app.signage.theme import Theme, Tint
from firmware_app.signage.typefaces import FontBook

SAMPLES = samples()
FONTS = FontBook()
THEME = Theme()
SIZE: Size = (960, 540)
ENGLISH = Texts(("en",))


def pixels(surface: pygame.Surface) -> bytes:
    return pygame.image.tobytes(surface, "RGB")


def painted_alone(shown: Scene) -> bytes:
    return pixels(still(shown, SIZE, SignSettings(), FONTS))


def area(boxes: list[Box]) -> int:
    return sum(box.w * box.h for box in boxes)


def bet_changed() -> tuple[Scene, Scene]:
    """The same betting scene before and after one spot's wager changes."""
    sample = SAMPLES["betting"]
    spots = sample.view.spots
    more = replace(sample.view, spots=(replace(spots[0], fortune_cents=15_00), *spots[1:]))
    return sample.scene(), scene(more, sample.profile)


def test_from_any_picture_to_the_next_the_pixels_are_those_of_a_fresh_picture() -> None:
    surface = pygame.Surface(SIZE)
    painter = Painter(surface, THEME, FONTS)
    for name in (*SAMPLES, *reversed(SAMPLES)):
        shown = SAMPLES[name].scene()
        painter.paint(layout(shown, SIZE, ENGLISH, FONTS))
        assert pixels(surface) == painted_alone(shown), name


def test_nothing_is_repainted_where_nothing_changed() -> None:
    painter = Painter(pygame.Surface(SIZE), THEME, FONTS)
    operations = layout(SAMPLES["reveal"].scene(), SIZE, ENGLISH, FONTS)
    assert painter.paint(operations) == [Box(0, 0, *SIZE)]
    assert painter.paint(operations) == []


def test_a_changed_wager_repaints_a_hundredth_of_the_screen() -> None:
    surface = pygame.Surface(SIZE)
    painter = Painter(surface, THEME, FONTS)
    before, after = (layout(shown, SIZE, ENGLISH, FONTS) for shown in bet_changed())
    painter.paint(before)
    dirty = painter.paint(after)
    assert 0 < area(dirty) <= SIZE[0] * SIZE[1] / 100
    assert pixels(surface) == painted_alone(bet_changed()[1])


def test_after_it_forgets_everything_is_painted_anew() -> None:
    surface = pygame.Surface(SIZE)
    painter = Painter(surface, THEME, FONTS)
    operations = layout(SAMPLES["reveal"].scene(), SIZE, ENGLISH, FONTS)
    painter.paint(operations)
    surface.fill((200, 0, 200))
    painter.forget()
    painter.paint(operations)
    assert pixels(surface) == painted_alone(SAMPLES["reveal"].scene())


def test_changed_rectangles_do_not_overlap_and_stay_on_the_screen() -> None:
    whole = Box(0, 0, *SIZE)
    layouts = [layout(sample.scene(), SIZE, ENGLISH, FONTS) for sample in SAMPLES.values()]
    for old, new in pairwise(layouts):
        boxes = changed(old, new, whole)
        for place, box in enumerate(boxes):
            assert whole.holds(box)
            assert not any(box.meets(other) for other in boxes[place + 1 :])


def picture_of(*operations: PanelOp | MarkOp) -> pygame.Surface:
    surface = pygame.Surface((100, 100))
    Painter(surface, THEME, FONTS).paint(operations)
    return surface


def test_a_panel_has_its_colour_its_edge_and_round_corners() -> None:
    panel = PanelOp(Box(10, 10, 80, 80), Tint.GOLD, 20, Tint.IVORY, 4)
    surface = picture_of(panel)
    assert tuple(surface.get_at((50, 50)))[:3] == THEME.rgb(Tint.GOLD)
    assert tuple(surface.get_at((50, 11)))[:3] == THEME.rgb(Tint.IVORY)
    ground = picture_of().get_at((11, 11))
    assert surface.get_at((11, 11)) == ground


@pytest.mark.parametrize("mark", list(Mark))
def test_every_mark_is_drawn_within_its_box_in_its_colour(mark: Mark) -> None:
    surface = picture_of(MarkOp(Box(30, 30, 40, 40), mark, Tint.ENVY))
    empty = picture_of()
    seen = [
        (x, y)
        for x in range(100)
        for y in range(100)
        if surface.get_at((x, y)) != empty.get_at((x, y))
    ]
    assert seen
    assert all(30 <= x < 70 and 30 <= y < 70 for x, y in seen)
    assert any(tuple(surface.get_at(place))[:3] == THEME.rgb(Tint.ENVY) for place in seen)


def card(of: Card | None, *, four_colour: bool = True) -> bytes:
    art = CardArt(THEME, FONTS, four_colour=four_colour)
    picture = art.picture(of, (60, 84), "plain")
    return pygame.image.tobytes(picture, "RGBA")


def test_no_two_cards_look_the_same() -> None:
    assert len({card(of) for of in DECK} | {card(None)}) == 54


def test_the_back_of_a_card_is_one_picture() -> None:
    assert card(None) == card(None)


def test_four_colours_tell_the_suits_apart_and_two_are_red_and_black() -> None:
    aces = {suit: Card.of(14, suit) for suit in (SPADES, HEARTS, DIAMONDS, CLUBS)}
    four = {suit_tint(ace, four_colour=True) for ace in aces.values()}
    assert len(four) == 4
    assert suit_tint(aces[DIAMONDS], four_colour=False) is suit_tint(
        aces[HEARTS], four_colour=False
    )
    assert suit_tint(aces[CLUBS], four_colour=False) is suit_tint(aces[SPADES], four_colour=False)
    assert card(aces[CLUBS]) != card(aces[CLUBS], four_colour=False)
    assert suit_tint(JOKER, four_colour=True) is Tint.SPADE


def test_lit_dim_and_plain_cards_differ() -> None:
    art = CardArt(THEME, FONTS, four_colour=True)
    ace = Card.of(14, SPADES)
    looks = {
        pygame.image.tobytes(art.picture(ace, (60, 84), look), "RGBA")
        for look in ("plain", "lit", "dim")
    }
    assert len(looks) == 3


@pytest.mark.parametrize(
    ("name", "place", "tint"),
    [
        # Middle of the lit row "straight flush", of a row that is not, and of the pill of the spot.
        ("big-win", (500, 368), Tint.GOLD),
        ("big-win", (500, 237), Tint.PANEL),
        ("big-win", (612, 368), Tint.INK),
        ("attract", (500, 400), Tint.STRIPE),
    ],
)
def test_pictures_at_1080p_are_coloured_where_they_must_be(
    name: str, place: tuple[int, int], tint: Tint
) -> None:
    picture = still(SAMPLES[name].scene(), (1920, 1080), SignSettings(), FONTS)
    found, wanted = picture.get_at(place), THEME.rgb(tint)
    assert all(abs(found[channel] - wanted[channel]) <= 3 for channel in range(3))
