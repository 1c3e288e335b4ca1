"""The desk: takes a request line, has the table act on it, and writes the reply."""

from __future__ import annotations

import logging
from typing import Final, Protocol

from firmware_app.control.asking import asked
from firmware_app.control.protocol import (
    Change,
    CloseShift,
    MetersShown,
    Recall,
    Reply,
    Request,
    RequestError,
    Resend,
    ShowMeters,
    Status,
    TableShown,
    request_from,
)
from firmware_app.journal.meters import Meters
from firmware_app.table.supervision import Asked, Outcome
from firmware_app.table.view import TableView

log = logging.getLogger(__name__)

_FAILED: Final = "The controller could not do that; its log says why. Call the technician"


class Floor(Protocol):
    """The running table. Each order returns once it is recorded, or after a bounded wait."""

    @property
    def shown(self) -> TableView: ...
    @property
    def meters(self) -> Meters: ...

    def recall(self, rounds: int) -> Outcome:
        """Have the sign show the last ``rounds`` rounds, whatever the table is at."""

    def act(self, asked: Asked) -> Outcome:
        """Have a fact of the round done."""

    def resend(self, asked: Asked, from_sequence: int) -> Outcome:
        """Have the feed send its events from ``from_sequence`` on once more."""

    def close_shift(self, asked: Asked) -> tuple[Outcome, Meters | None]:
        """Begin a new shift; return the meters as the old one ended, None where it goes on."""


class Desk:
    """Answers request lines, from any thread. It never raises."""

    def __init__(self, floor: Floor) -> None:
        self._floor = floor

    def answer(self, line: bytes, login: str) -> bytes:
        """Return the reply to ``line``, sent by a program of the user ``login``."""
        try:
            reply = self._reply(request_from(line), login)
        except RequestError as error:
            log.warning("%s sent no request: %s", login, error)
            reply = Reply(outcome="error", text=str(error))
        except Exception:
            log.exception("a request of %s failed", login)
            reply = Reply(outcome="error", text=_FAILED)
        return reply.to_line()

    def _reply(self, request: Request, login: str) -> Reply:
        match request:
            case Status():
                shown = self._floor.shown
                return Reply(outcome="done", text=_standing(shown), table=TableShown.of(shown))
            case ShowMeters():
                return Reply(
                    outcome="done",
                    text="The meters as they stand",
                    meters=MetersShown.of(self._floor.meters),
                )
            case Recall(rounds=rounds):
                return _reply(self._floor.recall(rounds), None)
            case _:
                return self._change(request, login)

    def _change(self, request: Change, login: str) -> Reply:
        action: str = type(request).model_fields["action"].default
        wanted = asked(request, action, login)
        log.info("%s (%s) asks: %s (%s)", request.by, login, wanted.record.text, request.why)
        match request:
            case Resend(from_sequence=number):
                outcome = self._floor.resend(wanted, number)
                return _reply(outcome, f"Events are sent again from {number} on")
            case CloseShift():
                outcome, ended = self._floor.close_shift(wanted)
                reply = _reply(outcome, "The shift is closed; these are its meters")
                if ended is None:
                    return reply
                return reply.model_copy(update={"meters": MetersShown.of(ended)})
            case _:
                return _reply(self._floor.act(wanted), None)


def _reply(outcome: Outcome, done: str | None) -> Reply:
    """Return the reply to a change; ``done`` is what to say of one that no round depends on."""
    table = TableShown.of(outcome.shown)
    if outcome.refused is not None:
        return Reply(outcome="refused", text=outcome.refused, table=table)
    if not outcome.recorded:
        text = (
            "It is taken, and counts as soon as it can be recorded: do not ask again, look at "
            "the table's alarms"
        )
        return Reply(outcome="unrecorded", text=text, table=table)
    return Reply(outcome="done", text=done or outcome.told or _standing(outcome.shown), table=table)


def _standing(shown: TableView) -> str:
    because = shown.void_reason if shown.void_reason is not None else shown.suspended_reason
    stands = shown.phase.value if because is None else f"{shown.phase.value} ({because})"
    return f"Round {shown.round_number} is {stands}. {shown.next_step}"
