"""Health of the device: gathered every few seconds, published, and turned into alarms.

A part that cannot tell is ``unsupported``, which is not healthy and no alarm. A fault and its
clearing are both facts, so both are on record.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict
from typing import Any, Final

from pydantic import BaseModel, ConfigDict

from firmware_app.table.facts import AlarmCleared, AlarmRaised, Fact
from hw.health import Reading

HealthSource = Callable[[], Iterable[Reading]]
"""Tells how some parts do, when asked; must not block."""

ALARMED: Final = "failed"


class HealthReport(BaseModel):
    """The ``health`` message: one entry per concern, and the reader's and the link's figures."""

    model_config = ConfigDict(frozen=True)

    readings: tuple[dict[str, str], ...]
    reader: dict[str, Any]
    feed: dict[str, Any]


class HealthWatch:
    """Asks every source, and tells what changed since the last time."""

    def __init__(self, sources: Sequence[HealthSource]) -> None:
        self._sources = tuple(sources)
        # By code, whether it was failed at the last look; nothing of what was never looked at.
        self._failed: dict[str, bool] = {}
        self.readings: tuple[Reading, ...] = ()

    def look(self) -> tuple[Fact, ...]:
        """Read all sources; return alarms that began or ended.

        The first look says of everything how it stands: an alarm may be left from before a restart.
        """
        self.readings = tuple(reading for source in self._sources for reading in source())
        changed: list[Fact] = []
        for reading in self.readings:
            code = f"{reading.name}-{ALARMED}"
            failed = reading.status == ALARMED
            if self._failed.get(code) is failed:
                continue
            self._failed[code] = failed
            text = f"{reading.name}: {reading.detail}"
            changed.append(AlarmRaised(code=code, text=text) if failed else AlarmCleared(code=code))
        return tuple(changed)

    def report(self, reader: dict[str, Any], feed: dict[str, Any]) -> bytes:
        """Return the last readings as the JSON of the ``health`` message."""
        report = HealthReport(
            readings=tuple(
                {key: str(value) for key, value in asdict(reading).items()}
                for reading in self.readings
            ),
            reader=reader,
            feed=feed,
        )
        return report.model_dump_json().encode()
