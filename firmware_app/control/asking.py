"""From a request to what the table is asked: its fact, and the record of who asks and why."""

from __future__ import annotations

from firmware_app.control import protocol
from firmware_app.control.protocol import Change
from firmware_app.rules.money import dollars
from firmware_app.table import facts
from firmware_app.table.facts import Fact, SupervisorActed
from firmware_app.table.supervision import Asked


def asked(request: Change, action: str, login: str) -> Asked:
    """Return what ``request`` asks of the table. ``login`` is the user whose program sent it."""
    text, fact = _meaning(request)
    record = SupervisorActed(action=action, text=text, by=request.by, why=request.why, login=login)
    return Asked(record, fact)


def _meaning(request: Change) -> tuple[str, Fact | None]:
    """Return the request in words, and as a fact. The words are told: no card stands in them."""
    by = request.by
    match request:
        case protocol.Advance(phase=phase, round=number):
            return (
                f"advance round {number} from {phase.value}",
                facts.Advanced(by=by, phase=phase, round=number),
            )
        case protocol.Void():
            return "void the round", facts.Voided(by=by, reason=request.why)
        case protocol.Designate(spot=spot):
            return (
                f"spot {spot} is the designated player",
                facts.SpotDesignated(spot=spot, by=by),
            )
        case protocol.Bank(cents=cents):
            return f"the bank is {dollars(cents)}", facts.BankDeclared(cents=cents, by=by)
        case protocol.ActionButton(spot=spot):
            return f"action starts at spot {spot}", facts.ActionButtonMoved(spot=spot, by=by)
        case protocol.Dead(spot=spot):
            return f"dead hand at spot {spot}, or alive again", facts.HandDead(spot=spot, by=by)
        case protocol.Fold(spot=spot):
            return f"fold spot {spot}", facts.HandFolded(spot=spot, by=by)
        case protocol.Surrender(spot=spot):
            return f"surrender spot {spot}", facts.HandSurrendered(spot=spot, by=by)
        case protocol.LinkSpots(spots=(first, second)):
            return (
                f"link spots {first} and {second}, or part them",
                facts.SpotsLinked(spots=(first, second), by=by),
            )
        case protocol.SetLow(spot=spot, cards=cards):
            return f"set the hand of spot {spot}", facts.LowHandSet(spot=spot, low=cards, by=by)
        case protocol.Correct(position=position, was=was, now=now):
            return (
                f"correct a card of position {position}",
                facts.CardCorrected(position=position, was=was, now=now, by=by, why=request.why),
            )
        case protocol.Resend(from_sequence=number):
            return f"send the events from {number} on again", None
        case protocol.CloseShift():
            return "close the shift", None
    raise TypeError(f"{type(request).__name__} asks nothing of the table")
