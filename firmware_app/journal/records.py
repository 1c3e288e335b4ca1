"""The values that go into the journal and come out of it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from hashlib import sha256
from typing import Any, NotRequired, Self, TypedDict

from firmware_app.table.facts import Fact

_NS_PER_S = 1_000_000_000
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Stamp:
    """When an entry was committed.

    ``wall_utc_ns`` counts from 1970 and is only as good as ``synchronised`` says. ``mono_ns`` is
    the monotonic clock, which starts anew with each boot (``boot_id``).
    """

    wall_utc_ns: int
    mono_ns: int
    boot_id: str
    synchronised: bool

    @property
    def utc_text(self) -> str:
        """The wall clock as ``2025-11-30T12:00:01.000000Z``."""
        moment = _EPOCH + timedelta(microseconds=self.wall_utc_ns // 1000)
        return f"{moment:%Y-%m-%dT%H:%M:%S.%f}Z"

    def seconds_since(self, earlier: Stamp) -> float:
        """Return the age of ``earlier``, never below 0: exact within a boot, else by the wall."""
        if self.boot_id == earlier.boot_id:
            return max(0, self.mono_ns - earlier.mono_ns) / _NS_PER_S
        return max(0, self.wall_utc_ns - earlier.wall_utc_ns) / _NS_PER_S


@dataclass(frozen=True, slots=True)
class OutgoingMessage:
    """One message of the outbox. ``payload`` is what goes on the wire, the same bytes each time.

    ``sequence`` is gap-free over the life of the table; ``type`` is the last part of the topic.
    """

    sequence: int
    id: str
    type: str
    payload: bytes


@dataclass(frozen=True, slots=True)
class RecordedFact:
    """A fact as the journal holds it. ``number`` is gap-free over the life of the table."""

    number: int
    entry: int
    round_number: int
    stamp: Stamp
    fact: Fact


@dataclass(frozen=True, slots=True)
class RecordedEvent:
    """An event as it was told. ``data`` is plain JSON, so that older events stay readable."""

    entry: int
    stamp: Stamp
    type: str
    data: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Configuration:
    """What a table runs with: its configuration, the rules that it names, and the software.

    ``text`` is the configuration as it was read, ``rules`` the table's rules as JSON, which a
    replay needs. ``software`` is a version, ``software_digest`` the SHA-256 of the program's
    files; journals of schema 1 do not know them, and they are empty. ``by`` says who or what
    brought it.
    """

    text: str
    rules: str
    software: str
    software_digest: str
    by: str

    @property
    def digest(self) -> str:
        """The SHA-256 of ``text``."""
        return sha256(self.text.encode()).hexdigest()

    @property
    def rules_digest(self) -> str:
        """The SHA-256 of ``rules``."""
        return sha256(self.rules.encode()).hexdigest()

    def recorded(self, *, previous: int) -> RecordedConfiguration:
        """Return what an entry keeps of it; ``previous`` as there."""
        return RecordedConfiguration(
            digest=self.digest,
            text=self.text,
            rules=self.rules,
            software=self.software,
            software_digest=self.software_digest,
            by=self.by,
            previous=previous,
        )

    @classmethod
    def of(cls, recorded: RecordedConfiguration) -> Self:
        """Return what was recorded."""
        return cls(
            text=recorded["text"],
            rules=recorded["rules"],
            software=recorded.get("software", ""),
            software_digest=recorded.get("software_digest", ""),
            by=recorded["by"],
        )


class RecordedConfiguration(TypedDict):
    """A :class:`Configuration` as it lies in an entry.

    ``previous`` is the entry of the configuration before it, 0 for none.
    """

    digest: str
    text: str
    rules: str
    software: NotRequired[str]
    software_digest: NotRequired[str]
    by: str
    previous: int


class Kind(StrEnum):
    """What an entry is for."""

    FACTS = "facts"
    CONFIGURATION = "configuration"
    SHIFT = "shift"
    CONTINUED = "continued"
    """First entry of a journal that replaces a damaged one."""
    CARRIED = "carried"
    """Messages of the damaged one that go out of this journal; the last of these has none."""
    ARCHIVED = "archived"
    """Entries were moved into an archive; which ones, and where to."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One entry, unpacked. ``last_fact`` and ``last_message`` count up to and including it.

    ``facts`` holds one fact a line (canonical JSON). ``kept`` is JSON (see
    :mod:`firmware_app.journal.packing`). ``told`` holds messages and events.
    """

    number: int
    kind: str
    stamp: Stamp
    round_number: int
    last_fact: int
    last_message: int
    facts: bytes
    kept: bytes
    told: bytes
    chain: bytes

    def fact_lines(self) -> list[bytes]:
        return self.facts.split(b"\n") if self.facts else []

    def kept_values(self) -> dict[str, Any]:
        """Return what is kept beside the facts: movement, checkpoint, meters, configuration."""
        if not self.kept:
            return {}
        values: dict[str, Any] = json.loads(self.kept)
        return values
