"""What a check found, in a technician's words: how it stands, what was seen, what to do."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from hw.health import Status


@dataclass(frozen=True, slots=True)
class WiredLine:
    """A line of the panel and both names of its pin; ``board`` is empty on an expander."""

    line: str
    pin: str
    board: str


@dataclass(frozen=True, slots=True)
class Finding:
    """One result. ``failed`` means that the table cannot, or must not, open like this.

    ``unsupported`` is what cannot be known here, which is not ``ok``. ``cure`` is empty where there
    is nothing to do. ``lines`` is the wiring, on the finding that shows it.
    """

    check: str
    status: Status
    detail: str
    cure: str = ""
    lines: tuple[WiredLine, ...] = ()

    def as_json(self) -> dict[str, Any]:
        """Return the finding as a program reads it; ``lines`` only where there are some."""
        fields = asdict(self)
        if not self.lines:
            del fields["lines"]
        return fields


def finding_of(check: str, status: Status, message: str, cure: str = "") -> Finding:
    """Return a finding of one of the project's messages; ``cure`` is for one that has none."""
    detail, own_cure = split_cure(message)
    return Finding(check, status, detail, own_cure or cure)


def split_cure(message: str) -> tuple[str, str]:
    """Return fault and cure of a message, which stand in this order in all of ours.

    The cure is a sentence of its own, or the last part of the only one:

    >>> split_cure("undervoltage; use a short cable")
    ('undervoltage', 'use a short cable')
    """
    for separator in (". ", "; "):
        fault, found, cure = message.rpartition(separator)
        if found:
            return fault, cure
    return message, ""
