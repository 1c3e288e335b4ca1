"""Which software this is: its version, and the digest of its own files."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Final, Self

PACKAGES: Final = ("firmware_app", "hw")


@dataclass(frozen=True, slots=True)
class Software:
    """``digest`` is the SHA-256, in hexadecimal, of every file of the program as it is installed.

    Compiled code and what the distribution brings are not part of it.
    """

    version: str
    digest: str

    @classmethod
    def running(cls) -> Self:
        """Return the software that runs now. Reads about 4 MB; raises OSError where it cannot."""
        return cls(version("fortune-table"), digest_of(Path(__file__).parents[2]))


def digest_of(folder: Path) -> str:
    """Return the digest of the packages in ``folder``: of each file's name, length and content."""
    total = hashlib.sha256()
    for path in _files(folder):
        content = path.read_bytes()
        total.update(f"{path.relative_to(folder).as_posix()}\0{len(content)}\0".encode())
        total.update(content)
    return total.hexdigest()


def _files(folder: Path) -> Iterator[Path]:
    for package in PACKAGES:
        for path in sorted((folder / package).rglob("*")):
            if path.is_file() and "__pycache__" not in path.parts:
                yield path
