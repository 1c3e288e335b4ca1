"""Rows for export: facts, events or messages of a journal, one flat record each."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, Final, Literal

from firmware_app.journal import packing
from firmware_app.journal.reading import EntryReader
from firmware_app.journal.records import Entry

What = Literal["facts", "events", "messages"]

COLUMNS: Final[dict[What, tuple[str, ...]]] = {
    "facts": ("fact", "entry", "round", "time", "clock_synchronised", "boot", "mono_ns", "kind"),
    "events": ("entry", "round", "time", "clock_synchronised", "boot", "mono_ns", "type"),
    "messages": ("sequence", "id", "entry", "round", "time", "clock_synchronised", "type"),
}
"""The columns before the last one, ``data``."""


def rows(reader: EntryReader, what: What) -> Iterator[dict[str, Any]]:
    """Yield one record for each fact, event or message, in the order of recording.

    ``data`` is plain JSON, but of a message the text as it went on the wire.
    """
    for entry in reader.forwards():
        yield from _ROWS[what](entry)


def _of_entry(entry: Entry) -> dict[str, Any]:
    return {
        "entry": entry.number,
        "round": entry.round_number,
        "time": entry.stamp.utc_text,
        "clock_synchronised": entry.stamp.synchronised,
        "boot": entry.stamp.boot_id,
        "mono_ns": entry.stamp.mono_ns,
    }


def _facts(entry: Entry) -> Iterator[dict[str, Any]]:
    lines = entry.fact_lines()
    for number, line in enumerate(lines, start=entry.last_fact - len(lines) + 1):
        data = json.loads(line)
        yield {"fact": number, **_of_entry(entry), "kind": data["kind"], "data": data}


def _events(entry: Entry) -> Iterator[dict[str, Any]]:
    for name, data in packing.events_of(entry.told):
        yield {**_of_entry(entry), "type": name, "data": data}


def _messages(entry: Entry) -> Iterator[dict[str, Any]]:
    for message in packing.messages_of(entry.told, entry.last_message):
        yield {
            "sequence": message.sequence,
            "id": message.id,
            **_of_entry(entry),
            "type": message.type,
            "data": message.payload.decode("utf-8", "replace"),
        }


_ROWS: Final = {"facts": _facts, "events": _events, "messages": _messages}
