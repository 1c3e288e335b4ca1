"""A table whose rounds go through the real rules into a real journal, one entry a step."""

from __future__ import annotations

import json
import random
from collections.abc import Mapping
from pathlib import Path

from firmware_app.cards import DECK, Card, parse_hand
from firmware_app.journal.records import Configuration, OutgoingMessage, Stamp
from firmware_app.journal.store import Journal
from firmware_app.rules.profile import load_profile
from firmware_app.table import facts
from firmware_app.table.events import Event
from firmware_app.table.facts import Fact
from firmware_app.table.round import step
from firmware_app.table.state import (
    TableRules,
    new_table,
    rules_to_json,
    state_to_json,
)

DAY_NS = 86_400_000_000_000
NOON_NS = 1_764_504_000_000_000_000
"""30 November 2025, 12:00 UTC."""
SOFTWARE = "0.1.0"


def stamp(
    second: int, *, boot: str = "boot-1", wall_ns: int = NOON_NS, known: bool = True
) -> Stamp:
    """Return the moment ``second`` seconds after noon."""
    nanoseconds = second * 1_000_000_000
    return Stamp(wall_ns + nanoseconds, nanoseconds, boot, known)


def message(sequence: int, kind: str = "action", text: str = "") -> OutgoingMessage:
    payload = json.dumps({"id": f"t-{sequence}", "type": kind, "data": {"text": text}}).encode()
    return OutgoingMessage(sequence, f"t-{sequence}", kind, payload)


def action(number: int, by: str = "dealer") -> Fact:
    """Return a fact that no other fact depends on."""
    return facts.AlarmRaised(code=f"code-{number}", text=f"by {by}")


class RecordedTable:
    """Six spots of the ``envy`` sheet; ``journal`` is open."""

    def __init__(self, path: Path, *, rules: str = "envy", seed: int = 1) -> None:
        self.rules = TableRules(load_profile(rules))
        self.journal = Journal.open(path)
        self.state = new_table(self.rules)
        self.second = 0
        self._random = random.Random(seed)
        text, rules_text = f"rules = {rules!r}", rules_to_json(self.rules).decode()
        self.journal.record_configuration(
            Configuration(text, rules_text, SOFTWARE, "0" * 64, by="start"), stamp=self.now()
        )
        self.tell(facts.PowerReturned(software=SOFTWARE, configuration="c"))

    def now(self) -> Stamp:
        self.second += 1
        return stamp(self.second)

    def tell(self, *told: Fact, checkpoint: bool = False) -> list[Event]:
        """Step through facts and commit them as one entry."""
        events: list[Event] = []
        for fact in told:
            after = step(self.rules, self.state, fact)
            self.state = after.state
            events.extend(after.events)
        first = self.journal.next_sequence
        self.journal.append(
            told,
            events,
            [
                OutgoingMessage(
                    first + number,
                    f"t-{first + number}",
                    event.TYPE,
                    event.model_dump_json().encode(),
                )
                for number, event in enumerate(events)
            ],
            round_number=self.state.round_number,
            stamp=self.now(),
            checkpoint=state_to_json(self.state) if checkpoint else None,
        )
        return events

    def bet(self, spot: int, cents: int = 5_00) -> None:
        self.tell(facts.WagerChanged(spot=spot, wager="fortune", cents=cents))

    def no_bet(self, spot: int) -> None:
        self.tell(facts.WagerChanged(spot=spot, wager="fortune", cents=0))

    def deal(self, hands: Mapping[int, str] | None = None) -> None:
        """Lock, and deal the given hands; every other position gets what is left of the deck."""
        self.tell(facts.DealStarted(first_spot=1))
        dealt: dict[int, tuple[Card, ...]] = {
            position: parse_hand(text, count=7) for position, text in (hands or {}).items()
        }
        used = {card for hand in dealt.values() for card in hand}
        rest = [card for card in DECK if card not in used]
        self._random.shuffle(rest)
        for position in range(self.rules.profile.spots + 1):
            cards = dealt.get(position) or tuple(rest.pop() for _ in range(7))
            self.tell(facts.HandRead(position=position, cards=cards))

    def play_round(
        self, bets: Mapping[int, int] | None = None, hands: Mapping[int, str] | None = None
    ) -> None:
        """Play a round through: bets in cents by spot, dealt, revealed, paid."""
        for spot, cents in (bets or {1: 5_00, 3: 10_00}).items():
            self.bet(spot, cents)
        self.deal(hands)
        self.tell(facts.Advanced())
        self.tell(facts.Advanced())

    def void_round(self) -> None:
        self.bet(1, 5_00)
        self.tell(facts.DealStarted(first_spot=1))
        self.tell(facts.Voided(reason="cards fell to the floor"))
        self.tell(facts.Advanced())
