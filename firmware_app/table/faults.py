"""Faults and power: what they cost a spot, when they suspend the round, how they heal.

A broken sensor costs its spot; a lost reader suspends a deal; a power cut suspends whatever was
unfinished. Nothing here pays or decides: a suspended round waits for the dealer.
"""

from __future__ import annotations

from dataclasses import replace

from firmware_app.table import events, facts
from firmware_app.table.state import Suspension, TableRules, TableState
from firmware_app.table.step import Step, cleared, raised
from firmware_app.table.values import Alarm, Phase

READER_LOST = "reader-lost"
INPUT_FAILED = "input-failed"
STOPS_ROUNDS = frozenset({"space-failed"})
"""Alarms of the device under which no new round opens; the one in play is played to its end."""

_UNFINISHED = (Phase.BETTING, Phase.DEALING, Phase.DEALT, Phase.REVEALED)


def power_returned(rules: TableRules, state: TableState, fact: facts.PowerReturned) -> Step:
    """The controller started: an unfinished round is suspended."""
    started = events.DeviceStarted(
        round=state.round_number,
        software=fact.software,
        configuration=fact.configuration,
        resumed_phase=state.phase,
    )
    woken = Step(replace(state, reader_up=False, notice=None), (started,))
    if state.phase not in _UNFINISHED:
        return woken
    why = (
        "the table was stopped in mid-round and has started again"
        if fact.after_stop
        else "the power came back in mid-round"
    )
    return woken.then(lambda now: _suspend(now, why))


def configuration_applied(
    rules: TableRules, state: TableState, fact: facts.ConfigurationApplied
) -> Step:
    """Another configuration, or other software: told, and nothing of the round."""
    applied = events.ConfigurationApplied(
        round=state.round_number,
        configuration_digest=fact.configuration_digest,
        rules_digest=fact.rules_digest,
        software=fact.software,
        software_digest=fact.software_digest,
        changed=fact.changed,
    )
    return Step(state, (applied,))


def controller_stopped(rules: TableRules, state: TableState, fact: facts.ControllerStopped) -> Step:
    """The controller stops: told, and the round stays where it is until the power returns."""
    stopped = events.DeviceStopped(round=state.round_number, reason=fact.reason, phase=state.phase)
    return Step(state, (stopped,))


def reader_lost(rules: TableRules, state: TableState, fact: facts.ReaderLost) -> Step:
    """The reader is silent or gone: a deal in progress is suspended."""
    alarm = Alarm(
        code=READER_LOST,
        text="The card reader is not answering; check its power and cable",
    )
    lost = raised(replace(state, reader_up=False), alarm)
    if state.phase is not Phase.DEALING:
        return lost
    return lost.then(lambda now: _suspend(now, "the card reader was lost while dealing"))


def reader_found(rules: TableRules, state: TableState, fact: facts.ReaderFound) -> Step:
    """The reader answers again; a suspended deal still waits for the dealer."""
    return cleared(replace(state, reader_up=True), READER_LOST)


def input_failed(rules: TableRules, state: TableState, fact: facts.InputFailed) -> Step:
    """A line cannot be believed: its spot, if any, is out of service."""
    now = state
    if fact.spot is not None:
        spot = state.spot(fact.spot)
        now = state.with_spot(replace(spot, failed_lines=spot.failed_lines | {fact.line}))
    return raised(now, Alarm(code=_input_code(fact.line), text=fact.text, spot=fact.spot))


def input_healed(rules: TableRules, state: TableState, fact: facts.InputHealed) -> Step:
    """The line moves again: its spot plays from the next lock on."""
    spots = tuple(
        replace(spot, failed_lines=spot.failed_lines - {fact.line}) for spot in state.spots
    )
    return cleared(replace(state, spots=spots), _input_code(fact.line))


def _input_code(line: str) -> str:
    return f"{INPUT_FAILED}:{line}"


def alarm_raised(rules: TableRules, state: TableState, fact: facts.AlarmRaised) -> Step:
    """A fault of the device itself."""
    return raised(state, Alarm(code=fact.code, text=fact.text))


def alarm_cleared(rules: TableRules, state: TableState, fact: facts.AlarmCleared) -> Step:
    """A fault of the device has ended."""
    return cleared(state, fact.code)


def _suspend(state: TableState, reason: str) -> Step:
    return Step(
        replace(
            state, phase=Phase.SUSPENDED, suspension=Suspension(state.phase, reason), notice=None
        ),
        (events.RoundSuspended(round=state.round_number, phase=state.phase, reason=reason),),
    )
