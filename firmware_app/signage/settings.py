"""How one table's sign is set up: the ``[sign]`` part of a table's configuration."""

import re
from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, model_validator

Language = Literal["en", "es", "zh"]
Size = tuple[int, int]

SIZES: tuple[Size, ...] = ((1920, 1080), (1280, 720), (1080, 1920), (480, 320))
"""The sizes of the gallery. A sign may have any other; what it shows is fitted to it."""

_SIZE = re.compile(r"(\d{3,4})x(\d{3,4})")
_SMALLEST: Size = (480, 320)


def parse_size(text: str) -> Size:
    """Return ``1920x1080`` as (1920, 1080). Raises ValueError for anything else."""
    match = _SIZE.fullmatch(text.strip().lower())
    if match is None:
        raise ValueError(f"size {text!r} is not understood; write it as 1920x1080")
    width, height = int(match[1]), int(match[2])
    if max(width, height) < _SMALLEST[0] or min(width, height) < _SMALLEST[1]:
        raise ValueError(
            f"size {text} is too small to be read; use {_SMALLEST[0]}x{_SMALLEST[1]} or more"
        )
    return width, height


def _checked_size(text: str) -> str:
    if text != "fullscreen":
        parse_size(text)
    return text


class SignSettings(BaseModel):
    """What a venue chooses for its sign.

    ``driver`` is SDL's video driver; ``auto`` leaves the choice to SDL. ``connector`` names the
    video output as the kernel does (``HDMI-A-1``): while it reports no screen, the sign waits.
    ``spot_one_at`` is the side on which players see spot 1: on the right of a sign that hangs
    behind the dealer. ``attract_after_s`` is how long the table rests before the sign sells again.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    size: Annotated[str, AfterValidator(_checked_size)] = "fullscreen"
    languages: Annotated[tuple[Language, ...], Field(min_length=1, max_length=2)] = ("en",)
    reduced_motion: bool = False
    four_colour: bool = True
    spot_one_at: Literal["left", "right"] = "right"
    theme_file: Path | None = None
    driver: Literal["auto", "kmsdrm", "x11", "wayland", "dummy"] = "auto"
    connector: Annotated[str, Field(pattern=r"^[A-Za-z]+(-[A-Z])?-\d+$")] | None = None
    attract_after_s: Annotated[int, Field(ge=5, le=3600, strict=True)] = 30

    @model_validator(mode="after")
    def _two_languages_differ(self) -> Self:
        if len(set(self.languages)) != len(self.languages):
            raise ValueError(f"languages {list(self.languages)} name one twice; keep it once")
        return self
