"""How long to wait before the next attempt to reach the broker."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Backoff:
    """Delays that double from ``first_s`` to ``cap_s``, each shortened by up to half at random.

    The jitter keeps the tables of a pit from calling in step when their broker comes back. No
    delay is shorter than the one before it, until the cap is reached.
    """

    first_s: float = 1.0
    cap_s: float = 20.0
    uniform: Callable[[float, float], float] = random.uniform

    def delay_s(self, attempt: int) -> float:
        """Return the wait after failure number ``attempt``, counted from 0, in seconds."""
        # Past 2**16 the cap has long been reached; the bound keeps the power a small number.
        ceiling_s = min(self.cap_s, self.first_s * 2.0 ** min(attempt, 16))
        return ceiling_s * self.uniform(0.5, 1.0)
