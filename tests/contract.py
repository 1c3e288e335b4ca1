"""A published contract as a judge of messages: by the AsyncAPI document alone."""

from __future__ import annotations

from typing import Any

from jsonschema import Draft202012Validator
from referencing import Registry
from referencing.jsonschema import DRAFT202012


class Contract:
    """The validators that an AsyncAPI document promises."""

    def __init__(self, document: dict[str, Any]) -> None:
        schema = DRAFT202012.create_resource({"$id": "urn:feed"} | document)
        self._registry = Registry().with_resource("urn:feed", schema)

    def validator(self, message: str) -> Draft202012Validator:
        """Return the validator of a message's payload."""
        pointer = f"urn:feed#/components/messages/{message}/payload"
        return Draft202012Validator({"$ref": pointer}, registry=self._registry)
