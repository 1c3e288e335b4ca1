"""Intake of the card reader: what its signals mean at this table."""

from __future__ import annotations

from firmware_app.cards import CardError, parse_card
from firmware_app.table import facts
from firmware_app.table.facts import Fact
from firmware_app.table.values import WagerName
from hw import signals
from hw.signals import ReaderSignal

READER_ALARM = "reader-alarm"
READER_UNREADABLE = "reader-unreadable"

_WAGER_KINDS: dict[str, WagerName] = {
    "main": "main",
    "fortune": "fortune",
    "ace-high": "ace_high",
    "ace_high": "ace_high",
}
_LAST_POSITION = 7
_NO_CARD = "the reader names a card that there is not"
"""Not which: what cannot be read is told to everybody, and may be all but the card itself."""


def reader_facts(signal: ReaderSignal) -> tuple[Fact, ...]:
    """Return the facts of one signal. What cannot be believed becomes an alarm or a question."""
    position = getattr(signal, "position", getattr(signal, "first_spot", None))
    if position is not None and position > _LAST_POSITION:
        return _alarm(f"The reader names position {position}; a table has 0 to {_LAST_POSITION}")
    match signal:
        case signals.ReaderUp():
            return (
                facts.AlarmCleared(code=READER_UNREADABLE),
                facts.ReaderFound(model=signal.model, serial=signal.serial, version=signal.version),
            )
        case signals.ReaderDown():
            return (facts.ReaderLost(reason=signal.reason),)
        case signals.ReaderUnreadable():
            return (facts.AlarmRaised(code=READER_UNREADABLE, text=signal.reason),)
        case signals.DealStarted():
            return (facts.DealStarted(first_spot=signal.first_spot),)
        case signals.HandRead():
            return _hand(signal)
        case signals.CardRead():
            return _card(signal)
        case signals.DealDone():
            return (facts.DealDone(cards_left=signal.cards_left),)
        case signals.MisdealReported():
            return (facts.Misdealt(reason=signal.reason),)
        case signals.WagerRead():
            return _wager(signal)
        case signals.DiceRolled():
            return (facts.DiceRolled(dice=(signal.a, signal.b, signal.c)),)
        case signals.CardUnread():
            return (facts.CardUnread(position=signal.position, detail=signal.detail),)
        case signals.ReaderAlarm():
            return _alarm(signal.detail)


def _hand(signal: signals.HandRead) -> tuple[Fact, ...]:
    try:
        cards = tuple(parse_card(text) for text in signal.cards)
    except CardError:
        return (facts.CardUnread(position=signal.position, detail=_NO_CARD),)
    return (facts.HandRead(position=signal.position, cards=cards),)


def _card(signal: signals.CardRead) -> tuple[Fact, ...]:
    try:
        card = parse_card(signal.card)
    except CardError:
        return (facts.CardUnread(position=signal.position, detail=_NO_CARD),)
    return (facts.CardRead(position=signal.position, card=card),)


def _wager(signal: signals.WagerRead) -> tuple[Fact, ...]:
    wager = _WAGER_KINDS.get(signal.kind.lower())
    if wager is None:
        return _alarm(f"The reader names a wager {signal.kind!r}; use main, fortune or ace-high")
    if signal.position == 0:
        return _alarm("The reader names a wager of the dealer; wagers have positions 1 to 7")
    return (facts.WagerChanged(spot=signal.position, wager=wager, cents=signal.cents),)


def _alarm(text: str) -> tuple[Fact, ...]:
    return (facts.AlarmRaised(code=READER_ALARM, text=text),)
