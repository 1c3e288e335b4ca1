"""A card as a field of a validated model: text outside the process, a :class:`Card` inside."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import PlainSerializer, PlainValidator, WithJsonSchema

from firmware_app.cards import Card, parse_card


def _card(value: Any) -> Card:
    return value if isinstance(value, Card) else parse_card(str(value))


CardText = Annotated[
    Card,
    PlainValidator(_card),
    PlainSerializer(str, return_type=str),
    WithJsonSchema({"type": "string", "pattern": "^([2-9TJQKA][SHDC]|JK)$", "examples": ["KS"]}),
]
