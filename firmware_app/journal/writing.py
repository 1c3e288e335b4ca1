"""How one entry is put behind another."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from firmware_app.journal import chain, packing
from firmware_app.journal.head import Head
from firmware_app.journal.records import Kind, OutgoingMessage, Stamp
from firmware_app.table.events import Event
from firmware_app.table.facts import Fact, fact_to_json

_INSERT: Final = "INSERT INTO entry VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"


def append_entry(
    connection: sqlite3.Connection,
    kind: Kind,
    head: Head,
    stamp: Stamp,
    facts: Sequence[Fact] = (),
    kept: bytes = b"",
    events: Sequence[Event] = (),
    messages: Sequence[OutgoingMessage] = (),
) -> Head:
    """Insert one entry; return the head behind it.

    ``head`` has everything as it is after the entry, save the numbers and the chain, which are
    those before it.
    """
    number = head.number + 1
    last_fact = head.last_fact + len(facts)
    last_message = head.last_message + len(messages)
    new_boot = stamp.boot_id != head.boot_id
    boot = number if new_boot else head.boot
    lines = b"\n".join(fact_to_json(fact) for fact in facts)
    told = packing.told_bytes(events, messages)
    link = chain.link(
        head.chain,
        number=number,
        kind=kind,
        stamp=stamp,
        round_number=head.round_number,
        last_fact=last_fact,
        last_message=last_message,
        facts=lines,
        kept=kept,
        told=told,
    )
    connection.execute(
        _INSERT,
        (
            number,
            kind,
            boot,
            stamp.boot_id if new_boot else None,
            stamp.wall_utc_ns,
            stamp.mono_ns,
            int(stamp.synchronised),
            head.round_number,
            last_fact,
            last_message,
            lines.decode(),
            packing.pack(kept),
            packing.pack(told),
            link,
        ),
    )
    return replace(
        head,
        number=number,
        last_fact=last_fact,
        last_message=last_message,
        chain=link,
        boot=boot,
        boot_id=stamp.boot_id,
    )
