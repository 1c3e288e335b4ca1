"""Where a table's messages stand in the broker: ``fpg/v1/<site>/<table>/…``."""

from __future__ import annotations

import re
from dataclasses import dataclass

ROOT = "fpg/v1"
ALL_EVENTS = f"{ROOT}/+/+/event/#"
"""The filter that takes the events of every table of every site."""

NAME_PATTERN = r"^[A-Za-z0-9][A-Za-z0-9._-]{0,47}$"
"""A site or table name: one topic level, and safe in a URI. No blank, ``/``, ``+`` or ``#``."""


@dataclass(frozen=True, slots=True)
class TableTopics:
    """The topics of one table. Raises ValueError for a name that cannot be a topic level."""

    site: str
    table: str

    def __post_init__(self) -> None:
        for label, name in (("site", self.site), ("table", self.table)):
            if not re.match(NAME_PATTERN, name):
                raise ValueError(
                    f"{label} {name!r} cannot stand in a topic: use up to 48 letters, digits, "
                    "dots, hyphens and underscores, and begin with a letter or a digit"
                )

    @property
    def base(self) -> str:
        return f"{ROOT}/{self.site}/{self.table}"

    @property
    def events(self) -> str:
        """The filter that takes every event of this table."""
        return f"{self.base}/event/#"

    def event(self, event_type: str) -> str:
        """Return the topic of one type of event, such as ``round-settled``."""
        return f"{self.base}/event/{event_type}"

    @property
    def state(self) -> str:
        """Retained: the table as it may be shown now."""
        return f"{self.base}/state"

    @property
    def status(self) -> str:
        """Retained: whether the table is on the line, and why not."""
        return f"{self.base}/status"

    @property
    def meters(self) -> str:
        """Retained: the meters."""
        return f"{self.base}/meters"

    @property
    def health(self) -> str:
        """QoS 0: how the device does."""
        return f"{self.base}/health"

    @property
    def resend(self) -> str:
        """Inbound, and only where it is switched on: asks for events to be sent again."""
        return f"{self.base}/request/resend"
