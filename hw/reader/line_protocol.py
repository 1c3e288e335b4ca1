"""The Pi's side of devices that only print a code per card: records in, placed cards out.

No port, no clock, no thread; no answers either, since such devices listen to nothing.

| record                          | during a deal                             | outside a deal    |
|---------------------------------|-------------------------------------------|-------------------|
| a known card                    | CardRead at the next slot; after the last | ReaderAlarm       |
|                                 | slot DealDone                             |                   |
| unread, or an unknown code      | CardUnread at the next slot               | ReaderAlarm       |
| alarm or warning                | ReaderAlarm                               | ReaderAlarm       |
| ignored by the pattern          | nothing                                   | nothing           |
| damaged, or matching no pattern | CardUnread nowhere; the order is in doubt | counted           |

Once the order is in doubt, no later card of this deal is placed: each is a CardUnread nowhere. The
same holds when the port is lost in mid-deal, or when signals cannot be handed on any more. The
device does not count what is left, so DealDone carries what must be left of the deck.
"""

from __future__ import annotations

import logging
import re
from collections import deque
from typing import Final

from hw.reader.deal_order import DealOrder
from hw.reader.health import UNREADABLE_AFTER_NS, Emit, ReaderHealth
from hw.reader.records import BadRecord, RecordDecoder
from hw.reader.settings import LineSettings
from hw.reader.statistics import ReaderCounters
from hw.reader.vocabulary import DECK_CARDS, FieldError, card_text
from hw.signals import CardRead, CardUnread, DealDone, ReaderAlarm, ReaderSignal

MAX_UNACCEPTED: Final = 256
"""Signals kept for a taker that accepts none: several deals. The device cannot repeat them."""

_JOKER: Final = "JK"
_MATCHES_NOTHING: Final = re.compile(r"(?!)")

_log = logging.getLogger(__name__)


class LineSession:
    """Takes the bytes of one shoe or scanner; lives as long as the process."""

    def __init__(
        self,
        emit: Emit,
        settings: LineSettings,
        counters: ReaderCounters | None = None,
        *,
        unreadable_after_ns: int = UNREADABLE_AFTER_NS,
    ) -> None:
        self.counters = counters if counters is not None else ReaderCounters()
        self.health = ReaderHealth(
            emit,
            self.counters,
            beat_limit_ns=None,
            identity=(settings.preset or "line", "unknown", "unknown"),
            unreadable_after_ns=unreadable_after_ns,
        )
        written = settings.format()
        self._decoder = RecordDecoder(written.record_end)
        self._card = re.compile(written.card, re.IGNORECASE)
        self._unread = _compiled(written.unread)
        self._alarm = _compiled(written.alarm)
        self._ignore = _compiled(written.ignore)
        self._codes = settings.codes
        self._joker_code = settings.joker_code
        self._order = DealOrder(settings.positions, settings.order, settings.packet_size)
        self._unaccepted: deque[ReaderSignal] = deque()

    def start_deal(self, first_position: int) -> None:
        """The next card is the first one of ``first_position``. May be called from any thread.

        Raises :class:`ValueError` for a position that is not configured.
        """
        self._order.start(first_position)

    def opened(self, at_ns: int) -> None:
        """The port was opened; what stood half read before it is dropped."""
        self._decoder.reset()
        self.health.opened(at_ns)

    def closed(self, reason: str, at_ns: int) -> None:
        """The port was lost: cards may pass unseen from now on."""
        self._decoder.reset()
        self._in_doubt(f"the reader's port was lost: {reason}", at_ns)
        self.health.closed(reason, at_ns)

    def receive(self, data: bytes, at_ns: int) -> bytes:
        """Act on bytes read at ``at_ns`` (monotonic ns). There is never an answer to write."""
        self.counters.bytes_received += len(data)
        self._decoder.receive(data, at_ns)
        if not self._handle_records(at_ns):
            self.health.garbage(at_ns)
        return b""

    def tick(self, at_ns: int) -> bytes:
        """Time has passed; call this at least every second."""
        self._decoder.expire(at_ns)
        self._handle_records(at_ns)
        self._offer_again()
        self.health.tick(at_ns)
        return b""

    def _handle_records(self, at_ns: int) -> bool:
        understood = False
        for event in self._decoder:
            if isinstance(event, BadRecord):
                self._not_understood(event.detail, at_ns)
            elif self._handle(event.text, at_ns):
                understood = True
                self.health.good(at_ns)
                self.counters.sentences += 1
            else:
                self._not_understood(
                    f"a record of {len(event.text)} characters matches no pattern", at_ns
                )
        return understood

    def _handle(self, text: str, at_ns: int) -> bool:
        """Act on one record; False if no pattern matches it."""
        if card := self._card.fullmatch(text):
            self._code(card["code"], at_ns)
        elif self._unread.fullmatch(text):
            self._place(None, f"the reader could not read a card: {text}", at_ns)
        elif alarm := self._alarm.fullmatch(text):
            self._send(ReaderAlarm(alarm["detail"], at_ns))
        else:
            return self._ignore.fullmatch(text) is not None
        return True

    def _code(self, code: str, at_ns: int) -> None:
        try:
            card = _JOKER if code == self._joker_code else card_text(self._codes.get(code, code))
        except FieldError:
            self._place(None, "its code names no card; add it to line.codes", at_ns)
            return
        self._place(card, "a card was read", at_ns)

    def _place(self, card: str | None, detail: str, at_ns: int) -> None:
        """Give the next slot to ``card``, None for one that could not be read."""
        slot = self._order.take()
        if slot is None:
            doubt = self._order.doubt
            if doubt is None:
                self._send(ReaderAlarm(f"{detail} outside a deal; press ADVANCE first", at_ns))
            else:
                self._send(CardUnread(None, f"{detail} and not placed: {doubt}", at_ns))
            return
        if card is None:
            self._send(CardUnread(slot.position, detail, at_ns))
        else:
            self._send(CardRead(slot.position, card, at_ns))
        if slot.last:
            self._send(DealDone(DECK_CARDS - self._order.cards, at_ns))

    def _not_understood(self, detail: str, at_ns: int) -> None:
        self.counters.bad_sentences += 1
        _log.debug("bad record: %s", detail)
        self._in_doubt(detail, at_ns)

    def _in_doubt(self, reason: str, at_ns: int) -> None:
        if self._order.give_up(reason):
            self._send(CardUnread(None, f"a card may have been missed: {reason}", at_ns))

    def _send(self, signal: ReaderSignal) -> None:
        self._unaccepted.append(signal)
        self._offer_again()
        if len(self._unaccepted) > MAX_UNACCEPTED:
            lost = self._unaccepted.pop()
            _log.error("nobody takes the reader's signals; lost a %s", type(lost).__name__)
            self._order.give_up("a card could not be handed on")

    def _offer_again(self) -> None:
        while self._unaccepted and self.health.offer(self._unaccepted[0]):
            self._unaccepted.popleft()


def _compiled(pattern: str | None) -> re.Pattern[str]:
    return _MATCHES_NOTHING if pattern is None else re.compile(pattern, re.IGNORECASE)
