"""Any story that a table can go through keeps its promises: a state machine over rounds."""

from __future__ import annotations

import random
from typing import Any

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from firmware_app.cards import DECK
from firmware_app.journal.meters import Meters, movement_of
from firmware_app.rules.profile import load_profile
from firmware_app.table import events, facts
from firmware_app.table.events import BetsLocked, Event
from firmware_app.table.facts import Fact
from firmware_app.table.round import step
from firmware_app.table.state import TableRules, new_table
from firmware_app.table.values import Phase
from firmware_app.table.view import view

SPOTS = st.integers(1, 6)
CENTS = st.sampled_from([0, 1_00, 5_00, 25_00])
OPEN = (Phase.BETTING, Phase.DEALING, Phase.DEALT, Phase.REVEALED)


class RoundMachine(RuleBasedStateMachine):
    """Plays a table with whatever comes, in whatever order; money is checked after every step."""

    def __init__(self) -> None:
        super().__init__()
        self.rules = TableRules(load_profile("face-up"), occupied_by="main-sensor")
        self.state = new_table(self.rules)
        self.facts: list[Fact] = []
        self.events: list[Event] = []
        self.tell(facts.ReaderFound())

    def tell(self, fact: Fact) -> None:
        after = step(self.rules, self.state, fact)
        self.facts.append(fact)
        self.events.extend(after.events)
        self.state = after.state

    @rule(spot=SPOTS, wager=st.sampled_from(["main", "fortune", "ace_high"]), cents=CENTS)
    def bet(self, spot: int, wager: Any, cents: int) -> None:
        self.tell(facts.WagerChanged(spot=spot, wager=wager, cents=cents))

    @rule(spot=SPOTS, placed=st.booleans())
    def envy(self, spot: int, placed: bool) -> None:
        self.tell(facts.EnvyButtonChanged(spot=spot, placed=placed))

    @rule(spot=st.none() | SPOTS)
    def start(self, spot: int | None) -> None:
        self.tell(facts.DealStarted(first_spot=spot))

    @precondition(lambda self: self.state.phase is Phase.DEALING)
    @rule(seed=st.integers(0, 99), short=st.booleans())
    def deal(self, seed: int, short: bool) -> None:
        deck = random.Random(seed).sample(DECK, 53)
        for position in range(7):
            cards = tuple(deck[position * 7 : position * 7 + (6 if short and position == 3 else 7)])
            self.tell(facts.HandRead(position=position, cards=cards))
        self.tell(facts.DealDone(cards_left=4))

    @rule(seed=st.integers(0, 9_999), stakes=st.lists(CENTS, min_size=6, max_size=6))
    def play(self, seed: int, stakes: list[int]) -> None:
        """Most rounds are just played; without this one hardly any would come to its end."""
        if self.state.suspension is not None or self.state.phase in OPEN[1:]:
            self.tell(facts.Voided())
        for spot, cents in enumerate(stakes, start=1):
            self.bet(spot, "main", 25_00)
            self.bet(spot, "fortune", cents)
            self.envy(spot, cents >= 5_00)
        self.tell(facts.DealStarted(first_spot=1))
        if self.state.phase is Phase.DEALING:
            self.deal(seed, False)
        for _ in range(2):
            if self.state.phase in (Phase.DEALT, Phase.REVEALED):
                self.tell(facts.Advanced())

    @rule()
    def advance(self) -> None:
        self.tell(facts.Advanced())

    @rule()
    def void(self) -> None:
        self.tell(facts.Voided())

    @rule(spot=SPOTS)
    def dead(self, spot: int) -> None:
        self.tell(facts.HandDead(spot=spot))

    @rule(spot=st.integers(1, 5))
    def link(self, spot: int) -> None:
        self.tell(facts.SpotsLinked(spots=(spot, spot + 1)))

    @rule(spot=SPOTS)
    def stuck(self, spot: int) -> None:
        self.tell(facts.InputFailed(line=f"spot{spot}.bet", spot=spot, text="stuck"))

    @rule(spot=SPOTS)
    def healed(self, spot: int) -> None:
        self.tell(facts.InputHealed(line=f"spot{spot}.bet"))

    @rule()
    def power_cut(self) -> None:
        self.tell(facts.PowerReturned(software="1", configuration="c"))
        self.tell(facts.ReaderFound())

    @rule()
    def reader_lost(self) -> None:
        self.tell(facts.ReaderLost(reason="unplugged"))
        self.tell(facts.ReaderFound())

    @invariant()
    def nothing_shows_before_the_reveal(self) -> None:
        shown = view(self.state, self.rules)
        phase = shown.suspended_from or shown.phase
        if phase not in (Phase.REVEALED, Phase.SETTLED):
            assert all(spot.cards == () and spot.result is None for spot in shown.spots)

    @invariant()
    def a_suspended_round_is_one_that_was_open(self) -> None:
        assert (self.state.phase is Phase.SUSPENDED) == (self.state.suspension is not None)
        if self.state.suspension is not None:
            assert self.state.suspension.phase in OPEN

    @invariant()
    def a_round_ends_once_and_pays_what_it_revealed(self) -> None:
        ended: set[int] = set()
        shown: dict[int, events.RoundRevealed] = {}
        for event in self.events:
            match event:
                case events.RoundRevealed():
                    shown[event.round] = event
                case events.RoundSettled():
                    assert event.round not in ended
                    ended.add(event.round)
                    assert event.spots == shown[event.round].spots
                case events.RoundVoided():
                    assert event.round not in ended
                    ended.add(event.round)

    @invariant()
    def every_stake_is_collected_returned_or_kept(self) -> None:
        locked: dict[int, BetsLocked] = {}
        for event in self.events:
            if isinstance(event, BetsLocked):
                locked[event.round] = event
            if isinstance(event, events.RoundSettled):
                for bets, spot in zip(locked[event.round].spots, event.spots, strict=True):
                    for stake, wager in (
                        (bets.main_cents, spot.main),
                        (bets.fortune_cents, spot.fortune),
                        (bets.ace_high_cents, spot.ace_high),
                    ):
                        parts = (wager.collected_cents, wager.returned_cents, wager.kept_cents)
                        assert sum(parts) == stake

    @invariant()
    def meters_are_the_sum_of_what_was_settled(self) -> None:
        meters, locked = Meters({}, {}), None
        for event in self.events:
            movement, locked = movement_of((event,), locked)
            meters = meters.moved(movement)
        settled = [event for event in self.events if isinstance(event, events.RoundSettled)]
        paid = sum(
            value
            for name, value in meters.lifetime.items()
            if name.startswith("spot.") and name.endswith(".paid_cents")
        )
        assert meters.lifetime.get("rounds.settled", 0) == len(settled)
        assert paid == sum(event.paid_cents for event in settled)

    def teardown(self) -> None:
        """Replayed from what a journal keeps of them, the facts come to the same end."""
        state, told = new_table(self.rules), []
        for fact in self.facts:
            after = step(self.rules, state, facts.fact_from_json(facts.fact_to_json(fact)))
            state = after.state
            told.extend(after.events)
        assert state == self.state
        assert told == self.events


TestRounds = RoundMachine.TestCase
TestRounds.settings = settings(max_examples=60, stateful_step_count=30, deadline=None)
