"""A card as a field of a validated model: text outside the process, a :class:`Card` inside."""

from typing import Annotated, Any, Final

from pydantic import GetCoreSchemaHandler, GetJsonSchemaHandler
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema, core_schema

from firmware_app.cards import Card, parse_card


def _card(value: Any) -> Card:
    return value if isinstance(value, Card) else parse_card(str(value))


class _AsText:
    """Tells pydantic how a card is read and written.

    Written out, since every field that holds cards asks for it, and to look through annotations
    each time was much of what it took to make the models.
    """

    _SCHEMA: Final = core_schema.no_info_plain_validator_function(
        _card,
        serialization=core_schema.plain_serializer_function_ser_schema(
            str, return_schema=core_schema.str_schema()
        ),
    )

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        return cls._SCHEMA.copy()  # pydantic writes into what it is given

    @classmethod
    def __get_pydantic_json_schema__(
        cls, schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> JsonSchemaValue:
        return {"type": "string", "pattern": "^([2-9TJQKA][SHDC]|JK)$", "examples": ["KS"]}


CardText = Annotated[Card, _AsText]
