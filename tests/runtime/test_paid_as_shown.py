"""For every line of a pay table: shown, told, recorded and owed are one and the same amount."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import pytest

from firmware_app.cards import DECK, JOKER, parse_hand
from firmware_app.feed.envelope import decode
from firmware_app.rules.lines import Line
from firmware_app.runtime.recalling import summary
from firmware_app.signage.layout import layout
from firmware_app.signage.operations import TextOp
from firmware_app.signage.past_rounds import RoundSpot
from firmware_app.signage.scene import Scene
from firmware_app.signage.staging import scene
from firmware_app.signage.text import Texts
from firmware_app.signage.typefaces import FontBook
from firmware_app.table import facts
from firmware_app.table.values import Phase
from hw.signals import HandRead

# The pay tables as the two rule sheets print them: odds to 1, and envy in dollars.
_UP_TO_FIVE_ACES = {
    "royal_flush_plus_royal_match": (2_000, 1_000),
    "five_aces": (400, 250),
    "royal_flush": (150, 50),
    "straight_flush": (50, 20),
    "four_of_a_kind": (25, 5),
    "full_house": (5, 0),
    "flush": (4, 0),
    "three_of_a_kind": (3, 0),
    "straight": (2, 0),
}
PRINTED = {
    "envy": {"seven_card_straight_flush": (8_000, 5_000), **_UP_TO_FIVE_ACES},
    "face-up": {
        "seven_card_straight_flush": (5_000, 3_000),
        "seven_card_straight_flush_with_joker": (1_000, 500),
        **_UP_TO_FIVE_ACES,
    },
}
# One dollar at the sheet that caps a round at $20,000, so that no cap cuts its best line.
WAGER_CENTS = {"envy": 1_00, "face-up": 5_00}
HANDS = {
    "seven_card_straight_flush": "6S 7S 8S 9S 10S JS QS",
    "royal_flush_plus_royal_match": "10H JH QH KH AH KS QS",
    "seven_card_straight_flush_with_joker": "6S 7S JK 9S 10S JS QS",
    "five_aces": "AS AH AD AC JK 4C 9D",
    "royal_flush": "10H JH QH KH AH 3S 5C",
    "straight_flush": "8D 9D 10D JD QD 2S 4C",
    "four_of_a_kind": "QS QH QD QC 3S 4D 9H",
    "full_house": "10C 10H 10S 9H 9D 5H KC",
    "flush": "2H 5H 7H 9H KH 3S 8C",
    "three_of_a_kind": "QS QH QD 8S 3C 5D 2H",
    "straight": "5S 6D 7C 8H 9S KD 2C",
}
NO_LINE = ("KD JC 8D 7H 4H 3D 2D", "KC JC 9C 7D 4H 3H 2D")
HITS, ENVIES = 1, 2
FONTS, ENGLISH = FontBook(), Texts(("en",))
LINES = [(rules, line) for rules, table in PRINTED.items() for line in table]
_AMOUNT = re.compile(r"\$([\d,]+)(?:\.(\d\d))?$")


class Paid(NamedTuple):
    """What one spot is paid, in cents, stakes aside."""

    main: int
    fortune: int
    ace_high: int
    envy: int


def cents(text: str) -> int:
    """Read an amount off the sign: ``Envy $1,000``."""
    found = _AMOUNT.search(text)
    assert found is not None, text
    return int(found[1].replace(",", "")) * 100 + int(found[2] or 0)


def deal(bench: Any, hand: str) -> None:
    """Deal ``hand`` to the spot that is to hit and nothing to the one beside it."""
    hit = parse_hand(hand, count=7)
    beside = next(one for one in NO_LINE if not {*parse_hand(one, count=7)} & {*hit})
    given = (hit, parse_hand(beside, count=7))
    rest = [card for card in DECK if card not in (*given[0], *given[1], JOKER)]
    # Every fifth card of the deck: no line that would pay envy lies in such hands.
    hands = [*given, *(rest[place : place + 35 : 5] for place in range(5))]
    for position, cards in zip([1, 2, 3, 4, 5, 6, 0], hands, strict=True):
        bench.inbox.put(HandRead(position, tuple(map(str, cards)), 0))


def play(bench: Any, hand: str, wager_cents: int) -> Iterator[Any]:
    """Play a round; yield the view after the reveal, and once it is settled."""
    for spot, bonus in ((HITS, wager_cents), (ENVIES, 5_00)):
        bench.tell(facts.WagerChanged(spot=spot, wager="main", cents=25_00))
        bench.tell(facts.WagerChanged(spot=spot, wager="fortune", cents=bonus))
    bench.tell(facts.EnvyButtonChanged(spot=ENVIES, placed=True))
    bench.wait(lambda view: view.spots[ENVIES - 1].envy_button)
    bench.tell(facts.DealStarted(first_spot=1))
    bench.wait(lambda view: view.phase is Phase.DEALING)
    deal(bench, hand)
    bench.wait(lambda view: view.phase is Phase.DEALT)
    for phase in (Phase.REVEALED, Phase.SETTLED):
        bench.tell(facts.Advanced())
        yield bench.wait(lambda view, phase=phase: view.phase is phase)


def shown_on(sign: Scene, number: int) -> Paid:
    """Add up what the sign's panel of a spot says it is paid."""
    (panel,) = (panel for panel in sign.spots if panel.number == number)
    said = {award.kind: cents(ENGLISH.first(award.text)) for award in panel.awards}
    return Paid(*(said.get(kind, 0) for kind in Paid._fields))  # type: ignore[call-overload]


def painted(sign: Scene) -> set[str]:
    operations = layout(sign, (1920, 1080), ENGLISH, FONTS)
    return {op.text for op in operations if isinstance(op, TextOp)}


def told_of(spots: list[Any], number: int) -> Paid:
    """Read what an event that tells of every spot says of one."""
    (spot,) = (spot for spot in spots if spot["spot"] == number)
    wagers = (spot[wager]["paid_cents"] for wager in ("main", "fortune", "ace_high"))
    return Paid(*wagers, spot["envy_cents"])


def sent(bench: Any) -> list[tuple[str, Any]]:
    """Return the events that wait for the broker, by type, in the bytes that go on the wire."""
    outbox = bench.journal.outbox()
    try:
        return [(one.type, decode(one.payload).data) for one in outbox.pending(10_000)]
    finally:
        outbox.close()


@pytest.mark.parametrize(("rules", "line"), LINES, ids=[f"{r}-{line}" for r, line in LINES])
def test_what_is_shown_is_told_recorded_and_paid(
    start: Callable[..., Any], rules: str, line: str
) -> None:
    bench = start(rules)
    odds, envy_dollars = PRINTED[rules][line]
    reveal, settled = play(bench, HANDS[line], WAGER_CENTS[rules])
    (last,) = bench.journal.rounds().rounds
    events = sent(bench)
    (round_settled,) = (data for kind, data in events if kind == "round-settled")
    payouts = {data["spot"]: data for kind, data in events if kind == "payout"}
    meters = bench.journal.meters.lifetime
    row = summary(last)
    for number, fortune, envy in (
        (HITS, odds * WAGER_CENTS[rules], 0),
        (ENVIES, 0, envy_dollars * 100),
    ):
        result = reveal.spots[number - 1].result
        owed = Paid(
            result.main.paid_cents,
            result.fortune.paid_cents,
            result.ace_high.paid_cents,
            result.envy.paid_cents,
        )
        assert (owed.fortune, owed.envy) == (fortune, envy), "as the rule sheet prints it"
        for view in (reveal, settled):
            sign = scene(view, bench.rules.profile)
            assert shown_on(sign, number) == owed
            assert {
                ENGLISH.first(award.text) for award in sign.spots[number - 1].awards
            } <= painted(sign)
        assert told_of(round_settled["spots"], number) == owed, "the feed"
        assert told_of(last.told("round-settled")["spots"], number) == owed, "the journal"
        paid = payouts.get(number, {})
        assert Paid(*(paid.get(f"{kind}_cents", 0) for kind in Paid._fields)) == owed
        metered = (meters.get(f"spot.{number}.{kind}.paid_cents", 0) for kind in Paid._fields)
        assert Paid(*metered) == owed, "the meters"
        recalled = next(spot for spot in row.spots if spot.number == number)
        assert recalled == RoundSpot(
            number, Line(line) if number == HITS else None, fortune, envy
        ), "the recall"
    total = sum(payout["owed_cents"] for payout in payouts.values())
    assert round_settled["paid_cents"] == total
    assert sum(sum(shown_on(sign, panel.number)) for panel in sign.spots) == total
