"""Replaying a journal: its facts, through the rules in force, must tell the same events again."""

from __future__ import annotations

from dataclasses import replace

from firmware_app.journal import packing
from firmware_app.journal.records import Entry, Kind, RecordedConfiguration
from firmware_app.journal.seam import Seam
from firmware_app.journal.verification import BadEntry
from firmware_app.table.events import HandRevealed
from firmware_app.table.facts import (
    ConfigurationApplied,
    Fact,
    PowerReturned,
    fact_from_json,
)
from firmware_app.table.round import step
from firmware_app.table.state import (
    TableRules,
    TableState,
    new_table,
    rules_from_json,
    state_from_json,
)


class Replayer:
    """Replays entries in order. ``facts`` counts those that came out the same.

    What other software recorded is stepped over, up to the next checkpoint: its round may have
    been decided differently, and rightly so.
    """

    def __init__(self, software: str) -> None:
        self.facts = 0
        self.facts_stepped_over = 0
        self._software = software
        self._same_software = True
        self._rules: TableRules | None = None
        # Tables that did not record their software yet told hands in round-revealed alone.
        self._hands_were_told = False
        # Unknown between software that is not ours and the next checkpoint.
        self._state: TableState | None = None
        self._fresh = True
        self._rounds_before = 0

    def take(self, entry: Entry) -> None:
        """Replay ``entry``; raise :class:`BadEntry` where it comes out differently."""
        kept = entry.kept_values()
        if entry.kind == Kind.CONFIGURATION:
            self._configure(kept["configuration"])
        if entry.kind == Kind.CONTINUED:
            self._rounds_before = entry.round_number
        facts = [fact_from_json(line) for line in entry.fact_lines()]
        for fact in facts:
            if isinstance(fact, PowerReturned | ConfigurationApplied):
                self._same_software = fact.software == self._software
        if facts:
            self._step(entry, facts)
        checkpoint = kept.get("checkpoint")
        if checkpoint is not None and self._rules is not None and self._same_software:
            recorded = state_from_json(checkpoint)
            if facts and self._state is not None and self._state != recorded:
                raise BadEntry(entry.number, "holds another state than its facts replay to")
            self._state, self._fresh = recorded, False

    def resume(self, seam: Seam) -> None:
        """Go on behind ``seam``, from what it holds, whatever was replayed before."""
        in_force = seam.meters["configuration"]
        for entry in seam.configurations:
            if entry.number == in_force:
                self._configure(entry.kept_values()["configuration"])
        self._same_software = seam.software in (None, self._software)
        self._state, self._fresh = state_from_json(seam.checkpoint.encode()), False

    def _configure(self, recorded: RecordedConfiguration) -> None:
        self._rules = rules_from_json(recorded["rules"])
        self._hands_were_told = "software" in recorded

    def _step(self, entry: Entry, facts: list[Fact]) -> None:
        if self._fresh and self._rules is not None:
            self._state = replace(new_table(self._rules), round_number=self._rounds_before)
        self._fresh = False
        if self._rules is None or self._state is None or not self._same_software:
            self._state = None
            self.facts_stepped_over += len(facts)
            return
        told: list[tuple[str, object]] = []
        for fact in facts:
            after = step(self._rules, self._state, fact)
            self._state = after.state
            told += [
                (event.TYPE, event.model_dump(mode="json"))
                for event in after.events
                if self._hands_were_told or not isinstance(event, HandRevealed)
            ]
        if told != packing.events_of(entry.told):
            raise BadEntry(entry.number, "tells something else than its facts replay to")
        self.facts += len(facts)
