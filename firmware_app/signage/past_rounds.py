"""Past rounds as the sign recalls them: all that the table's process tells of them.

Apart from the scenes, which only the painting process makes.
"""

from dataclasses import dataclass

from firmware_app.rules.lines import Line


@dataclass(frozen=True, slots=True)
class RoundSpot:
    """What one spot of a past round won: for recall."""

    number: int
    line: Line | None
    fortune_cents: int
    envy_cents: int


@dataclass(frozen=True, slots=True)
class RoundSummary:
    """A past round in one row: its number, when it ended (local time, ``21:04``), what was won.

    ``void_reason`` is set where the round was void; ``finished`` is False for the round in play.
    """

    number: int
    time_text: str
    spots: tuple[RoundSpot, ...] = ()
    void_reason: str | None = None
    finished: bool = True
