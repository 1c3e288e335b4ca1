"""Patterns of the envy lamps: off, on, blink.

A pattern is a pure function of the time, so that every lamp that blinks does so in step, and a
lamp looks the same after a restart. The blink stays below three flashes a second, the limit of
WCAG 2.3.1 for light that could trigger a seizure.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from enum import Enum
from typing import Final

BLINK_HZ: Final = 2
_HALF_PERIOD_NS: Final = 1_000_000_000 // (2 * BLINK_HZ)


class LampPattern(Enum):
    """What a lamp shows: dark, steady, or a spot that is owed money."""

    OFF = "off"
    ON = "on"
    BLINK = "blink"

    def lit(self, now_ns: int) -> bool:
        """Whether the lamp is lit at this moment of the monotonic clock."""
        if self is LampPattern.BLINK:
            return now_ns // _HALF_PERIOD_NS % 2 == 0
        return self is LampPattern.ON

    def changes_ns(self, now_ns: int) -> int | None:
        """The next moment at which the lamp must be switched; None: it stays as it is."""
        if self is LampPattern.BLINK:
            return (now_ns // _HALF_PERIOD_NS + 1) * _HALF_PERIOD_NS
        return None


class LampBoard:
    """The lamps of a panel: writes a pin only when its lamp must change.

    :param spots: spots that have a lamp.
    :param light: switches the lamp of a spot; raises nothing (``Panel.light``).
    """

    def __init__(self, spots: Iterable[int], light: Callable[[int, bool], None]) -> None:
        self._light = light
        self._lit: dict[int, bool | None] = dict.fromkeys(spots)

    def show(self, patterns: Mapping[int, LampPattern], now_ns: int) -> int | None:
        """Shows the patterns; a spot that is not named is dark, a spot without lamp is passed over.

        Returns the moment at which it must be called again with the same patterns (nanoseconds of
        the monotonic clock), or None when no lamp blinks.
        """
        changes: list[int] = []
        for spot, was_lit in self._lit.items():
            pattern = patterns.get(spot, LampPattern.OFF)
            lit = pattern.lit(now_ns)
            if lit is not was_lit:
                self._light(spot, lit)
                self._lit[spot] = lit
            change_ns = pattern.changes_ns(now_ns)
            if change_ns is not None:
                changes.append(change_ns)
        return min(changes, default=None)
