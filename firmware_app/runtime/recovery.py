"""Coming back: the state just before the power went, and what a changed configuration costs.

A replay uses the rules that the facts were recorded under. A configuration that changed while a
round was unfinished voids that round: it was never played under the new rules.
"""

from __future__ import annotations

import logging
from dataclasses import replace

from firmware_app.journal.changes import changed_names
from firmware_app.journal.records import Configuration
from firmware_app.journal.store import Journal
from firmware_app.runtime.recording import Recorder
from firmware_app.runtime.software import Software
from firmware_app.table import facts
from firmware_app.table.round import step
from firmware_app.table.state import (
    TableRules,
    TableState,
    new_table,
    rules_from_json,
    rules_to_json,
    state_from_json,
    state_to_json,
)
from firmware_app.table.values import Phase

log = logging.getLogger(__name__)

JOURNAL_REPLACED = "journal-replaced"
_FINISHED = (Phase.SETTLED, Phase.VOIDED)


def recovered(
    rules: TableRules, configuration: str, software: Software, recorder: Recorder
) -> TableState:
    """Return the state to go on from under ``rules``; record and tell what changed.

    ``configuration`` is the text that the rules came from, ``software`` what reads it now. Raises
    :class:`~firmware_app.journal.errors.JournalError` where the change cannot be recorded.
    """
    journal = recorder.journal
    before = next(journal.configurations(), None)
    if before is None:
        state = _fresh(rules, journal.last_round_number, recorder)
    else:
        old_rules = rules_from_json(before.rules)
        state = replayed(journal, old_rules)
        if old_rules != rules:
            state = _carried_over(state, old_rules, rules, recorder)
    now = Configuration(
        text=configuration,
        rules=rules_to_json(rules).decode(),
        software=software.version,
        software_digest=software.digest,
        by="start",
    )
    return _applied(state, rules, before, now, recorder)


def _applied(
    state: TableState,
    rules: TableRules,
    before: Configuration | None,
    now: Configuration,
    recorder: Recorder,
) -> TableState:
    changed = changed_names(before, now)
    if changed == ():
        return state
    fact = facts.ConfigurationApplied(
        configuration_digest=now.digest,
        rules_digest=now.rules_digest,
        software=now.software,
        software_digest=now.software_digest,
        changed=changed,
    )
    after = step(rules, state, fact)
    recorder.record_configuration(now, (fact,), after.events, after.state)
    return after.state


def told_of_replacement(journal: Journal) -> tuple[facts.Fact, ...]:
    """Return what the first start on a journal tells that replaced a damaged one, else nothing.

    The fault is over once it is told, so the alarm is cleared at once: both stay on record.
    """
    replaced = journal.replaced()
    if replaced is None:
        return ()
    text = (
        f"The damaged journal was set aside as {replaced.set_aside.name} by {replaced.by}: "
        f"{replaced.messages_text}"
    )
    log.warning("%s", text)
    return (
        facts.AlarmRaised(code=JOURNAL_REPLACED, text=text),
        facts.AlarmCleared(code=JOURNAL_REPLACED),
    )


def replayed(journal: Journal, rules: TableRules) -> TableState:
    """Return the state that the journal's facts lead to."""
    checkpoint, recorded = journal.replay()
    state = new_table(rules) if checkpoint is None else state_from_json(checkpoint)
    for entry in recorded:
        state = step(rules, state, entry.fact).state
    return state


def _carried_over(
    state: TableState, old_rules: TableRules, rules: TableRules, recorder: Recorder
) -> TableState:
    """Return the state of a table whose rules changed: round numbers go on, nothing else."""
    if state.phase not in _FINISHED:
        log.warning("round %d is void: the configuration changed", state.round_number)
        void = facts.Voided(by="controller", reason="the configuration was changed in mid-round")
        after = step(old_rules, state, void)
        recorder.record((void,), after.events, after.state)
        state = after.state
    return _fresh(rules, state.round_number, recorder)


def _fresh(rules: TableRules, round_number: int, recorder: Recorder) -> TableState:
    """Return a table whose rounds go on after ``round_number``; a replay starts from it."""
    fresh = replace(new_table(rules), round_number=round_number)
    recorder.record((), (), fresh, checkpoint=state_to_json(fresh))
    return fresh
