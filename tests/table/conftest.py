"""A table that tests can tell a story to: bet, lock, deal, advance, and what it announced."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import replace

import pytest

from firmware_app.cards import DECK, Card, parse_hand
from firmware_app.rules.profile import Profile, load_profile
from firmware_app.table import facts
from firmware_app.table.events import Event
from firmware_app.table.facts import Fact
from firmware_app.table.round import step
from firmware_app.table.state import TableRules, TableState, new_table
from firmware_app.table.values import Phase
from firmware_app.table.view import TableView, view


class Story:
    """Drives :func:`step` and remembers everything that was announced."""

    def __init__(self, rules: TableRules) -> None:
        self.rules = rules
        self.state: TableState = new_table(rules)
        self.events: list[Event] = []
        self.facts: list[Fact] = []
        self.tell(facts.ReaderFound())

    def tell(self, fact: Fact) -> list[Event]:
        after = step(self.rules, self.state, fact)
        self.facts.append(fact)
        self.state = after.state
        self.events.extend(after.events)
        return list(after.events)

    def bet(self, spot: int, cents: int | None = 5_00, wager: str = "fortune") -> list[Event]:
        return self.tell(facts.WagerChanged(spot=spot, wager=wager, cents=cents))  # type: ignore[arg-type]

    def envy(self, spot: int, placed: bool = True) -> list[Event]:
        return self.tell(facts.EnvyButtonChanged(spot=spot, placed=placed))

    def lock(self, first_spot: int | None = 1) -> list[Event]:
        return self.tell(facts.DealStarted(first_spot=first_spot))

    def hand(self, position: int, cards: str | Sequence[Card]) -> list[Event]:
        count = self.rules.profile.cards_per_hand
        hand = parse_hand(cards, count=count) if isinstance(cards, str) else tuple(cards)
        return self.tell(facts.HandRead(position=position, cards=hand))

    def deal(self, hands: dict[int, str], seed: int = 0) -> None:
        """Deal the given hands, and to every other position what is left of the deck."""
        count = self.rules.profile.cards_per_hand
        given = {place: parse_hand(text, count=count) for place, text in hands.items()}
        used = {card for hand in given.values() for card in hand}
        rest = [card for card in DECK if card not in used]
        random.Random(seed).shuffle(rest)
        first = 0 if self.rules.profile.banker == "dealer" else 1
        for position in range(first, self.rules.profile.spots + 1):
            if position not in given:
                given[position] = tuple(rest.pop() for _ in range(count))
            self.hand(position, given[position])

    def advance(self) -> list[Event]:
        return self.tell(facts.Advanced())

    def void(self, reason: str = "test") -> list[Event]:
        return self.tell(facts.Voided(reason=reason))

    @property
    def phase(self) -> Phase:
        return self.state.phase

    @property
    def view(self) -> TableView:
        return view(self.state, self.rules)

    def announced(self, kind: type[Event]) -> list[Event]:
        return [event for event in self.events if isinstance(event, kind)]


MakeTable = Callable[..., Story]


@pytest.fixture
def table() -> MakeTable:
    """Return a maker of tables: ``table("envy")``, with settings of :class:`TableRules`."""

    def make(rules: str | Profile = "envy", **settings: object) -> Story:
        profile = load_profile(rules) if isinstance(rules, str) else rules
        return Story(replace(TableRules(profile), **settings))  # type: ignore[arg-type]

    return make
