"""A private directory for lgpio's notification pipe.

At its import lgpio makes a named pipe, ``.lgd-nfy0``, in ``$LG_WD`` or else in the current
directory, and moves the process into ``$LG_WD``. A service's current directory is not writable,
and two programs in one directory would read each other's edges.
"""

from __future__ import annotations

import atexit
import os
import shutil
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path


class RuntimeDirectoryError(RuntimeError):
    """No directory for lgpio's pipe; the message names what was tried and the cure."""


def runtime_base(environment: Mapping[str, str]) -> Path:
    """Where the private directory goes.

    ``LG_WD`` if set, else systemd's ``RUNTIME_DIRECTORY``, else ``XDG_RUNTIME_DIR``, else the
    directory for temporary files.
    """
    for name in ("LG_WD", "RUNTIME_DIRECTORY", "XDG_RUNTIME_DIR"):
        # systemd separates several runtime directories with colons; the first one is ours.
        value = environment.get(name, "").partition(":")[0]
        if value:
            return Path(value)
    return Path(tempfile.gettempdir())


@contextmanager
def lgpio_directory() -> Iterator[None]:
    """Import lgpio inside this: it gets a directory of its own, and the process stays where it was.

    Every process has its own directory, so that a second instance never shares the first one's
    pipe. It is removed when the process ends.

    :raises RuntimeDirectoryError: the base directory cannot be written.
    """
    if "lgpio" in sys.modules:
        yield
        return
    base = runtime_base(os.environ)
    try:
        own = tempfile.mkdtemp(prefix="gpio-", dir=base)
    except OSError as error:
        raise RuntimeDirectoryError(
            f"no directory for lgpio's pipe: {base} cannot be written ({error.strerror}); "
            "set LG_WD to a directory that this user may write"
        ) from error
    atexit.register(shutil.rmtree, own, ignore_errors=True)
    before = Path.cwd()
    os.environ["LG_WD"] = own
    try:
        yield
    finally:
        os.chdir(before)
