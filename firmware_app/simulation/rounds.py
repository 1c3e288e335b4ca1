"""Rounds as a table tells them, dealt without pins, reader or clock, and by the real rules."""

from __future__ import annotations

import random
from collections.abc import Iterator

from firmware_app.rules.profile import SAMPLES, load_profile
from firmware_app.simulation.deck import shuffled
from firmware_app.table import facts
from firmware_app.table.events import Event
from firmware_app.table.facts import Fact
from firmware_app.table.round import step
from firmware_app.table.state import DEALER, TableRules, new_table

_STAKES_CENTS = (0, 0, 5_00, 5_00, 10_00, 25_00)
_MAIN_CENTS = 25_00
_BANK_CENTS = 30_000_00


def deal_rounds(rules: str, *, seed: int) -> Iterator[tuple[Event, ...]]:
    """Yield the events of round 1, 2, … of an honest table: bets, deal, reveal and payment.

    The same ``rules`` and ``seed``, the same rounds. Raises
    :class:`~firmware_app.rules.profile.ProfileError` for rules that there are not.
    """
    table_rules = TableRules(load_profile(SAMPLES.get(rules, rules)))
    state = new_table(table_rules)
    rng = random.Random(seed)
    while True:
        told: list[Event] = []
        for fact in _facts_of_a_round(table_rules, rng):
            after = step(table_rules, state, fact)
            state = after.state
            told.extend(after.events)
        yield tuple(told)


def _facts_of_a_round(rules: TableRules, rng: random.Random) -> Iterator[Fact]:
    profile = rules.profile
    spots = range(1, profile.spots + 1)
    positions = tuple(spots)
    if profile.banker == "designated-player":
        yield facts.SpotDesignated(spot=rng.choice(spots))
        yield facts.BankDeclared(cents=_BANK_CENTS)
    else:
        positions = (DEALER, *spots)
    for spot in spots:
        yield facts.WagerChanged(spot=spot, wager="main", cents=_MAIN_CENTS)
        stake_cents = rng.choice(_STAKES_CENTS)
        yield facts.WagerChanged(spot=spot, wager="fortune", cents=stake_cents)
        if profile.envy is not None:
            qualifies = stake_cents >= profile.envy.minimum_fortune_cents
            yield facts.EnvyButtonChanged(spot=spot, placed=qualifies)
    yield facts.DealStarted(first_spot=rng.choice(spots))
    deck = shuffled(rng)
    for position in positions:
        hand = tuple(deck.pop() for _ in range(profile.cards_per_hand))
        yield facts.HandRead(position=position, cards=hand)
    yield facts.Advanced()  # the dealer reveals
    yield facts.Advanced()  # and has paid
