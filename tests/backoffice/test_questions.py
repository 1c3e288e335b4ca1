"""What a shift manager asks, answered from rounds whose money is known."""

from __future__ import annotations

from datetime import UTC, date, datetime, time
from itertools import islice

import pytest
from book_story import Table, round_of, spot, void

from firmware_app.backoffice.likelihood import tail
from firmware_app.backoffice.reports import REPORTS, Period, Row
from firmware_app.backoffice.store import Message, Store
from firmware_app.rules.lines import Line
from firmware_app.simulation.rounds import deal_rounds

QUADS = Line.FOUR_OF_A_KIND
ALWAYS = Period()


def ask(store: Store, question: str, period: Period = ALWAYS) -> list[Row]:
    return REPORTS[question](store.connection, period)


@pytest.fixture
def shift(store: Store) -> Store:
    """Two tables. The first settles rounds at 06:03 and 06:06 and has one void."""
    first, second = Table("fpg-01"), Table("fpg-02")
    store.take(
        [
            *first.tell(
                *round_of(
                    1,
                    spot(1, main=(2500, 0, 0), fortune=(0, 500, 12_500), line=QUADS),
                    spot(2, main=(0, 5000, 5000), fortune=(1000, 0, 0), envy=[(1, QUADS, 500)]),
                ),
                *round_of(2, spot(2, main=(5000, 0, 0), fortune=(1000, 0, 0))),
                void(3),
            ),
            *second.tell(
                *round_of(7, spot(3, main=(10_000, 0, 0)), profile="daytona", designated=5)
            ),
        ]
    )
    return store


def test_drop_is_what_was_wagered(shift: Store) -> None:
    assert ask(shift, "drop") == [
        {
            "table": "casino/fpg-01",
            "rounds": 2,
            "main_cents": 12_500,
            "fortune_cents": 2500,
            "ace_high_cents": 0,
            "wagered_cents": 15_000,
        },
        {
            "table": "casino/fpg-02",
            "rounds": 1,
            "main_cents": 10_000,
            "fortune_cents": 0,
            "ace_high_cents": 0,
            "wagered_cents": 10_000,
        },
    ]


def test_hold_is_what_the_bank_kept_after_bonus_and_envy(shift: Store) -> None:
    held = {
        (row["table"], row["bet"]): (row["banker"], row["won_cents"], row["hold_percent"])
        for row in ask(shift, "hold")
    }
    assert held == {
        # $75 collected, $50 paid, of $125.
        ("casino/fpg-01", "main"): ("house", 2500, 20.0),
        # $20 collected, $125 and $5 of envy paid, of $25.
        ("casino/fpg-01", "fortune"): ("house", -11_000, -440.0),
        ("casino/fpg-02", "main"): ("player", 10_000, 100.0),
    }


def test_envy_is_told_by_the_line_that_brought_it(shift: Store) -> None:
    assert ask(shift, "envy") == [
        {"table": "casino/fpg-01", "line": "four_of_a_kind", "payments": 1, "paid_cents": 500}
    ]


def test_a_shift_begins_and_ends(shift: Store) -> None:
    def wagered(since: time, until: time) -> int:
        day = date(2026, 8, 1)
        period = Period(*(datetime.combine(day, at, tzinfo=UTC) for at in (since, until)))
        return sum(row["wagered_cents"] for row in ask(shift, "drop", period))

    assert wagered(time(6, 3), time(6, 4)) == 9000 + 10_000
    assert wagered(time(6, 4), time(7)) == 6000
    assert wagered(time(7), time(8)) == 0


def test_lines_are_held_against_the_exact_odds(store: Store) -> None:
    """Four hundred honest rounds, counted by hand from what the table told."""
    table = Table("fpg-01")
    rounds = list(islice(deal_rounds("envy", seed=5), 400))
    store.take(message for events in rounds for message in table.tell(*events))
    bet_on = [
        outcome
        for events in rounds
        for outcome in events[-1].spots  # type: ignore[attr-defined]
        if outcome.fortune.collected_cents or outcome.fortune.kept_cents
    ]
    rows = {row["line"]: row for row in ask(store, "lines")}
    assert len(rows) == 10, "the lines that the envy sheet posts"
    for line, row in rows.items():
        assert row["hands"] == len(bet_on)
        assert row["hits"] == sum(str(outcome.line) == line for outcome in bet_on)
        assert not row["unusual"], row
    # 154,143,080 hands; 307,472 are four of a kind by the published count of the full pay table.
    assert rows["four_of_a_kind"]["expected"] == pytest.approx(len(bet_on) * 307_472 / 154_143_080)


def test_a_deck_with_too_many_hits_is_marked(store: Store) -> None:
    table = Table("fpg-01")
    messages = []
    for number in range(1, 101):
        hit = spot(1, fortune=(0, 500, 12_500), line=QUADS)
        miss = spot(2, fortune=(500, 0, 0))
        spots = (hit, miss) if number % 20 == 0 else (miss,)
        messages += table.tell(*round_of(number, *spots))
    store.take(messages)
    rows = {row["line"]: row for row in ask(store, "lines")}
    # Five in 105 hands, where one in 501 is expected.
    assert rows["four_of_a_kind"]["hits"] == 5
    assert rows["four_of_a_kind"]["unusual"]
    assert not rows["straight_flush"]["unusual"]


def test_rules_of_the_venues_own_are_counted_without_theory(store: Store) -> None:
    won = spot(1, fortune=(0, 500, 12_500), line=QUADS)
    store.take(Table("fpg-01").tell(*round_of(1, won, profile="our-own")))
    [row] = ask(store, "lines")
    assert (row["line"], row["hits"], row["expected"]) == ("four_of_a_kind", 1, None)
    assert row["chance"] is None
    assert not row["unusual"]


@pytest.mark.parametrize(
    ("count", "expected", "likely"),
    [
        # From a table of the cumulative Poisson distribution.
        (10, 5.0, 0.0318),
        (1, 5.0, 0.0404),
        (0, 2.0, 0.1353),
        (4, 1.0, 0.0190),
        (0, 0.0, 1.0),
        (1, 0.0, 0.0),
        # Two standard deviations of 30 from 900: 0.02275, less the half hit.
        (960, 900.0, 0.0237),
        (840, 900.0, 0.0237),
    ],
)
def test_chance_is_the_tail_of_the_distribution(count: int, expected: float, likely: float) -> None:
    assert tail(count, expected) == pytest.approx(likely, abs=0.00006)


def test_tables_off_the_line_are_told_with_the_reason(store: Store) -> None:
    here, gone, stopped, bridged = (Table(f"fpg-0{number}") for number in range(1, 5))
    store.take(here.tell(void(1)))
    store.take([here.status("online"), gone.status("online"), bridged.status("online")])
    store.take(
        [
            *gone.tell(void(1)),
            gone.status("offline", "connection lost"),
            stopped.status("offline", "stopped"),
            Message(f"{bridged.topics.base}/bridge", b"0"),
        ]
    )
    rows = {row["table"]: row for row in ask(store, "offline")}
    assert {name: row["why"] for name, row in rows.items()} == {
        "casino/fpg-02": "connection lost",
        "casino/fpg-03": "stopped",
        "casino/fpg-04": "the bridge of its broker is down",
    }
    assert rows["casino/fpg-02"]["last_event"] == "2026-08-01T06:01:00.000000Z"
    assert rows["casino/fpg-03"]["last_event"] is None
    store.take([gone.status("online"), Message(f"{bridged.topics.base}/bridge", b"1")])
    assert [row["table"] for row in ask(store, "offline")] == ["casino/fpg-03"]


def test_a_table_is_off_the_line_since_it_was_first_told(store: Store) -> None:
    table = Table("fpg-01")
    for hour, told in ((1, "online"), (2, "offline"), (3, "offline")):
        store.take([table.status(told, "x")], now=datetime(2026, 8, 1, hour, tzinfo=UTC))
    [row] = ask(store, "offline")
    assert row["since"] == "2026-08-01T02:00:00.000000Z"


def test_a_table_whose_status_was_cleared_is_no_table(store: Store) -> None:
    table = Table("fpg-01")
    store.take([table.status("offline", "stopped"), Message(table.topics.status, b"")])
    assert ask(store, "offline") == []
