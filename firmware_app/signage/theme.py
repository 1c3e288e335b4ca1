"""The colours and the logo of the sign, and the proof that every text can be read.

A theme is data: a venue's TOML file may change any colour, and is refused where a text would fall
below the contrast of 7 to 1 that WCAG 2.2 (success criterion 1.4.6) asks for. It may name a logo.
"""

import logging
import tomllib
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Final, Self

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    ValidationError,
    ValidationInfo,
    field_validator,
    model_validator,
)

from firmware_app.signage.logo import Logo, read_logo

log = logging.getLogger(__name__)

MINIMUM_CONTRAST: Final = 7.0

Rgb = tuple[int, int, int]
HexColour = Annotated[str, Field(pattern=r"^#[0-9A-Fa-f]{6}$")]


class Tint(StrEnum):
    """What a colour is for. The values are the keys of a theme file."""

    INK = "ink"
    FELT = "felt"
    PANEL = "panel"
    STRIPE = "stripe"
    EDGE = "edge"
    IVORY = "ivory"
    MUTED = "muted"
    GOLD = "gold"
    GOLD_DEEP = "gold_deep"
    ENVY = "envy"
    ALARM = "alarm"
    CARD = "card"
    CARD_DIM = "card_dim"
    CARD_BACK = "card_back"
    SPADE = "spade"
    HEART = "heart"
    DIAMOND = "diamond"
    CLUB = "club"
    CHIP = "chip"


class ThemeError(ValueError):
    """A theme that cannot be used. ``faults`` holds one readable line per fault."""

    def __init__(self, name: str, faults: list[str]) -> None:
        self.name = name
        self.faults = faults
        super().__init__(f"theme {name}: " + "; ".join(faults))


READABLE: Final[tuple[tuple[Tint, Tint], ...]] = (
    *(
        (text, ground)
        for text in (Tint.IVORY, Tint.MUTED, Tint.GOLD, Tint.ENVY, Tint.ALARM)
        for ground in (Tint.INK, Tint.FELT, Tint.PANEL, Tint.STRIPE)
    ),
    *((Tint.INK, ground) for ground in (Tint.GOLD, Tint.ENVY, Tint.ALARM, Tint.IVORY)),
    *((suit, Tint.CARD) for suit in (Tint.SPADE, Tint.HEART, Tint.DIAMOND, Tint.CLUB)),
    (Tint.IVORY, Tint.CHIP),
)
"""Every pair of text and ground that the layout uses."""


@dataclass(frozen=True, slots=True)
class _Context:
    """How a theme file is read: from which folder its logo, and whether the logo must be there."""

    folder: Path = Path()
    logo_may_fail: bool = False


class Theme(BaseModel):
    """One colour for each :class:`Tint`, as ``#RRGGBB``, and the logo of the header, if any."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    ink: HexColour = "#06110E"
    felt: HexColour = "#0C2A22"
    panel: HexColour = "#0A201A"
    stripe: HexColour = "#0F2B23"
    edge: HexColour = "#2B5A4A"
    ivory: HexColour = "#FBF6E6"
    muted: HexColour = "#BFCBBE"
    gold: HexColour = "#F5C85B"
    gold_deep: HexColour = "#B8862B"
    envy: HexColour = "#7DE3F4"
    alarm: HexColour = "#FFB199"
    card: HexColour = "#FFFDF6"
    card_dim: HexColour = "#B9B7A8"
    card_back: HexColour = "#6B1326"
    spade: HexColour = "#14171A"
    heart: HexColour = "#A50D1B"
    diamond: HexColour = "#0B3F96"
    club: HexColour = "#0C5527"
    chip: HexColour = "#7A1022"
    logo: Logo | None = None

    def rgb(self, tint: Tint) -> Rgb:
        """Return the colour of ``tint`` as three numbers from 0 to 255."""
        return rgb(getattr(self, tint.value))

    @field_validator("logo", mode="plain")
    @classmethod
    def _logo_of_file(cls, named: object, info: ValidationInfo) -> Logo | None:
        if named is None or isinstance(named, Logo):
            return named
        if not isinstance(named, str) or not named.lower().endswith(".png"):
            raise ValueError(f"{named!r} is no name of a PNG file; write it as 'logo.png'")
        context: _Context = info.context or _Context()
        try:
            return read_logo(context.folder / named)
        except ValueError as error:
            if not context.logo_may_fail:
                raise
            log.warning("the sign has no logo: %s", error)
            return None

    @model_validator(mode="after")
    def _readable(self) -> Self:
        faint = [
            f"{text} on {ground} has contrast {ratio:.1f} to 1; choose colours further apart"
            for text, ground in READABLE
            if (ratio := contrast(self.rgb(text), self.rgb(ground))) < MINIMUM_CONTRAST
        ]
        if faint:
            raise ValueError(f"contrast below {MINIMUM_CONTRAST:g} to 1: " + "; ".join(faint))
        return self


def rgb(colour: str) -> Rgb:
    """Return ``#RRGGBB`` as three numbers from 0 to 255."""
    return int(colour[1:3], 16), int(colour[3:5], 16), int(colour[5:7], 16)


def _linear(channel: int) -> float:
    share = channel / 255
    return share / 12.92 if share <= 0.04045 else ((share + 0.055) / 1.055) ** 2.4


def _luminance(colour: Rgb) -> float:
    red, green, blue = (_linear(channel) for channel in colour)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: Rgb, other: Rgb) -> float:
    """Return the contrast ratio of two colours, 1 to 21, as WCAG 2.2 defines it."""
    lighter, darker = sorted((_luminance(one), _luminance(other)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


def load_theme(path: Path | None, *, logo_may_fail: bool = False) -> Theme:
    """Return the theme of a TOML file, or the shipped one where ``path`` is None.

    Raises :class:`ThemeError` with every fault of the file. With ``logo_may_fail`` a logo that
    cannot be used is no fault: it is logged, and the theme has none.
    """
    if path is None:
        return Theme()
    try:
        return Theme.model_validate(
            tomllib.loads(path.read_text("utf-8")),
            context=_Context(path.parent, logo_may_fail),
        )
    except OSError as error:
        raise ThemeError(str(path), [f"cannot be read: {error.strerror}"]) from error
    except tomllib.TOMLDecodeError as error:
        raise ThemeError(str(path), [f"not valid TOML: {error}"]) from error
    except ValidationError as error:
        raise ThemeError(
            str(path),
            [
                f"{'.'.join(str(part) for part in fault['loc']) or 'theme'}: {fault['msg']}"
                for fault in error.errors()
            ],
        ) from error
