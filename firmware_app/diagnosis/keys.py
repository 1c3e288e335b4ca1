"""Single keys of a terminal, taken without waiting for them."""

from __future__ import annotations

import os
import select
import termios
import tty
from types import TracebackType
from typing import Any, Self


class Keys:
    """Keys pressed at the terminal ``descriptor``; without a terminal there are never any.

    The terminal passes on each key at once while this is open, and is then as it was before.
    """

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor if os.isatty(descriptor) else None
        self._before: list[Any] = []

    def __enter__(self) -> Self:
        if self._descriptor is not None:
            self._before = termios.tcgetattr(self._descriptor)
            tty.setcbreak(self._descriptor)
        return self

    def __exit__(
        self,
        exc_type: type[BaseException] | None,
        exc: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if self._descriptor is not None:
            termios.tcsetattr(self._descriptor, termios.TCSADRAIN, self._before)

    def pressed(self) -> str:
        """Return the keys pressed since the last call, in their order."""
        if self._descriptor is None or not select.select([self._descriptor], [], [], 0)[0]:
            return ""
        return os.read(self._descriptor, 64).decode("ascii", "ignore")
