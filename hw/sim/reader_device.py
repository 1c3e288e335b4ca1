"""The reader's side of the native protocol, as a simulated reader speaks it. No I/O, no clock.

One sentence is under way at a time. It is repeated until it is acknowledged; after a NAK the reader
does what ``hw/reader/PROTOCOL.md`` asks of it: CRC, FORM and other damage, repeat at once; BUSY,
repeat later; REUSED, start again with HELLO; TYPE and FIELD, give this sentence up.
"""

from __future__ import annotations

import random
from collections import deque
from dataclasses import dataclass
from typing import Final

from hw.reader.native import BadSentence, NativeDecoder
from hw.reader.sentence import SEQUENCE_NUMBERS, Sentence
from hw.reader.vocabulary import BEAT, HELLO

BEAT_EVERY_NS: Final = 2_000_000_000
REPEAT_AFTER_NS: Final = 500_000_000

_GIVES_UP_ON: Final = ("TYPE", "FIELD")


@dataclass(frozen=True, slots=True)
class ReaderFaults:
    """What goes wrong on the simulated line. Probabilities 0 to 1, each for one sentence sent.

    ``noise``: up to 40 random bytes before it. ``cut``: its end is missing. ``damage``: one byte is
    another. ``repeat``: it is sent twice. ``deaf``: the answer to it is not heard. ``silent``:
    nothing is sent at all. ``wrong_speed``: random bytes are sent in place of everything.
    """

    noise: float = 0.0
    cut: float = 0.0
    damage: float = 0.0
    repeat: float = 0.0
    deaf: float = 0.0
    silent: bool = False
    wrong_speed: bool = False


class Disturber:
    """Does to outgoing bytes what :class:`ReaderFaults` say; the same for the same seed."""

    def __init__(self, faults: ReaderFaults, rng: random.Random) -> None:
        self.faults = faults
        self._rng = rng

    def on_wire(self, raw: bytes) -> bytes:
        """Return what the host gets to see of ``raw``."""
        if self.faults.silent:
            return b""
        if self.faults.wrong_speed:
            return self._rng.randbytes(len(raw))
        sent = raw
        if self._happens(self.faults.damage):
            place = self._rng.randrange(len(raw))
            other = (raw[place] + self._rng.randrange(1, 256)) % 256
            sent = raw[:place] + bytes([other]) + raw[place + 1 :]
        if self._happens(self.faults.cut):
            sent = sent[: self._rng.randrange(len(sent))]
        if self._happens(self.faults.noise):
            sent = self._rng.randbytes(self._rng.randrange(1, 41)) + sent
        if self._happens(self.faults.repeat):
            sent += raw
        return sent

    def hears(self) -> bool:
        """Whether the next answer is heard."""
        return not self._happens(self.faults.deaf)

    def _happens(self, probability: float) -> bool:
        return probability > 0 and self._rng.random() < probability


class NativeDevice:
    """Numbers sentences, repeats each until acknowledged, and beats when there is no other."""

    def __init__(
        self,
        *,
        identity: tuple[str, str, str] = ("SIM", "0", "1"),
        seed: int = 0,
        first_seq: int = 0,
        repeat_after_ns: int = REPEAT_AFTER_NS,
    ) -> None:
        """``identity``: model, serial, version. ``first_seq``: number of the first sentence."""
        self._disturber = Disturber(ReaderFaults(), random.Random(seed))
        self._repeat_after_ns = repeat_after_ns
        self._next_seq = first_seq
        self._waiting: deque[tuple[str, tuple[str, ...]]] = deque()
        self._under_way: Sentence | None = None
        self._send_at_ns = 0
        self._beat_at_ns = 0
        self._decoder = NativeDecoder()
        self._identity = identity
        self._refused: list[tuple[Sentence, str]] = []

    @property
    def faults(self) -> ReaderFaults:
        """The faults that are switched on; assign to switch."""
        return self._disturber.faults

    @faults.setter
    def faults(self, faults: ReaderFaults) -> None:
        self._disturber.faults = faults

    @property
    def unacknowledged(self) -> int:
        """Sentences, beats included, that the host has not yet acknowledged."""
        return len(self._waiting) + (self._under_way is not None)

    @property
    def refused(self) -> tuple[tuple[Sentence, str], ...]:
        """Sentences given up, each with the reason of the NAK."""
        return tuple(self._refused)

    def hello(self) -> None:
        """Power up: forget what was not yet sent, number from 0, and introduce itself."""
        self._waiting.clear()
        self._under_way = None
        self._next_seq = 0
        self.say(HELLO, *self._identity)

    def say(self, kind: str, *fields: str) -> None:
        """Queue one sentence. Raises :class:`hw.reader.sentence.SentenceError` for a bad field."""
        Sentence(0, kind, fields).to_bytes()
        self._waiting.append((kind, fields))

    def poll(self, at_ns: int) -> bytes:
        """Return the bytes to write at ``at_ns``, empty if nothing is due."""
        if self._under_way is None:
            if not self._waiting and at_ns >= self._beat_at_ns:
                self._waiting.append((BEAT, ()))
            if not self._waiting:
                return b""
            kind, fields = self._waiting.popleft()
            self._under_way = Sentence(self._next_seq, kind, fields)
            self._next_seq = (self._next_seq + 1) % SEQUENCE_NUMBERS
        elif at_ns < self._send_at_ns:
            return b""
        self._send_at_ns = at_ns + self._repeat_after_ns
        self._beat_at_ns = at_ns + BEAT_EVERY_NS
        return self._disturber.on_wire(self._under_way.to_bytes())

    def due_ns(self) -> int:
        """When :meth:`poll` next has something to say, if nothing is received before."""
        if self._under_way is not None:
            return self._send_at_ns
        return 0 if self._waiting else self._beat_at_ns

    def receive(self, data: bytes, at_ns: int) -> None:
        """Take what the host wrote."""
        self._decoder.receive(data, at_ns)
        for event in self._decoder:
            if isinstance(event, BadSentence) or not self._disturber.hears():
                continue
            self._answered(event, at_ns)

    def _answered(self, answer: Sentence, at_ns: int) -> None:
        if self._under_way is None or answer.seq != self._under_way.seq:
            return
        if answer.kind == "ACK":
            self._under_way = None
            return
        reason = answer.fields[0] if answer.fields else ""
        if reason in _GIVES_UP_ON:
            self._refused.append((self._under_way, reason))
            self._under_way = None
        elif reason == "REUSED":
            self._start_again(self._under_way)
        elif reason != "BUSY":
            self._send_at_ns = at_ns

    def _start_again(self, unsaid: Sentence) -> None:
        self._waiting.appendleft((unsaid.kind, unsaid.fields))
        self._waiting.appendleft((HELLO, self._identity))
        self._under_way = None
        self._next_seq = 0
