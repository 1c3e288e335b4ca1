"""What the hardware reports, as plain values: the only thing the table's engine sees of it.

Every signal carries ``at_ns``: nanoseconds of the monotonic clock (``time.monotonic_ns``), stamped
where the signal was seen. The wall clock never takes part, so a clock that leaps after a power cut
changes no debounce and no time-out.

Lines are named by what they mean, not by where they are wired: ``spot1.bet``, ``spot1.envy``,
``spot1.main``, ``spot1.lamp``, ``advance``, ``void``, ``shuffler-fault``. ``active`` is logical:
a bet lies there, a button is held, whatever the electrical level of that line is.

Cards stay text here (``"AS"``, ``"10H"``, ``"JK"``): whether they are cards at all is for the
rules to say.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

# ── Inputs: sensors and buttons ──────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True)
class Edge:
    """A raw change of one line, bounces and noise included. Only the debouncer may believe it."""

    line: str
    active: bool
    at_ns: int


@dataclass(frozen=True, slots=True)
class LevelChanged:
    """A level confirmed stable for the debounce time of its line.

    ``at_ns`` is the moment of confirmation. ``opening`` marks the first confirmed level of a line
    after the panel was opened: the state that was found, not a change that was seen. A button
    that is found held at power-up has not been pressed.
    """

    line: str
    active: bool
    at_ns: int
    opening: bool = False


@dataclass(frozen=True, slots=True)
class Pulse:
    """One whole pulse of a bet line, both its edges confirmed: one unit of the wager."""

    line: str
    at_ns: int


@dataclass(frozen=True, slots=True)
class LineStuck:
    """A line stayed active for ``limit_s`` seconds: a fault of this line only."""

    line: str
    limit_s: float
    at_ns: int


@dataclass(frozen=True, slots=True)
class LineHealed:
    """A stuck line was released; its next change counts again."""

    line: str
    at_ns: int


InputSignal: TypeAlias = LevelChanged | Pulse | LineStuck | LineHealed

# ── Card reader ──────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True)
class ReaderUp:
    """The reader answers. ``model``, ``serial`` and ``version`` are what it says of itself."""

    model: str
    serial: str
    version: str
    at_ns: int


@dataclass(frozen=True, slots=True)
class ReaderDown:
    """The reader is lost: unplugged, silent past its limit, or the port cannot be opened."""

    reason: str
    at_ns: int


@dataclass(frozen=True, slots=True)
class ReaderUnreadable:
    """Bytes arrive and none of them make sense; the usual cause is a wrong line speed."""

    reason: str
    at_ns: int


@dataclass(frozen=True, slots=True)
class DealStarted:
    """The shuffler began to deal. ``first_spot`` is where, when the reader knows it."""

    first_spot: int | None
    at_ns: int


@dataclass(frozen=True, slots=True)
class HandRead:
    """A whole hand at a position; position 0 is the house dealer."""

    position: int
    cards: tuple[str, ...]
    at_ns: int


@dataclass(frozen=True, slots=True)
class CardRead:
    """One card at a position, from a reader that reports card by card."""

    position: int
    card: str
    at_ns: int


@dataclass(frozen=True, slots=True)
class DealDone:
    """The deal is over; ``cards_left`` is what the reader counts in the shuffler."""

    cards_left: int
    at_ns: int


@dataclass(frozen=True, slots=True)
class MisdealReported:
    """The reader itself says that this deal cannot stand."""

    reason: str
    at_ns: int


@dataclass(frozen=True, slots=True)
class WagerRead:
    """A wager amount known to the reader (tagged chips, or a dealer's keypad), in cents."""

    position: int
    kind: str
    cents: int
    at_ns: int


@dataclass(frozen=True, slots=True)
class DiceRolled:
    """The three dice that choose the first spot."""

    a: int
    b: int
    c: int
    at_ns: int


@dataclass(frozen=True, slots=True)
class CardUnread:
    """A card passed that could not be read; ``position`` is None when nobody knows whose."""

    position: int | None
    detail: str
    at_ns: int


@dataclass(frozen=True, slots=True)
class ReaderAlarm:
    """A fault or a warning in the reader's own words."""

    detail: str
    at_ns: int


ReaderSignal: TypeAlias = (
    ReaderUp
    | ReaderDown
    | ReaderUnreadable
    | DealStarted
    | HandRead
    | CardRead
    | DealDone
    | MisdealReported
    | WagerRead
    | DiceRolled
    | CardUnread
    | ReaderAlarm
)
