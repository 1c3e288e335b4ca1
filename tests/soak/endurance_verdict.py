"""Whether what a table uses stays the same: figures sampled over a long run."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Sample:
    """What the table used at one moment; ``sign_rss_bytes`` is its painting process's."""

    rss_bytes: int
    sign_rss_bytes: int
    open_files: int
    threads: int


@dataclass(frozen=True, slots=True)
class Limit:
    """How far the medians of the second and of the last quarter may lie apart, either way."""

    share: float = 0.0
    absolute: int = 0

    def allows(self, before: float, after: float) -> bool:
        return abs(after - before) <= self.absolute + self.share * before


LIMITS = {
    # Allocators breathe; a leak of 3 KB a round shows over a day.
    "rss_bytes": Limit(share=0.01, absolute=1_000_000),
    # The widths of 20,000 texts are kept, and a day has few enough to go on filling that.
    "sign_rss_bytes": Limit(share=0.02, absolute=3_000_000),
    "open_files": Limit(),
    "threads": Limit(),
}


def quarters(values: Sequence[int]) -> tuple[float, float]:
    """Return the medians of the second and the last quarter; the first is warming up."""
    quarter = len(values) // 4
    return (
        statistics.median(values[quarter : 2 * quarter]),
        statistics.median(values[-quarter:]),
    )


def figures(samples: Sequence[Sample]) -> dict[str, dict[str, Any]]:
    """Return for each figure its first, last and highest value, the medians, and the verdict.

    Raises ValueError for fewer than 8 samples.
    """
    if len(samples) < 8:
        raise ValueError(f"{len(samples)} samples say nothing: take at least 8")
    found: dict[str, dict[str, Any]] = {}
    for name, limit in LIMITS.items():
        values = [getattr(sample, name) for sample in samples]
        before, after = quarters(values)
        found[name] = {
            "first": values[0],
            "last": values[-1],
            "max": max(values),
            "second_quarter": before,
            "last_quarter": after,
            "flat": limit.allows(before, after),
        }
    return found
