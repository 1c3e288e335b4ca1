"""How messages, events and checkpoints lie in an entry.

An SD card writes whole pages and wears, and messages repeat the same envelope and field names
over and over. They are therefore deflated against a preset dictionary: a message of 300 bytes
takes about 40, which is what keeps a commit as cheap as appending the bare facts to a file.

*Told* is: one JSON line ``[[id, type, payload length], ...]``, the payloads, and the events as a
JSON array ``[[type, data], ...]``. *Kept* is one JSON object: what the entry moves the
meters by, and now and then a checkpoint, the meters themselves, or a configuration.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Sequence
from json.encoder import encode_basestring
from typing import Any, Final

from firmware_app.journal.records import OutgoingMessage
from firmware_app.table.events import Event

_LEVEL: Final = 6
# Raw deflate in a window of 8 KiB and little memory beside it: entries are small, and zlib's usual
# 256 KiB cost more to set up than to use.
_WINDOW_BITS: Final = -13
_MEMORY_LEVEL: Final = 5
# Made once: json.dumps would make an encoder for every entry.
_JSON: Final = json.JSONEncoder(sort_keys=True, separators=(",", ":"), ensure_ascii=False)

# Part of the file format: a journal can only be read with the dictionary it was written with.
# Another dictionary is another schema version. The most frequent words stand last.
DICTIONARY: Final = (
    b'"device-started","round-opened","late-bet","round-suspended","round-resumed","discrepancy"'
    b'"action","alarm-raised","alarm-cleared","text":"software":"configuration":"resumed_phase":'
    b'"action":"alarm":{"code":"by":"dealer","reason":"phase":"dealing","dealt","revealed",'
    b'"settled","voided","suspended","betting"'
    b'{"alarms":[],"notice":null,"suspension":null,"reader_up":true,"settlement":{"spots":['
    b'"number":1,"player":"spot 1","live":{"main_cents":0,"fortune_cents":0,"ace_high_cents":0,'
    b'"envy_button":false},"locked":null,"cards":[],"low":null,"dead":false,"folded":false,'
    b'"surrendered":false,"short_wagers":0,"failed_lines":[]}'
    b'"lifetime":{"shift_base":{"rounds.opened":"rounds.settled":"rounds.voided":"alarms":'
    b'"late_bets":"movement":{"line.straight.hands":"line.no_line.in_cents":'
    b'"line.three_of_a_kind.paid_cents":"spot.1.rounds":"spot.1.main.collected_cents":'
    b'"spot.1.main.in_cents":"spot.1.main.paid_cents":"spot.1.main.returned_cents":'
    b'"spot.1.main.wagers":"spot.1.fortune.collected_cents":"spot.1.fortune.in_cents":'
    b'"spot.1.fortune.paid_cents":"spot.1.fortune.wagers":"spot.1.envy.paid_cents":'
    b'"seven_card_straight_flush","royal_flush_plus_royal_match","five_aces","royal_flush",'
    b'"straight_flush","four_of_a_kind","full_house","flush","three_of_a_kind","straight"'
    b'"designated_player":null,"bank_cents":null,"spots":[{"spot":1,"player":"spot 1",'
    b'"occupied":true,"main_cents":2500,"fortune_cents":500,"ace_high_cents":0,"envy_button":true}'
    b',"owed_cents":0,"envy_cents":0,"paid_cents":0,"collected_cents":0,"bank_left_cents":null}'
    b'"dealer_cards":["dealer_low":["dealer_high":['
    b'"cards":["AS","KS","QS","JS","TS","9S","8S","7S","6S","5S","4S","3S","2S"],'
    b'"AH","KH","QH","JH","TH","9H","8H","7H","6H","5H","4H","3H","2H",'
    b'"AD","KD","QD","JD","TD","9D","8D","7D","6D","5D","4D","3D","2D",'
    b'"AC","KC","QC","JC","TC","9C","8C","7C","6C","5C","4C","3C","2C","JK"],'
    b'"line":null,"made_of":[],"main":{"result":"win","paid_cents":0,"collected_cents":0,'
    b'"returned_cents":0,"kept_cents":0,"line":null,"pays":null,"reason":null},"fortune":{"result":"lose",'
    b'"paid_cents":0,"collected_cents":500,"returned_cents":0,"kept_cents":0,"line":null,"pays":null,"reason":null'
    b'},"ace_high":{"result":"none","paid_cents":0,"collected_cents":0,"returned_cents":0,"kept_cents":0,'
    b'"line":null,"pays":null,"reason":null},"envy_cents":0,"envy_triggers":[],"owed_cents":0},'
    b'"payout","round-revealed","round-settled","round-voided","round-locked","round-dealt",'
    b'[["envy-changed",{"round":1,"spot":1,"placed":true}]][["hand-received",{"round":1,'
    b'"position":1}]][["wager-changed",{"round":1,"spot":1,"wager":"fortune","cents":500}]]'
    b'{"specversion":"1.0","id":"table-1","source":"/fpg/v1/site/table","type":"fpg.v1.'
    b'round-settled","subject":"round/1","time":"2026-01-01T00:00:00.000000Z",'
    b'"datacontenttype":"application/json","dataschema":"urn:fpg:v1:hand-received",'
    b'"sequence":"000000000001","clocksynchronised":true,"data":{"round":1,"spot":1,'
)


_PRIMED: Final = zlib.compressobj(
    _LEVEL, zlib.DEFLATED, _WINDOW_BITS, _MEMORY_LEVEL, zlib.Z_DEFAULT_STRATEGY, DICTIONARY
)
"""Copied for each entry: it has looked through the dictionary already."""


def pack(data: bytes) -> bytes | None:
    """Return ``data`` deflated, None for nothing."""
    if not data:
        return None
    deflate = _PRIMED.copy()
    return deflate.compress(data) + deflate.flush()


def unpack(packed: bytes | None) -> bytes:
    """Return what :func:`pack` was given; raise ValueError where the bytes are damaged."""
    if packed is None:
        return b""
    inflate = zlib.decompressobj(_WINDOW_BITS, DICTIONARY)
    try:
        data = inflate.decompress(packed)
    except zlib.error as error:
        raise ValueError(f"packed bytes are damaged: {error}") from error
    if not inflate.eof or inflate.unused_data:
        raise ValueError("packed bytes are damaged: they end too early or too late")
    return data


def told_bytes(events: Sequence[Event], messages: Sequence[OutgoingMessage]) -> bytes:
    """Return events and messages as one block, nothing for none."""
    if not events and not messages:
        return b""
    index = ",".join(
        f"[{encode_basestring(message.id)},{encode_basestring(message.type)},{len(message.payload)}]"
        for message in messages
    ).encode()
    told = b",".join(
        b'["%b",%b]' % (event.TYPE.encode(), event.model_dump_json().encode()) for event in events
    )
    payloads = b"".join(message.payload for message in messages)
    return b"[%b]\n%b[%b]" % (index, payloads, told)


def messages_of(told: bytes, last_sequence: int) -> list[OutgoingMessage]:
    """Return the messages of a told block whose last one is numbered ``last_sequence``."""
    if not told:
        return []
    end_of_index = told.index(b"\n")
    index = json.loads(told[:end_of_index])
    sequence = last_sequence - len(index)
    at = end_of_index + 1
    messages = []
    for message_id, message_type, length in index:
        sequence += 1
        messages.append(OutgoingMessage(sequence, message_id, message_type, told[at : at + length]))
        at += length
    return messages


def events_of(told: bytes) -> list[tuple[str, dict[str, Any]]]:
    """Return the events of a told block as pairs of type and plain JSON data."""
    if not told:
        return []
    end_of_index = told.index(b"\n")
    skip = sum(length for _, _, length in json.loads(told[:end_of_index]))
    return [(name, data) for name, data in json.loads(told[end_of_index + 1 + skip :])]


def kept_bytes(**values: object) -> bytes:
    """Return the given values as canonical JSON, those that are None or empty left out."""
    present = {name: value for name, value in values.items() if value}
    if not present:
        return b""
    return _JSON.encode(present).encode()
