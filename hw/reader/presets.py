"""How devices that only print a code per card write it: one :class:`LineFormat` a device.

A record ends with one of the ``record_end`` characters, and its text without surrounding blanks
must match one of the patterns as a whole, ignoring case. There is no check sum in such
protocols, so a record that matches nothing is a fault and never searched for something usable.
"""

import re
from typing import Annotated, Final, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

PresetName = Literal["bee-tek", "scanner"]


def _compiles(pattern: str) -> str:
    try:
        re.compile(pattern)
    except re.error as fault:
        raise ValueError(
            f"pattern {pattern!r} is no regular expression ({fault}); correct it"
        ) from fault
    return pattern


def _named(group: str) -> AfterValidator:
    def check(pattern: str) -> str:
        if group not in re.compile(pattern).groupindex:
            raise ValueError(
                f"pattern {pattern!r} lacks the group {group}; "
                f"write (?P<{group}>...) round the part that holds it"
            )
        return pattern

    return AfterValidator(check)


Pattern = Annotated[str, AfterValidator(_compiles)]
CardPattern = Annotated[Pattern, _named("code")]
AlarmPattern = Annotated[Pattern, _named("detail")]


class LineFormat(BaseModel):
    """What a device prints. Patterns are tried in the order card, unread, alarm, ignore."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    baud: Annotated[int, Field(ge=300, le=4_000_000)] = 9_600
    record_end: Annotated[str, Field(min_length=1, max_length=4)] = "\r\n"
    card: CardPattern
    unread: Pattern | None = None
    alarm: AlarmPattern | None = None
    ignore: Pattern | None = None


BEE_TEK: Final = LineFormat(
    record_end=">",
    card=r"\[Game\]<Card:(?P<code>[^<>\s]+)>",
    unread=r"\[Game\]<Game>",
    alarm=r"(?:\[[^][<>]*\])?<(?P<detail>Alarm:[^<>]*|W0x[0-9A-F]+)>",
    ignore=r"\[Manual Burn Cards\]<[^<>]*>",
)
"""A Bee-Tek shoe, 9600 8N1: `` [Game]<Card:4S> ``, unread `` [Game]<Game> ``, alarm
`` [Game]<Alarm:E3 Card Not Read> ``, warning ``<W0x01>``. Cards burnt by hand belong to no hand."""

SCANNER: Final = LineFormat(card=r"(?P<code>\S+)")
"""A bar-code scanner: one code a line, ended by CR, LF or both."""

PRESETS: Final[dict[PresetName, LineFormat]] = {"bee-tek": BEE_TEK, "scanner": SCANNER}
