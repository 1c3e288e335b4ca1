"""Whether there is room to go on recording."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class StorageSpace:
    """Room on the file system of the journal, in bytes."""

    free_bytes: int
    reserve_bytes: int

    @property
    def enough(self) -> bool:
        """Whether a new round may be opened."""
        return self.free_bytes >= self.reserve_bytes


def storage_space(journal: Path, *, reserve_bytes: int) -> StorageSpace:
    """Return the room where ``journal`` lies; raise OSError where its folder is gone."""
    return StorageSpace(shutil.disk_usage(journal.absolute().parent).free, reserve_bytes)
