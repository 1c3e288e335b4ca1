"""Draws one frame on the display and looks at it: ``python -m …display_probe SETTINGS``.

A process of its own, since a video driver can hang or end the process, and what it leaves behind
is released with it. Prints one JSON object; an error of SDL ends it with its message.
"""

from __future__ import annotations

import json
import sys
from typing import Final

import pygame
from pygame._sdl2 import video
from pygame._sdl2.sdl2 import error as Sdl2Error  # noqa: N812 - pygame names it in lower case

from firmware_app.signage.screen import Screen
from firmware_app.signage.settings import SignSettings
from firmware_app.signage.theme import load_theme
from firmware_app.signage.typefaces import FontBook

# A colour a quarter, all of them unlike what a screen shows that nobody draws on.
_QUARTERS: Final = ((200, 40, 40), (40, 200, 40), (40, 40, 200), (200, 200, 40))
_TOLERANCE: Final = 24
"""A screen of 16 bits a pixel rounds by up to 8; a wrong colour is off by more than a hundred."""


def main(arguments: list[str]) -> None:
    """Open the display as the sign does, draw, and print what was found."""
    settings = SignSettings.model_validate_json(arguments[0])
    screen = Screen(settings, load_theme(settings.theme_file), FontBook())
    screen.open()
    surface = pygame.display.get_surface()
    pygame.event.pump()
    picture = pattern(surface.get_size())
    surface.blit(picture, (0, 0))
    pygame.display.flip()
    found = {
        "driver": pygame.display.get_driver(),
        "size": surface.get_size(),
        "seen": shows_pattern(_on_screen(surface, picture)),
    }
    screen.close()
    sys.stdout.write(json.dumps(found) + "\n")


def _on_screen(surface: pygame.Surface, picture: pygame.Surface) -> pygame.Surface:
    """Return what the graphics processor made of ``picture``, or the frame where there is none.

    A driver without the right OpenGL library draws nothing and reports no error, so only its own
    picture, read back, tells.
    """
    try:
        renderer = video.Renderer.from_window(video.Window.from_display_module())
    except Sdl2Error:
        return surface  # SDL hands this very memory to the screen
    video.Texture.from_surface(renderer, picture).draw()
    return renderer.to_surface()


def _middles(size: tuple[int, int]) -> list[tuple[int, int]]:
    width, height = size
    return [(width * x // 4, height * y // 4) for y in (1, 3) for x in (1, 3)]


def pattern(size: tuple[int, int]) -> pygame.Surface:
    """Return the test picture: a colour a quarter."""
    width, height = size
    picture = pygame.Surface(size)
    for place, colour in enumerate(_QUARTERS):
        corner = (place % 2 * (width // 2), place // 2 * (height // 2))
        picture.fill(colour, (corner, (width - width // 2, height - height // 2)))
    return picture


def shows_pattern(screen: pygame.Surface) -> bool:
    """Return whether the test picture is what ``screen`` shows."""
    for place, wanted in zip(_middles(screen.get_size()), _QUARTERS, strict=True):
        seen = screen.get_at(place)[:3]
        if any(abs(one - other) > _TOLERANCE for one, other in zip(seen, wanted, strict=True)):
            return False
    return True


if __name__ == "__main__":
    main(sys.argv[1:])
