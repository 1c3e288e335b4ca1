"""Socket addresses of any length: the kernel takes 107 bytes, a path may be longer."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

_LONGEST_BYTES: Final = 107


@contextmanager
def address_of(path: Path) -> Iterator[str]:
    """Give an address by which the socket at ``path`` can be bound or reached inside the block.

    Raises OSError where the folder of ``path`` cannot be opened.
    """
    if len(os.fsencode(path)) <= _LONGEST_BYTES:
        yield str(path)
        return
    folder = os.open(path.parent, os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        # The kernel follows its own link to the open folder, which is short.
        yield f"/proc/self/fd/{folder}/{path.name}"
    finally:
        os.close(folder)
