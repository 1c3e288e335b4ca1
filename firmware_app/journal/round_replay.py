"""One round replayed: its facts, in order, through the rules that were in force."""

from __future__ import annotations

from dataclasses import dataclass, replace

from firmware_app.journal.errors import JournalError
from firmware_app.journal.reading import EntryReader, facts_of
from firmware_app.journal.records import Kind, RecordedFact
from firmware_app.rules.play import RoundPlay, Settlement
from firmware_app.table.outcome import round_play
from firmware_app.table.round import step
from firmware_app.table.state import (
    TableRules,
    TableState,
    new_table,
    rules_from_json,
    state_from_json,
)
from firmware_app.table.values import Phase

_HIDDEN = (Phase.BETTING, Phase.DEALING, Phase.DEALT)


@dataclass(frozen=True, slots=True)
class RoundReplay:
    """What was recorded of a round and what the rules make of it.

    ``play`` and ``settlement`` are None for a round that was void before its hands were in.
    """

    number: int
    rules: TableRules
    facts: tuple[RecordedFact, ...]
    play: RoundPlay | None
    settlement: Settlement | None
    void_reason: str | None


def replay_round(reader: EntryReader, number: int) -> RoundReplay:
    """Replay round ``number``; raise :class:`JournalError` where that cannot be, or not yet."""
    state, rules, after = _before(reader, number)
    facts: list[RecordedFact] = []
    last: TableState | None = None
    settled: TableState | None = None
    for entry in reader.forwards(after=after):
        if entry.kind == Kind.CONFIGURATION:
            rules = rules_from_json(entry.kept_values()["configuration"]["rules"])
            continue
        for recorded in facts_of(entry):
            state = step(rules, state, recorded.fact).state
            if state.round_number > number:
                break
            if state.round_number == number:
                facts.append(recorded)
                last = state
                settled = state if state.settlement is not None else settled
        if state.round_number > number:
            break
    if last is None:
        raise JournalError(
            f"round {number} is not in this journal; fortune-table rounds lists them"
        )
    stood = last.suspension.phase if last.suspension is not None else last.phase
    if stood in _HIDDEN:
        raise JournalError(f"round {number} is not revealed yet; replay it when it has ended")
    return RoundReplay(
        number,
        rules,
        tuple(facts),
        None if settled is None else round_play(rules, settled),
        None if settled is None else settled.settlement,
        last.void_reason,
    )


def _before(reader: EntryReader, number: int) -> tuple[TableState, TableRules, int]:
    """Return state, rules and entry number from which the round can be reached."""
    checkpoint = reader.checkpoint_before(reader.first_reaching("round", number))
    if checkpoint is not None and checkpoint.configuration is not None:
        rules = rules_from_json(checkpoint.configuration["rules"])
        return state_from_json(checkpoint.state), rules, checkpoint.after
    rounds_before = 0
    for entry in reader.forwards(after=0 if checkpoint is None else checkpoint.after):
        if entry.kind == Kind.CONTINUED:
            rounds_before = entry.round_number
        if entry.kind == Kind.CONFIGURATION:
            rules = rules_from_json(entry.kept_values()["configuration"]["rules"])
            if checkpoint is not None:
                return state_from_json(checkpoint.state), rules, entry.number
            return replace(new_table(rules), round_number=rounds_before), rules, entry.number
    raise JournalError("this journal holds no configuration to replay a round under")
