"""Events: what the table tells the back office. Each is the ``data`` of one feed message.

``TYPE`` is the last part of the MQTT topic and of the CloudEvents type. Amounts are in cents,
cards are text. Nothing of a hand stands in an event before its reveal.
"""

from __future__ import annotations

from typing import ClassVar

from firmware_app.rules.card_text import CardText
from firmware_app.rules.lines import Line
from firmware_app.rules.play import Result
from firmware_app.table.values import (
    Alarm,
    Phase,
    Position,
    SpotNumber,
    Value,
    WagerName,
)


class Event(Value):
    """Base of all events. ``round`` is the table's round number; 0 before the first."""

    TYPE: ClassVar[str]
    round: int


class DeviceStarted(Event):
    TYPE = "device-started"
    software: str
    configuration: str
    resumed_phase: Phase


class RoundOpened(Event):
    TYPE = "round-opened"
    profile: str


class WagerMoved(Event):
    """A wager changed while bets were open."""

    TYPE = "wager-changed"
    spot: SpotNumber
    wager: WagerName
    cents: int | None


class EnvyMoved(Event):
    TYPE = "envy-changed"
    spot: SpotNumber
    placed: bool


class LockedSpot(Value):
    """A spot's bets as locked. Unknown amounts are null."""

    spot: SpotNumber
    player: str
    occupied: bool
    main_cents: int
    fortune_cents: int | None
    ace_high_cents: int
    envy_button: bool | None


class BetsLocked(Event):
    TYPE = "round-locked"
    first_spot: SpotNumber
    designated_player: SpotNumber | None
    bank_cents: int | None
    spots: tuple[LockedSpot, ...]


class LateBet(Event):
    """A bet input moved after the lock: ignored for the money."""

    TYPE = "late-bet"
    spot: SpotNumber
    wager: WagerName | None
    cents: int | None
    envy_placed: bool | None


class HandReceived(Event):
    """A hand is in. Which cards, is told at the reveal."""

    TYPE = "hand-received"
    position: Position


class HandsDealt(Event):
    """Every live hand is in and the deck adds up; results are computed and secret."""

    TYPE = "round-dealt"
    hands: int


class DealerOpened(Event):
    """The dealer's hand and its house way, on a table where the dealer opens first."""

    TYPE = "dealer-opened"
    cards: tuple[CardText, ...]
    low: tuple[CardText, ...]
    high: tuple[CardText, ...]
    clause: str | None


class WagerOutcome(Value):
    """The fate of a wager: its stake is collected + returned + kept; paid comes on top."""

    result: Result
    paid_cents: int
    collected_cents: int
    returned_cents: int
    kept_cents: int
    line: str | None
    pays: int | None
    reason: str | None


class EnvyTriggered(Value):
    spot: SpotNumber
    line: Line
    cents: int


class SpotOutcome(Value):
    """What one spot's hand made and is owed. ``owed_cents`` is all winnings, stakes aside."""

    spot: SpotNumber
    player: str
    cards: tuple[CardText, ...]
    line: Line | None
    made_of: tuple[CardText, ...]
    main: WagerOutcome
    fortune: WagerOutcome
    ace_high: WagerOutcome
    envy_cents: int
    envy_triggers: tuple[EnvyTriggered, ...]
    owed_cents: int


class RoundRevealed(Event):
    TYPE = "round-revealed"
    dealer_cards: tuple[CardText, ...]
    dealer_low: tuple[CardText, ...]
    dealer_high: tuple[CardText, ...]
    spots: tuple[SpotOutcome, ...]


class Payout(Event):
    """The dealer has paid a spot: one event per spot that was owed something."""

    TYPE = "payout"
    spot: SpotNumber
    player: str
    main_cents: int
    fortune_cents: int
    ace_high_cents: int
    envy_cents: int
    owed_cents: int


class RoundSettled(Event):
    TYPE = "round-settled"
    spots: tuple[SpotOutcome, ...]
    paid_cents: int
    collected_cents: int
    bank_left_cents: int | None


class RoundVoided(Event):
    """Every bet goes back. ``phase`` is where the round stood."""

    TYPE = "round-voided"
    phase: Phase
    reason: str
    by: str


class RoundSuspended(Event):
    TYPE = "round-suspended"
    phase: Phase
    reason: str


class RoundResumed(Event):
    TYPE = "round-resumed"
    phase: Phase
    by: str


class Discrepancy(Event):
    """Two sources disagree; nobody is paid on one of them alone."""

    TYPE = "discrepancy"
    text: str


class DealerAction(Event):
    """Something that the dealer or a supervisor declared, in words, with who did it."""

    TYPE = "action"
    action: str
    by: str
    spot: SpotNumber | None
    text: str


class SupervisorAction(Event):
    """A supervisor acted from outside the panel: who, why, and what was asked for, in words.

    ``refused`` says why it was not done, null where it was. ``login`` is the user whose program
    asked, as the operating system vouches for.
    """

    TYPE = "supervisor-action"
    action: str
    text: str
    by: str
    why: str
    login: str
    refused: str | None


class AlarmStarted(Event):
    TYPE = "alarm-raised"
    alarm: Alarm


class AlarmEnded(Event):
    TYPE = "alarm-cleared"
    alarm: Alarm


EVENTS: tuple[type[Event], ...] = (
    DeviceStarted,
    RoundOpened,
    WagerMoved,
    EnvyMoved,
    BetsLocked,
    LateBet,
    HandReceived,
    HandsDealt,
    DealerOpened,
    RoundRevealed,
    Payout,
    RoundSettled,
    RoundVoided,
    RoundSuspended,
    RoundResumed,
    Discrepancy,
    DealerAction,
    SupervisorAction,
    AlarmStarted,
    AlarmEnded,
)
