"""What happened in a round, and what every wager of it is owed: the words of settlement.

:class:`RoundPlay` goes into :func:`firmware_app.rules.settlement.settle`, a :class:`Settlement`
comes out. Both are plain values: the running table, the ``settle`` command, replay and tests
speak through them alone. Amounts are in cents; ``paid_cents`` never includes the stake.
"""

from dataclasses import dataclass, field
from enum import StrEnum

from firmware_app.rules.card_text import CardText
from firmware_app.rules.lines import Line


@dataclass(frozen=True, slots=True)
class SpotPlay:
    """One betting spot as it stood when bets were locked, with the hand dealt to it.

    ``fortune_cents`` is None where a wager lies but its amount is unknown (a presence sensor on
    an ``odds-only`` table), 0 where there is none. ``player`` links spots: equal names are one
    player; None is a player of this spot alone. ``low`` None means set by the house way.
    ``envy_button`` None means that the table has no envy buttons.
    """

    number: int
    cards: tuple[CardText, ...] | None = None
    player: str | None = None
    occupied: bool = True
    main_cents: int = 0
    fortune_cents: int | None = 0
    ace_high_cents: int = 0
    envy_button: bool | None = None
    low: tuple[CardText, ...] | None = None
    folded: bool = False
    dead: bool = False
    surrendered: bool = False
    short_before: bool = False
    """The player was under the minimum once before in this sitting (``envy``)."""


@dataclass(frozen=True, slots=True)
class RoundPlay:
    """All spots of a round and the hand that they play against.

    With a house dealer ``dealer`` holds the dealer's cards. With a designated player,
    ``designated_player`` is that spot's number and ``bank_cents`` what the player brings to cover
    wagers with; the rake comes off it first. Without a bank a designated player is a player-banker
    of a house table, whose wagers the house pays. ``first_spot`` is where the action starts.
    ``misdeal`` says why the round is dead; every bet is returned.
    """

    spots: tuple[SpotPlay, ...]
    first_spot: int = 1
    dealer: tuple[CardText, ...] | None = None
    designated_player: int | None = None
    bank_cents: int | None = None
    misdeal: str | None = None


class Result(StrEnum):
    """What became of one wager."""

    WIN = "win"
    LOSE = "lose"
    PUSH = "push"
    RETURNED = "returned"
    DEAD = "dead"
    NONE = "none"


@dataclass(frozen=True, slots=True)
class WagerResult:
    """The fate of one wager. Its stake = ``collected_cents + returned_cents + kept_cents``, always.

    ``collected_cents`` is taken for the house or the bank. ``returned_cents`` never played or is
    given back: over the maximum, not covered, a dead hand, the half that a surrender saves.
    ``kept_cents`` is the stake of a win or a push, which stays the player's where it lies.
    ``paid_cents`` comes on top of the stake, net of commission. Where the amount of the wager is
    unknown all four are 0, and ``pays``, the odds "to 1" of ``line``, says what is owed.
    ``reason`` is a sentence for the dealer wherever the result is not plain from the cards.
    """

    result: Result = Result.NONE
    paid_cents: int = 0
    collected_cents: int = 0
    returned_cents: int = 0
    kept_cents: int = 0
    line: str | None = None
    pays: int | None = None
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class EnvyTrigger:
    """A hand of another player that pays envy to this spot."""

    spot: int
    line: Line
    cents: int


@dataclass(frozen=True, slots=True)
class EnvyResult:
    """The envy of one spot: ``paid_cents`` is the sum over ``triggers``, after the caps."""

    paid_cents: int = 0
    triggers: tuple[EnvyTrigger, ...] = ()
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class SpotResult:
    """What each wager of one spot is owed. ``made_of`` are the cards of the Fortune line."""

    number: int
    main: WagerResult = WagerResult()
    fortune: WagerResult = WagerResult()
    ace_high: WagerResult = WagerResult()
    envy: EnvyResult = EnvyResult()
    line: Line | None = None
    """The best posted line of the spot's hand, wagered on or not: what envy is triggered by."""
    made_of: tuple[CardText, ...] = ()
    low: tuple[CardText, ...] = ()
    high: tuple[CardText, ...] = ()
    short: bool = False
    """A wager under the table minimum was honoured: the next time the hand is dead."""

    @property
    def owed_cents(self) -> int:
        """All winnings of the spot, stakes aside."""
        return (
            self.main.paid_cents
            + self.fortune.paid_cents
            + self.ace_high.paid_cents
            + self.envy.paid_cents
        )


@dataclass(frozen=True, slots=True)
class Settlement:
    """The outcome of a round: one result per spot in spot order, and what is left of the bank.

    ``discrepancies`` are sentences for the dealer and the floor (an envy button without the
    wager for it, a wager under the minimum): nobody is paid on them alone.
    """

    spots: tuple[SpotResult, ...]
    dealer_low: tuple[CardText, ...] = ()
    dealer_high: tuple[CardText, ...] = ()
    dealer_clause: str | None = None
    bank_left_cents: int | None = None
    discrepancies: tuple[str, ...] = field(default=())

    def spot(self, number: int) -> SpotResult:
        """Return the result of spot ``number``; raise KeyError where the round has none."""
        for result in self.spots:
            if result.number == number:
                return result
        raise KeyError(number)
