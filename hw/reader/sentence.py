"""One sentence of the native reader protocol: its text form, its check sum, and nothing else.

A sentence is ``$SEQ,TYPE,FIELD,...*CRC`` and CR LF, in printable ASCII so that a technician can
read it with a terminal program. The CRC is CRC-16 (polynomial 0x1021, start value 0xFFFF, known as
CRC-16/IBM-3740) over everything between ``$`` and ``*``, written as four hex digits.
``PROTOCOL.md`` beside this file describes the protocol with example bytes.
"""

from __future__ import annotations

import binascii
import re
from dataclasses import dataclass
from typing import Final

SEQUENCE_NUMBERS: Final = 65_536
"""Sentences are numbered 0 to 65,535; the number after the last is 0."""

MAX_SENTENCE_BYTES: Final = 160
"""Longest sentence, ``$`` to LF. The longest hand has 45 bytes; the rest is room for names."""

START: Final = b"$"
TERMINATOR: Final = b"\r\n"
_FRAME: Final = re.compile(rb"\$([0-9]{1,5},[A-Z]+(?:,[ -~]*)?)\*([0-9A-Fa-f]{4})\r\n")
_CRC_START: Final = 0xFFFF
_RESERVED: Final = frozenset("$*,")


class SentenceError(ValueError):
    """Bytes that are no good sentence. ``reason`` is the word that a NAK carries."""

    def __init__(self, reason: str, detail: str) -> None:
        self.reason = reason
        super().__init__(detail)


def crc16(body: bytes) -> int:
    """Return the CRC-16 (0x1021, start 0xFFFF, not reflected) of ``body``.

    >>> hex(crc16(b"123456789"))
    '0x29b1'
    """
    return binascii.crc_hqx(body, _CRC_START)


def _misshapen(raw: bytes) -> SentenceError:
    """Say what is wrong with a sentence that does not look like one."""
    if not raw.endswith(TERMINATOR):
        detail = f"expected CR LF (0d 0a) at the end, got {raw[-2:].hex(' ')}"
    elif not re.search(rb"\*[0-9A-Fa-f]{4}\r\n\Z", raw):
        detail = f"expected * and four hex digits before CR LF, got {raw!r}"
    elif not re.match(rb"\$[0-9]{1,5}[,*]", raw):
        detail = f"expected $ and a number 0 to 65535, got {raw!r}"
    elif not re.match(rb"\$[0-9]+,[A-Z]+[,*]", raw):
        detail = f"expected an upper-case type after the number, got {raw!r}"
    else:
        detail = f"expected printable ASCII, got {raw!r}"
    return SentenceError("FORM", detail)


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence apart from its bytes: number 0 to 65,535, upper-case type, and text fields.

    >>> Sentence(7, "BEAT").to_bytes()
    b'$7,BEAT*3B67\\r\\n'
    """

    seq: int
    kind: str
    fields: tuple[str, ...] = ()

    @classmethod
    def from_bytes(cls, raw: bytes) -> Sentence:
        """Read one whole sentence, ``$`` to CR LF.

        Raises :class:`SentenceError` with reason ``FORM`` or ``CRC``; the message says what was
        expected and what came.
        """
        frame = _FRAME.fullmatch(raw)
        if frame is None:
            raise _misshapen(raw)
        body, crc = frame.groups()
        if int(crc, 16) != crc16(body):
            expected = f"{crc16(body):04X}"
            raise SentenceError("CRC", f"expected CRC {expected}, got {crc.decode()} in {raw!r}")
        seq, kind, *fields = body.decode().split(",")
        number = int(seq)
        if number >= SEQUENCE_NUMBERS:
            raise SentenceError("FORM", f"expected $ and a number 0 to 65535, got {number}")
        return cls(number, kind, tuple(fields))

    def to_bytes(self) -> bytes:
        """Return the sentence as it goes over the wire.

        Raises :class:`SentenceError` for a text that could not be read back: a reserved character
        in a field, a character that is not printable ASCII, or too many bytes.
        """
        for field in self.fields:
            if not (field.isascii() and (field.isprintable())) or _RESERVED & set(field):
                raise SentenceError(
                    "FORM", f"field {field!r} holds one of $ * , or is not printable ASCII"
                )
        body = ",".join((str(self.seq), self.kind, *self.fields)).encode("ascii")
        raw = b"$%b*%04X\r\n" % (body, crc16(body))
        if len(raw) > MAX_SENTENCE_BYTES:
            raise SentenceError(
                "FORM", f"the sentence has {len(raw)} bytes, more than {MAX_SENTENCE_BYTES}"
            )
        return raw


ANSWERS: Final = frozenset({"ACK", "NAK"})
"""Types that only the Pi sends."""


def ack(seq: int) -> Sentence:
    """Return the answer to sentence ``seq`` that says: acted on, send the next one."""
    return Sentence(seq, "ACK")


def nak(seq: int, reason: str) -> Sentence:
    """Return the answer to sentence ``seq`` that says why it was not acted on."""
    return Sentence(seq, "NAK", (reason,))
