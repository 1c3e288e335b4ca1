"""What the sentences of the native protocol mean: fields in, one signal out.

Only the shape is judged here (a number in its range, a text that looks like a card). Whether a
position is in play or a card was seen before is for the table to say.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

from hw import signals
from hw.reader.sentence import Sentence

HELLO: Final = "HELLO"
BEAT: Final = "BEAT"

MAX_POSITION: Final = 8
MAX_HAND_CARDS: Final = 7
DECK_CARDS: Final = 53
MAX_WAGER_CENTS: Final = 100_000_000

_RANKS: Final = ("2", "3", "4", "5", "6", "7", "8", "9", "10", "T", "J", "Q", "K", "A")
# Every way to write a card, with the one spelling by which two of them can be compared.
_CARDS: Final = {
    rank + suit: rank.replace("10", "T") + suit for rank in _RANKS for suit in "SHDC"
} | {"JK": "JK"}
_WAGER_KIND: Final = re.compile(r"[a-z][a-z0-9_-]{0,23}")

ReaderSignal = signals.ReaderSignal


class FieldError(ValueError):
    """A sentence that came over undamaged and still says nothing usable.

    The message becomes an alarm, which players can read too: it repeats no card, not even one that
    was misspelt. The hardware test shows a technician the sentence as it came.

    ``reason`` is TYPE (unknown type) or FIELD; a repeat would not help.
    """

    def __init__(self, reason: str, detail: str) -> None:
        self.reason = reason
        super().__init__(detail)


def signal_of(sentence: Sentence, at_ns: int) -> ReaderSignal | None:
    """Return what ``sentence`` reports, stamped ``at_ns``; None for BEAT, which reports nothing.

    Raises :class:`FieldError` for an unknown type, a wrong count of fields, or a field out of its
    range; the message names the type, the field, what was expected and what came.
    """
    if sentence.kind == BEAT:
        _count(sentence, 0)
        return None
    read = _READERS.get(sentence.kind)
    if read is None:
        raise FieldError(
            "TYPE", f"type {sentence.kind!r} is unknown; expected one of {', '.join(KINDS)}"
        )
    return read(sentence, at_ns)


def card_text(text: str) -> str:
    """Return ``text`` in upper case if it looks like a card: ``AS``, ``10h``, ``TH``, ``JK``.

    Raises :class:`FieldError` for anything else.
    """
    written = text.upper()
    if written not in _CARDS:
        raise _no_card()
    return written


def _no_card() -> FieldError:
    return FieldError("FIELD", "expected cards of the deck, got one that is none")


def _hello(sentence: Sentence, at_ns: int) -> ReaderSignal:
    model, serial, version = _count(sentence, 3)
    return signals.ReaderUp(model, serial, version, at_ns)


def _start(sentence: Sentence, at_ns: int) -> ReaderSignal:
    if not sentence.fields:
        return signals.DealStarted(None, at_ns)
    (first_spot,) = _count(sentence, 1)
    return signals.DealStarted(_number(sentence, "first-spot", first_spot, 0, MAX_POSITION), at_ns)


def _hand(sentence: Sentence, at_ns: int) -> ReaderSignal:
    position, listed = _count(sentence, 2)
    cards = tuple(listed.upper().split())
    different = {_CARDS.get(card) for card in cards}
    if None in different:
        raise _no_card()
    if not 1 <= len(cards) <= MAX_HAND_CARDS:
        raise FieldError("FIELD", f"HAND: expected 1 to {MAX_HAND_CARDS} cards, got {len(cards)}")
    if len(different) != len(cards):
        raise FieldError("FIELD", "HAND: expected different cards, got one twice")
    return signals.HandRead(_position(sentence, position), cards, at_ns)


def _card(sentence: Sentence, at_ns: int) -> ReaderSignal:
    position, card = _count(sentence, 2)
    return signals.CardRead(_position(sentence, position), card_text(card), at_ns)


def _dealt(sentence: Sentence, at_ns: int) -> ReaderSignal:
    (left,) = _count(sentence, 1)
    return signals.DealDone(_number(sentence, "cards-left", left, 0, DECK_CARDS), at_ns)


def _misdeal(sentence: Sentence, at_ns: int) -> ReaderSignal:
    (reason,) = _count(sentence, 1)
    return signals.MisdealReported(reason, at_ns)


def _wager(sentence: Sentence, at_ns: int) -> ReaderSignal:
    position, kind, cents = _count(sentence, 3)
    if not _WAGER_KIND.fullmatch(kind):
        raise FieldError("FIELD", f"WAGER: expected a kind such as fortune, got {kind!r}")
    return signals.WagerRead(
        _position(sentence, position),
        kind,
        _number(sentence, "cents", cents, 0, MAX_WAGER_CENTS),
        at_ns,
    )


def _dice(sentence: Sentence, at_ns: int) -> ReaderSignal:
    a, b, c = (_number(sentence, "die", die, 1, 6) for die in _count(sentence, 3))
    return signals.DiceRolled(a, b, c, at_ns)


def _count(sentence: Sentence, expected: int) -> tuple[str, ...]:
    if len(sentence.fields) != expected:
        raise FieldError(
            "FIELD",
            f"{sentence.kind}: expected {expected} fields, got {len(sentence.fields)}",
        )
    return sentence.fields


def _position(sentence: Sentence, text: str) -> int:
    return _number(sentence, "position", text, 0, MAX_POSITION)


def _number(sentence: Sentence, field: str, text: str, lowest: int, highest: int) -> int:
    # Fields are ASCII by now, so isdigit means 0 to 9; int() alone would take "+1" and "1_0".
    if text.isdigit() and lowest <= (number := int(text)) <= highest:
        return number
    # Where a number should stand, a card may: the fields of a hand in the wrong order.
    came = f"got {text!r}" if text.isdigit() else "got no number"
    raise FieldError("FIELD", f"{sentence.kind}: expected {field} {lowest} to {highest}, {came}")


_READERS: Final[dict[str, Callable[[Sentence, int], ReaderSignal]]] = {
    HELLO: _hello,
    "START": _start,
    "HAND": _hand,
    "CARD": _card,
    "DEALT": _dealt,
    "MISDEAL": _misdeal,
    "WAGER": _wager,
    "DICE": _dice,
}
KINDS: Final = (BEAT, *_READERS)
