"""When to ask a table for what is missing. Pure: the time is given."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from firmware_app.feed.consumer import Gap

GRACE_S = 10.0
"""How long a hole may stay before it is one: another consumer may still have the event."""
AGAIN_S = 120.0
"""How long a table has for a resend before it is asked again."""


@dataclass(slots=True)
class _Hole:
    first: int
    ask_at_s: float


@dataclass(slots=True)
class Repairs:
    """Remembers what was asked of whom."""

    grace_s: float = GRACE_S
    again_s: float = AGAIN_S
    _holes: dict[str, _Hole] = field(default_factory=dict)

    def due(self, gaps: Iterable[Gap], now_s: float) -> dict[str, int]:
        """Return from which sequence on each source is to send again, now.

        ``gaps`` are all that there are, in order of sequence within a source.
        """
        first: dict[str, int] = {}
        for gap in gaps:
            first.setdefault(gap.source, gap.first)
        asked = {}
        for source, sequence in first.items():
            hole = self._holes.get(source)
            if hole is None or hole.first != sequence:
                self._holes[source] = _Hole(sequence, now_s + self.grace_s)
            elif now_s >= hole.ask_at_s:
                hole.ask_at_s = now_s + self.again_s
                asked[source] = sequence
        for source in self._holes.keys() - first.keys():
            del self._holes[source]
        return asked
