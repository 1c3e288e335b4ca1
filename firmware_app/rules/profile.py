"""A profile: everything that one posted rule sheet fixes, as validated data.

The five sheets ship as TOML in ``profiles/``; a venue's own file has the same shape. The model
refuses unknown keys, and :class:`ProfileError` carries every fault of a file at once.
"""

import itertools
import tomllib
from collections.abc import Iterable, Iterator
from importlib import resources
from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from firmware_app.rules.faults import faults_of
from firmware_app.rules.lines import Line

Cents = Annotated[int, Field(ge=0)]
PositiveCents = Annotated[int, Field(gt=0)]
ToOne = Annotated[int, Field(gt=0)]
Text = Annotated[str, Field(min_length=1)]

HouseWayName = Literal["daytona", "commission", "best-high"]
PROFILE_NAMES = ("daytona", "envy", "commission", "face-up", "six-card")
SAMPLES = {"six-card": "six-card-sample"}
"""Profiles that ship without a pay table: for each the one with a sample, for demonstrations."""


class ProfileError(ValueError):
    """A profile that cannot be used. ``faults`` holds one readable line per fault."""

    def __init__(self, name: str, faults: list[str]) -> None:
        self.name = name
        self.faults = faults
        super().__init__(f"profile {name}: " + "; ".join(faults))


class _Model(BaseModel):
    # Strict: "5" is no number and 1 is no truth value, or a typing error would pass for a rule.
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


def _refuse(faults: Iterable[str]) -> None:
    """Raise all faults of one table as one error, a line each."""
    lines = list(faults)
    if lines:
        raise ValueError("\n".join(lines))


class PostedLine(_Model):
    """One row of a posted pay table: what it pays "to 1" and the fixed envy it triggers."""

    # TOML knows texts and lists only, so what is a Line or a tuple here is read from those.
    line: Annotated[Line, Field(strict=False)]
    pays: ToOne
    envy_cents: Cents = 0


class WagerLimits(_Model):
    """Posted limits of one wager, in cents. ``unit_cents`` is the smallest step of a wager."""

    minimum_cents: PositiveCents
    maximum_cents: PositiveCents
    unit_cents: PositiveCents = 1_00

    @model_validator(mode="after")
    def _ordered(self) -> Self:
        _refuse(self._faults())
        return self

    def _faults(self) -> Iterator[str]:
        if self.minimum_cents > self.maximum_cents:
            yield (
                f"minimum_cents {self.minimum_cents} is above maximum_cents {self.maximum_cents}; "
                "swap or correct them"
            )
        for name, cents in (
            ("minimum_cents", self.minimum_cents),
            ("maximum_cents", self.maximum_cents),
        ):
            if cents % self.unit_cents:
                yield (
                    f"{name} {cents} is no multiple of unit_cents {self.unit_cents}; "
                    "correct one of them"
                )


class MainWager(_Model):
    """The main Pai Gow wager. ``cap_per_hand_cents`` limits what one player wins on it in a round;
    ``surrender`` saves half of it after the dealer's hand was seen."""

    limits: WagerLimits
    commission_percent: Annotated[int, Field(ge=0, le=100, strict=True)] = 0
    ace_high_push: bool = False
    surrender: bool = False
    cap_per_hand_cents: PositiveCents | None = None


class FortuneWager(_Model):
    """The Fortune Bonus wager and its pay table.

    ``must_beat_designated_player`` makes a wager win only against a lower bonus hand of the
    designated player, compared in the printed ranking or in pay-table order (``compare``).
    ``lower_line_may_pay_more`` says that a table that pays a lower line more means it.
    A profile may ship without a pay table where its sheet gives none: the wager is returned until
    the operator posts one. ``sample_pay_table`` marks one that is for demonstration only.
    """

    limits: WagerLimits
    pay_table: Annotated[tuple[PostedLine, ...], Field(strict=False)] = ()
    sample_pay_table: bool = False
    must_beat_designated_player: bool = False
    compare: Literal["printed", "pay-table"] = "printed"
    cap_per_spot_cents: PositiveCents | None = None
    foul_voids_bonus: bool = False
    lower_line_may_pay_more: bool = False

    @model_validator(mode="after")
    def _sound(self) -> Self:
        _refuse(self._faults())
        return self

    def _faults(self) -> Iterator[str]:
        posted = [row.line for row in self.pay_table]
        for line in Line:
            if posted.count(line) > 1:
                yield f"pay_table: line {line} is posted twice; keep one row"
        if self.sample_pay_table and not posted:
            yield "sample_pay_table = true but pay_table is empty; add the sample's rows"
        if self.lower_line_may_pay_more:
            return
        order = list(Line)
        rows = sorted(self.pay_table, key=lambda row: order.index(row.line))
        for higher, lower in itertools.pairwise(rows):
            for what, less, more in (
                ("pays", higher.pays, lower.pays),
                ("envy_cents", higher.envy_cents, lower.envy_cents),
            ):
                if more > less:
                    yield (
                        f"pay_table: {lower.line} has {what} = {more}, more than the higher line "
                        f"{higher.line} with {less}; correct one of them, or set "
                        "lower_line_may_pay_more = true"
                    )

    def row(self, line: Line) -> PostedLine | None:
        """Return the posted row of ``line``, or None where the sheet does not post it."""
        return next((row for row in self.pay_table if row.line == line), None)


class EnvyBonus(_Model):
    """Who qualifies for envy, and how several triggers add up. Amounts stand in the pay table."""

    minimum_fortune_cents: PositiveCents = 5_00
    qualifies_by: Literal["button", "amount", "both"] = "amount"
    envy_per: Literal["wager", "player"] = "wager"


class AceHighBonus(_Model):
    """The Ace High wager (``face-up``): one line pays, tested in the order of the fields."""

    limits: WagerLimits
    dealer_and_player_pays: ToOne
    dealer_with_joker_pays: ToOne
    dealer_pays: ToOne


class Caps(_Model):
    """The aggregate cap of a round (``envy``): Fortune plus envy winnings, stakes aside."""

    aggregate_cents: PositiveCents | None = None
    cap_rule: Literal["pro_rata", "action_order"] = "pro_rata"
    chip_unit_cents: PositiveCents = 1_00

    @model_validator(mode="after")
    def _in_chips(self) -> Self:
        if self.aggregate_cents is not None and self.aggregate_cents % self.chip_unit_cents:
            raise ValueError(
                f"aggregate_cents {self.aggregate_cents} is no multiple of chip_unit_cents "
                f"{self.chip_unit_cents}; correct one of them"
            )
        return self


class DesignatedPlayer(_Model):
    """A player holds the bank (``daytona``): what they must bring and how it covers wagers.

    ``coverage`` "gross" counts payments and collections against the bank, "net" adds collections.
    ``rake_cents`` is the cardroom's posted rate, taken from the player before cards are dealt.
    """

    minimum_bank_cents: PositiveCents
    coverage: Literal["gross", "net"] = "gross"
    rake_cents: Cents = 0


class Ranking(_Model):
    """What the sheets leave open about the order of hands."""

    wheel: Literal["low", "second"] = "low"
    wheel_straight_flush: Literal["low", "second"] = "low"
    five_aces_high: bool = True


class FirstHand(_Model):
    """How the first hand is chosen from a random number or three dice: ``counting`` is the way in
    which positions are counted from the banker, ``delivery`` the way in which hands then go out."""

    positions: Annotated[int, Field(ge=2, le=8)] = 7
    counting: Literal["clockwise", "counter-clockwise"] = "counter-clockwise"
    delivery: Literal["clockwise", "counter-clockwise"] = "counter-clockwise"


class Profile(_Model):
    """One rule sheet.

    ``deal_all_spots``: hands go to all spots, played or not. ``dealer_opens_first`` is Face Up's
    order of play.
    """

    name: Text
    title: Text
    source: Text
    cards_per_hand: Literal[6, 7] = 7
    spots: Annotated[int, Field(ge=1, le=7)] = 6
    banker: Literal["dealer", "designated-player"] = "dealer"
    deal_all_spots: bool = True
    dealer_opens_first: bool = False
    house_way: HouseWayName = "commission"
    ranking: Ranking = Ranking()
    main: MainWager
    fortune: FortuneWager | None = None
    envy: EnvyBonus | None = None
    ace_high: AceHighBonus | None = None
    caps: Caps = Caps()
    designated_player: DesignatedPlayer | None = None
    first_hand: FirstHand = FirstHand()

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        _refuse(itertools.chain(self._banker_faults(), self._bonus_faults(), self._game_faults()))
        return self

    def _banker_faults(self) -> Iterator[str]:
        by_player = self.banker == "designated-player"
        if by_player != (self.designated_player is not None):
            yield (
                'banker = "designated-player" and the table [designated_player] go together; '
                "give both or neither"
            )
        if by_player:
            for name, there in (("envy", self.envy), ("ace_high", self.ace_high)):
                if there is not None:
                    yield (
                        f"[{name}] is paid by the house, and a designated player's bank has no "
                        "rule to cover it; remove it"
                    )
        elif self.fortune is not None and self.fortune.must_beat_designated_player:
            yield (
                "fortune.must_beat_designated_player = true needs banker = "
                '"designated-player"; correct one of them'
            )
        places = self.spots if by_player else self.spots + 1
        if self.first_hand.positions > places:
            yield (
                f"first_hand.positions = {self.first_hand.positions} is above the {places} places "
                f"of the table; give 2 to {places}"
            )

    def _bonus_faults(self) -> Iterator[str]:
        fortune = self.fortune
        posts_envy = fortune is not None and any(row.envy_cents for row in fortune.pay_table)
        if self.envy is None:
            if posts_envy:
                yield "fortune.pay_table posts envy_cents; add [envy], or remove them"
        elif fortune is None:
            yield "[envy] needs a [fortune] wager; add it or remove [envy]"
        elif not posts_envy:
            yield "[envy] needs envy_cents in fortune.pay_table; add them or remove [envy]"
        elif self.envy.minimum_fortune_cents > fortune.limits.maximum_cents:
            yield (
                f"envy.minimum_fortune_cents = {self.envy.minimum_fortune_cents} is above the "
                f"Fortune maximum of {fortune.limits.maximum_cents}, so that nobody could "
                "qualify; correct one of them"
            )
        if fortune is None and self.caps.aggregate_cents is not None:
            yield (
                "caps.aggregate_cents limits Fortune and envy winnings, but there is no "
                "[fortune]; add it or remove the cap"
            )

    def _game_faults(self) -> Iterator[str]:
        six = self.cards_per_hand == 6
        if six != (self.house_way == "best-high"):
            yield (
                f'house_way = "{self.house_way}" does not set {self.cards_per_hand} cards; '
                f"give {'best-high' if six else 'daytona or commission'}"
            )
        if six and (self.main.ace_high_push or self.ace_high is not None):
            yield (
                "an ace-high hand is one of seven cards; remove main.ace_high_push and [ace_high]"
            )
        if self.main.surrender and not self.dealer_opens_first:
            yield (
                "main.surrender = true needs dealer_opens_first = true: a player surrenders after "
                "the dealer's hand is set; correct one of them"
            )


def profile_from_text(name: str, text: str) -> Profile:
    """Validate a profile given as TOML text; raise :class:`ProfileError` with every fault."""
    try:
        return Profile.model_validate(tomllib.loads(text))
    except tomllib.TOMLDecodeError as error:
        raise ProfileError(name, [f"not valid TOML: {error}"]) from error
    except ValidationError as error:
        raise ProfileError(name, faults_of(error, Profile)) from error


def load_profile(name_or_path: str) -> Profile:
    """Return a shipped profile by name, or a venue's own by the path of its TOML file.

    Raises :class:`ProfileError` where there is none, or where it has faults.
    """
    if name_or_path in (*PROFILE_NAMES, *SAMPLES.values()):
        folder = resources.files("firmware_app.rules") / "profiles"
        return profile_from_text(name_or_path, (folder / f"{name_or_path}.toml").read_text("utf-8"))
    path = Path(name_or_path)
    if path.suffix == ".toml":
        try:
            return profile_from_text(name_or_path, path.read_text("utf-8"))
        except OSError as error:
            raise ProfileError(name_or_path, [f"cannot be read: {error.strerror}"]) from error
        except UnicodeDecodeError as error:
            fault = f"is no UTF-8 text at byte {error.start}; save it as UTF-8"
            raise ProfileError(name_or_path, [fault]) from error
    raise ProfileError(
        name_or_path,
        [f"no such profile; write one of {', '.join(PROFILE_NAMES)}, or the path of a .toml file"],
    )
