"""Small value types that facts, events and state share."""

from enum import StrEnum
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

SpotNumber = Annotated[int, Field(ge=1, le=7)]
Position = Annotated[int, Field(ge=0, le=7, description="0 is the dealer, 1 to 7 a spot")]
WagerName = Literal["main", "fortune", "ace_high"]

StopReason = Literal["terminated", "interrupted", "failed", "closed"]
"""Why a controller stopped: SIGTERM, as for a unit that is stopped, a package that is brought up to
date, or a Pi that is shut down; Ctrl-C at a console; a fault of the program, which took its leave
all the same; or the program had done what it was started for, as a simulation does."""


class Phase(StrEnum):
    """Where a round stands. ``settled`` is also the state between rounds."""

    BETTING = "betting"
    DEALING = "dealing"
    DEALT = "dealt"
    REVEALED = "revealed"
    SETTLED = "settled"
    VOIDED = "voided"
    SUSPENDED = "suspended"


class Value(BaseModel):
    """Base of every immutable record that is written to the journal or the feed.

    Modules of models do not postpone their annotations (``from __future__``): a model needs them as
    soon as it is defined, and compiling each from its text was a tenth of the program's own start.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")


class Alarm(Value):
    """A standing fault. ``code`` is stable for programs; ``text`` says what to do next."""

    code: str
    text: str
    spot: SpotNumber | None = None
