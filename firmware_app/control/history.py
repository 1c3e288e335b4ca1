"""The log of supervisor actions, as the journal keeps it: with its facts, and so for good."""

from __future__ import annotations

from collections.abc import Iterator

from firmware_app.journal.reading import EntryReader, facts_of
from firmware_app.journal.records import RecordedFact
from firmware_app.table.facts import SupervisorActed

_MARK = f'"{SupervisorActed.model_fields["kind"].default}"'.encode()


def supervisor_actions(reader: EntryReader) -> Iterator[tuple[RecordedFact, SupervisorActed]]:
    """Yield what supervisors did and tried, newest first, each as recorded and as a fact.

    Raises what :class:`EntryReader` raises for a damaged journal.
    """
    for entry in reader.backwards():
        # Years of facts hold few of these: only entries that can hold one are decoded.
        if _MARK not in entry.facts:
            continue
        for recorded in reversed(list(facts_of(entry))):
            if isinstance(recorded.fact, SupervisorActed):
                yield recorded, recorded.fact
