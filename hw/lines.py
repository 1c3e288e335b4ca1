"""Names of the lines of a panel: ``spot3.bet``, ``spot3.lamp``, ``advance`` …

A line is named by what it means. Where it is wired stands in the configuration alone.
"""

from __future__ import annotations

from typing import Final, Literal, TypeAlias, cast

Role: TypeAlias = Literal["bet", "envy", "main", "lamp", "advance", "void", "shuffler-fault"]
SpotRole: TypeAlias = Literal["bet", "envy", "main", "lamp"]

MAX_SPOTS: Final = 7
SPOT_ROLES: Final[tuple[SpotRole, ...]] = ("bet", "envy", "main", "lamp")
ADVANCE: Final = "advance"
VOID: Final = "void"
SHUFFLER_FAULT: Final = "shuffler-fault"
TABLE_LINES: Final = (ADVANCE, VOID, SHUFFLER_FAULT)


def spot_line(spot: int, role: SpotRole) -> str:
    """The name of a line at a spot: ``spot_line(3, "bet")`` is ``"spot3.bet"``."""
    return f"spot{spot}.{role}"


def spot_of(line: str) -> int | None:
    """The spot a line belongs to, or None for a line of the whole table."""
    head, dot, _ = line.partition(".")
    return int(head.removeprefix("spot")) if dot else None


def role_of(line: str) -> Role:
    """What a line is for: ``role_of("spot3.bet")`` is ``"bet"``; ``advance`` is its own role."""
    return cast("Role", line.rpartition(".")[2])


def line_names(spots: int) -> tuple[str, ...]:
    """Every line a table of so many spots can have, optional ones included."""
    at_spots = tuple(spot_line(n, role) for n in range(1, spots + 1) for role in SPOT_ROLES)
    return at_spots + TABLE_LINES
