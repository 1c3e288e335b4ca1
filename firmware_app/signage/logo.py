"""A house's logo as a theme names it: checked when the theme is loaded, a plain value after.

Only the header of the PNG is read here; the painter decodes it.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from pathlib import Path
from typing import Final

MOST_PIXELS: Final = 4096
"""The longest side a logo may have: more takes memory and shows nothing more."""
MOST_BYTES: Final = 2_000_000

# PNG (third edition), 5.2 and 11.2.1: the signature, then the IHDR chunk, whose 13 bytes of data
# begin with width and height.
_START: Final = b"\x89PNG\r\n\x1a\n" + struct.pack(">I", 13) + b"IHDR"
_SIDES: Final = struct.Struct(">II")


@dataclass(frozen=True, slots=True)
class Logo:
    """Where a logo's file is, and the size of its picture in pixels."""

    path: Path
    width: int
    height: int


def read_logo(path: Path) -> Logo:
    """Return the logo of a PNG file; raise ValueError, with the cure, if it cannot be used."""
    try:
        if not path.is_file():
            raise ValueError(f"{path} is no file; name a PNG file, relative to the theme file")
        size = path.stat().st_size
        with path.open("rb") as file:
            start = file.read(len(_START) + _SIDES.size)
    except OSError as error:
        raise ValueError(
            f"{path} cannot be read: {error.strerror}; let the sign's user read it"
        ) from error
    if size > MOST_BYTES:
        raise ValueError(
            f"{path} has {size:,} bytes; save it smaller, {MOST_BYTES:,} bytes at most"
        )
    if not start.startswith(_START) or len(start) < len(_START) + _SIDES.size:
        raise ValueError(f"{path} is no PNG picture; export the logo as PNG")
    width, height = _SIDES.unpack_from(start, len(_START))
    if not (1 <= width <= MOST_PIXELS and 1 <= height <= MOST_PIXELS):
        raise ValueError(
            f"{path} is {width} x {height} pixels; save it with sides of 1 to {MOST_PIXELS} pixels"
        )
    return Logo(path, width, height)
