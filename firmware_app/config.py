"""The configuration of one table: a TOML file, validated whole before anything is opened.

Every fault of the file is reported at once, with its path, its value and the cure.
"""

import hashlib
import tomllib
from functools import cached_property
from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator, model_validator

from firmware_app.control.settings import ControlSettings
from firmware_app.feed.settings import FeedSettings
from firmware_app.rules.faults import faults_of
from firmware_app.rules.profile import Profile, ProfileError, load_profile
from firmware_app.runtime.intake import IntakeRules
from firmware_app.signage.settings import SignSettings
from firmware_app.table.state import TableRules
from hw.reader.settings import ReaderSettings
from hw.settings import PanelSettings

PositiveCents = Annotated[int, Field(gt=0, strict=True)]


class ConfigError(ValueError):
    """A configuration that cannot be used. ``faults`` holds one readable line per fault."""

    def __init__(self, path: str, faults: list[str]) -> None:
        self.path = path
        self.faults = faults
        super().__init__(f"{path}: " + "; ".join(faults))


class _Model(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class GameSettings(_Model):
    """What is played here, and how wagers are known.

    ``rules`` is a shipped profile or the path of a venue's own. ``unit_cents`` is what a chip on
    the Fortune sensor or one pulse is worth; ``main_unit_cents`` the same for a main sensor.
    """

    rules: str
    wager_source: Literal["fixed", "pulses", "reader", "odds-only"] = "fixed"
    unit_cents: PositiveCents = 5_00
    main_unit_cents: PositiveCents = 10_00
    envy_input: Literal["button", "momentary", "none"] = "button"
    occupied_by: Literal["main-sensor", "hand", "fortune-bet"] = "hand"

    @field_validator("rules")
    @classmethod
    def _there(cls, rules: str) -> str:
        try:
            load_profile(rules)
        except ProfileError as error:
            raise ValueError(f"{rules!r}: " + "\n".join(error.faults)) from error
        return rules

    @cached_property
    def profile(self) -> Profile:
        # Read once: a file that changes while the table runs changes nothing before its next start.
        return load_profile(self.rules)


class JournalSettings(_Model):
    """Where the record is kept, and for how long at hand.

    ``reserve_mib`` is the free space below which no round opens: far more than a round and its log
    take. What is older than ``keep_days`` moves into archive files beside the journal. Regulators
    want actions of supervisors at hand for 90 days, which is the least.
    """

    path: Path = Path("/var/lib/fortune-table/journal.sqlite3")
    reserve_mib: Annotated[int, Field(ge=1, le=100_000)] = 200
    keep_days: Annotated[int, Field(ge=90, le=3_650)] = 90


class TableConfig(_Model):
    """The whole configuration of a table."""

    game: GameSettings
    panel: PanelSettings = PanelSettings()
    reader: ReaderSettings
    mqtt: FeedSettings
    sign: SignSettings = SignSettings()
    journal: JournalSettings = JournalSettings()
    control: ControlSettings = ControlSettings()

    @model_validator(mode="after")
    def _parts_fit(self) -> Self:
        profile = self.game.profile
        if self.panel.spots != profile.spots:
            raise ValueError(
                f"panel.spots = {self.panel.spots}, but the rules {self.game.rules} have "
                f"{profile.spots} spots; set panel.spots = {profile.spots}"
            )
        if profile.deal_all_spots and profile.envy is not None and self.game.occupied_by == "hand":
            raise ValueError(
                f'game.occupied_by = "hand", but the rules {self.game.rules} deal to every spot, '
                "and the hand of an empty spot must trigger no envy; set "
                'game.occupied_by = "main-sensor", or "fortune-bet" where all players bet it'
            )
        if self.game.envy_input == "momentary" and self.panel.envy.stuck_after_s == "never":
            raise ValueError(
                'game.envy_input = "momentary", so a button that stays down is stuck; set '
                "panel.envy.stuck_after_s = 30"
            )
        envy = profile.envy
        if envy is not None and envy.qualifies_by != "amount" and self.game.envy_input == "none":
            raise ValueError(
                'game.envy_input = "none", but the rules know envy by its button; set '
                'game.envy_input = "button" or "momentary"'
            )
        return self

    @property
    def table_rules(self) -> TableRules:
        return TableRules(
            profile=self.game.profile,
            wager_source=self.game.wager_source,
            envy_input=self.game.envy_input,
            occupied_by=self.game.occupied_by,
        )

    @property
    def intake_rules(self) -> IntakeRules:
        return IntakeRules(
            wager_source=self.game.wager_source,
            envy_input=self.game.envy_input,
            unit_cents=self.game.unit_cents,
            main_unit_cents=self.game.main_unit_cents,
        )

    def digest(self) -> str:
        """Return the SHA-256 of everything that decides money: rules and how wagers are known."""
        text = self.game.model_dump_json() + self.game.profile.model_dump_json()
        return hashlib.sha256(text.encode()).hexdigest()


def config_from_text(path: str, text: str) -> TableConfig:
    """Return the configuration in ``text``; raise :class:`ConfigError` with every fault."""
    try:
        return TableConfig.model_validate(tomllib.loads(text))
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(path, [f"not valid TOML: {error}"]) from error
    except ValidationError as error:
        raise ConfigError(path, faults_of(error, TableConfig)) from error


def load_config(path: Path) -> TableConfig:
    """Read and validate the configuration at ``path``; raise :class:`ConfigError`."""
    try:
        text = path.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(str(path), [f"cannot be read: {error}"]) from error
    return config_from_text(str(path), text)
