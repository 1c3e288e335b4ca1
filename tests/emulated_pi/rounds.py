"""One round from the first bet to what was published of it, held against the rule sheet."""

from __future__ import annotations

import json
import random
from dataclasses import dataclass
from typing import Any, Final, Self

from outside import Outside

from firmware_app.cards import DECK
from firmware_app.rules.profile import load_profile

SPOTS: Final = 6
BET_CENTS: Final = 5_00
QUADS: Final = ["QS", "QH", "QD", "QC", "JK", "4D", "9H"]


@dataclass(frozen=True, slots=True)
class Round:
    """A round that is dealt so that its first betting spot has four queens.

    ``hands`` are what the reader will say, by position; 0 is the dealer.
    """

    outside: Outside
    betting: tuple[int, ...]
    hands: dict[int, list[str]]
    cards_left: int

    @classmethod
    def drawn(cls, outside: Outside, seed: int, betting: int = 3) -> Self:
        """Draw who bets and what is dealt."""
        generator = random.Random(seed)
        spots = tuple(sorted(generator.sample(range(1, SPOTS + 1), betting)))
        rest = [str(card) for card in DECK if str(card) not in QUADS]
        generator.shuffle(rest)
        hands = {}
        for position in (*range(1, SPOTS + 1), 0):
            hands[position] = QUADS if position == spots[0] else [rest.pop() for _ in range(7)]
        return cls(outside, spots, hands, len(rest))

    def bet(self) -> None:
        """Lay every bet, and wait until the table has them."""

        def bets_lie() -> bool:
            spots = self.outside.state.get("spots", ())
            lying = [spot["number"] for spot in spots if spot["fortune_cents"]]
            return self.outside.state.get("phase") == "betting" and lying == [*self.betting]

        self.outside.until_reader_is_up()
        for spot in self.betting:
            self.outside.bet(spot, True)
        self.outside.until(bets_lie, "the bets")

    def lock(self) -> int:
        """Press the shuffler's start; return the round's number."""
        self.outside.reader.start(1)
        self.outside.until_phase("dealing")
        return int(self.outside.state["round_number"])

    def deal(self, *positions: int) -> None:
        """Deal to ``positions``; all of them, where none is named, and end the deal."""
        for position in positions or self.hands:
            self.outside.reader.hand(position, self.hands[position])
        if not positions:
            self.outside.reader.dealt(self.cards_left)

    def resume(self, phase: str = "dealing") -> None:
        """Let a suspended round go on; it stood in ``phase``."""
        self.outside.until_reader_is_up()
        self.outside.advance()
        self.outside.until_phase(phase)

    def show_and_pay(self) -> None:
        """From the dealt hands to the settled round, and what was published of it."""
        outside = self.outside
        outside.until_phase("dealt")
        told = json.dumps(outside.state)
        assert not any(f'"{card}"' in told for hand in self.hands.values() for card in hand)
        outside.advance()
        outside.until_phase("revealed")
        outside.until(lambda: outside.lamp(self.betting[0]), "the lamp of a spot that is owed")
        for spot in range(1, SPOTS + 1):
            assert spot in self.betting or not outside.lamp(spot)
        outside.advance()
        outside.until_phase("settled")
        self.check(int(outside.state["round_number"]))
        self.take_bets()

    def play(self) -> None:
        """Play all of it."""
        self.bet()
        self.lock()
        self.deal()
        self.show_and_pay()

    def take_bets(self) -> None:
        for spot in self.betting:
            self.outside.bet(spot, False)

    def check(self, number: int) -> None:
        """Wait for the result of round ``number`` and compare it with sheet and hands."""

        def results() -> list[dict[str, Any]]:
            settled = self.outside.of_type("round-settled")
            return [result for result in settled if result["round"] == number]

        self.outside.until(lambda: bool(results()), f"the result of round {number}")
        (settled,) = results()
        profile = load_profile(self.outside.config.game.rules)
        assert profile.fortune is not None
        pays = {row.line.value: row.pays for row in profile.fortune.pay_table}
        envy = {row.line.value: row.envy_cents for row in profile.fortune.pay_table}
        result = {spot["spot"]: spot for spot in settled["spots"]}
        assert set(self.betting) <= set(result)
        assert result[self.betting[0]]["line"] == "four_of_a_kind"
        for spot in self.betting:
            assert result[spot]["cards"] == self.hands[spot]
            line = result[spot]["line"]
            assert result[spot]["fortune"]["paid_cents"] == BET_CENTS * (pays.get(line) or 0)
            others = [result[other]["line"] for other in self.betting if other != spot]
            # No envy button was pressed: a $5 wager qualifies by its amount.
            assert result[spot]["envy_cents"] == sum(envy.get(line) or 0 for line in others)
