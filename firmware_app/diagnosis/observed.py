"""What the hardware test observes, as plain values, and each as a line of JSON."""

from __future__ import annotations

import json
import re
from dataclasses import asdict, dataclass
from typing import Any, Literal, TypeAlias

from hw.signals import Edge, InputSignal, ReaderSignal


@dataclass(frozen=True, slots=True)
class SerialText:
    """Bytes on the reader's line: one sentence or record, or what came of one.

    ``text`` shows each byte that is no printable ASCII as an escape.
    """

    direction: Literal["received", "sent"]
    text: str
    at_ns: int


@dataclass(frozen=True, slots=True)
class LampSwitched:
    """The lamp of a spot was switched by the test."""

    spot: int
    lit: bool
    at_ns: int


Observed: TypeAlias = Edge | InputSignal | ReaderSignal | SerialText | LampSwitched


def event_name(observed: Observed) -> str:
    """Return what a program calls the event: ``edge``, ``level-changed``, ``serial-text`` …"""
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "-", type(observed).__name__).lower()


def fields_of(observed: Observed) -> dict[str, Any]:
    """Return the fields of an event without its time."""
    fields = asdict(observed)
    del fields["at_ns"]
    return fields


def json_line(observed: Observed, begun_ns: int) -> str:
    """Return one event as a line of JSON; ``at_ms`` counts from the start of the test."""
    at_ms = round((observed.at_ns - begun_ns) / 1_000_000, 1)
    return json.dumps({"at_ms": at_ms, "event": event_name(observed)} | fields_of(observed))
