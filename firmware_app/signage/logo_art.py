"""The picture of a logo, scaled for the header."""

from __future__ import annotations

import logging
from pathlib import Path

import pygame

from firmware_app.signage.logo import read_logo
from firmware_app.signage.settings import Size

log = logging.getLogger(__name__)


def logo_picture(path: Path, size: Size) -> pygame.Surface:
    """Return the logo in ``size``, its colours multiplied by their alpha (premultiplied).

    Scaled so, the hidden colour of transparent pixels does not bleed into the rim. A logo that was
    taken away or spoilt since the theme was loaded is logged and left out: the picture is empty.
    """
    empty = pygame.Surface(size, pygame.SRCALPHA)
    try:
        read_logo(path)
        loaded = pygame.image.load(str(path))
    except (ValueError, OSError, pygame.error) as error:
        log.warning("the sign has no logo: %s", error)
        return empty
    # Onto 32 bits with alpha, whatever the file has: neither palette nor grey can be scaled.
    large = pygame.Surface(loaded.get_size(), pygame.SRCALPHA)
    large.blit(loaded, (0, 0))
    return pygame.transform.smoothscale(large.premul_alpha(), size)
