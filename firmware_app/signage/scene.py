"""What the sign shows, as values without place, font or language.

:func:`firmware_app.signage.staging.scene` makes a :class:`Scene` of a table's view; the layout
places it. Equal views give equal scenes, so the painter can tell what changed.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Literal

from firmware_app.cards import Card
from firmware_app.rules.lines import Line
from firmware_app.signage.past_rounds import RoundSummary
from firmware_app.signage.words import Say


class SceneKind(StrEnum):
    """Which of its pictures the sign shows."""

    ATTRACT = "attract"
    BETTING = "betting"
    DEALING = "dealing"
    DEALT = "dealt"
    REVEAL = "reveal"
    BIG_WIN = "big_win"
    SETTLED = "settled"
    VOID = "void"
    SUSPENDED = "suspended"
    LAST_ROUNDS = "last_rounds"


@dataclass(frozen=True, slots=True)
class PayRow:
    """One row of the posted pay table. ``hit_by`` are the spots that hold this line now."""

    line: Line
    pays: int
    envy_cents: int
    hit_by: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class AceRow:
    """One row of the Ace High pay table."""

    name: Say
    pays: int
    hit_by: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class ShownCard:
    """A card as it lies there. ``card`` None is a card face down."""

    card: Card | None = None
    look: Literal["plain", "lit", "dim"] = "plain"


@dataclass(frozen=True, slots=True)
class ShownHand:
    """A hand as it is set: the low hand in ``front``, the high hand in ``back``."""

    front: tuple[ShownCard, ...]
    back: tuple[ShownCard, ...]

    @property
    def cards(self) -> tuple[ShownCard, ...]:
        return self.front + self.back


AwardKind = Literal["fortune", "envy", "ace_high", "main"]


@dataclass(frozen=True, slots=True)
class Award:
    """One thing that a spot is paid: ``text`` is the amount, or the odds where it is unknown."""

    kind: AwardKind
    text: Say


@dataclass(frozen=True, slots=True)
class SpotPanel:
    """One spot of the arc.

    ``stake`` is the Fortune wager in words (None: none lies there), ``invites`` what can be wagered
    in its empty circle, ``envy`` whether its envy
    button counts, ``notes`` further bets, ``status`` why the spot is out of the round, ``title``
    the line of its open hand.
    """

    number: int
    stake: str | None = None
    invites: Say | None = None
    envy: bool = False
    notes: tuple[Say, ...] = ()
    status: Say | None = None
    broken: bool = False
    designated_player: bool = False
    first: bool = False
    linked: tuple[int, ...] = ()
    hand: ShownHand | None = None
    title: Say | None = None
    hit: bool = False
    awards: tuple[Award, ...] = ()


Mood = Literal["sell", "bet", "wait", "win", "calm", "alarm"]


@dataclass(frozen=True, slots=True)
class Hero:
    """The large message beside the pay table.

    ``hand`` with its ``hand_label`` is the dealer's hand, or the best hand of the round.
    ``points`` are short sentences under it.
    """

    mood: Mood
    headline: Say
    over: Say | None = None
    amount: Say | None = None
    envy: Say | None = None
    hand: ShownHand | None = None
    points: tuple[Say, ...] = ()


@dataclass(frozen=True, slots=True)
class BankerHand:
    """The hand that all play against: the house dealer's, or a designated player's at ``spot``.

    ``clause`` is the clause of the house way that set it; ``left`` says what a
    designated player's bank still covers.
    """

    hand: ShownHand
    clause: str | None = None
    spot: int | None = None
    left: Say | None = None


@dataclass(frozen=True, slots=True)
class Strip:
    """The dealer's line at the foot of the sign, in the table's own words."""

    step: str
    notice: str | None = None
    alarms: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Scene:
    """Everything on the sign. ``conditions`` are the posted conditions, ``limits`` the wagers'."""

    kind: SceneKind
    title: str
    hero: Hero
    round_label: Say | None = None
    pay_rows: tuple[PayRow, ...] = ()
    shows_envy: bool = False
    ace_rows: tuple[AceRow, ...] = ()
    conditions: tuple[Say, ...] = ()
    limits: tuple[Say, ...] = ()
    spots: tuple[SpotPanel, ...] = ()
    banker: BankerHand | None = None
    strip: Strip = Strip("")
    sample_pay_table: bool = False
    rounds: tuple[RoundSummary, ...] = ()
    glow: int = 0
