"""Which software this is: its version, and the digest of its own files."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.metadata import version
from io import FileIO
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
    for package in PACKAGES:
        for name, path in _files(str(folder / package), package):
            with FileIO(path) as file:
                content = file.readall()
            total.update(f"{name}\0{len(content)}\0".encode())
            total.update(content)
    return total.hexdigest()


def _files(folder: str, name: str) -> Iterator[tuple[str, str]]:
    """Yield the files under ``folder`` in the order of their names, which begin with ``name``."""
    # Every start waits for this: the folder itself tells which of its entries are files, paths stay
    # text, and files are read as they are; it takes half the time that it would take otherwise.
    with os.scandir(folder) as entries:
        found = sorted(entries, key=lambda entry: entry.name)
    for entry in found:
        inner = f"{name}/{entry.name}"
        if entry.is_dir():
            if entry.name != "__pycache__":
                yield from _files(entry.path, inner)
        elif entry.is_file():
            yield inner, entry.path
