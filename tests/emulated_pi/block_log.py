"""What a guest wrote to its disk, request by request, and what the disk may hold after a power cut.

QEMU's ``blklogwrites`` notes every request once the disk has completed it, in the format of the
kernel's dm-log-writes. A flush brings to the disk whatever was completed before it; what was
written since may be there, sector by sector, or not.

Sources: the kernel's ``admin-guide/device-mapper/log-writes.rst`` and ``dm-log-writes.c`` for the
format, QEMU's ``block/blklogwrites.c`` for when a request is noted.
"""

from __future__ import annotations

import os
import random
import struct
import subprocess
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal, Self

SECTOR_BYTES: Final = 512
FLUSH, FUA, DISCARD, MARK = 1, 2, 4, 8
MAGIC: Final = 0x6A736677736872
HEADER: Final = struct.Struct("<QQQI")
"""The first sector: magic, version, entries, bytes a sector."""
ENTRY: Final = struct.Struct("<QQQQ")
"""A sector before the data of each request: sector, sectors, flags, bytes of a mark."""

Fate = Literal["safe", "kept", "torn", "lost"]
"""What a power cut makes of a write: it was on the disk, or it is there by luck, in part, not."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One request: ``sectors`` from ``sector`` on. ``data_at`` is where its data lies in the log,
    None where it has none."""

    sector: int
    sectors: int
    flags: int
    data_at: int | None


class BlockLog:
    """A log that QEMU writes, or has written, to ``path``. Close it, or use it in a ``with`` block.

    ``path`` must have been all zeros before, which is how the end of the log is known: the number
    of entries in its first sector is behind what was noted since the last flush.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._file = os.open(path, os.O_RDONLY)
        self._size = os.fstat(self._file).st_size
        self._end = SECTOR_BYTES
        self.entries: list[Entry] = []

    def close(self) -> None:
        os.close(self._file)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def position(self) -> int:
        """Read on; return how many requests are noted by now, 0 before the first flush.

        Whatever the disk had confirmed to the guest before this call is counted. Raises ValueError
        for a file that is no such log, and for one that is full.
        """
        if not self._begun():
            return 0
        while True:
            if self._end >= self._size:
                raise ValueError(f"{self._path} is full: give the log more than {self._size} bytes")
            sector, sectors, flags, mark_bytes = ENTRY.unpack(self._read(self._end, ENTRY.size))
            if not sectors and not flags:
                return len(self.entries)
            if flags & ~(FLUSH | FUA | DISCARD | MARK):
                raise ValueError(
                    f"{self._path}: entry {len(self.entries)} has flags {flags:#x}, which mean "
                    "nothing: was the file all zeros when the guest was started?"
                )
            stored = 0 if flags & DISCARD else sectors + -(-mark_bytes // SECTOR_BYTES)
            has_data = sectors and not flags & DISCARD
            data_at = self._end + SECTOR_BYTES if has_data else None
            self.entries.append(Entry(sector, sectors, flags, data_at))
            self._end += (1 + stored) * SECTOR_BYTES

    def crash(
        self,
        base: Path,
        image: Path,
        cut: int,
        keep: random.Random | bool,
        *,
        undivided: range = range(0),
        honest_until: int | None = None,
    ) -> Counter[Fate]:
        """Make ``image`` a disk that began as ``base`` and lost its power after ``cut`` entries.

        ``keep`` says what becomes of writes that were not flushed: all, none, or by chance, each
        of them whole, gone, or torn into sectors of which some are there; the ``undivided``
        sectors are written together or not at all. A disk that is ``honest_until`` an entry
        confirms flushes from there on and does nothing. Returns how many writes met which fate.
        """
        copy_image(base, image)
        honest = cut if honest_until is None else min(cut, honest_until)
        flushed = max(
            (number for number in range(honest) if self.entries[number].flags & FLUSH), default=0
        )
        fates: Counter[Fate] = Counter()
        with image.open("r+b") as disk:
            for number, entry in enumerate(self.entries[:cut]):
                if entry.data_at is None:
                    # What is discarded may as well stay, and a file system must live with that.
                    continue
                safe = number < flushed or (entry.flags & FUA and number < honest)
                fate = "safe" if safe else _fate(keep)
                fates[fate] += 1
                if fate == "lost":
                    continue
                sectors = range(entry.sector, entry.sector + entry.sectors)
                if fate == "torn" and isinstance(keep, random.Random):
                    left = _torn(sectors, undivided, keep)
                else:
                    left = list(sectors)
                for sector in left:
                    at = entry.data_at + (sector - entry.sector) * SECTOR_BYTES
                    disk.seek(sector * SECTOR_BYTES)
                    disk.write(self._read(at, SECTOR_BYTES))
        return fates

    def _begun(self) -> bool:
        if self.entries:
            return True
        magic, version, _, sector_bytes = HEADER.unpack(self._read(0, HEADER.size))
        if not magic:
            return False
        if (magic, version, sector_bytes) != (MAGIC, 1, SECTOR_BYTES):
            raise ValueError(
                f"{self._path} is no log of version 1 with sectors of {SECTOR_BYTES} bytes: give "
                f"blklogwrites log-sector-size={SECTOR_BYTES}"
            )
        return True

    def _read(self, offset: int, size: int) -> bytes:
        return os.pread(self._file, size, offset)


def copy_image(source: Path, target: Path) -> None:
    """Copy a disk, without making blocks of its holes."""
    subprocess.run(["cp", "--sparse=always", "--reflink=auto", source, target], check=True)


def _torn(sectors: range, undivided: range, chance: random.Random) -> list[int]:
    """Return the sectors of a torn write that are there."""
    together = chance.random() < 0.5
    return [
        sector for sector in sectors if (together if sector in undivided else chance.random() < 0.5)
    ]


def _fate(keep: random.Random | bool) -> Fate:
    if isinstance(keep, bool):
        return "kept" if keep else "lost"
    return keep.choice(("kept", "torn", "lost"))
