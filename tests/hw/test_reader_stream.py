"""A hundred thousand hands over a pseudo-terminal whose line does everything wrong."""

from __future__ import annotations

import random

from reader_helpers import Inbox, native, running

from hw import signals
from hw.reader.link import ReaderLink
from hw.sim.reader import SimReader
from hw.sim.reader_device import ReaderFaults

HANDS = 100_000
DECK = [rank + suit for rank in "23456789TJQKA" for suit in "SHDC"] + ["JK"]
BAD_LINE = ReaderFaults(noise=0.01, cut=0.01, damage=0.01, repeat=0.01, deaf=0.01)


def test_every_hand_arrives_once_and_none_is_invented() -> None:
    rng = random.Random(20)
    dealt = [(rng.randrange(9), tuple(rng.sample(DECK, 7))) for _ in range(HANDS)]
    inbox = Inbox()
    # The repeat comes soon, so that the test spends no time waiting; 60,000 makes the number wrap.
    with SimReader(seed=21, first_seq=60_000, repeat_after_ms=2) as reader:
        reader.set_faults(BAD_LINE)
        for position, cards in dealt:
            reader.hand(position, cards)
        with running(ReaderLink(native(reader.path), inbox.put)) as link:
            assert reader.wait_acknowledged(timeout_s=150)
            statistics = link.statistics()
        assert reader.refused == ()
    assert [(hand.position, hand.cards) for hand in inbox.hands] == dealt
    told = [s for s in inbox.signals if not isinstance(s, signals.HandRead)]
    assert [type(signal) for signal in told] == [signals.ReaderUp]
    # The line was as bad as meant: each kind of fault left its trace about a thousand times.
    assert statistics.repeats > HANDS * 0.015
    assert statistics.bad_sentences > HANDS * 0.025
    assert statistics.opened == 1
