"""Which lamps are lit: one after the other by themselves, or as keys say. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

STEP_NS: Final = 1_000_000_000


class LampWalk:
    """The lamps of a test. Keys: a spot's number switches its lamp, ``l`` starts or stops the
    walk, ``0`` darkens all."""

    def __init__(self, spots: Iterable[int], *, walking_since_ns: int | None) -> None:
        self._spots = tuple(sorted(spots))
        self._since_ns = walking_since_ns
        self._chosen: frozenset[int] = frozenset()

    def press(self, key: str, now_ns: int) -> None:
        """Take one key; those that mean nothing here are passed over."""
        if key == "l":
            self._since_ns = now_ns if self._since_ns is None else None
            self._chosen = frozenset()
        elif key == "0":
            self._since_ns, self._chosen = None, frozenset()
        elif key.isdecimal() and int(key) in self._spots:
            self._since_ns = None
            self._chosen = self._chosen ^ {int(key)}

    def lit(self, now_ns: int) -> frozenset[int]:
        """Return the spots whose lamps are lit now."""
        if self._since_ns is None or not self._spots:
            return self._chosen
        return frozenset([self._spots[(now_ns - self._since_ns) // STEP_NS % len(self._spots)]])
