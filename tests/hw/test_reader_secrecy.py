"""Whatever a reader sends, and however broken: no card of it in a log line or in a text for people.

An alarm of the reader is shown to players, goes to the back office and into the log, while the
hand that it is about may still be hidden. Cards travel in the fields of a hand and nowhere else.
"""

from __future__ import annotations

import logging
import re
from dataclasses import fields

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hw.reader.line_protocol import MAX_UNACCEPTED, LineSession
from hw.reader.sentence import Sentence
from hw.reader.session import NativeSession
from hw.reader.settings import LineSettings
from hw.signals import CardRead, HandRead, ReaderSignal

CARD = re.compile(
    r"(?<![0-9A-Za-z])(?:(?:10|[2-9TJQKA])[SHDC]|(?:10|[2-9])[shdc])(?![0-9A-Za-z])|\bJK\b"
)
HAND = "QS QH QD QC JK 4D 9H"
MS = 1_000_000


class Heard:
    """Everything that a session told: its signals, and what it wrote into the log."""

    def __init__(self, caplog: pytest.LogCaptureFixture) -> None:
        self.signals: list[ReaderSignal] = []
        self.accepts = True
        self._caplog = caplog
        caplog.clear()
        caplog.set_level(logging.DEBUG)

    def take(self, signal: ReaderSignal) -> bool:
        self.signals.append(signal)
        return self.accepts

    def texts(self) -> list[str]:
        """What people may read: of a hand or a card, nothing but where it goes."""
        told = [
            str(getattr(signal, field.name))
            for signal in self.signals
            for field in fields(signal)
            if not (isinstance(signal, HandRead | CardRead) and field.name in ("cards", "card"))
        ]
        return told + [record.getMessage() for record in self._caplog.records]

    def leaks(self) -> list[str]:
        return [text for text in self.texts() if CARD.search(text)]


@pytest.fixture
def heard(caplog: pytest.LogCaptureFixture) -> Heard:
    return Heard(caplog)


def native(heard: Heard, *raw: bytes) -> NativeSession:
    session = NativeSession(heard.take)
    session.opened(0)
    session.receive(Sentence(0, "HELLO", ("R1", "7", "1")).to_bytes(), MS)
    for number, data in enumerate(raw, start=2):
        session.receive(data, number * MS)
    session.tick(10_000 * MS)
    return session


def said(seq: int, kind: str, *what: str) -> bytes:
    return Sentence(seq, kind, what).to_bytes()


GOOD = said(1, "HAND", "3", HAND)
BROKEN = {
    "a card twice": said(1, "HAND", "3", "QS QS QD QC JK 4D 9H"),
    "too many cards": said(1, "HAND", "3", " ".join([HAND, "KS 2C 3C"])),
    "a card that is none": said(1, "HAND", "3", "QS QH QD QC JK 4D 9X"),
    "another alphabet of suits": said(1, "HAND", "3", "SQ HQ DQ"),
    "fields in the wrong order": said(1, "HAND", HAND, "3"),
    "a field for each card": said(1, "HAND", "3", *HAND.split()),
    "no position": said(1, "HAND", HAND),
    "a position beyond the table": said(1, "HAND", "9", HAND),
    "a card where a number stands": said(1, "DEALT", "QS"),
    "a card for a card, and none": said(1, "CARD", "3", "QX"),
    "a position that is a card": said(1, "CARD", "QS", "QH"),
    "a wager of cards": said(1, "WAGER", "QS", "fortune", "QH"),
    "a wrong sum": GOOD.replace(b"*", b"*0")[:-3] + b"\r\n",
    "another sum": GOOD[:-6] + b"0000\r\n",
    "no sum": GOOD.partition(b"*")[0] + b"\r\n",
    "no end": GOOD[:-2] + GOOD,
    "cut by the next": GOOD[:20] + GOOD,
    "no beginning": GOOD[1:],
    "no number": GOOD.replace(b"$1,", b"$"),
    "a type in small letters": GOOD.replace(b"HAND", b"hand"),
    "an unknown type": said(1, "HANDS", "3", HAND),
    "a byte that cannot be printed": GOOD.replace(b"QH", b"Q\x07"),
    "only cards": HAND.encode() + b"\r\n",
    "silence in the middle": GOOD[:20],
    "a number used again": GOOD + said(1, "HAND", "3", "KS KH KD KC JK 4D 9H"),
    "our own words": said(1, "NAK", HAND),
}


@pytest.mark.parametrize("raw", BROKEN.values(), ids=BROKEN)
def test_a_broken_sentence_names_no_card(heard: Heard, raw: bytes) -> None:
    session = native(heard, raw)
    counters = session.counters
    assert counters.bad_sentences + counters.refused > 0, "it was a fault"
    assert heard.leaks() == []


def test_the_judge_would_see_a_card(heard: Heard) -> None:
    native(heard, GOOD)
    assert any(CARD.search(str(signal)) for signal in heard.signals)
    logging.getLogger("test").debug("the hand was %s", HAND)
    assert len(heard.leaks()) == 1


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60)
@given(st.data())
def test_a_hand_that_is_garbled_anywhere_names_no_card(
    heard: Heard, caplog: pytest.LogCaptureFixture, data: st.DataObject
) -> None:
    heard.signals.clear()
    caplog.clear()
    raw = bytearray(GOOD)
    for _ in range(data.draw(st.integers(1, 3))):
        raw[data.draw(st.integers(0, len(raw) - 1))] = data.draw(st.integers(0, 255))
    native(heard, bytes(raw), GOOD)
    assert heard.leaks() == []


def shoe(heard: Heard) -> LineSession:
    settings = LineSettings.model_validate({"preset": "bee-tek", "joker_code": "Joker"})
    session = LineSession(heard.take, settings)
    session.opened(0)
    return session


@pytest.mark.parametrize(
    "records",
    [
        " [Game]<Card:4S> ",
        " [Game]<Card:4S  [Game]<Card:5S> ",
        " [Gume]<Card:4S> ",
        " [Game]<Card:4s?> ",
        "x [Game]<Card:KH> ",
        " [Game]<Card:4S>\x00[Game]<Card:5S> ",
        "KS " * 100 + ">",
    ],
)
@pytest.mark.parametrize("deal", [True, False], ids=["in a deal", "outside a deal"])
def test_a_shoe_that_is_not_understood_names_no_card(
    heard: Heard, records: str, deal: bool
) -> None:
    session = shoe(heard)
    if deal:
        session.start_deal(1)
    session.receive(f" [Game]<Card:2S> {records} [Game]<Card:6S> ".encode("latin-1"), MS)
    session.tick(10_000 * MS)
    assert heard.signals
    assert heard.leaks() == []


def test_cards_that_nobody_takes_are_not_named(heard: Heard) -> None:
    session = shoe(heard)
    heard.accepts = False
    for number in range(MAX_UNACCEPTED):
        session.receive(b" [Game]<Card:4S> ", number * MS)
    session.start_deal(1)
    session.receive(b" [Game]<Card:KH> ", MAX_UNACCEPTED * MS)
    assert any("nobody takes" in text for text in heard.texts())
    assert heard.leaks() == []
