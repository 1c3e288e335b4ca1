"""The engine commits before it shows, survives what breaks around it, and comes back."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from firmware_app.cards import DECK
from firmware_app.journal.errors import StorageFull
from firmware_app.runtime.engine import STORAGE_ALARM
from firmware_app.table import facts
from firmware_app.table.values import Phase
from hw.lamps import LampPattern
from hw.signals import Edge, HandRead

QUADS = ("QS", "QH", "QD", "QC", "JK", "4D", "9H")


def deal(bench: Any, first: tuple[str, ...] = QUADS) -> None:
    rest = [str(card) for card in DECK if str(card) not in first]
    hands = [first] + [tuple(rest[n * 7 : n * 7 + 7]) for n in range(6)]
    for position, hand in zip([1, 2, 3, 4, 5, 6, 0], hands, strict=True):
        bench.inbox.put(HandRead(position, hand, 0))


def play_to(bench: Any, phase: Phase) -> None:
    bench.tell(facts.WagerChanged(spot=1, wager="fortune", cents=5_00))
    bench.wait(lambda view: view.phase is Phase.BETTING)
    if phase is Phase.BETTING:
        return
    bench.tell(facts.DealStarted(first_spot=1))
    bench.wait(lambda view: view.phase is Phase.DEALING)
    if phase is Phase.DEALING:
        return
    deal(bench)
    bench.wait(lambda view: view.phase is Phase.DEALT)
    for then in (Phase.REVEALED, Phase.SETTLED):
        if phase is Phase.DEALT:
            return
        bench.tell(facts.Advanced())
        bench.wait(lambda view, then=then: view.phase is then)
        if phase is then:
            return


def recorded_types(bench: Any) -> list[str]:
    outbox = bench.journal.outbox()
    try:
        return [message.type for message in outbox.pending(10_000)]
    finally:
        outbox.close()


def test_a_round_is_recorded_and_told_in_order(start: Callable[..., Any]) -> None:
    bench = start()
    play_to(bench, Phase.SETTLED)
    told = recorded_types(bench)
    assert [kind for kind in told if kind.startswith("round-")] == [
        "round-opened",
        "round-locked",
        "round-dealt",
        "round-revealed",
        "round-settled",
    ]
    outbox = bench.journal.outbox()
    numbers = [message.sequence for message in outbox.pending(10_000)]
    outbox.close()
    assert numbers == list(range(1, len(numbers) + 1))


@pytest.mark.parametrize("phase", [Phase.BETTING, Phase.DEALING, Phase.DEALT, Phase.REVEALED])
def test_an_unfinished_round_comes_back_suspended_and_goes_on(
    start: Callable[..., Any], phase: Phase
) -> None:
    bench = start()
    play_to(bench, phase)
    before = bench.views[-1]
    bench.close()
    again = start()
    shown = again.wait(lambda view: view.phase is Phase.SUSPENDED)
    assert (shown.round_number, shown.suspended_from) == (before.round_number, phase)
    again.tell(facts.Advanced())
    resumed = again.wait(lambda view: view.phase is phase)
    assert [spot.result for spot in resumed.spots] == [spot.result for spot in before.spots]


def test_a_settled_round_comes_back_settled_and_is_not_paid_again(
    start: Callable[..., Any],
) -> None:
    bench = start()
    play_to(bench, Phase.SETTLED)
    bench.close()
    again = start()
    assert again.wait(lambda view: view.phase is Phase.SETTLED).round_number == 1
    assert recorded_types(again).count("round-settled") == 1
    assert recorded_types(again).count("payout") == 1


def test_a_full_card_shows_no_result_until_it_is_recorded(start: Callable[..., Any]) -> None:
    bench = start()
    play_to(bench, Phase.REVEALED)
    pages = bench.journal._connection.execute("PRAGMA page_count").fetchone()[0]
    bench.journal._connection.execute(f"PRAGMA max_page_count = {pages}")
    bench.tell(facts.Advanced())
    # Small entries may still fit into the last page: fill it, then the payment cannot be recorded.
    for number in range(2_000):
        bench.tell(facts.AlarmRaised(code=f"filler-{number}", text="x" * 500))
        if STORAGE_ALARM in {alarm.code for alarm in bench.views[-1].alarms}:
            break
    full = bench.wait(lambda view: STORAGE_ALARM in {alarm.code for alarm in view.alarms})
    assert "free space" in next(a.text for a in full.alarms if a.code == STORAGE_ALARM)
    told = recorded_types(bench)
    bench.journal._connection.execute("PRAGMA max_page_count = 1000000")
    healed = bench.wait(lambda view: STORAGE_ALARM not in {alarm.code for alarm in view.alarms})
    assert healed.phase is Phase.SETTLED
    after = recorded_types(bench)
    assert after[: len(told)] == told
    assert after.count("round-settled") == 1


def test_what_cannot_be_recorded_is_not_shown(
    start: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    bench = start()
    play_to(bench, Phase.REVEALED)
    append = bench.journal.append

    def full(*_: Any, **__: Any) -> None:
        raise StorageFull("the card is full")

    monkeypatch.setattr(bench.journal, "append", full)
    bench.tell(facts.Advanced())
    shown = bench.wait(lambda view: bool(view.alarms))
    assert shown.phase is Phase.REVEALED
    monkeypatch.setattr(bench.journal, "append", append)
    assert bench.wait(lambda view: not view.alarms).phase is Phase.SETTLED
    assert recorded_types(bench).count("round-settled") == 1


def test_one_bad_item_takes_no_other_with_it(
    start: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    bench = start()
    bench.inbox.put(Edge("no such line", True, 0))
    bench.tell(facts.WagerChanged(spot=1, wager="fortune", cents=5_00))
    shown = bench.wait(lambda view: view.phase is Phase.BETTING)
    assert "controller-fault" in {alarm.code for alarm in shown.alarms}


def test_a_raising_observer_stops_neither_engine_nor_the_others(
    start: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    bench = start()

    def broken(_: Any) -> None:
        raise RuntimeError("display gone")

    parts = bench.engine._parts
    object.__setattr__(parts, "observers", (broken, *parts.observers))
    play_to(bench, Phase.SETTLED)


def test_lamps_blink_only_where_something_is_owed_and_only_after_the_reveal(
    start: Callable[..., Any],
) -> None:
    bench = start()
    play_to(bench, Phase.DEALT)
    assert LampPattern.BLINK not in bench.lamps.values()
    bench.tell(facts.Advanced())
    bench.wait(lambda view: view.phase is Phase.REVEALED)
    assert bench.lamps[1] is LampPattern.BLINK
    assert bench.lamps[2] is LampPattern.OFF


def test_a_changed_configuration_voids_the_round_that_it_interrupts(
    start: Callable[..., Any],
) -> None:
    bench = start("envy")
    play_to(bench, Phase.DEALT)
    bench.close()
    other = start("face-up")
    shown = other.views[-1]
    assert (shown.phase, shown.round_number) == (Phase.SETTLED, 1)
    assert "round-voided" in recorded_types(other)
    other.close()
    third = start("face-up")
    assert third.views[-1].round_number == 1
