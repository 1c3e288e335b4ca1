"""What sensors, buttons and the reader mean at the table."""

from __future__ import annotations

from typing import Any, Literal

import pytest

from firmware_app.rules.profile import load_profile
from firmware_app.runtime.intake import Intake, IntakeRules
from firmware_app.runtime.reader_facts import reader_facts
from firmware_app.table import facts
from firmware_app.table.round import step
from firmware_app.table.state import TableRules, new_table
from hw import signals

MS = 1_000_000


class Desk:
    """A dealer's panel before an intake: presses buttons at given milliseconds."""

    def __init__(self, source: Any = "fixed", envy: Any = "button") -> None:
        self.rules = TableRules(load_profile("envy"), wager_source=source, envy_input=envy)
        self.state = new_table(self.rules)
        self.intake = Intake(IntakeRules(source, envy, unit_cents=5_00, main_unit_cents=25_00))

    def level(self, line: str, active: bool, at_ms: int, *, opening: bool = False) -> list[Any]:
        signal = signals.LevelChanged(line, active, at_ms * MS, opening)
        return self._apply(self.intake.input_signal(signal, self.state))

    def pulse(self, line: str, at_ms: int) -> list[Any]:
        return self._apply(self.intake.input_signal(signals.Pulse(line, at_ms * MS), self.state))

    def wait(self, until_ms: int) -> list[Any]:
        return self._apply(self.intake.advance(until_ms * MS))

    def _apply(self, found: tuple[Any, ...]) -> list[Any]:
        for fact in found:
            self.state = step(self.rules, self.state, fact).state
        return list(found)


def test_a_chip_on_a_presence_sensor_is_the_posted_unit() -> None:
    desk = Desk()
    assert desk.level("spot3.bet", True, 0) == [
        facts.WagerChanged(spot=3, wager="fortune", cents=5_00)
    ]
    assert desk.level("spot3.bet", False, 50) == [
        facts.WagerChanged(spot=3, wager="fortune", cents=0)
    ]


def test_a_presence_sensor_of_an_odds_only_table_tells_no_amount() -> None:
    (fact,) = Desk("odds-only").level("spot1.bet", True, 0)
    assert fact.cents is None


def test_every_pulse_adds_a_unit() -> None:
    desk = Desk("pulses")
    amounts = [desk.pulse("spot2.bet", at_ms)[0].cents for at_ms in (0, 100, 200)]
    assert amounts == [5_00, 10_00, 15_00]
    assert desk.level("spot2.bet", True, 300) == [], "the level of a pulse line is no bet"


def test_amounts_come_from_the_reader_where_it_knows_them() -> None:
    assert Desk("reader").level("spot1.bet", True, 0) == []
    assert reader_facts(signals.WagerRead(1, "fortune", 25_00, 0)) == (
        facts.WagerChanged(spot=1, wager="fortune", cents=25_00),
    )


def test_advance_acts_when_released() -> None:
    desk = Desk()
    assert desk.level("advance", True, 0) == []
    assert desk.level("advance", False, 100) == [facts.Advanced()]


def test_a_second_advance_within_half_a_second_is_a_slip() -> None:
    desk = Desk()
    told = []
    for start in (0, 200, 700):
        desk.level("advance", True, start)
        told.append(desk.level("advance", False, start + 100))
    assert told == [[facts.Advanced()], [], [facts.Advanced()]]


def test_a_button_found_held_at_power_up_was_not_pressed() -> None:
    desk = Desk()
    desk.level("advance", True, 0, opening=True)
    desk.level("void", True, 0, opening=True)
    assert desk.wait(5_000) == []
    assert desk.level("advance", False, 5_100) == []


def test_void_must_be_held_for_two_seconds() -> None:
    desk = Desk()
    desk.level("void", True, 0)
    assert desk.wait(1_999) == []
    assert desk.intake.next_due_ns == 2_000 * MS
    assert desk.wait(2_000) == [facts.Voided()]
    assert desk.wait(9_000) == [], "held on, it voids once"
    desk.level("void", False, 9_100)
    desk.level("void", True, 9_200)
    assert desk.level("void", False, 9_300) == []


@pytest.mark.parametrize("envy", ["button", "momentary"])
def test_void_with_a_spot_is_a_dead_hand_and_never_a_void(
    envy: Literal["button", "momentary"],
) -> None:
    desk = Desk(envy=envy)
    desk.level("void", True, 0)
    assert desk.level("spot4.envy", True, 100) == [facts.HandDead(spot=4)]
    assert desk.wait(3_000) == []
    desk.level("spot4.envy", False, 3_100)
    after = desk.level("void", False, 3_200)
    assert [fact for fact in after if not isinstance(fact, facts.EnvyButtonChanged)] == []
    assert not desk.state.spot(4).live.envy_button, "a chord is no envy"


def test_advance_with_a_spot_names_the_designated_player() -> None:
    desk = Desk(envy="none")
    desk.level("advance", True, 0)
    desk.level("spot5.envy", True, 100)
    desk.level("spot5.envy", False, 200)
    assert desk.level("advance", False, 300) == [facts.SpotDesignated(spot=5)]


def test_advance_with_two_neighbours_links_them() -> None:
    desk = Desk()
    desk.level("advance", True, 0)
    for spot in (3, 2):
        desk.level(f"spot{spot}.envy", True, 100)
        desk.level(f"spot{spot}.envy", False, 200)
    found = desk.level("advance", False, 300)
    assert found[0] == facts.SpotsLinked(spots=(2, 3))
    assert desk.state.spot(3).player == desk.state.spot(2).player


def test_two_neighbouring_momentary_buttons_held_a_second_are_one_player() -> None:
    desk = Desk(envy="momentary")
    desk.level("spot1.envy", True, 0)
    desk.level("spot2.envy", True, 400)
    assert desk.wait(1_399) == []
    assert desk.wait(1_400) == [facts.SpotsLinked(spots=(1, 2))]
    assert desk.wait(9_000) == [], "held on, it links once"


def test_placed_markers_side_by_side_are_no_link() -> None:
    desk = Desk(envy="button")
    desk.level("spot1.envy", True, 0)
    desk.level("spot2.envy", True, 0)
    assert desk.wait(60_000) == []


def test_a_momentary_button_toggles() -> None:
    desk = Desk(envy="momentary")
    placed = []
    for start in (0, 1_000, 2_000):
        placed += desk.level("spot1.envy", True, start)
        assert desk.level("spot1.envy", False, start + 100) == []
    assert [fact.placed for fact in placed] == [True, False, True]


def test_a_stuck_line_is_a_fault_of_its_spot() -> None:
    desk = Desk()
    (fact,) = desk.intake.input_signal(signals.LineStuck("spot3.bet", 30, 0), desk.state)
    assert isinstance(fact, facts.InputFailed)
    assert (fact.line, fact.spot) == ("spot3.bet", 3)
    assert "spot3.bet has been active for 30 s" in fact.text


def test_the_shufflers_red_light_is_a_misdeal() -> None:
    found = Desk().level("shuffler-fault", True, 0)
    assert [type(fact) for fact in found] == [facts.AlarmRaised, facts.Misdealt]


@pytest.mark.parametrize(
    ("signal", "text"),
    [
        (signals.HandRead(8, ("AS",), 0), "position 8"),
        (signals.DealStarted(8, 0), "position 8"),
        (signals.WagerRead(0, "main", 1, 0), "positions 1 to 7"),
        (signals.WagerRead(1, "tip", 1, 0), "'tip'"),
    ],
)
def test_what_the_reader_cannot_mean_is_an_alarm_that_says_so(signal: Any, text: str) -> None:
    (fact,) = reader_facts(signal)
    assert isinstance(fact, facts.AlarmRaised)
    assert text in fact.text


def test_a_card_that_is_none_is_a_question_and_no_card() -> None:
    (fact,) = reader_facts(signals.HandRead(2, ("1S",), 0))
    assert isinstance(fact, facts.CardUnread)
    assert fact.position == 2
