"""What was seen of each line, lamp and sentence so far: the state behind the live view. Pure."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final

from firmware_app.diagnosis.observed import (
    LampSwitched,
    Observed,
    SerialText,
    event_name,
    fields_of,
)
from hw.signals import Edge, LevelChanged, LineHealed, LineStuck, Pulse

_BEAT: Final = ",BEAT*"
_NAK: Final = ",NAK,"


@dataclass(slots=True)
class LineRecord:
    """One input. ``active`` is its last raw level, None before the first; ``edges`` are raw
    changes, bounces included, ``changes`` those that held; ``moved_ns`` is the last edge."""

    active: bool | None = None
    edges: int = 0
    changes: int = 0
    pulses: int = 0
    moved_ns: int | None = None
    stuck: bool = False


@dataclass(slots=True)
class Record:
    """Everything seen. ``sentences`` are the last ones, oldest first, in the words of a screen."""

    lines: dict[str, LineRecord]
    lamps: dict[int, bool]
    sentences: deque[str] = field(default_factory=lambda: deque(maxlen=8))

    @classmethod
    def of(cls, lines: Iterable[str], lamps: Iterable[int]) -> Record:
        """Return the record of a panel of which nothing was seen yet."""
        return cls({line: LineRecord() for line in lines}, dict.fromkeys(lamps, False))

    def take(self, observed: Sequence[Observed]) -> None:
        """Add what was seen, in its order."""
        for event in observed:
            self._take(event)

    def _take(self, event: Observed) -> None:
        match event:
            case Edge():
                line = self.lines[event.line]
                line.active, line.moved_ns = event.active, event.at_ns
                line.edges += 1
            case LevelChanged():
                self.lines[event.line].active = event.active
                self.lines[event.line].changes += not event.opening
            case Pulse():
                self.lines[event.line].pulses += 1
            case LineStuck() | LineHealed():
                self.lines[event.line].stuck = isinstance(event, LineStuck)
            case LampSwitched():
                self.lamps[event.spot] = event.lit
            case SerialText():
                self._serial(event)
            case _:
                told = (f"{name} {_brief(value)}" for name, value in fields_of(event).items())
                self.sentences.append(f"  = {event_name(event)}: {', '.join(told)}")

    def _serial(self, event: SerialText) -> None:
        if event.direction == "sent":
            # An acknowledgement says no more than the sentence did; a refusal says why.
            if _NAK in event.text:
                self.sentences.append(f"> {event.text}")
            return
        if _BEAT in event.text and self.sentences and _BEAT in self.sentences[-1]:
            self.sentences.pop()  # a reader at rest must not scroll its last hand away
        self.sentences.append(f"< {event.text}")


def _brief(value: object) -> str:
    return " ".join(map(str, value)) if isinstance(value, tuple) else str(value)
