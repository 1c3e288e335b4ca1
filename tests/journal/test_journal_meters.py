"""Meters: by hand, by an independent sum, over shifts and restarts."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from recorded_table import SOFTWARE, RecordedTable, message, stamp

from firmware_app.journal.audit import audit
from firmware_app.journal.meters import Meters, totals
from firmware_app.journal.store import Journal
from firmware_app.rules.lines import Line
from firmware_app.rules.play import Result
from firmware_app.table import events, facts
from firmware_app.table.values import Alarm, Phase

QUADS = "QS QH QD QC JK 4D 9H"
NOTHING = "2S 2H 4C 7D 9C TS KH"


def test_a_round_counts_what_its_rule_sheet_says(table: RecordedTable) -> None:
    # $5 on four queens pays 25 to 1; $10 on another spot loses, and its $5 envy is won; $3 loses
    # and is too little for envy. With this deck nobody else makes a line.
    table.play_round({1: 5_00, 3: 10_00, 4: 3_00}, {1: QUADS, 3: NOTHING})
    assert table.journal.meters.lifetime == {
        "rounds.opened": 1,
        "rounds.settled": 1,
        **{f"spot.{spot}.rounds": 1 for spot in range(1, 7)},
        "spot.1.fortune.wagers": 1,
        "spot.1.fortune.in_cents": 5_00,
        "spot.1.fortune.paid_cents": 125_00,
        "spot.3.fortune.wagers": 1,
        "spot.3.fortune.in_cents": 10_00,
        "spot.3.fortune.collected_cents": 10_00,
        "spot.3.envy.wins": 1,
        "spot.3.envy.paid_cents": 5_00,
        "spot.4.fortune.wagers": 1,
        "spot.4.fortune.in_cents": 3_00,
        "spot.4.fortune.collected_cents": 3_00,
        "line.four_of_a_kind.hands": 1,
        "line.four_of_a_kind.wins": 1,
        "line.four_of_a_kind.in_cents": 5_00,
        "line.four_of_a_kind.paid_cents": 125_00,
        "line.four_of_a_kind.envy_wins": 1,
        "line.four_of_a_kind.envy_cents": 5_00,
        "line.no_line.in_cents": 13_00,
    }
    assert totals(table.journal.meters.lifetime) == {
        "in_cents": 18_00,
        "paid_cents": 130_00,
        "collected_cents": 13_00,
    }


def test_nothing_counts_before_the_round_is_settled(table: RecordedTable) -> None:
    table.bet(1, 5_00)
    table.deal({1: QUADS})
    table.tell(facts.Advanced())
    assert table.journal.meters.lifetime == {"rounds.opened": 1}


def test_a_void_round_counts_as_void_and_moves_no_money(table: RecordedTable) -> None:
    table.void_round()
    assert totals(table.journal.meters.lifetime) == {}
    assert table.journal.meters.lifetime["rounds.voided"] == 1


def test_alarms_count_and_so_do_those_of_a_spot(table: RecordedTable) -> None:
    table.tell(facts.AlarmRaised(code="power", text="undervoltage"))
    table.tell(facts.InputFailed(line="spot2.bet", spot=2, text="stuck"))
    lifetime = table.journal.meters.lifetime
    assert (lifetime["alarms"], lifetime["spot.2.alarms"]) == (2, 1)


def test_meters_go_on_in_mid_round_after_the_power_went(table: RecordedTable, path: Path) -> None:
    table.bet(1, 5_00)
    table.deal({1: QUADS})
    table.journal.close()
    table.journal = Journal.open(path)
    table.tell(facts.PowerReturned(software=SOFTWARE, configuration="c"))
    table.tell(facts.Advanced())  # resumes
    table.tell(facts.Advanced())
    table.tell(facts.Advanced())
    # What was wagered was told before the power went.
    assert table.journal.meters.lifetime["spot.1.fortune.in_cents"] == 5_00
    assert table.journal.meters.lifetime["spot.1.fortune.paid_cents"] == 125_00


def test_a_shift_starts_at_nothing_and_the_lifetime_goes_on(
    table: RecordedTable, path: Path
) -> None:
    table.play_round()
    ended = table.journal.close_shift(by="floor", stamp=table.now())
    assert ended.shift == ended.lifetime
    assert table.journal.meters.shift == {}
    table.play_round()
    table.play_round()
    assert table.journal.meters.shift["rounds.settled"] == 2
    assert table.journal.meters.lifetime["rounds.settled"] == 3
    table.journal.close()
    with Journal.open(path) as journal:
        assert journal.meters.shift["rounds.settled"] == 2
        assert journal.meters.lifetime["rounds.settled"] == 3


def test_meters_have_no_last_digit() -> None:
    much = 10**30
    meters = Meters({"spot.1.main.in_cents": much}, {}).moved({"spot.1.main.in_cents": 7})
    assert meters.lifetime == {"spot.1.main.in_cents": much + 7}


CENTS = st.integers(0, 10**12)
RESULTS = st.sampled_from(Result)


@st.composite
def outcomes(draw: st.DrawFn) -> events.WagerOutcome:
    result = draw(RESULTS)
    return events.WagerOutcome(
        result=result,
        paid_cents=draw(CENTS) if result is Result.WIN else 0,
        collected_cents=draw(CENTS) if result is Result.LOSE else 0,
        returned_cents=draw(CENTS),
        kept_cents=0,
        line=draw(st.sampled_from(Line)) if result is Result.WIN else None,
        pays=None,
        reason=None,
    )


@st.composite
def rounds(draw: st.DrawFn, number: int) -> list[list[events.Event]]:
    """Return the events of a round, cut into steps: settled or void, and any alarms in it."""
    spots = draw(st.lists(st.integers(1, 7), unique=True, max_size=7))
    locked = events.BetsLocked(
        round=number,
        first_spot=1,
        designated_player=None,
        bank_cents=None,
        spots=tuple(
            events.LockedSpot(
                spot=spot,
                player=f"spot {spot}",
                occupied=draw(st.booleans()),
                main_cents=draw(CENTS),
                fortune_cents=draw(st.none() | CENTS),
                ace_high_cents=draw(CENTS),
                envy_button=None,
            )
            for spot in spots
        ),
    )
    told: list[events.Event] = [events.RoundOpened(round=number, profile="envy"), locked]
    for spot in draw(st.lists(st.none() | st.integers(1, 7), max_size=2)):
        alarm = Alarm(code="stuck", text="stuck", spot=spot)
        told.append(events.AlarmStarted(round=number, alarm=alarm))
    if draw(st.booleans()):
        told.append(
            events.RoundSettled(
                round=number,
                spots=tuple(
                    events.SpotOutcome(
                        spot=spot,
                        player=f"spot {spot}",
                        cards=(),
                        line=draw(st.none() | st.sampled_from(Line)),
                        made_of=(),
                        main=draw(outcomes()),
                        fortune=draw(outcomes()),
                        ace_high=draw(outcomes()),
                        envy_cents=draw(CENTS),
                        envy_triggers=tuple(
                            events.EnvyTriggered(spot=1, line=line, cents=draw(CENTS))
                            for line in draw(st.lists(st.sampled_from(Line), max_size=2))
                        ),
                        owed_cents=0,
                    )
                    for spot in spots
                ),
                paid_cents=0,
                collected_cents=0,
                bank_left_cents=None,
            )
        )
    else:
        told.append(events.RoundVoided(round=number, phase=Phase.DEALING, reason="", by="dealer"))
    cut = draw(st.integers(0, len(told)))
    return [told[:cut], told[cut:]]


@settings(max_examples=25, deadline=None)
@given(st.data())
def test_meters_are_the_sum_of_what_was_told_whatever_the_restarts(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    path = tmp_path_factory.mktemp("meters") / "journal.sqlite3"
    expected: Counter[str] = Counter()
    for number in range(1, data.draw(st.integers(1, 4)) + 1):
        stakes: dict[int, events.LockedSpot] = {}
        for step in data.draw(rounds(number)):
            with Journal.open(path) as journal:
                journal.append(
                    [],
                    step,
                    [message(journal.next_sequence)],
                    round_number=number,
                    stamp=stamp(number),
                    checkpoint=b"{}" if data.draw(st.booleans()) else None,
                )
            for event in step:
                if isinstance(event, events.BetsLocked):
                    stakes = {bet.spot: bet for bet in event.spots}
                if isinstance(event, events.RoundSettled):
                    expected["settled"] += 1
                    for spot in event.spots:
                        bet = stakes[spot.spot]
                        expected["in_cents"] += bet.main_cents + bet.ace_high_cents
                        expected["in_cents"] += bet.fortune_cents or 0
                        expected["paid_cents"] += spot.envy_cents
                        for wager in (spot.main, spot.fortune, spot.ace_high):
                            expected["paid_cents"] += wager.paid_cents
                            expected["collected_cents"] += wager.collected_cents
                            expected["returned_cents"] += wager.returned_cents
                expected["alarms"] += isinstance(event, events.AlarmStarted)
    with Journal.open(path) as journal:
        lifetime = journal.meters.lifetime
    sums = totals(lifetime)
    for name in ("in_cents", "paid_cents", "collected_cents", "returned_cents"):
        assert sums.get(name, 0) == expected[name]
    assert lifetime.get("rounds.settled", 0) == expected["settled"]
    assert lifetime.get("alarms", 0) == expected["alarms"]
    by_line, by_spot = (
        sum(value for name, value in lifetime.items() if name[:5] == kind and name.endswith(end))
        for kind, end in (("line.", ".in_cents"), ("spot.", ".fortune.in_cents"))
    )
    assert by_line == by_spot
    found = audit(path, software=SOFTWARE)
    assert found.whole, found.fault
