"""The feed's contract for other systems: an AsyncAPI 3 document, and a JSON Schema per event.

Both are generated from the models that the events are written with, so neither can drift.
"""

import inspect
import json
from typing import Any, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, SerializeAsAny, TypeAdapter
from pydantic.json_schema import GenerateJsonSchema

from firmware_app.feed.envelope import (
    CONTENT_TYPE,
    SEQUENCE_DIGITS,
    TYPE_PREFIX,
    encode,
    schema_id,
)
from firmware_app.feed.examples import EXAMPLES
from firmware_app.feed.requests import ResendRequest
from firmware_app.feed.status import Status
from firmware_app.feed.topics import NAME_PATTERN, ROOT, TableTopics
from firmware_app.table.events import EVENTS, Event
from firmware_app.table.view import TableView

JsonObject: TypeAlias = dict[str, Any]

_CONTRACT_VERSION = "1.1.0"
_DIALECT = "https://json-schema.org/draft/2020-12/schema"
_MODE: Literal["serialization"] = "serialization"
_EXAMPLE_TOPICS = TableTopics("casino", "fpg-01")
_EXAMPLE_UTC_NS = 1_767_268_800_000_000_000
"""1 January 2026, noon."""
_COMPONENT = "#/components/schemas/{model}"

_DESCRIPTION = """\
Events of a Fortune Pai Gow Poker table, in the order in which they happened.

Every event is a CloudEvent 1.0 in structured mode. Delivery is at least once: drop an event whose
id you have. Its sequence counts the table's events from 1 without gaps: a hole means that one was
lost on the way, and the table can send it again. Amounts are in cents. Cards are rank and suit,
such as KS or TH; JK is the joker. No card of a hand is told before the hands are revealed.

Newer tables may send kinds of events, and fields, that are not named here: pass over them.
"""

_COUNTS: JsonObject = {"type": "object", "additionalProperties": {"type": "integer"}}
_METERS: JsonObject = {
    "type": "object",
    "properties": {"lifetime": _COUNTS, "shift": _COUNTS},
    "required": ["lifetime", "shift"],
}
_HEALTH: JsonObject = {
    "type": "object",
    "properties": {
        "readings": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "name": {"type": "string"},
                    "status": {"enum": ["ok", "warning", "failed", "unsupported"]},
                    "detail": {"type": "string"},
                },
                "required": ["name", "status", "detail"],
            },
        },
        "reader": {"type": "object", "description": "counters of the card reader's link"},
        "feed": {"type": "object", "description": "state of the link to the broker"},
    },
    "required": ["readings", "reader", "feed"],
}


class Envelope(BaseModel):
    """One event on the wire. The order of the fields is the order of the bytes."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    specversion: Literal["1.0"] = "1.0"
    id: str = Field(description="table and sequence: the same on every resend; drop repeats by it")
    source: str = Field(description="the table, as an absolute path: /fpg/v1/<site>/<table>")
    type: str = Field(description="fpg.v1. and the kind of event")
    subject: str = Field(pattern=r"^round/\d+$", description="the round it belongs to")
    time: str = Field(
        pattern=r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$",
        description="UTC, when the table recorded it; order by sequence, not by time",
        json_schema_extra={"format": "date-time"},
    )
    datacontenttype: Literal["application/json"] = "application/json"
    dataschema: str = Field(description="the $id of the JSON Schema of data")
    sequence: str = Field(
        pattern=rf"^\d{{{SEQUENCE_DIGITS}}}$",
        description="the table's count of events from 1, without gaps: proves completeness",
    )
    clocksynchronised: bool = Field(
        description="false: the device had not set its clock, so time may be far off"
    )
    data: SerializeAsAny[Event]


class _Produced(GenerateJsonSchema):
    """The schema of what we write: every field is there, whether it has a default or not."""

    def field_is_required(self, *_arguments: Any, **_options: Any) -> bool:
        return True


def data_schema(event: type[Event]) -> JsonObject:
    """Return the JSON Schema of the ``data`` of one kind of event, complete in itself.

    Its ``$id`` is the URI that events name as their ``dataschema``.
    """
    schema = TypeAdapter(event).json_schema(mode=_MODE, schema_generator=_Produced)
    return {"$schema": _DIALECT, "$id": schema_id(event.TYPE), **_opened(schema)}


def asyncapi() -> JsonObject:
    """Return the AsyncAPI 3.0 document of everything that a table publishes."""
    retained = {
        "state": ("The table as it may be shown now.", {"$ref": _ref("TableView")}),
        "status": ("Whether the table is on the line.", {"$ref": _ref("Status")}),
        "meters": ("The meters, in cents and counts, by dotted names.", _METERS),
    }
    channels: JsonObject = {}
    operations: JsonObject = {}
    messages: JsonObject = {}
    for event in EVENTS:
        channels[event.TYPE] = _channel(f"event/{event.TYPE}", event.TYPE)
        operations[event.TYPE] = _operation(event.TYPE, qos=1, retain=False)
        messages[event.TYPE] = _event_message(event)
    for name, (summary, payload) in retained.items():
        channels[name] = _channel(name, name)
        operations[name] = _operation(name, qos=1, retain=True)
        messages[name] = _plain_message(name, summary, payload)
    channels["health"] = _channel("health", "health")
    operations["health"] = _operation("health", qos=0, retain=False)
    messages["health"] = _plain_message("health", "How the device does.", _HEALTH)
    channels["resend"] = _channel("request/resend", "resend")
    operations["resend"] = _operation("resend", qos=1, retain=False, action="receive")
    messages["resend"] = _plain_message(
        "resend",
        "Asks the table to send its events once more. Heard only where the table is set to.",
        {"$ref": _ref("ResendRequest")},
    )
    return {
        "asyncapi": "3.0.0",
        "info": {
            "title": "Fortune Pai Gow table feed",
            "version": _CONTRACT_VERSION,
            "description": _DESCRIPTION,
        },
        "defaultContentType": "application/json",
        "channels": channels,
        "operations": operations,
        "components": {"messages": messages, "schemas": _component_schemas()},
    }


def _component_schemas() -> JsonObject:
    models: tuple[type[Any], ...] = (*EVENTS, TableView, Status, ResendRequest)
    _, definitions = TypeAdapter.json_schemas(
        [(model.__name__, _MODE, TypeAdapter(model)) for model in models],
        ref_template=_COMPONENT,
        schema_generator=_Produced,
    )
    envelope = TypeAdapter(Envelope).json_schema(
        mode=_MODE, ref_template=_COMPONENT, schema_generator=_Produced
    )
    del envelope["$defs"]
    # Each message says what its data is; the base class of events is no message of its own.
    envelope["properties"]["data"] = {"type": "object"}
    schemas: JsonObject = _opened(definitions["$defs"]) | {"Envelope": _opened(envelope)}
    return schemas


def _channel(address: str, message: str) -> JsonObject:
    return {
        "address": f"{ROOT}/{{site}}/{{table}}/{address}",
        "parameters": {
            "site": {"description": f"The site: {NAME_PATTERN}"},
            "table": {"description": f"The table: {NAME_PATTERN}"},
        },
        "messages": {message: {"$ref": f"#/components/messages/{message}"}},
    }


def _operation(name: str, *, qos: int, retain: bool, action: str = "send") -> JsonObject:
    return {
        "action": action,
        "channel": {"$ref": f"#/channels/{name}"},
        "messages": [{"$ref": f"#/channels/{name}/messages/{name}"}],
        "bindings": {"mqtt": {"qos": qos, "retain": retain, "bindingVersion": "0.2.0"}},
    }


def _event_message(event: type[Event]) -> JsonObject:
    message: JsonObject = {
        "name": event.TYPE,
        "contentType": CONTENT_TYPE,
        "payload": {
            "allOf": [
                {"$ref": _ref("Envelope")},
                {
                    "properties": {
                        "type": {"const": TYPE_PREFIX + event.TYPE},
                        "dataschema": {"const": schema_id(event.TYPE)},
                        "data": {"$ref": _ref(event.__name__)},
                    }
                },
            ]
        },
    }
    if event.__doc__:
        message["summary"] = inspect.cleandoc(event.__doc__)
    message["examples"] = [
        {"payload": _published(example)} for example in EXAMPLES if type(example) is event
    ]
    return message


def _published(example: Event) -> JsonObject:
    sequence = 1 + EXAMPLES.index(example)
    payload: JsonObject = json.loads(
        encode(
            example,
            _EXAMPLE_TOPICS,
            sequence=sequence,
            wall_utc_ns=_EXAMPLE_UTC_NS + sequence * 1_000_000_000,
            synchronised=True,
        )
    )
    return payload


def _plain_message(name: str, summary: str, payload: JsonObject) -> JsonObject:
    return {
        "name": name,
        "summary": summary,
        "contentType": "application/json",
        "payload": payload,
    }


def _ref(model: str) -> str:
    return _COMPONENT.format(model=model)


def _opened(schema: Any) -> Any:
    """Return ``schema`` without its ban on further fields: a newer table may send more."""
    if isinstance(schema, dict):
        return {
            name: _opened(part)
            for name, part in schema.items()
            if not (name == "additionalProperties" and part is False)
        }
    if isinstance(schema, list):
        return [_opened(part) for part in schema]
    return schema
