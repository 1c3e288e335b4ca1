"""Events: what the table tells the back office. Each is the ``data`` of one feed message.

``TYPE`` is the last part of the MQTT topic and of the CloudEvents type. Amounts are in cents,
cards are text. Nothing of a hand stands in an event before its reveal.
"""

from typing import ClassVar

from firmware_app.rules.card_text import CardText
from firmware_app.rules.lines import Line
from firmware_app.rules.play import Result
from firmware_app.table.values import (
    Alarm,
    Phase,
    Position,
    SpotNumber,
    StopReason,
    Value,
    WagerName,
)


class Event(Value):
    """Base of all events. ``round`` is the table's round number; 0 before the first."""

    TYPE: ClassVar[str]
    round: int


class DeviceStarted(Event):
    """The controller started. ``configuration`` is the SHA-256 of all that decides money.

    Without a ``device-stopped`` since the start before it, that run had no clean end: the power
    went, or the program was killed.
    """

    TYPE = "device-started"
    software: str
    configuration: str
    resumed_phase: Phase


class DeviceStopped(Event):
    """The controller stopped in good order: the last event before the next start.

    ``reason`` is ``terminated`` by the service manager (stopped, brought up to date, shut down),
    ``interrupted`` at a console, ``failed`` for a fault of the program, or ``closed`` when it had
    done what it was started for. ``phase`` is where the round stood. A power cut sends none.
    """

    TYPE = "device-stopped"
    reason: StopReason
    phase: Phase


class ConfigurationApplied(Event):
    """The table runs with another configuration or other software than before.

    Digests are SHA-256: of the configuration as it was read, of the rules that it names, and of
    the program's own files. ``changed`` names the keys whose values differ from the last ones on
    record, ``software`` among them; null where nothing was on record. No value stands here.
    """

    TYPE = "configuration-applied"
    configuration_digest: str
    rules_digest: str
    software: str
    software_digest: str
    changed: tuple[str, ...] | None


class RoundOpened(Event):
    """Bets are open, under the rules that ``profile`` names."""

    TYPE = "round-opened"
    profile: str


class WagerMoved(Event):
    """A wager changed while bets were open."""

    TYPE = "wager-changed"
    spot: SpotNumber
    wager: WagerName
    cents: int | None


class EnvyMoved(Event):
    """A spot's envy button was placed or taken back while bets were open."""

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
    """The deal starts: bets as they count for the money, in one snapshot."""

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
    """The hands are open, with what every wager is owed. Told anew after a correction."""

    TYPE = "round-revealed"
    dealer_cards: tuple[CardText, ...]
    dealer_low: tuple[CardText, ...]
    dealer_high: tuple[CardText, ...]
    spots: tuple[SpotOutcome, ...]


class HandRevealed(Event):
    """One hand of the reveal: one event per hand that was dealt, after ``round-revealed``.

    ``player`` is null for the dealer. ``line`` is the best posted line of the hand and ``made_of``
    its cards; the dealer's hand has none. A corrected card has all hands told once more.
    """

    TYPE = "hand-revealed"
    position: Position
    player: str | None
    cards: tuple[CardText, ...]
    line: Line | None
    made_of: tuple[CardText, ...]


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
    """The dealer has paid and collected. These are the figures to book."""

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
    """The round waits for the dealer, who resumes or voids it. Nothing is paid meanwhile."""

    TYPE = "round-suspended"
    phase: Phase
    reason: str


class RoundResumed(Event):
    """A suspended round goes on from ``phase``."""

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
    """A fault stands from now on. The same one is not told twice."""

    TYPE = "alarm-raised"
    alarm: Alarm


class AlarmEnded(Event):
    """A fault has ended."""

    TYPE = "alarm-cleared"
    alarm: Alarm


EVENTS: tuple[type[Event], ...] = (
    DeviceStarted,
    DeviceStopped,
    ConfigurationApplied,
    RoundOpened,
    WagerMoved,
    EnvyMoved,
    BetsLocked,
    LateBet,
    HandReceived,
    HandsDealt,
    DealerOpened,
    RoundRevealed,
    HandRevealed,
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
