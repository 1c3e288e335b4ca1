"""A profile: everything that one posted rule sheet fixes, as validated data.

The five sheets ship as TOML in ``profiles/``; a venue's own file has the same shape. The model
refuses unknown keys, and :class:`ProfileError` carries every fault of a file at once.
"""

from __future__ import annotations

import itertools
import tomllib
from importlib import resources
from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from firmware_app.rules.lines import Line

Cents = Annotated[int, Field(ge=0, strict=True)]
PositiveCents = Annotated[int, Field(gt=0, strict=True)]
ToOne = Annotated[int, Field(gt=0, strict=True)]

HouseWayName = Literal["daytona", "commission", "best-high"]
PROFILE_NAMES = ("daytona", "envy", "commission", "face-up", "six-card")


class ProfileError(ValueError):
    """A profile that cannot be used. ``faults`` holds one readable line per fault."""

    def __init__(self, name: str, faults: list[str]) -> None:
        self.name = name
        self.faults = faults
        super().__init__(f"profile {name}: " + "; ".join(faults))


class _Model(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class PostedLine(_Model):
    """One row of a posted pay table: what it pays "to 1" and the fixed envy it triggers."""

    line: Line
    pays: ToOne
    envy_cents: Cents = 0


class WagerLimits(_Model):
    """Posted limits of one wager, in cents. ``unit_cents`` is the smallest step of a wager."""

    minimum_cents: PositiveCents
    maximum_cents: PositiveCents
    unit_cents: PositiveCents = 1_00

    @model_validator(mode="after")
    def _ordered(self) -> Self:
        if self.minimum_cents > self.maximum_cents:
            raise ValueError(
                f"minimum_cents {self.minimum_cents} is above maximum_cents {self.maximum_cents}; "
                "swap or correct them"
            )
        return self


class MainWager(_Model):
    """The main Pai Gow wager."""

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
    """

    limits: WagerLimits
    pay_table: tuple[PostedLine, ...] = ()
    sample_pay_table: bool = False
    must_beat_designated_player: bool = False
    compare: Literal["printed", "pay-table"] = "printed"
    cap_per_spot_cents: PositiveCents | None = None
    foul_voids_bonus: bool = False
    lower_line_may_pay_more: bool = False

    @model_validator(mode="after")
    def _falling(self) -> Self:
        order = list(Line)
        posted = [row.line for row in self.pay_table]
        for line in posted:
            if posted.count(line) > 1:
                raise ValueError(f"line {line} is posted twice; keep one row")
        rows = sorted(self.pay_table, key=lambda row: order.index(row.line))
        if not self.lower_line_may_pay_more:
            for higher, lower in itertools.pairwise(rows):
                if lower.pays > higher.pays:
                    raise ValueError(
                        f"{lower.line} pays {lower.pays} to 1, more than the higher line "
                        f"{higher.line} at {higher.pays} to 1; correct one of them, or set "
                        "lower_line_may_pay_more = true"
                    )
        return self

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


class DesignatedPlayer(_Model):
    """A player holds the bank (``daytona``): what they must bring and how it covers wagers."""

    minimum_bank_cents: PositiveCents
    coverage: Literal["gross", "net"] = "gross"
    rake_cents: Cents = 0


class Ranking(_Model):
    """What the sheets leave open about the order of hands."""

    wheel: Literal["low", "second"] = "low"
    wheel_straight_flush: Literal["low", "second"] = "low"
    five_aces_high: bool = True


class FirstHand(_Model):
    """How the first hand is chosen from a random number or three dice."""

    positions: Annotated[int, Field(ge=2, le=8)] = 7
    counting: Literal["clockwise", "counter-clockwise"] = "counter-clockwise"
    delivery: Literal["clockwise", "counter-clockwise"] = "counter-clockwise"


class Profile(_Model):
    """One rule sheet; ``dealer_opens_first`` is Face Up's order of play."""

    name: str
    title: str
    source: str
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
        if (self.banker == "designated-player") != (self.designated_player is not None):
            raise ValueError(
                'banker = "designated-player" and the table [designated_player] go together; '
                "give both or neither"
            )
        if self.envy is not None and self.fortune is None:
            raise ValueError("[envy] needs a [fortune] wager; add it or remove [envy]")
        return self


def profile_from_text(name: str, text: str) -> Profile:
    """Validate a profile given as TOML text; raise :class:`ProfileError` with every fault."""
    try:
        return Profile.model_validate(tomllib.loads(text))
    except tomllib.TOMLDecodeError as error:
        raise ProfileError(name, [f"not valid TOML: {error}"]) from error
    except ValidationError as error:
        raise ProfileError(
            name,
            [
                f"{'.'.join(str(part) for part in fault['loc']) or 'profile'}: {fault['msg']}"
                for fault in error.errors()
            ],
        ) from error


def load_profile(name_or_path: str) -> Profile:
    """Return a shipped profile by name, or a venue's own by the path of its TOML file.

    Raises :class:`ProfileError` where there is none, or where it has faults.
    """
    if name_or_path in PROFILE_NAMES:
        folder = resources.files("firmware_app.rules") / "profiles"
        return profile_from_text(name_or_path, (folder / f"{name_or_path}.toml").read_text("utf-8"))
    path = Path(name_or_path)
    if path.suffix == ".toml":
        try:
            return profile_from_text(name_or_path, path.read_text("utf-8"))
        except OSError as error:
            raise ProfileError(name_or_path, [f"cannot be read: {error.strerror}"]) from error
    raise ProfileError(
        name_or_path,
        [f"no such profile; write one of {', '.join(PROFILE_NAMES)}, or the path of a .toml file"],
    )
