"""The state of one table between two facts: immutable, and JSON both ways for checkpoints."""

from dataclasses import dataclass, replace
from functools import cache
from typing import Literal, Self

from pydantic import TypeAdapter

from firmware_app.rules.card_text import CardText
from firmware_app.rules.play import Settlement
from firmware_app.rules.profile import Profile
from firmware_app.table.values import Alarm, Phase

DEALER = 0
"""The position of the house dealer's hand."""


@dataclass(frozen=True, slots=True)
class TableRules:
    """What the round needs to know of the table's configuration.

    ``wager_source`` is how Fortune wagers are known, ``envy_input`` how envy buttons act,
    ``occupied_by`` what makes a spot count as played.
    """

    profile: Profile
    wager_source: Literal["fixed", "pulses", "reader", "odds-only"] = "fixed"
    envy_input: Literal["button", "momentary", "none"] = "button"
    occupied_by: Literal["main-sensor", "hand", "fortune-bet"] = "hand"

    @property
    def forgets_wagers(self) -> bool:
        """Whether wagers are told anew each round, since no sensor shows them lying there."""
        return self.wager_source in ("pulses", "reader")


@dataclass(frozen=True, slots=True)
class Bets:
    """The bets of one spot. ``fortune_cents`` None: a wager of unknown amount lies there."""

    main_cents: int = 0
    fortune_cents: int | None = 0
    ace_high_cents: int = 0
    envy_button: bool = False

    @property
    def has_fortune(self) -> bool:
        return self.fortune_cents is None or self.fortune_cents > 0


@dataclass(frozen=True, slots=True)
class SpotState:
    """One betting spot. ``live`` follows the sensors; ``locked`` is what the round is played for.

    ``player`` names whose spot it is: linked spots share a name. ``short_wagers`` counts wagers
    under the minimum in this player's sitting.
    """

    number: int
    player: str
    live: Bets = Bets()
    locked: Bets | None = None
    cards: tuple[CardText, ...] = ()
    low: tuple[CardText, ...] | None = None
    dead: bool = False
    folded: bool = False
    surrendered: bool = False
    short_wagers: int = 0
    failed_lines: frozenset[str] = frozenset()

    @property
    def in_service(self) -> bool:
        return not self.failed_lines


@dataclass(frozen=True, slots=True)
class Suspension:
    """Why the game waits, and the phase that it goes back to."""

    phase: Phase
    reason: str


@dataclass(frozen=True, slots=True)
class TableState:
    """Everything that the next fact can depend on."""

    spots: tuple[SpotState, ...]
    phase: Phase = Phase.SETTLED
    round_number: int = 0
    first_spot: int = 1
    dealer_cards: tuple[CardText, ...] = ()
    cards_left: int | None = None
    settlement: Settlement | None = None
    designated_player: int | None = None
    bank_cents: int | None = None
    void_reason: str | None = None
    suspension: Suspension | None = None
    reader_up: bool = True
    alarms: tuple[Alarm, ...] = ()
    notice: str | None = None
    """The last action of the dealer in words: echoed on the sign."""

    def spot(self, number: int) -> SpotState:
        """Return spot ``number``; raise KeyError where the table has none."""
        if not 1 <= number <= len(self.spots):
            raise KeyError(number)
        return self.spots[number - 1]

    def with_spot(self, spot: SpotState) -> Self:
        """Return the state with ``spot`` in its place."""
        spots = tuple(spot if spot.number == old.number else old for old in self.spots)
        return replace(self, spots=spots)


def new_table(rules: TableRules) -> TableState:
    """Return the state of a table that has never played."""
    return TableState(
        spots=tuple(
            SpotState(number=number, player=f"spot {number}")
            for number in range(1, rules.profile.spots + 1)
        )
    )


@cache
def _adapter() -> TypeAdapter[TableState]:
    # Made when the first checkpoint is made or read: before that, it would only hold up the start.
    return TypeAdapter(TableState)


def state_to_json(state: TableState) -> bytes:
    """Return the state as JSON, for a checkpoint."""
    return _adapter().dump_json(state)


def state_from_json(data: bytes) -> TableState:
    """Return the state that :func:`state_to_json` wrote."""
    return _adapter().validate_json(data)


_RULES: TypeAdapter[TableRules] = TypeAdapter(TableRules)


def rules_to_json(rules: TableRules) -> bytes:
    """Return the rules as JSON: what a replay needs to come out the same."""
    return _RULES.dump_json(rules)


def rules_from_json(data: bytes | str) -> TableRules:
    """Return the rules that :func:`rules_to_json` wrote."""
    return _RULES.validate_json(data)
