"""Facts: what happened at the table, already interpreted, before any rule is applied.

A fact is what the journal keeps. It carries no time: the journal stamps it. Every fact is
JSON both ways (:func:`fact_from_json`), so that a round can be replayed from the journal.
"""

from functools import cache
from typing import Annotated, Literal

from pydantic import Field, TypeAdapter

from firmware_app.rules.card_text import CardText
from firmware_app.table.values import (
    Phase,
    Position,
    SpotNumber,
    StopReason,
    Value,
    WagerName,
)

Actor = Annotated[str, Field(min_length=1, max_length=80)]
"""Who acted: ``dealer`` for the panel's buttons, else the name a supervisor gave."""

Reason = Annotated[str, Field(min_length=1, max_length=200)]
"""Why a supervisor acted, in his own words."""


class WagerChanged(Value):
    """The wager on a spot is now ``cents`` in all: 0 is none, None is present but unknown."""

    kind: Literal["wager-changed"] = "wager-changed"
    spot: SpotNumber
    wager: WagerName
    cents: Annotated[int, Field(ge=0)] | None


class EnvyButtonChanged(Value):
    kind: Literal["envy-button-changed"] = "envy-button-changed"
    spot: SpotNumber
    placed: bool


class DealStarted(Value):
    """The shuffler's start button: bets are locked and the first hand goes to ``first_spot``; 0 is
    the dealer, None is where dice or the action button said."""

    kind: Literal["deal-started"] = "deal-started"
    first_spot: Position | None = None


class DiceRolled(Value):
    kind: Literal["dice-rolled"] = "dice-rolled"
    dice: tuple[int, int, int]


class HandRead(Value):
    """A whole hand as the reader saw it; it replaces what was read for the position before."""

    kind: Literal["hand-read"] = "hand-read"
    position: Position
    cards: tuple[CardText, ...]


class CardRead(Value):
    """One more card of a hand."""

    kind: Literal["card-read"] = "card-read"
    position: Position
    card: CardText


class CardCorrected(Value):
    """A supervisor corrects a misread card; both values stay on record."""

    kind: Literal["card-corrected"] = "card-corrected"
    position: Position
    was: CardText
    now: CardText
    by: Actor
    why: str


class CardUnread(Value):
    """The reader passed a card that it could not read: a question to the dealer."""

    kind: Literal["card-unread"] = "card-unread"
    position: Position | None = None
    detail: str


class DealDone(Value):
    kind: Literal["deal-done"] = "deal-done"
    cards_left: Annotated[int, Field(ge=0, le=53)]


class Misdealt(Value):
    """The shuffler or the reader reports a misdeal: every hand is dead."""

    kind: Literal["misdealt"] = "misdealt"
    reason: str


class Advanced(Value):
    """ADVANCE. A remote command names the ``phase`` and ``round`` that it means to leave, so that
    a repeated delivery does nothing; the dealer's button leaves whatever the table shows."""

    kind: Literal["advanced"] = "advanced"
    by: Actor = "dealer"
    phase: Phase | None = None
    round: int | None = None


class Voided(Value):
    kind: Literal["voided"] = "voided"
    by: Actor = "dealer"
    reason: str = "voided by the dealer"


class SpotDesignated(Value):
    """The spot is the designated player (``daytona``) from the next lock on."""

    kind: Literal["spot-designated"] = "spot-designated"
    spot: SpotNumber
    by: Actor = "dealer"


class BankDeclared(Value):
    """What the designated player covers wagers with."""

    kind: Literal["bank-declared"] = "bank-declared"
    cents: Annotated[int, Field(ge=0)]
    by: Actor = "dealer"


class ActionButtonMoved(Value):
    kind: Literal["action-button-moved"] = "action-button-moved"
    spot: SpotNumber
    by: Actor = "dealer"


class HandDead(Value):
    """The dealer or the floor declares a spot's hand dead; a second time takes it back."""

    kind: Literal["hand-dead"] = "hand-dead"
    spot: SpotNumber
    by: Actor = "dealer"


class HandFolded(Value):
    kind: Literal["hand-folded"] = "hand-folded"
    spot: SpotNumber
    by: Actor = "dealer"


class HandSurrendered(Value):
    kind: Literal["hand-surrendered"] = "hand-surrendered"
    spot: SpotNumber
    by: Actor = "dealer"


class LowHandSet(Value):
    """A player's own setting, where the table records it; without it the house way stands."""

    kind: Literal["low-hand-set"] = "low-hand-set"
    spot: SpotNumber
    low: tuple[CardText, ...]
    by: Actor = "dealer"


class SpotsLinked(Value):
    """Two neighbouring spots are one player's; linking linked spots parts them again."""

    kind: Literal["spots-linked"] = "spots-linked"
    spots: tuple[SpotNumber, SpotNumber]
    by: Actor = "dealer"


class SupervisorActed(Value):
    """A supervisor acted from outside the panel: who, why, and what was asked for, in words.

    It stands before the fact that does what was asked for, and alone where the table did not do it
    (``refused`` says why) or where it is nothing that a round depends on. ``login`` is the user
    whose program asked, as the operating system vouches for. Nothing of a hand stands here.
    """

    kind: Literal["supervisor-acted"] = "supervisor-acted"
    action: str
    text: str
    by: Actor
    why: Reason
    login: str
    refused: str | None = None


class InputFailed(Value):
    """An input line is stuck or unreadable: its spot, if it has one, is out of service."""

    kind: Literal["input-failed"] = "input-failed"
    line: str
    spot: SpotNumber | None = None
    text: str


class InputHealed(Value):
    kind: Literal["input-healed"] = "input-healed"
    line: str


class ReaderLost(Value):
    kind: Literal["reader-lost"] = "reader-lost"
    reason: str


class ReaderFound(Value):
    kind: Literal["reader-found"] = "reader-found"
    model: str = ""
    serial: str = ""
    version: str = ""


class AlarmRaised(Value):
    """A fault of the device itself (storage, power, clock, display)."""

    kind: Literal["alarm-raised"] = "alarm-raised"
    code: str
    text: str


class AlarmCleared(Value):
    kind: Literal["alarm-cleared"] = "alarm-cleared"
    code: str


class PowerReturned(Value):
    """The controller started. An unfinished round waits for the dealer from here on.

    ``after_stop`` tells that the run before it had ended in good order, and not with the power.
    """

    kind: Literal["power-returned"] = "power-returned"
    software: str
    configuration: str
    after_stop: bool = False


class ConfigurationApplied(Value):
    """The controller started with another configuration or other software than before.

    The digests are SHA-256 in hexadecimal. ``changed`` names the keys whose values differ from the
    last ones on record, None where there are none.
    """

    kind: Literal["configuration-applied"] = "configuration-applied"
    configuration_digest: str
    rules_digest: str
    software: str
    software_digest: str
    changed: tuple[str, ...] | None


class ControllerStopped(Value):
    """The controller was told to stop, and did so in good order: the last fact of its run."""

    kind: Literal["controller-stopped"] = "controller-stopped"
    reason: StopReason


Fact = (
    WagerChanged
    | EnvyButtonChanged
    | DealStarted
    | DiceRolled
    | HandRead
    | CardRead
    | CardCorrected
    | CardUnread
    | DealDone
    | Misdealt
    | Advanced
    | Voided
    | SpotDesignated
    | BankDeclared
    | ActionButtonMoved
    | HandDead
    | HandFolded
    | HandSurrendered
    | LowHandSet
    | SpotsLinked
    | SupervisorActed
    | InputFailed
    | InputHealed
    | ReaderLost
    | ReaderFound
    | AlarmRaised
    | AlarmCleared
    | PowerReturned
    | ConfigurationApplied
    | ControllerStopped
)


@cache
def _adapter() -> TypeAdapter[Fact]:
    # Made when the first fact is read.
    return TypeAdapter(Annotated[Fact, Field(discriminator="kind")])


def fact_to_json(fact: Fact) -> bytes:
    """Return the fact as canonical JSON: the bytes that the journal keeps and chains."""
    return fact.model_dump_json().encode()


def fact_from_json(data: bytes | str) -> Fact:
    """Return the fact written in ``data``; raise ``pydantic.ValidationError`` for anything else."""
    return _adapter().validate_json(data)
