"""The envelope of an event: CloudEvents 1.0, JSON, structured mode.

Writing is our own, so that the bytes of an event depend on nothing but the event: the outbox, a
resend and a replay of the journal must all give the same. Reading goes through the CloudEvents
project's SDK, which holds every event to the specification.

Sources: CloudEvents 1.0.2 specification, its JSON event format, and its ``sequence`` extension.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from cloudevents.core.exceptions import CloudEventValidationError
from cloudevents.core.formats.json import JSONFormat
from cloudevents.core.v1.event import CloudEvent

from firmware_app.feed.topics import TableTopics
from firmware_app.table.events import Event

CONTENT_TYPE = "application/cloudevents+json; charset=utf-8"
TYPE_PREFIX = "fpg.v1."
SEQUENCE_DIGITS = 12
"""The extension wants strings that sort as the events do, hence leading zeros."""

_SEQUENCE = re.compile(rf"[0-9]{{1,{SEQUENCE_DIGITS}}}")
_EPOCH = datetime(1970, 1, 1)
"""In UTC, for which the format of the time stands."""


class EnvelopeError(ValueError):
    """Bytes that are no event of a table. The message says what is wrong with them."""


@dataclass(frozen=True, slots=True)
class Received:
    """An event as a consumer has it. ``data`` is kept as it came: newer fields included."""

    id: str
    source: str
    type: str
    sequence: int
    time: datetime
    clock_synchronised: bool
    data: dict[str, Any]


def event_id(table: str, sequence: int) -> str:
    """Return the id of the event number ``sequence`` of ``table``."""
    return f"{table}-{sequence}"


def schema_id(event_type: str) -> str:
    """Return the URI that names the schema of the ``data`` of ``event_type``."""
    return f"urn:fpg:v1:{event_type}"


def encode(
    event: Event,
    topics: TableTopics,
    *,
    sequence: int,
    wall_utc_ns: int,
    synchronised: bool,
) -> bytes:
    """Return ``event`` as the bytes to publish: the same for the same arguments, always.

    ``sequence`` counts the table's events from 1 without gaps. ``wall_utc_ns`` is the wall clock
    as nanoseconds since 1970 in UTC, ``synchronised`` whether it had been set. Raises ValueError
    for a sequence below 1 or of more than 12 digits.
    """
    if not 1 <= sequence < 10**SEQUENCE_DIGITS:
        raise ValueError(f"sequence {sequence} is outside 1 to {10**SEQUENCE_DIGITS - 1}")
    recorded = _EPOCH + timedelta(microseconds=wall_utc_ns // 1000)
    # The fields of the schema's Envelope in their order. Nothing in them needs to be escaped: names
    # of tables and types of events are letters, digits and a few signs. Written so because a
    # message is made between the reading of a hand and its commit.
    return (
        f'{{"specversion":"1.0","id":"{event_id(topics.table, sequence)}",'
        f'"source":"/{topics.base}","type":"{TYPE_PREFIX}{event.TYPE}",'
        f'"subject":"round/{event.round}",'
        f'"time":"{recorded.isoformat(timespec="microseconds")}Z",'
        f'"datacontenttype":"application/json","dataschema":"{schema_id(event.TYPE)}",'
        f'"sequence":"{sequence:0{SEQUENCE_DIGITS}d}",'
        f'"clocksynchronised":{"true" if synchronised else "false"},'
        f'"data":{event.model_dump_json()}}}'
    ).encode()


def decode(payload: bytes) -> Received:
    """Return the event in ``payload``; raise :class:`EnvelopeError` where there is none.

    Kinds of events and fields that this version does not know pass: a consumer must live with a
    table newer than itself.
    """
    try:
        event = JSONFormat().read(_as_it_came, payload)
    except EnvelopeError:
        raise
    except CloudEventValidationError as error:
        raise EnvelopeError(f"not a CloudEvent: {error}") from error
    except (ValueError, TypeError, AttributeError, RecursionError) as error:
        # What the SDK raises for text that is no JSON object, as seen with 2.2.
        raise EnvelopeError(f"not a CloudEvent in JSON: {error}") from error
    sequence = event.get_extension("sequence")
    if not (isinstance(sequence, str) and re.fullmatch(_SEQUENCE, sequence)):
        raise EnvelopeError(
            f"sequence {str(sequence)[:40]!r} is not text of 1 to {SEQUENCE_DIGITS} digits"
        )
    recorded = event.get_time()
    if recorded is None:
        raise EnvelopeError("time is null")
    data = event.get_data()
    if not isinstance(data, dict):
        raise EnvelopeError(f"data is {type(data).__name__}, not a JSON object")
    return Received(
        id=event.get_id(),
        source=event.get_source(),
        type=event.get_type(),
        sequence=int(sequence),
        time=recorded,
        clock_synchronised=event.get_extension("clocksynchronised") is True,
        data=data,
    )


def _as_it_came(attributes: dict[str, Any], data: Any) -> CloudEvent:
    # The SDK makes up what is missing of these: a new id at each reading, and the present time.
    for name in ("specversion", "id", "time"):
        if name not in attributes:
            raise EnvelopeError(f"not an event of a table: {name} is missing")
    return CloudEvent(attributes, data)
