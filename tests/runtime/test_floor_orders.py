"""Orders of a supervisor: answered once they are recorded, and never carried out after that."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import pytest

from firmware_app.journal.errors import StorageFull
from firmware_app.journal.reading import open_for_reading
from firmware_app.journal.records import Kind
from firmware_app.journal.recovery import replace_damaged
from firmware_app.runtime.floor import Floor
from firmware_app.table import facts
from firmware_app.table.supervision import Asked
from firmware_app.table.values import Phase
from firmware_app.table.view import TableView

RECORD = facts.SupervisorActed(
    action="asked", text="what was asked", by="Ms. Ortega", why="pit call 12", login="floor1"
)
VOID = Asked(RECORD, facts.Voided(by="Ms. Ortega", reason="pit call 12"))


@dataclass
class FakeLink:
    """Remembers from where events were to be sent again."""

    resent_from: list[int] = field(default_factory=list)

    def resend(self, from_sequence: int) -> None:
        self.resent_from.append(from_sequence)


def floor_of(bench: Any, link: FakeLink | None = None, answer_s: float = 5.0) -> Floor:
    return Floor(
        bench.engine,
        bench.inbox,
        bench.journal,
        link or FakeLink(),  # type: ignore[arg-type]
        bench.recorder.stamp,
        answer_s,
    )


def betting(bench: Any) -> None:
    bench.tell(facts.WagerChanged(spot=1, wager="fortune", cents=5_00))
    bench.wait(lambda view: view.phase is Phase.BETTING)


def recorded(bench: Any, kind: type[Any]) -> list[Any]:
    _, replayed = bench.journal.replay()
    return [entry.fact for entry in replayed if isinstance(entry.fact, kind)]


def test_an_order_is_answered_once_it_is_recorded_and_shown(start: Callable[..., Any]) -> None:
    bench = start()
    betting(bench)
    outcome = floor_of(bench).act(VOID)
    assert (outcome.refused, outcome.recorded) == (None, True)
    assert outcome.shown.phase is Phase.VOIDED
    assert bench.views[-1].phase is Phase.VOIDED, "the sign came first"
    assert recorded(bench, facts.SupervisorActed) == [RECORD]


def test_an_order_that_cannot_be_recorded_now_is_not_taken(
    start: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    bench = start()
    betting(bench)
    append = bench.journal.append

    def full(*_: Any, **__: Any) -> None:
        raise StorageFull("the card is full")

    monkeypatch.setattr(bench.journal, "append", full)
    bench.tell(facts.AlarmRaised(code="test", text="to be recorded"))
    bench.wait(lambda view: bool(view.alarms))
    outcome = floor_of(bench).act(VOID)
    assert outcome.refused is not None
    assert "the card is full" in outcome.refused
    monkeypatch.setattr(bench.journal, "append", append)
    bench.wait(lambda view: {alarm.code for alarm in view.alarms} == {"test"})
    assert bench.views[-1].phase is Phase.BETTING
    assert recorded(bench, facts.SupervisorActed) == []


def test_an_order_that_waits_for_room_says_so_and_counts_when_there_is(
    start: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    bench = start()
    betting(bench)
    append = bench.journal.append

    def full(*_: Any, **__: Any) -> None:
        raise StorageFull("the card is full")

    monkeypatch.setattr(bench.journal, "append", full)
    outcome = floor_of(bench, answer_s=0.3).act(VOID)
    assert (outcome.refused, outcome.recorded) == (None, False)
    assert outcome.shown.phase is Phase.BETTING
    monkeypatch.setattr(bench.journal, "append", append)
    bench.wait(lambda view: view.phase is Phase.VOIDED)
    assert recorded(bench, facts.SupervisorActed) == [RECORD]


def test_an_order_given_up_is_never_carried_out(start: Callable[..., Any]) -> None:
    """An engine that is held up must not void the next round with an order of this one."""
    bench = start()
    betting(bench)
    held, let_go = threading.Event(), threading.Event()

    def hold(_: TableView) -> None:
        held.set()
        let_go.wait(20)

    parts = bench.engine._parts
    object.__setattr__(parts, "observers", (*parts.observers, hold))
    bench.tell(facts.WagerChanged(spot=2, wager="fortune", cents=5_00))
    assert held.wait(10)
    try:
        outcome = floor_of(bench, answer_s=0.2).act(VOID)
    finally:
        let_go.set()
    assert outcome.refused is not None
    assert "did not come to it" in outcome.refused
    bench.tell(facts.WagerChanged(spot=3, wager="fortune", cents=5_00))
    assert bench.wait(lambda view: view.spots[2].has_fortune).phase is Phase.BETTING
    assert recorded(bench, facts.SupervisorActed) == []


def test_a_closing_table_takes_no_order(start: Callable[..., Any]) -> None:
    bench = start()
    betting(bench)
    bench.inbox.close()
    outcome = floor_of(bench).act(VOID)
    assert outcome.refused == "Not now: the table is closing"


def test_a_closed_shift_is_recorded_behind_its_order_and_numbers_go_on(
    start: Callable[..., Any],
) -> None:
    bench = start()
    betting(bench)
    floor = floor_of(bench)
    floor.act(VOID)
    outcome, ended = floor.close_shift(Asked(RECORD))
    assert outcome.refused is None
    assert ended is not None
    assert ended.shift["rounds.voided"] == 1
    assert floor.meters.shift == {}
    bench.tell(facts.Advanced())
    bench.wait(lambda view: view.phase is Phase.BETTING)
    bench.close()
    with open_for_reading(bench.journal.path) as reader:
        entries = list(reader.forwards())
    (shift,) = [number for number, entry in enumerate(entries) if entry.kind == Kind.SHIFT]
    assert b"supervisor-acted" in entries[shift - 1].facts
    assert entries[shift].kept_values()["shift"]["by"] == "Ms. Ortega"
    assert entries[shift].last_message == entries[shift - 1].last_message
    assert entries[shift + 1].last_message > entries[shift].last_message


def test_shifts_closed_while_the_table_plays_collide_with_nothing(
    start: Callable[..., Any],
) -> None:
    bench = start()
    floor = floor_of(bench)
    closers = [
        threading.Thread(target=lambda: [floor.close_shift(Asked(RECORD)) for _ in range(15)])
        for _ in range(3)
    ]
    for closer in closers:
        closer.start()
    for number in range(60):
        bench.tell(facts.AlarmRaised(code=f"alarm-{number}", text="an event between two shifts"))
    for closer in closers:
        closer.join(30)
        assert not closer.is_alive()
    bench.wait(lambda view: len(view.alarms) == 60)
    bench.close()
    with open_for_reading(bench.journal.path) as reader:
        kinds = [entry.kind for entry in reader.forwards()]
    assert kinds.count(Kind.SHIFT) == 45


def test_a_shift_that_cannot_be_closed_is_said_to_go_on(
    start: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    bench = start()

    def full(*_: Any, **__: Any) -> None:
        raise StorageFull("the card is full")

    monkeypatch.setattr(bench.journal, "close_shift", full)
    outcome, ended = floor_of(bench).close_shift(Asked(RECORD))
    assert (outcome.refused, ended) == ("the card is full", None)
    betting(bench)


def test_events_are_sent_again_from_a_number_that_is_kept(start: Callable[..., Any]) -> None:
    bench = start()
    betting(bench)
    link = FakeLink()
    floor = floor_of(bench, link)
    last = bench.journal.next_sequence - 1
    assert floor.resend(Asked(RECORD), last).refused is None
    assert link.resent_from == [last]
    beyond = bench.journal.next_sequence
    refused = floor.resend(Asked(RECORD), beyond).refused
    assert refused == f"There is no event {beyond}: kept are 1 to {beyond - 1}"
    assert link.resent_from == [last]
    assert [fact.refused for fact in recorded(bench, facts.SupervisorActed)] == [None, refused]


def test_of_a_journal_that_replaced_another_only_its_own_events_are_sent_again(
    start: Callable[..., Any],
) -> None:
    bench = start()
    path, stamp = bench.journal.path, bench.recorder.stamp()
    bench.close()
    path.write_bytes(bytes(8_192))
    first = replace_damaged(path, software="test", by="a technician", stamp=stamp).next_message
    assert first > 1
    floor = floor_of(start())
    refused = floor.resend(Asked(RECORD), first - 1).refused
    assert refused is not None
    assert f"kept are {first} to " in refused
    assert floor.resend(Asked(RECORD), first).refused is None


def test_an_order_that_the_rules_choke_on_is_answered_and_the_table_goes_on(
    start: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    bench = start()

    def choke(*_: Any) -> None:
        raise RuntimeError("a fault of the rules")

    with monkeypatch.context() as broken:
        broken.setattr("firmware_app.runtime.orders.ruling", choke)
        with pytest.raises(RuntimeError, match="a fault of the rules"):
            floor_of(bench).act(VOID)
    betting(bench)
    assert recorded(bench, facts.SupervisorActed) == []
