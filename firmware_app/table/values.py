"""Small value types that facts, events and state share."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, PlainSerializer, WithJsonSchema

from firmware_app.cards import Card, parse_card


def _card(value: Any) -> Card:
    return value if isinstance(value, Card) else parse_card(str(value))


CardText = Annotated[
    Card,
    BeforeValidator(_card),
    PlainSerializer(str, return_type=str),
    WithJsonSchema({"type": "string", "pattern": "^([2-9TJQKA][SHDC]|JK)$", "examples": ["KS"]}),
]
"""A card, written as text wherever it leaves the process."""

SpotNumber = Annotated[int, Field(ge=1, le=7)]
Position = Annotated[int, Field(ge=0, le=7, description="0 is the dealer, 1 to 7 a spot")]
WagerName = Literal["main", "fortune", "ace_high"]


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
    """Base of every immutable record that is written to the journal or the feed."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Alarm(Value):
    """A standing fault. ``code`` is stable for programs; ``text`` says what to do next."""

    code: str
    text: str
    spot: SpotNumber | None = None
