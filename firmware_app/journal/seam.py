"""The seam: where old entries were cut off into an archive, and what those behind it go on from.

A cut lies between two rounds, right behind an entry with a checkpoint. The journal keeps for each
archive what a reader would otherwise have to look up in it: the position in the chain, the meters,
the state of the table, and the last configurations. The entry that records the archiving holds the
SHA-256 of that, so it is as safe from change as the entries themselves.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Self

from firmware_app.journal import packing
from firmware_app.journal.records import Entry, Stamp

_JSON: Final = json.JSONEncoder(sort_keys=True, separators=(",", ":"), ensure_ascii=False)
_COLUMNS: Final = "first, last, file, sha256, seam, entry"


@dataclass(frozen=True, slots=True)
class Seam:
    """What an archive ends with, as far as the entries behind it need it.

    ``number`` to ``chain`` are those of its last entry. ``boot`` is the entry that names
    ``boot_id``; ``software`` recorded that last entry, None where none is told of. ``meters`` is a
    snapshot as in an entry, ``checkpoint`` the state of the table. ``configurations`` are the last
    entries of that kind, newest first, at least as many as an auditor is shown.
    """

    number: int
    last_fact: int
    last_message: int
    round_number: int
    chain: bytes
    boot: int
    boot_id: str
    software: str | None
    meters: Mapping[str, Any]
    checkpoint: str
    configurations: tuple[Entry, ...]

    def to_json(self) -> bytes:
        """Return the seam as canonical JSON."""
        return _JSON.encode(
            {
                "number": self.number,
                "last_fact": self.last_fact,
                "last_message": self.last_message,
                "round": self.round_number,
                "chain": self.chain.hex(),
                "boot": self.boot,
                "boot_id": self.boot_id,
                "software": self.software,
                "meters": self.meters,
                "checkpoint": self.checkpoint,
                "configurations": [_entry_to_json(entry) for entry in self.configurations],
            }
        ).encode()

    @classmethod
    def from_json(cls, data: bytes) -> Self:
        """Return the seam that :meth:`to_json` gave; raise ValueError for anything else."""
        try:
            values = json.loads(data)
            return cls(
                number=values["number"],
                last_fact=values["last_fact"],
                last_message=values["last_message"],
                round_number=values["round"],
                chain=bytes.fromhex(values["chain"]),
                boot=values["boot"],
                boot_id=values["boot_id"],
                software=values["software"],
                meters=values["meters"],
                checkpoint=values["checkpoint"],
                configurations=tuple(map(_entry_from_json, values["configurations"])),
            )
        except (ValueError, TypeError, KeyError) as error:
            raise ValueError(f"the list of archives is damaged ({error!r})") from error


@dataclass(frozen=True, slots=True)
class Archived:
    """One archive as the journal lists it: its entries, its file, and the seam behind it.

    ``entry`` recorded the archiving, 0 before that.
    """

    first: int
    last: int
    file: str
    sha256: str
    seam: bytes
    entry: int = 0

    def as_recorded(self) -> dict[str, Any]:
        """Return what the entry keeps that records the archiving."""
        return {
            "first": self.first,
            "last": self.last,
            "file": self.file,
            "sha256": self.sha256,
            "seam": hashlib.sha256(self.seam).hexdigest(),
        }

    def insert(self, connection: sqlite3.Connection) -> None:
        """List the archive in a journal."""
        connection.execute(
            f"INSERT INTO archive ({_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?)",
            (self.first, self.last, self.file, self.sha256, packing.pack(self.seam), self.entry),
        )


def recorded_in(kept: bytes) -> Any:
    """Return what an entry's kept values say of an archive, None for those of another entry."""
    return json.loads(kept).get("archived") if kept else None


def archived(connection: sqlite3.Connection) -> list[Archived]:
    """Return every archive that the file lists, oldest first.

    Raises ``sqlite3.DatabaseError`` and ValueError for a damaged file.
    """
    rows = connection.execute(f"SELECT {_COLUMNS} FROM archive ORDER BY last")
    return [_archived(row) for row in rows]


def newest_archived(connection: sqlite3.Connection) -> Archived | None:
    """Return the archive that the file goes on from, None where it lists none."""
    row = connection.execute(
        f"SELECT {_COLUMNS} FROM archive ORDER BY last DESC LIMIT 1"
    ).fetchone()
    return None if row is None else _archived(row)


def _archived(row: tuple[Any, ...]) -> Archived:
    first, last, file, sha256, seam, entry = row
    return Archived(first, last, file, sha256, packing.unpack(seam), entry)


def _entry_to_json(entry: Entry) -> dict[str, Any]:
    stamp = entry.stamp
    return {
        "number": entry.number,
        "kind": entry.kind,
        "stamp": [stamp.wall_utc_ns, stamp.mono_ns, stamp.boot_id, stamp.synchronised],
        "round": entry.round_number,
        "last_fact": entry.last_fact,
        "last_message": entry.last_message,
        "facts": entry.facts.decode(),
        "kept": entry.kept.decode(),
        "told": entry.told.decode(),
        "chain": entry.chain.hex(),
    }


def _entry_from_json(values: Mapping[str, Any]) -> Entry:
    return Entry(
        number=values["number"],
        kind=values["kind"],
        stamp=Stamp(*values["stamp"]),
        round_number=values["round"],
        last_fact=values["last_fact"],
        last_message=values["last_message"],
        facts=values["facts"].encode(),
        kept=values["kept"].encode(),
        told=values["told"].encode(),
        chain=bytes.fromhex(values["chain"]),
    )
