"""Playing cards as vector drawings: large corner index, large suit, four colours if wanted."""

from __future__ import annotations

from typing import Final, Literal

import pygame

from firmware_app.cards import CLUBS, DIAMONDS, HEARTS, SPADES, Card
from firmware_app.signage.operations import Face
from firmware_app.signage.shapes import (
    OVERSAMPLE,
    STAR,
    SUIT_SHAPES,
    draw_polygons,
    shape,
    smooth,
)
from firmware_app.signage.theme import Rgb, Theme, Tint
from firmware_app.signage.typefaces import FontBook

Look = Literal["plain", "lit", "dim"]

_FOUR_COLOUR: Final = {
    SPADES: Tint.SPADE,
    HEARTS: Tint.HEART,
    DIAMONDS: Tint.DIAMOND,
    CLUBS: Tint.CLUB,
}
_TWO_COLOUR: Final = {
    SPADES: Tint.SPADE,
    HEARTS: Tint.HEART,
    DIAMONDS: Tint.HEART,
    CLUBS: Tint.SPADE,
}


def suit_tint(card: Card, *, four_colour: bool) -> Tint:
    """Return the ink of a card; the joker is printed in the spades' black."""
    if card.is_joker:
        return Tint.SPADE
    return (_FOUR_COLOUR if four_colour else _TWO_COLOUR)[card.suit]


def rank_text(card: Card) -> str:
    """Return the index of a natural card as players read it: ``10``, not ``T``."""
    return str(card)[0].replace("T", "10")


class CardArt:
    """Draws cards of one theme. The pictures are kept by the painter."""

    def __init__(self, theme: Theme, fonts: FontBook, *, four_colour: bool) -> None:
        self._theme = theme
        self._fonts = fonts
        self._four_colour = four_colour

    def picture(self, card: Card | None, size: tuple[int, int], look: Look) -> pygame.Surface:
        """Return a card of ``size`` pixels; None is a card face down."""
        if card is None:
            return self._back(size)
        paper = self._theme.rgb(Tint.CARD_DIM if look == "dim" else Tint.CARD)
        edge = self._theme.rgb(Tint.GOLD if look == "lit" else Tint.SPADE)
        width = max(1, size[0] // (14 if look == "lit" else 50))
        face = self._blank(size, paper, edge, width)
        if card.is_joker:
            self._print_joker(face, size)
        else:
            self._print_natural(face, card, size)
        return face

    def _blank(
        self, size: tuple[int, int], paper: Rgb, edge: Rgb, edge_width: int
    ) -> pygame.Surface:
        radius = max(2, size[0] // 9)

        def draw(surface: pygame.Surface) -> None:
            whole = surface.get_rect()
            pygame.draw.rect(surface, edge, whole, border_radius=radius * OVERSAMPLE)
            inner = whole.inflate(-2 * edge_width * OVERSAMPLE, -2 * edge_width * OVERSAMPLE)
            inside = max(1, radius - edge_width) * OVERSAMPLE
            pygame.draw.rect(surface, paper, inner, border_radius=inside)

        return smooth(size, edge, draw)

    def _print_natural(self, face: pygame.Surface, card: Card, size: tuple[int, int]) -> None:
        """A large index at the top left and the suit at the bottom right: read from afar."""
        width, height = size
        colour = self._theme.rgb(suit_tint(card, four_colour=self._four_colour))
        pad = max(2, round(width * 0.1))
        index = self._index(rank_text(card), round(height * 0.36), round(width * 0.56), colour)
        face.blit(index, (pad, pad))
        side = round(width * 0.6)
        suit = shape(SUIT_SHAPES[card.suit], side, colour)
        face.blit(suit, (width - side - round(width * 0.08), height - side - round(width * 0.09)))

    def _index(self, rank: str, height: int, width: int, colour: Rgb) -> pygame.Surface:
        """Return a rank in its ink, ``height`` high; one that is too wide is pressed together."""
        picture = self._fonts.picture(rank, Face.FIGURE, round(height / 0.73), colour)
        ink = picture.subsurface(picture.get_bounding_rect())
        return pygame.transform.smoothscale(ink, (min(width, ink.get_width()), height))

    def _print_joker(self, face: pygame.Surface, size: tuple[int, int]) -> None:
        """A star over its name: the one card without rank and suit."""
        width, height = size
        ink = self._theme.rgb(Tint.SPADE)
        gold = self._theme.rgb(Tint.GOLD_DEEP)
        side = round(width * 0.66)
        face.blit(shape((STAR,), side, gold), ((width - side) // 2, round(height * 0.14)))
        name = self._fitted("JOKER", round(height * 0.24), round(width * 0.84), ink)
        face.blit(name, ((width - name.get_width()) // 2, round(height * 0.66)))

    def _fitted(self, text: str, height: int, width: int, colour: Rgb) -> pygame.Surface:
        """Return ``text`` cut to its ink, no higher or wider than given."""
        size = max(6, round(height / 0.73))
        while size > 6 and self._fonts.width(text, Face.FIGURE, size) > width:
            size -= 1
        picture = self._fonts.picture(text, Face.FIGURE, size, colour)
        return picture.subsurface(picture.get_bounding_rect())

    def _back(self, size: tuple[int, int]) -> pygame.Surface:
        """A lattice in gold on red inside a light frame: the same for every card."""
        paper, red = self._theme.rgb(Tint.CARD), self._theme.rgb(Tint.CARD_BACK)
        gold = self._theme.rgb(Tint.GOLD_DEEP)
        face = self._blank(size, paper, self._theme.rgb(Tint.SPADE), max(1, size[0] // 50))
        frame = max(2, size[0] // 14)
        inner = (size[0] - 2 * frame, size[1] - 2 * frame)

        def draw(surface: pygame.Surface) -> None:
            whole = surface.get_rect()
            radius = max(2, size[0] // 14) * OVERSAMPLE
            step = max(6, size[0] // 6) * OVERSAMPLE
            line = max(1, size[0] // 60) * OVERSAMPLE
            pygame.draw.rect(surface, red, whole)
            for start in range(-whole.h, whole.w + whole.h, step):
                pygame.draw.line(surface, gold, (start, 0), (start + whole.h, whole.h), line)
                pygame.draw.line(surface, gold, (start, 0), (start - whole.h, whole.h), line)
            centre = (whole.w * 0.5, whole.h * 0.5)
            side = whole.w * 0.56
            disc = round(side * 0.62)
            pygame.draw.circle(surface, red, centre, disc)
            pygame.draw.circle(surface, gold, centre, disc, line * 2)
            box = (centre[0] - side / 2, centre[1] - side / 2, side, side)
            draw_polygons(surface, (STAR,), gold, box)
            mask = pygame.Surface(whole.size, pygame.SRCALPHA)
            pygame.draw.rect(mask, (255, 255, 255, 255), whole, border_radius=radius)
            surface.blit(mask, (0, 0), special_flags=pygame.BLEND_RGBA_MIN)

        face.blit(smooth(inner, red, draw), (frame, frame))
        return face
