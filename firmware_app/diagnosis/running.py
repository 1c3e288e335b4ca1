"""Whether the table is running: the lock beside its journal tells, and the journal stays shut."""

from __future__ import annotations

import fcntl
import os
from pathlib import Path

from firmware_app.journal.mark import mark_path


def table_runs(journal: Path) -> bool:
    """Return whether a controller holds ``journal`` now.

    Raises OSError where this user may not look.
    """
    try:
        descriptor = os.open(mark_path(journal), os.O_RDONLY | os.O_CLOEXEC)
    except FileNotFoundError:
        return False
    try:
        # Shared, so that two of us do not take each other for the table. It is given back at once.
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(descriptor)
    return False
