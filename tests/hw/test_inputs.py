"""The bank of inputs in virtual time."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from hw.inputs import InputBank
from hw.settings import InputSettings, PanelSettings
from hw.signals import Edge, InputSignal, LevelChanged, LineHealed, LineStuck, Pulse

MS = 1_000_000
S = 1_000_000_000


def open_bank(
    settings: PanelSettings | None = None,
    *,
    found: Mapping[str, bool] | None = None,
    count_pulses: bool = False,
    delivery_ms: int = 0,
) -> tuple[InputBank, list[InputSignal]]:
    """A bank opened at time 0 and at rest at 100 ms, and what its opening told."""
    settings = settings or PanelSettings(spots=2)
    bank = InputBank(settings.inputs, count_pulses=count_pulses, delivery_ms=delivery_ms)
    levels = {line.name: (found or {}).get(line.name, False) for line in settings.inputs}
    told = [*bank.levels(levels, 0), *bank.advance(100 * MS)]
    return bank, told


def test_the_opening_snapshot_tells_every_line_once_and_says_so() -> None:
    bank, told = open_bank(found={"spot2.bet": True})
    lines = ["spot1.bet", "spot1.envy", "spot2.bet", "spot2.envy"]
    lines += ["advance", "void", "shuffler-fault"]
    assert told == [
        LevelChanged(line, line == "spot2.bet", 30 * MS, opening=True) for line in lines
    ]
    assert bank.active("spot2.bet") is True and bank.active("spot1.bet") is False
    assert bank.next_due_ns is None


def test_nothing_is_known_before_the_snapshot_has_held() -> None:
    bank = InputBank(PanelSettings(spots=1).inputs, delivery_ms=0)
    assert bank.active("advance") is None and bank.next_due_ns is None
    bank.levels({"advance": True}, 0)
    assert bank.next_due_ns == 30 * MS
    assert bank.advance(30 * MS - 1) == ()


def test_a_bet_counts_when_it_has_rested() -> None:
    bank, _ = open_bank()
    assert bank.edge(Edge("spot1.bet", True, 200 * MS)) == ()
    assert bank.next_due_ns == 230 * MS
    assert bank.advance(230 * MS) == (LevelChanged("spot1.bet", True, 230 * MS),)


def test_signals_come_in_order_of_time_across_lines() -> None:
    bank, _ = open_bank()
    bank.edge(Edge("void", True, 200 * MS))
    bank.edge(Edge("spot1.bet", True, 205 * MS))
    bank.edge(Edge("advance", True, 203 * MS))
    assert bank.advance(300 * MS) == (
        LevelChanged("void", True, 230 * MS),
        LevelChanged("advance", True, 233 * MS),
        LevelChanged("spot1.bet", True, 235 * MS),
    )


def test_an_edge_of_one_line_brings_out_what_is_due_on_the_others() -> None:
    bank, _ = open_bank()
    bank.edge(Edge("spot1.bet", True, 200 * MS))
    assert bank.edge(Edge("advance", True, 260 * MS)) == (
        LevelChanged("spot1.bet", True, 230 * MS),
    )


def test_a_late_edge_never_sets_a_signal_before_one_already_sent() -> None:
    bank, _ = open_bank()
    bank.edge(Edge("advance", True, 200 * MS))
    assert bank.advance(240 * MS) == (LevelChanged("advance", True, 230 * MS),)
    bank.edge(Edge("spot1.bet", True, 195 * MS))
    assert bank.advance(241 * MS) == (LevelChanged("spot1.bet", True, 230 * MS),)


def test_a_short_press_whose_release_is_still_on_its_way_does_not_count() -> None:
    bank, _ = open_bank(delivery_ms=20)
    bank.edge(Edge("advance", True, 200 * MS))
    # The consumer is busy; at 235 ms it sees the press alone, which was over at 225 ms.
    assert bank.advance(235 * MS) == ()
    assert bank.edge(Edge("advance", False, 225 * MS)) == ()
    assert bank.advance(500 * MS) == ()


def test_a_level_is_confirmed_once_every_edge_must_have_come() -> None:
    bank, _ = open_bank(delivery_ms=20)
    bank.edge(Edge("advance", True, 200 * MS))
    assert bank.next_due_ns == 250 * MS
    assert bank.advance(250 * MS - 1) == ()
    assert bank.advance(250 * MS) == (LevelChanged("advance", True, 230 * MS),)


def test_edges_that_come_late_and_together_still_make_a_press() -> None:
    bank, _ = open_bank(delivery_ms=20)
    assert bank.edge(Edge("advance", True, 200 * MS)) == ()
    assert bank.edge(Edge("advance", False, 260 * MS)) == (LevelChanged("advance", True, 230 * MS),)
    assert bank.advance(310 * MS) == (LevelChanged("advance", False, 290 * MS),)


def test_a_button_held_too_long_is_a_fault_of_that_line_alone() -> None:
    momentary = InputSettings(stuck_after_s=30)
    bank, _ = open_bank(PanelSettings(spots=2, envy=momentary))
    bank.edge(Edge("spot1.envy", True, 1 * S))
    assert bank.advance(2 * S) == (LevelChanged("spot1.envy", True, 1 * S + 30 * MS),)
    assert bank.next_due_ns == 31 * S + 30 * MS
    assert bank.advance(32 * S) == (LineStuck("spot1.envy", 30, 31 * S + 30 * MS),)
    assert bank.advance(500 * S) == ()
    bank.edge(Edge("spot2.envy", True, 600 * S))
    assert bank.advance(601 * S) == (LevelChanged("spot2.envy", True, 600 * S + 30 * MS),)


def test_a_stuck_line_heals_when_it_is_released() -> None:
    bank, _ = open_bank()
    bank.edge(Edge("void", True, 1 * S))
    bank.advance(40 * S)
    bank.edge(Edge("void", False, 50 * S))
    at_ns = 50 * S + 30 * MS
    assert bank.advance(51 * S) == (
        LineHealed("void", at_ns),
        LevelChanged("void", False, at_ns),
    )
    bank.edge(Edge("void", True, 60 * S))
    assert bank.advance(61 * S) == (LevelChanged("void", True, 60 * S + 30 * MS),)


def test_a_button_stuck_since_power_up_is_told_too() -> None:
    bank, _ = open_bank(found={"advance": True})
    assert bank.advance(31 * S) == (LineStuck("advance", 30, 30 * S + 30 * MS),)


def test_press_and_stuck_are_both_told_after_one_long_silence() -> None:
    bank, _ = open_bank()
    bank.edge(Edge("void", True, 1 * S))
    assert bank.advance(60 * S) == (
        LevelChanged("void", True, 1 * S + 30 * MS),
        LineStuck("void", 30, 31 * S + 30 * MS),
    )


def test_a_bet_may_lie_for_ever_unless_a_limit_is_set() -> None:
    bank, _ = open_bank()
    bank.edge(Edge("spot1.bet", True, 1 * S))
    assert bank.advance(36_000 * S) == (LevelChanged("spot1.bet", True, 1 * S + 30 * MS),)
    limited = PanelSettings(spots=1, bet=InputSettings(stuck_after_s=600))
    bank, _ = open_bank(limited)
    bank.edge(Edge("spot1.bet", True, 1 * S))
    assert bank.advance(36_000 * S)[1:] == (LineStuck("spot1.bet", 600, 601 * S + 30 * MS),)


def test_a_lost_release_is_healed_by_the_next_reading_and_counted() -> None:
    bank, _ = open_bank()
    bank.edge(Edge("spot1.bet", True, 200 * MS))
    bank.advance(300 * MS)
    assert bank.healed_edges == 0
    bank.levels({"spot1.bet": False}, 500 * MS)
    assert bank.healed_edges == 1
    assert bank.advance(600 * MS) == (LevelChanged("spot1.bet", False, 530 * MS),)


def test_a_line_that_could_not_be_read_keeps_its_level() -> None:
    bank, _ = open_bank(found={"spot1.bet": True})
    assert bank.levels({"spot2.bet": False}, 500 * MS) == ()
    assert bank.active("spot1.bet") is True


def pulse(bank: InputBank, line: str, at_ns: int, width_ms: int) -> list[InputSignal]:
    signals = [*bank.edge(Edge(line, True, at_ns))]
    signals += bank.edge(Edge(line, False, at_ns + width_ms * MS))
    return [*signals, *bank.advance(at_ns + 500 * MS)]


def test_each_whole_pulse_of_a_bet_line_is_one_unit() -> None:
    bank, _ = open_bank(count_pulses=True)
    told = [s for n in range(1, 6) for s in pulse(bank, "spot1.bet", n * S, width_ms=50)]
    assert [s for s in told if isinstance(s, Pulse)] == [
        Pulse("spot1.bet", n * S + 80 * MS) for n in range(1, 6)
    ]


@pytest.mark.parametrize("line", ["spot1.envy", "advance"])
def test_only_bet_lines_carry_pulses(line: str) -> None:
    bank, _ = open_bank(count_pulses=True)
    assert not any(isinstance(s, Pulse) for s in pulse(bank, line, 1 * S, width_ms=50))


def test_a_presence_sensor_makes_no_pulses() -> None:
    bank, _ = open_bank()
    assert not any(isinstance(s, Pulse) for s in pulse(bank, "spot1.bet", 1 * S, width_ms=50))


def test_a_spike_is_no_pulse() -> None:
    bank, _ = open_bank(count_pulses=True)
    assert pulse(bank, "spot1.bet", 1 * S, width_ms=5) == []


def test_a_line_found_active_at_power_up_has_made_no_pulse() -> None:
    bank, _ = open_bank(found={"spot1.bet": True}, count_pulses=True)
    bank.edge(Edge("spot1.bet", False, 1 * S))
    assert bank.advance(2 * S) == (LevelChanged("spot1.bet", False, 1 * S + 30 * MS),)


def test_a_shorted_bet_line_adds_no_unit_when_it_is_mended() -> None:
    settings = PanelSettings(spots=1, bet=InputSettings(stuck_after_s=2))
    bank, _ = open_bank(settings, count_pulses=True)
    bank.edge(Edge("spot1.bet", True, 1 * S))
    told = [*bank.advance(10 * S), *bank.edge(Edge("spot1.bet", False, 20 * S))]
    told += bank.advance(21 * S)
    assert [type(s) for s in told] == [LevelChanged, LineStuck, LineHealed, LevelChanged]
