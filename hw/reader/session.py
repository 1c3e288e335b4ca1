"""The Pi's side of the native protocol: which sentences are acted on, and what is answered.

Bytes in, signals to ``emit``, answer bytes out; no port, no clock, no thread.

| what came                                    | acted on | answer           |
|----------------------------------------------|----------|------------------|
| a good sentence                              | once     | ACK              |
| the same number and the same fields again    | no       | what it got then |
| the number of another recent sentence        | no       | NAK REUSED       |
| a good sentence whose fields say nothing     | alarm    | NAK FIELD / TYPE |
| a signal that ``emit`` did not accept        | no       | NAK BUSY         |
| a damaged sentence with a readable number    | no       | NAK CRC / FORM … |
| HELLO, unless it repeats the sentence before | once     | ACK, new numbers |
| ACK or NAK: the line echoes our own answers  | no       | nothing          |

A sentence is acknowledged when its signal lies in the inbox, not when it is committed: waiting for
the disk would stop the reader at every card. Nothing is lost by it. If the process is killed in
between, the round comes back suspended, waits for the dealer, and is never paid by itself.

What was acted on is remembered across a lost port, so that a hand whose acknowledgement was lost
with the cable is not taken twice. Only HELLO, which a reader says when it has started, forgets it.
"""

from __future__ import annotations

import logging
from collections import OrderedDict
from typing import Final

from hw.reader.health import UNREADABLE_AFTER_NS, Emit, ReaderHealth
from hw.reader.native import BadSentence, NativeDecoder
from hw.reader.sentence import ANSWERS, SEQUENCE_NUMBERS, Sentence, ack, nak
from hw.reader.statistics import ReaderCounters
from hw.reader.vocabulary import HELLO, FieldError, signal_of
from hw.signals import ReaderAlarm, ReaderUp

BEAT_LIMIT_NS: Final = 5_000_000_000

REMEMBERED: Final = 64
"""Sentences whose repeat is recognised; far below 65,536, so that numbers may wrap."""

_log = logging.getLogger(__name__)


class NativeSession:
    """Takes the bytes of one reader; lives as long as the process, across lost ports."""

    def __init__(
        self,
        emit: Emit,
        counters: ReaderCounters | None = None,
        *,
        beat_limit_ns: int = BEAT_LIMIT_NS,
        unreadable_after_ns: int = UNREADABLE_AFTER_NS,
    ) -> None:
        """``emit`` takes each signal; see :data:`hw.reader.health.Emit` for what it may return."""
        self.counters = counters if counters is not None else ReaderCounters()
        self.health = ReaderHealth(
            emit,
            self.counters,
            beat_limit_ns=beat_limit_ns,
            unreadable_after_ns=unreadable_after_ns,
        )
        self._decoder = NativeDecoder()
        self._answered: OrderedDict[int, tuple[Sentence, bytes]] = OrderedDict()
        self._last_seq: int | None = None

    def start_deal(self, first_position: int) -> None:
        """Nothing to do: a native reader names the position of every hand itself."""

    def opened(self, at_ns: int) -> None:
        """The port was opened; what stood half read before it is dropped."""
        self._decoder.reset()
        self.health.opened(at_ns)

    def closed(self, reason: str, at_ns: int) -> None:
        """The port was lost; a half sentence must not be joined to what comes from the next one."""
        self._decoder.reset()
        self.health.closed(reason, at_ns)

    def receive(self, data: bytes, at_ns: int) -> bytes:
        """Act on bytes read at ``at_ns`` (monotonic ns) and return the answers to write."""
        self.counters.bytes_received += len(data)
        self._decoder.receive(data, at_ns)
        answers = []
        understood = False
        for event in self._decoder:
            if isinstance(event, BadSentence):
                answers.append(self._answer_bad(event))
            elif event.kind in ANSWERS:
                self._echo(event)
            else:
                answers.append(self._answer(event, at_ns))
                understood = True
        if data and not understood:
            self.health.garbage(at_ns)
        return b"".join(answers)

    def tick(self, at_ns: int) -> bytes:
        """Time has passed; call this at least every second. Returns answers to write."""
        self._decoder.expire(at_ns)
        answers = [
            self._answer_bad(event) for event in self._decoder if isinstance(event, BadSentence)
        ]
        self.health.tick(at_ns)
        return b"".join(answers)

    def _answer(self, sentence: Sentence, at_ns: int) -> bytes:
        if sentence.kind == HELLO and not self._repeats_last(sentence):
            self._answered.clear()
            self._last_seq = None
        known = self._answered.get(sentence.seq)
        if known is not None:
            return self._answer_known(sentence, *known, at_ns)
        accepted, answer = self._act(sentence, at_ns)
        if accepted:
            self._note_gap(sentence)
            self._remember(sentence, answer)
        return answer

    def _answer_known(
        self, sentence: Sentence, earlier: Sentence, answer: bytes, at_ns: int
    ) -> bytes:
        if sentence != earlier:
            self.counters.refused += 1
            # Not the fields: a hand must not stand in a log.
            _log.warning("number %d came again as another %s", sentence.seq, sentence.kind)
            return nak(sentence.seq, "REUSED").to_bytes()
        self.counters.repeats += 1
        self.health.good(at_ns)
        return answer

    def _act(self, sentence: Sentence, at_ns: int) -> tuple[bool, bytes]:
        """Return whether ``sentence`` is done with, and the answer to it."""
        try:
            signal = signal_of(sentence, at_ns)
        except FieldError as fault:
            self.counters.refused += 1
            self.health.good(at_ns)
            told = self.health.offer(ReaderAlarm(f"sentence refused: {fault}", at_ns))
            # An alarm that nobody took must come again, so the reader may not give up yet.
            return told, nak(sentence.seq, fault.reason if told else "BUSY").to_bytes()
        if isinstance(signal, ReaderUp):
            accepted = self.health.hello((signal.model, signal.serial, signal.version), at_ns)
        else:
            self.health.good(at_ns)
            accepted = signal is None or self.health.offer(signal)
        if not accepted:
            return False, nak(sentence.seq, "BUSY").to_bytes()
        self.counters.sentences += 1
        return True, ack(sentence.seq).to_bytes()

    def _answer_bad(self, event: BadSentence) -> bytes:
        self.counters.bad_sentences += 1
        # Neither the bytes nor what is wrong with them: both may name a card.
        _log.debug("bad sentence (%s) of %d bytes", event.reason, len(event.raw))
        # Without a readable number nobody knows what to refuse; the reader repeats by itself.
        return b"" if event.seq is None else nak(event.seq, event.reason).to_bytes()

    def _echo(self, sentence: Sentence) -> None:
        # Our own words, from a line that echoes. To answer them would never end.
        self.counters.bad_sentences += 1
        _log.debug("the line echoes what we answer: %s", sentence.kind)

    def _repeats_last(self, sentence: Sentence) -> bool:
        """A HELLO right after the same HELLO is a repeat; after anything else, a new start."""
        known = self._answered.get(sentence.seq)
        return sentence.seq == self._last_seq and known is not None and known[0] == sentence

    def _note_gap(self, sentence: Sentence) -> None:
        if self._last_seq is not None:
            expected = (self._last_seq + 1) % SEQUENCE_NUMBERS
            if sentence.seq != expected:
                self.counters.gaps += 1
                _log.warning("expected sentence %d, got %d", expected, sentence.seq)
        self._last_seq = sentence.seq

    def _remember(self, sentence: Sentence, answer: bytes) -> None:
        self._answered[sentence.seq] = (sentence, answer)
        if len(self._answered) > REMEMBERED:
            self._answered.popitem(last=False)
