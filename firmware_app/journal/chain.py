"""The chain: each entry's SHA-256 covers the entry before it, so no change stays unseen.

Canonical bytes of an entry, each part led by its length as 8 bytes, big end first:

1. the SHA-256 of the entry before (the seed for the very first);
2. a JSON array without blanks: number, kind, boot id, wall clock (ns UTC), monotonic clock (ns),
   synchronised, round, last fact, last message;
3. the facts, one JSON object a line;
4. what is kept beside them (JSON, or nothing);
5. what was told: messages and events (or nothing).
"""

from __future__ import annotations

import hashlib
from json.encoder import encode_basestring_ascii
from struct import Struct
from typing import Final

from firmware_app.journal.records import Stamp

SEED: Final = hashlib.sha256(b"fortune table journal").digest()
_LENGTH: Final = Struct(">Q")


def link(
    previous: bytes,
    *,
    number: int,
    kind: str,
    stamp: Stamp,
    round_number: int,
    last_fact: int,
    last_message: int,
    facts: bytes,
    kept: bytes,
    told: bytes,
) -> bytes:
    """Return the chain value of an entry that follows one whose value is ``previous``."""
    header = (
        f"[{number},{encode_basestring_ascii(kind)},{encode_basestring_ascii(stamp.boot_id)},"
        f"{stamp.wall_utc_ns},{stamp.mono_ns},{'true' if stamp.synchronised else 'false'},"
        f"{round_number},{last_fact},{last_message}]"
    ).encode()
    digest = hashlib.sha256()
    for part in (previous, header, facts, kept, told):
        digest.update(_LENGTH.pack(len(part)))
        digest.update(part)
    return digest.digest()
