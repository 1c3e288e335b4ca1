"""A bound on the rate of sending."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(slots=True)
class Pacer:
    """Holds sending to ``per_s`` messages a second, in bursts of up to a tenth of a second."""

    per_s: int
    _credit: float = 0.0
    _seen_s: float | None = None

    def allowance(self, now_s: float) -> int:
        """Return how many messages may go out now."""
        if self._seen_s is not None:
            self._credit += (now_s - self._seen_s) * self.per_s
        self._seen_s = now_s
        self._credit = min(self._credit, max(1.0, self.per_s / 10))
        return int(self._credit)

    def spend(self, count: int) -> None:
        """Note that ``count`` messages went out."""
        self._credit -= count

    def wait_s(self) -> float:
        """Return how long until the next message may go out."""
        return max(0.0, (1 - self._credit) / self.per_s)
