"""Whether a table comes back from a crash with everything that it had promised."""

from __future__ import annotations

import shutil
import time
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

from storage_crash import Crash

from firmware_app.journal.audit import audit
from firmware_app.journal.errors import JournalError
from firmware_app.journal.reading import facts_of, open_for_reading
from firmware_app.journal.records import OutgoingMessage, Stamp
from firmware_app.journal.store import Journal
from firmware_app.runtime.recording import Recorder
from firmware_app.runtime.recovery import recovered
from firmware_app.runtime.software import Software
from firmware_app.simulation.stage import Places
from firmware_app.table.events import Event
from firmware_app.table.facts import Fact, PowerReturned
from firmware_app.table.round import step
from firmware_app.table.state import TableRules, TableState, new_table, rules_from_json
from firmware_app.table.values import Phase

SOFTWARE = version("fortune-table")
_ALL = 1_000_000


def _encode(event: Event, sequence: int, stamp: Stamp) -> OutgoingMessage:
    return OutgoingMessage(sequence, f"t-{sequence}", event.TYPE, event.model_dump_json().encode())


def _stamp() -> Stamp:
    return Stamp(time.time_ns(), time.monotonic_ns(), "after the crash", True)


@dataclass(frozen=True, slots=True)
class Reference:
    """The run as it was without a crash: every fact, the state after each, and every message."""

    rules: TableRules
    configuration: str
    software: Software
    facts: list[Fact]
    states: list[TableState]
    messages: list[OutgoingMessage]

    @classmethod
    def of(cls, journal: Path) -> Reference:
        with Journal.open(journal) as opened:
            configuration = next(opened.configurations())
            with opened.outbox() as outbox:
                outbox.resend(1)
                messages = outbox.pending(_ALL)
        rules = rules_from_json(configuration.rules)
        facts = _facts(journal)
        states = [new_table(rules)]
        for fact in facts:
            states.append(step(rules, states[-1], fact).state)
        software = Software(configuration.software, configuration.software_digest)
        return cls(rules, configuration.text, software, facts, states, messages)


def faults_after(crash: Crash, reference: Reference, folder: Path) -> list[str]:
    """Open the journal of ``crash`` in ``folder`` as a table would; return what is wrong."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    for name, content in crash.files.items():
        (folder / name).write_bytes(content)
    where = f"operation {crash.operation}, unsynced {crash.how}: "
    try:
        return [where + fault for fault in _faults(crash, reference, Places(folder).journal)]
    except JournalError as error:
        return [where + str(error)]


def _faults(crash: Crash, reference: Reference, path: Path) -> Iterator[str]:
    with Journal.open(path) as journal:
        messages = journal.next_sequence - 1
        recorder = Recorder(journal, _encode, _stamp)
        state = recovered(reference.rules, reference.configuration, reference.software, recorder)
        facts = _facts(path)
        if len(facts) < crash.promised.get("recorded", 0):
            yield f"{len(facts)} facts, though {crash.promised['recorded']} were recorded"
        if facts != reference.facts[: len(facts)]:
            yield "other facts than were recorded"
        elif state != reference.states[len(facts)]:
            yield f"{len(facts)} facts lead to another state"
        settled = crash.promised.get("settled", 0)
        # Round 0 stands for none.
        taken_back = state.round_number == settled and state.phase is not Phase.SETTLED
        if settled and (taken_back or state.round_number < settled):
            yield f"round {settled} was shown settled and is {state.phase}"
        yield from _outbox_faults(crash, reference, journal, messages)
        returned = PowerReturned(software=SOFTWARE, configuration="c")
        after = step(reference.rules, state, returned)
        recorder.record((returned,), after.events, after.state)
        open_round = state.phase not in (Phase.SETTLED, Phase.VOIDED)
        if open_round and after.state.phase is not Phase.SUSPENDED:
            yield f"a round that was {state.phase} is {after.state.phase}, not suspended"
    found = audit(path, software=SOFTWARE)
    if found.fault is not None:
        yield f"afterwards the journal is not whole: {found.fault}"


def _outbox_faults(
    crash: Crash, reference: Reference, journal: Journal, messages: int
) -> Iterator[str]:
    """``messages`` is how many the crash had left: a recovery may add one of its own."""
    with journal.outbox() as outbox:
        through = outbox.sent_through
        pending = [each for each in outbox.pending(_ALL) if each.sequence <= messages]
    if through > crash.promised.get("delivered", 0):
        yield f"message {through} counts as delivered and never was"
    if pending != reference.messages[through : through + len(pending)]:
        yield "other messages than were recorded"


def _facts(path: Path) -> list[Fact]:
    with open_for_reading(path) as reader:
        return [recorded.fact for entry in reader.forwards() for recorded in facts_of(entry)]
