"""The chain and the packing, against a reading of the file that shares no code with the journal."""

from __future__ import annotations

import hashlib
import json
import sqlite3
import zlib
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from recorded_table import RecordedTable, stamp

from firmware_app.journal import chain, packing
from firmware_app.journal.records import OutgoingMessage

TEXTS = st.text(st.characters(codec="utf-8"), max_size=60)


def test_the_dictionary_is_the_one_that_journals_of_this_schema_were_written_with() -> None:
    # Changing it makes every journal in the field unreadable: that takes a new schema version.
    assert hashlib.sha256(packing.DICTIONARY).hexdigest() == (
        "338fce336399d2562a6abaf50aea9f4d2be9ed8784fea8b599677ec4f8cfc9ee"
    )


@settings(deadline=None)
@given(st.binary(max_size=5_000))
def test_what_was_packed_comes_back(data: bytes) -> None:
    assert packing.unpack(packing.pack(data)) == data


@settings(deadline=None)
@given(st.binary(min_size=1, max_size=300), st.data())
def test_packed_bytes_that_were_cut_are_refused(data: bytes, draw: st.DataObject) -> None:
    packed = packing.pack(data)
    assert packed is not None
    with pytest.raises(ValueError, match="packed bytes are damaged"):
        packing.unpack(packed[: draw.draw(st.integers(0, len(packed) - 1))])
    with pytest.raises(ValueError, match="packed bytes are damaged"):
        packing.unpack(packed + b"\0")


@settings(deadline=None)
@given(st.lists(st.tuples(TEXTS, TEXTS, st.binary(max_size=200)), max_size=5))
def test_messages_come_back_byte_by_byte(parts: list[tuple[str, str, bytes]]) -> None:
    messages = [
        OutgoingMessage(40 + number, name, kind, payload)
        for number, (name, kind, payload) in enumerate(parts)
    ]
    told = packing.told_bytes([], messages)
    assert packing.messages_of(told, 39 + len(messages)) == messages


def test_the_chain_can_be_followed_with_nothing_but_sqlite_and_sha_256(
    path: Path, table: RecordedTable
) -> None:
    table.play_round()
    table.void_round()
    table.tell(*[], checkpoint=True)

    def inflated(packed: bytes | None) -> bytes:
        if packed is None:
            return b""
        return zlib.decompressobj(-15, packing.DICTIONARY).decompress(packed)

    link = hashlib.sha256(b"fortune table journal").digest()
    rows = sqlite3.connect(path).execute(
        "SELECT entry.*, named.boot_id FROM entry JOIN entry AS named ON named.number = entry.boot "
        "ORDER BY entry.number"
    )
    entries = 0
    for row in rows:
        number, kind, _, _, wall, mono, known, in_round, fact, sent, facts, kept, told = row[:13]
        header = [number, kind, row[14], wall, mono, bool(known), in_round, fact, sent]
        parts = [
            link,
            json.dumps(header, separators=(",", ":")).encode(),
            facts.encode(),
            inflated(kept),
            inflated(told),
        ]
        link = hashlib.sha256(
            b"".join(len(part).to_bytes(8, "big") + part for part in parts)
        ).digest()
        assert link == row[13]
        entries += 1
    assert entries == table.second


LINK = {
    "number": 5,
    "kind": "facts",
    "stamp": stamp(5),
    "round_number": 2,
    "last_fact": 9,
    "last_message": 11,
    "facts": b'{"a":1}\n{"b":2}',
    "kept": b"{}",
    "told": b"told",
}


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("number", 6),
        ("kind", "shift"),
        ("stamp", stamp(6)),
        ("stamp", stamp(5, known=False)),
        ("stamp", stamp(5, boot="boot-2")),
        ("round_number", 3),
        ("last_fact", 10),
        ("last_message", 12),
        ("facts", b'{"a":1}\n{"b":3}'),
        ("kept", b""),
        ("told", b""),
    ],
)
def test_the_chain_covers_every_part_of_an_entry(field: str, value: object) -> None:
    changed = {**LINK, field: value}
    assert chain.link(chain.SEED, **changed) != chain.link(chain.SEED, **LINK)  # type: ignore[arg-type]


def test_moving_bytes_from_one_part_to_the_next_changes_the_chain() -> None:
    moved = {**LINK, "facts": b'{"a":1}\n{"b":2', "kept": b"}{}"}
    assert chain.link(chain.SEED, **moved) != chain.link(chain.SEED, **LINK)  # type: ignore[arg-type]
