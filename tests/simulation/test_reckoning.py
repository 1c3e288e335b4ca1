"""The summary's own count must see what is missing and what is too much."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from firmware_app.feed.envelope import Received
from firmware_app.simulation.reckoning import Reckoning, reckon

QUEENS = ("QS", "QH", "QD", "QC", "4D", "9H", "7C")
NOTHING = ("KH", "TD", "8S", "6C", "5H", "3D", "2C")
DEALER = ("AD", "KC", "JC", "9D", "7H", "4C", "3S")
DEALT = {1: {1: QUEENS, 2: NOTHING, 0: DEALER}}


def event(kind: str, **data: Any) -> Received:
    return Received("id", "/source", f"fpg.v1.{kind}", 1, datetime.now(UTC), True, data)


def told(first: tuple[str, ...], second: tuple[str, ...], number: int = 1) -> list[Received]:
    spots = [{"spot": 1, "cards": list(first)}, {"spot": 2, "cards": list(second)}]
    return [
        event("round-revealed", round=number, spots=spots, dealer_cards=list(DEALER)),
        event("round-settled", round=number, spots=spots),
    ]


def alarm(kind: str, line: str, spot: int | None) -> Received:
    return event(kind, round=1, alarm={"code": f"input-failed:{line}", "text": "x", "spot": spot})


def test_a_feed_that_says_what_was_dealt_lost_and_invented_nothing() -> None:
    turned = tuple(reversed(QUEENS))
    assert reckon(told(turned, NOTHING), DEALT, [1]) == Reckoning(0, 0, ())


@pytest.mark.parametrize(
    ("events", "lost", "invented"),
    [
        ([], 3, 0),
        (told(QUEENS, NOTHING)[:1], 3, 0),
        (told(QUEENS, ()), 1, 0),
        (told(NOTHING, QUEENS), 2, 2),
        (told((*QUEENS[:6], "7D"), NOTHING), 1, 1),
        (told(QUEENS, NOTHING) + told(QUEENS, NOTHING, number=2), 0, 3),
    ],
    ids=["silent", "not settled", "one missing", "spots mixed up", "misread", "round made up"],
)
def test_what_is_missing_and_what_is_too_much_is_counted(
    events: list[Received], lost: int, invented: int
) -> None:
    found = reckon(events, DEALT, [1])
    assert (found.hands_lost, found.hands_invented) == (lost, invented)


def test_hands_of_a_round_that_was_not_paid_are_not_due() -> None:
    assert reckon([], DEALT, []).hands_lost == 0


def test_a_spot_is_out_of_service_while_one_of_its_inputs_is() -> None:
    broken = [alarm("alarm-raised", "spot3.bet", 3), alarm("alarm-raised", "spot3.main", 3)]
    healed = [alarm("alarm-cleared", "spot3.bet", 3)]
    assert reckon([*broken, *healed], {}, []).out_of_service == (3,)
    healed.append(alarm("alarm-cleared", "spot3.main", 3))
    assert reckon([*broken, *healed], {}, []).out_of_service == ()


def test_a_stuck_button_of_the_dealer_is_no_spot() -> None:
    assert reckon([alarm("alarm-raised", "advance", None)], {}, []).out_of_service == ()
