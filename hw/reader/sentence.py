"""One sentence of the native reader protocol: its text form, its check sum, and nothing else.

A sentence is ``$SEQ,TYPE,FIELD,...*CRC`` and CR LF, in printable ASCII so that a technician can
read it with a terminal program. The CRC is CRC-16 (polynomial 0x1021, start value 0xFFFF, known as
CRC-16/IBM-3740) over everything between ``$`` and ``*``, written as four hex digits.
``PROTOCOL.md`` beside this file describes the protocol with example bytes.
"""

from __future__ import annotations

import binascii
from dataclasses import dataclass
from typing import Final

SEQUENCE_NUMBERS: Final = 65_536
"""Sentences are numbered 0 to 65,535; the number after the last is 0."""

MAX_SENTENCE_BYTES: Final = 160
"""Longest sentence, ``$`` to LF. The longest hand has 45 bytes; the rest is room for names."""

START: Final = b"$"
TERMINATOR: Final = b"\r\n"
_TAIL_BYTES: Final = 7  # "*", four hex digits, CR, LF
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
        if raw[:1] != START or len(raw) < len(START) + _TAIL_BYTES:
            raise SentenceError("FORM", f"expected $SEQ,TYPE*CRC and CR LF, got {raw!r}")
        if raw[-2:] != TERMINATOR:
            raise SentenceError(
                "FORM", f"expected CR LF (0d 0a) at the end, got {raw[-2:].hex(' ')}"
            )
        if raw[-_TAIL_BYTES : -_TAIL_BYTES + 1] != b"*":
            raise SentenceError("FORM", f"expected * and four hex digits before CR LF, got {raw!r}")
        body = raw[1:-_TAIL_BYTES]
        expected = b"%04X" % crc16(body)
        got = raw[-_TAIL_BYTES + 1 : -2]
        if got.upper() != expected:
            raise SentenceError("CRC", f"expected CRC {expected.decode()}, got {got!r} in {raw!r}")
        return cls._from_body(body)

    @classmethod
    def _from_body(cls, body: bytes) -> Sentence:
        text = body.decode("ascii", errors="replace")
        if not (text.isascii() and text.isprintable()):
            raise SentenceError("FORM", f"expected printable ASCII, got {body!r}")
        seq, *words = text.split(",")
        if not seq.isdigit() or int(seq) >= SEQUENCE_NUMBERS:
            raise SentenceError("FORM", f"expected a number 0 to 65535 after $, got {seq!r}")
        if not words or not (words[0].isalpha() and words[0].isupper()):
            raise SentenceError(
                "FORM", f"expected an upper-case type after the number, got {text!r}"
            )
        return cls(int(seq), words[0], tuple(words[1:]))

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
