"""A round written down by hand: the TOML file that ``settle`` reads.

Every fault of the file is found in one reading: of the fields first, then of the round that the
readable fields describe.
"""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, TypeVar

from pydantic import BaseModel, ConfigDict, Field, PlainValidator, ValidationError

from firmware_app.cards import Card, CardError, parse_card
from firmware_app.rules.faults import dotted, faults_of
from firmware_app.rules.play import RoundPlay, SpotPlay
from firmware_app.rules.profile import Profile, ProfileError, load_profile
from firmware_app.rules.round_check import miscounts, round_faults


class RoundFileError(ValueError):
    """A round file that cannot be settled. ``faults`` holds one readable line per fault."""

    def __init__(self, path: Path, faults: Sequence[str]) -> None:
        self.faults = tuple(faults)
        super().__init__(f"{path}: " + "; ".join(faults))


def _cards(value: object) -> tuple[Card, ...]:
    """Read cards from a list of texts, or from one text with blanks or commas between them."""
    if isinstance(value, str):
        words = value.replace(",", " ").split()
    elif isinstance(value, list) and all(isinstance(word, str) for word in value):
        words = value
    else:
        raise ValueError(f'{value!r} are no cards; write "KS 10H JK" or ["KS", "10H", "JK"]')
    cards, faults = [], []
    for word in words:
        try:
            cards.append(parse_card(word))
        except CardError as error:
            faults.append(str(error))
    if faults:
        raise ValueError("\n".join(faults))
    return tuple(cards)


def _fortune_cents(value: object) -> int | None:
    """Read a Fortune wager: cents, or None for "unknown", a wager that lies there uncounted."""
    if value == "unknown":
        return None
    if type(value) is int and value >= 0:
        return value
    raise ValueError(f'{value!r} is not valid; give a whole number of cents, or "unknown"')


Cards = Annotated[tuple[Card, ...], PlainValidator(_cards)]
Cents = Annotated[int, Field(ge=0)]


class _Keys(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)


class _SpotTable(_Keys):
    """One ``[[spot]]``. It counts as played where it names a player or holds a wager, unless
    ``occupied`` says otherwise."""

    number: int
    player: Annotated[str, Field(min_length=1)] | None = None
    occupied: bool | None = None
    main_cents: Cents = 0
    fortune_cents: Annotated[int | None, PlainValidator(_fortune_cents)] = 0
    ace_high_cents: Cents = 0
    envy_button: bool | None = None
    cards: Cards | None = None
    low: Cards | None = None
    folded: bool = False
    dead: bool = False
    surrendered: bool = False
    short_before: bool = False

    def play(self) -> SpotPlay:
        wagered = bool(self.main_cents or self.ace_high_cents or self.fortune_cents != 0)
        played = self.player is not None or wagered
        return SpotPlay(
            number=self.number,
            cards=self.cards,
            player=self.player,
            occupied=played if self.occupied is None else self.occupied,
            main_cents=self.main_cents,
            fortune_cents=self.fortune_cents,
            ace_high_cents=self.ace_high_cents,
            envy_button=self.envy_button,
            low=self.low,
            folded=self.folded,
            dead=self.dead,
            surrendered=self.surrendered,
            short_before=self.short_before,
        )


class _RoundTable(_Keys):
    """The file, its spots apart: each of those is read on its own."""

    rules: str
    first_spot: int = 1
    dealer: Cards | None = None
    designated_player: int | None = None
    bank_cents: Cents | None = None
    misdeal: Annotated[str, Field(min_length=1)] | None = None
    spot: Annotated[list[dict[str, Any]], Field(min_length=1)]


def read_round(path: Path) -> tuple[Profile, RoundPlay]:
    """Return the profile and the round that the file at ``path`` describes.

    Raises :class:`RoundFileError` with every fault of the file.
    """
    try:
        raw = tomllib.loads(path.read_text("utf-8"))
    except OSError as error:
        raise RoundFileError(path, [f"cannot be read: {error.strerror}"]) from error
    except UnicodeDecodeError as error:
        fault = f"is no UTF-8 text at byte {error.start}; save it as UTF-8"
        raise RoundFileError(path, [fault]) from error
    except tomllib.TOMLDecodeError as error:
        raise RoundFileError(path, [f"is no valid TOML: {error}"]) from error
    return _Reading().round(path, raw)


_Table = TypeVar("_Table", bound=_Keys)


class _Reading:
    """One reading of a file: the faults found, and what not to say because of them.

    A field that cannot be read is left out and the rest is read on, so that its faults come out at
    the same time. ``_follow`` holds how complaints begin that only follow from the field left out:
    unreadable cards of the dealer are not missing as well.
    """

    def __init__(self) -> None:
        self._faults: list[str] = []
        self._follow: list[str] = []

    def round(self, path: Path, raw: dict[str, Any]) -> tuple[Profile, RoundPlay]:
        table = self._keys(_RoundTable, raw, "")
        spots = [self._spot(index, spot) for index, spot in enumerate(_tables(raw.get("spot")))]
        profile = self._profile(raw.get("rules"))
        if table is None or profile is None:
            raise RoundFileError(path, self._faults)
        play = RoundPlay(
            spots=tuple(spot for spot in spots if spot is not None),
            first_spot=table.first_spot,
            dealer=table.dealer,
            designated_player=table.designated_player,
            bank_cents=table.bank_cents,
            misdeal=table.misdeal,
        )
        of_round = round_faults(profile, play)
        if play.misdeal is None:
            of_round += miscounts(profile, play)
        self._faults += [fault for fault in of_round if not fault.startswith(tuple(self._follow))]
        if self._faults:
            raise RoundFileError(path, self._faults)
        return profile, play

    def _profile(self, name: object) -> Profile | None:
        if not isinstance(name, str):
            return None  # told as a fault of the key already
        try:
            return load_profile(name)
        except ProfileError as error:
            self._faults += [f"rules = {name!r}: {fault}" for fault in error.faults]
            return None

    def _spot(self, index: int, raw: dict[str, Any]) -> SpotPlay | None:
        number = raw.get("number")
        name = f"spot {number}" if isinstance(number, int) else f"[[spot]] table {index + 1}"
        table = self._keys(_SpotTable, raw, f"{name}, ")
        if table is None:
            self._follow.append("designated_player = ")
            return None
        if table.cards is None and "cards" in raw:
            self._follow += [
                f"{name} has a wager but no cards",
                f"{name} is the designated player but has no cards",
                f"{name}: low card",
            ]
        return table.play()

    def _keys(self, model: type[_Table], raw: dict[str, Any], prefix: str) -> _Table | None:
        """Read ``raw``, leaving out the keys that cannot be read; None where it needs those."""
        try:
            return model.model_validate(raw)
        except ValidationError as error:
            self._faults += faults_of(error, model, lambda keys: prefix + dotted(keys))
            wrong = {str(detail["loc"][0]) for detail in error.errors()}
        if not prefix:
            self._follow += wrong
        try:
            return model.model_validate({key: raw[key] for key in raw.keys() - wrong})
        except ValidationError:
            return None


def _tables(value: object) -> list[dict[str, Any]]:
    """Return the tables of ``[[spot]]``, none where there is something else in their place."""
    if not isinstance(value, list):
        return []
    return [table for table in value if isinstance(table, dict)]
