"""What the sign is known to show: every sample scene as text, and some of them as pictures.

``python tests/signage/sign_goldens.py`` writes them anew into ``goldens``. Read what changed in
the text, and look at every picture that changed, before they are committed: the tests
hold the sign to them.
"""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass, fields, is_dataclass
from pathlib import Path
from typing import Any

import pygame

from firmware_app.signage.samples import samples
from firmware_app.signage.scene import Scene, ShownCard
from firmware_app.signage.settings import Language, SignSettings, Size
from firmware_app.signage.still import save_png, still
from firmware_app.signage.typefaces import FontBook
from firmware_app.signage.words import Say

GOLDENS = Path(__file__).parent / "goldens"
LANDSCAPE: Size = (1280, 720)
PORTRAIT: Size = (720, 1280)
FONTS = FontBook()


@dataclass(frozen=True)
class Shot:
    """One picture: a sample on a sign of ``size`` in ``languages``."""

    sample: str
    size: Size = LANDSCAPE
    languages: tuple[Language, ...] = ("en",)


SHOTS = {
    "attract-portrait": Shot("attract-face-up", PORTRAIT),
    "betting-spanish": Shot("betting", languages=("es",)),
    "dealt-face-up": Shot("dealt-face-up"),
    "reveal-chinese": Shot("reveal-face-up", languages=("zh",)),
    "big-win": Shot("big-win"),
    "void": Shot("void"),
}


def scene_file(name: str) -> Path:
    return GOLDENS / "scenes" / f"{name}.json"


def picture_file(name: str) -> Path:
    return GOLDENS / "pictures" / f"{name}.png"


def scene_text(scene: Scene) -> str:
    """Return everything that ``scene`` holds, one value a line.

    What is not there (None, False, empty) is left out; no field has two of these, so that nothing
    is lost. A message is its key and its figures; a card its name, then how it looks.
    """
    return json.dumps(_plain(scene), indent=1, ensure_ascii=False) + "\n"


def _plain(value: Any) -> Any:
    match value:
        case Say(key, values):
            return " ".join((key, *(f"{name}={figure}" for name, figure in values)))
        case ShownCard(card, look):
            return f"{'face down' if card is None else card} {look}"
        case tuple() if value and all(isinstance(part, ShownCard) for part in value):
            return ", ".join(_plain(part) for part in value)
        case tuple():
            return [_plain(part) for part in value]
        case _ if is_dataclass(value):
            parts = {field.name: getattr(value, field.name) for field in fields(value)}
            return {
                name: _plain(part)
                for name, part in parts.items()
                if part is not None and part is not False and part != ()
            }
        case _:
            return value


def picture(shot: Shot) -> pygame.Surface:
    """Return ``shot`` as it is painted, smaller."""
    settings = SignSettings(languages=shot.languages)
    return smaller(still(samples()[shot.sample].scene(), shot.size, settings, FONTS))


def smaller(full: pygame.Surface) -> pygame.Surface:
    """Return a picture at three eighths of its size: a whole layout in a small file."""
    width, height = full.get_size()
    return pygame.transform.smoothscale(full, (width * 3 // 8, height * 3 // 8))


def write() -> None:
    """Write every golden anew, and take away those of scenes that are no more."""
    for folder in (GOLDENS / "scenes", GOLDENS / "pictures"):
        folder.mkdir(parents=True, exist_ok=True)
        for stale in folder.iterdir():
            stale.unlink()
    for name, sample in samples().items():
        scene_file(name).write_text(scene_text(sample.scene()), "utf-8")
    for name, shot in SHOTS.items():
        save_png(picture(shot), picture_file(name))
    sys.stdout.write(f"look at what changed in {GOLDENS} before you commit it\n")


if __name__ == "__main__":
    write()
