"""What is said over the control socket: one JSON object a line, a request and then its reply.

A request names its ``action``; one that changes anything says who asks for it and why.
"""

from typing import Annotated, Final, Literal, Self

import pydantic_core
from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    StringConstraints,
    ValidationError,
)

from firmware_app.journal.meters import Meters
from firmware_app.rules.card_text import CardText
from firmware_app.rules.faults import faults_of
from firmware_app.table.values import Alarm, Phase, Position, SpotNumber
from firmware_app.table.view import TableView

MOST_CENTS: Final = 1_000_000_000_00
MOST_RECALLED: Final = 10
"""Rounds that the sign has room for."""
LONGEST_NAME: Final = 80
LONGEST_REASON: Final = 200
_FAULTS_TOLD: Final = 5
_LETTERS_TOLD: Final = 200


class RequestError(ValueError):
    """A line that is no request. The message says what is wrong with it and what to do."""


def _printable(text: str) -> str:
    # It is printed in logs and lists: no line break or escape may forge an entry of them.
    if not text.isprintable():
        raise ValueError(f"{text!r}: use one line of printable characters")
    return text


def _a_person(name: str) -> str:
    # On record these are the panel's buttons, the card reader, and the controller itself.
    if name.casefold() in ("dealer", "reader", "controller"):
        raise ValueError(f"{name!r} is no supervisor; give the name of the one who acts")
    return name


Name = Annotated[
    str,
    StringConstraints(strip_whitespace=True, min_length=1, max_length=LONGEST_NAME),
    AfterValidator(_printable),
    AfterValidator(_a_person),
]
Why = Annotated[
    str,
    StringConstraints(strip_whitespace=True, min_length=1, max_length=LONGEST_REASON),
    AfterValidator(_printable),
]


class _Request(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


class Status(_Request):
    """How the table stands."""

    action: Literal["status"] = "status"


class ShowMeters(_Request):
    action: Literal["meters"] = "meters"


class Recall(_Request):
    """The last rounds, on the table's sign for a while."""

    action: Literal["recall"] = "recall"
    rounds: Annotated[int, Field(ge=1, le=MOST_RECALLED)] = MOST_RECALLED


class Change(_Request):
    """A request that changes something: ``by`` is who asks for it, ``why`` the reason."""

    by: Name
    why: Why


class Advance(Change):
    """ADVANCE, out of the ``phase`` and ``round`` that are meant: repeated, it does nothing."""

    action: Literal["advance"] = "advance"
    phase: Phase
    round: Annotated[int, Field(ge=0)]


class Void(Change):
    action: Literal["void"] = "void"


class _OfSpot(Change):
    spot: SpotNumber


class Designate(_OfSpot):
    action: Literal["designate"] = "designate"


class Bank(Change):
    action: Literal["bank"] = "bank"
    cents: Annotated[int, Field(ge=0, le=MOST_CENTS)]


class ActionButton(_OfSpot):
    action: Literal["action-button"] = "action-button"


class Dead(_OfSpot):
    """The hand is dead; asked a second time, it is alive again."""

    action: Literal["dead"] = "dead"


class Fold(_OfSpot):
    action: Literal["fold"] = "fold"


class Surrender(_OfSpot):
    action: Literal["surrender"] = "surrender"


class LinkSpots(Change):
    """Two neighbouring spots are one player's; asked a second time, two players' again."""

    action: Literal["link"] = "link"
    spots: tuple[SpotNumber, SpotNumber]


class SetLow(_OfSpot):
    """The player's own setting: ``cards`` in front, instead of the house way."""

    action: Literal["set-low"] = "set-low"
    cards: Annotated[tuple[CardText, ...], Field(min_length=1, max_length=7)]


class Correct(Change):
    """A misread card of ``position`` (0 is the dealer) was read as ``was``, and is ``now``."""

    action: Literal["correct"] = "correct"
    position: Position
    was: CardText
    now: CardText


class Resend(Change):
    action: Literal["resend"] = "resend"
    from_sequence: Annotated[int, Field(ge=1)]


class CloseShift(Change):
    action: Literal["close-shift"] = "close-shift"


Request = (
    Status
    | ShowMeters
    | Recall
    | Advance
    | Void
    | Designate
    | Bank
    | ActionButton
    | Dead
    | Fold
    | Surrender
    | LinkSpots
    | SetLow
    | Correct
    | Resend
    | CloseShift
)

_REQUESTS: Final[dict[str, type[Request]]] = {
    model.model_fields["action"].default: model
    for model in (
        Status,
        ShowMeters,
        Recall,
        Advance,
        Void,
        Designate,
        Bank,
        ActionButton,
        Dead,
        Fold,
        Surrender,
        LinkSpots,
        SetLow,
        Correct,
        Resend,
        CloseShift,
    )
}


def request_from(line: bytes) -> Request:
    """Return the request in ``line``; raise :class:`RequestError` for anything else."""
    try:
        said = pydantic_core.from_json(line)
    except ValueError as error:
        raise RequestError(f"this is no JSON: {error}; send one object a line") from error
    if not isinstance(said, dict):
        raise RequestError('a request is a JSON object such as {"action": "status"}')
    action = said.get("action")
    model = _REQUESTS.get(action) if isinstance(action, str) else None
    if model is None:
        known = ", ".join(_REQUESTS)
        raise RequestError(f"action = {_brief(repr(action))} is unknown; use one of {known}")
    try:
        return model.model_validate_json(line)
    except ValidationError as error:
        raise RequestError(faults_in(error, model)) from error


def faults_in(error: ValidationError, model: type[BaseModel]) -> str:
    """Return what is wrong with a request, as one line of bounded length."""
    return "; ".join(_brief(fault) for fault in faults_of(error, model)[:_FAULTS_TOLD])


def _brief(text: str) -> str:
    return text if len(text) <= _LETTERS_TOLD else text[: _LETTERS_TOLD - 1] + "…"


class TableShown(BaseModel):
    """What a reply tells of the table: nothing that its sign may not show at that moment."""

    model_config = ConfigDict(frozen=True)

    phase: Phase
    round: int
    next_step: str
    notice: str | None
    void_reason: str | None
    suspended_from: Phase | None
    suspended_reason: str | None
    designated_player: int | None
    bank_cents: int | None
    reader_up: bool
    alarms: tuple[Alarm, ...]

    @classmethod
    def of(cls, shown: TableView) -> Self:
        return cls(
            phase=shown.phase,
            round=shown.round_number,
            next_step=shown.next_step,
            notice=shown.notice,
            void_reason=shown.void_reason,
            suspended_from=shown.suspended_from,
            suspended_reason=shown.suspended_reason,
            designated_player=shown.designated_player,
            bank_cents=shown.bank_cents,
            reader_up=shown.reader_up,
            alarms=shown.alarms,
        )


class MetersShown(BaseModel):
    """Meters, lifetime and shift, named as in :mod:`firmware_app.journal.meters`."""

    model_config = ConfigDict(frozen=True)

    lifetime: dict[str, int]
    shift: dict[str, int]

    @classmethod
    def of(cls, meters: Meters) -> Self:
        return cls(lifetime=dict(meters.lifetime), shift=meters.shift)


class Reply(BaseModel):
    """What became of a request.

    =========== ===============================================================================
    done        it is recorded, and done
    refused     it is not done; ``text`` says why
    unrecorded  it is taken, and counts as soon as it can be recorded: do not ask again
    error       it was no request, or the controller failed; it is not done
    =========== ===============================================================================
    """

    model_config = ConfigDict(frozen=True)

    outcome: Literal["done", "refused", "unrecorded", "error"]
    text: str
    table: TableShown | None = None
    meters: MetersShown | None = None

    def to_line(self) -> bytes:
        return self.model_dump_json().encode() + b"\n"
