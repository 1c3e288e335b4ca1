"""The sum of card weights tells every multiset of ranks and every flush apart."""

from __future__ import annotations

import itertools
import random
import tracemalloc
from collections.abc import Iterator

from firmware_app.cards import DECK, JOKER, RANKS, Card
from firmware_app.rules.fortune import FortuneEvaluator, posted_wager
from firmware_app.rules.hand_key import FLUSH_SUIT, RANK_BITS, RANK_MASK, WEIGHTS
from firmware_app.rules.profile import load_profile


def key(cards: list[Card]) -> int:
    return sum(WEIGHTS[card] for card in cards)


def hands_of_every_multiset() -> Iterator[list[Card]]:
    """One hand of each multiset of ranks, with and without joker, its suits in rotation."""
    for joker in ([], [JOKER]):
        for ranks in itertools.combinations_with_replacement(RANKS, 7 - len(joker)):
            if max(ranks.count(rank) for rank in ranks) <= 4:
                # Equal ranks stand side by side, at most four of them: no card comes twice.
                yield [Card.of(rank, place % 4) for place, rank in enumerate(ranks)] + joker


def test_rank_keys_differ_for_every_multiset_of_ranks() -> None:
    keys = [key(hand) & RANK_MASK for hand in hands_of_every_multiset()]
    # 49,205 multisets of seven ranks without the joker and 18,395 of six with it.
    assert len(keys) == 67_600
    assert len(set(keys)) == 67_600


def test_every_distribution_of_suits_tells_its_flush_suit() -> None:
    tried = 0
    for counts in itertools.product(range(8), repeat=4):
        joker = 7 - sum(counts)
        if joker not in (0, 1):
            continue
        tried += 1
        hand = [
            Card.of(2 + place, suit) for suit, count in enumerate(counts) for place in range(count)
        ]
        hand += [JOKER] * joker
        flush = [suit for suit, count in enumerate(counts) if count + joker >= 5]
        assert FLUSH_SUIT[key(hand) >> RANK_BITS] == (flush[0] if flush else None)
    # C(10, 3) ways to share seven cards among four suits, and C(9, 3) to share six.
    assert tried == 120 + 84


def test_memory_is_bounded_by_kinds_of_hands_not_by_hands() -> None:
    line = FortuneEvaluator(posted_wager(load_profile("envy")).pay_table).line
    for hand in hands_of_every_multiset():
        line(hand)
    dealer = random.Random(5)
    tracemalloc.start()
    for _ in range(100_000):
        line(dealer.sample(DECK, 7))
    grown, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    # The 8,437 sets of ranks in a suit that hold a flush are all that is left to remember; a
    # memory of the hands themselves would be ten times this.
    assert grown < 2_000_000
