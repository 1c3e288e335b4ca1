"""The debouncer of one line: a level counts only after it stood still for the debounce time.

It works in time, not in edges, and treats both edges alike. A bounce time as GPIO libraries
know it ignores what follows an edge: it lets the first spike through and can swallow the release
of a short press, which leaves the line latched. Here the confirmed level moves only when the
line has rested at the other level for the whole time, so that neither can happen.

Pure: no clock and no thread. Whoever feeds it says what time it is.
"""

from __future__ import annotations

from typing import NamedTuple


class Confirmed(NamedTuple):
    """A level that held. ``opening`` marks the first one, which is a finding, not a change."""

    active: bool
    at_ns: int
    opening: bool


class Debouncer:
    """Confirms levels of one line. Until the first level was confirmed the line is unknown.

    Times are monotonic nanoseconds. A time before one already seen on this line is taken as that
    later time: edges are stamped by the kernel and can be handed in after a level that was read
    since.
    """

    __slots__ = ("_confirmed", "_raw", "_seen_ns", "_since_ns", "_stable_ns")

    def __init__(self, debounce_ns: int) -> None:
        self._stable_ns = debounce_ns
        self._confirmed: bool | None = None
        self._raw: bool | None = None
        self._since_ns = 0
        self._seen_ns = 0

    @property
    def active(self) -> bool | None:
        """The confirmed level; None as long as none was."""
        return self._confirmed

    @property
    def raw(self) -> bool | None:
        """The level last reported, confirmed or not; None before the first report."""
        return self._raw

    @property
    def due_ns(self) -> int | None:
        """When :meth:`advance` will confirm a level if nothing else happens; None: never."""
        return None if self._raw == self._confirmed else self._since_ns + self._stable_ns

    def edge(self, active: bool, at_ns: int) -> Confirmed | None:
        """A change was seen. Returns the level that had been confirmed before it, if one was.

        An edge to the level the line already had means that the opposite edge was lost: the line
        has moved meanwhile, so its rest starts anew.
        """
        at_ns = max(at_ns, self._seen_ns)
        confirmed = self.advance(at_ns)
        self._raw = active
        self._since_ns = at_ns
        return confirmed

    def level(self, active: bool, at_ns: int) -> None:
        """The level was read again, which makes up for an edge that never came.

        A reading that contradicts the last report cannot say since when, so it confirms nothing
        and only starts the line's rest at the level read.
        """
        if active != self._raw:
            self._seen_ns = max(at_ns, self._seen_ns)
            self._raw = active
            self._since_ns = self._seen_ns

    def advance(self, now_ns: int) -> Confirmed | None:
        """Time has come to ``now_ns`` and every edge before it was handed in."""
        self._seen_ns = max(now_ns, self._seen_ns)
        due_ns = self.due_ns
        if self._raw is None or due_ns is None or due_ns > self._seen_ns:
            return None
        opening = self._confirmed is None
        self._confirmed = self._raw
        return Confirmed(self._raw, due_ns, opening)
