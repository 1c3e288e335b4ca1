from __future__ import annotations

import tomllib
from typing import Any

import pytest
from pydantic import ValidationError

from hw.pins import PinRef
from hw.settings import PanelSettings, WiringError
from hw.wiring import default_wiring, pin_table


def faults_of(text: str) -> tuple[str, ...]:
    """The wiring faults of a panel section in TOML."""
    with pytest.raises(ValidationError) as caught:
        PanelSettings.model_validate(tomllib.loads(text))
    wrapped = [e["ctx"]["error"] for e in caught.value.errors() if e["loc"] == ("pins",)]
    assert len(wrapped) == 1 and isinstance(wrapped[0], WiringError)
    return wrapped[0].faults


def test_seven_spots_fit_the_header_and_leave_uart_and_eeprom_free() -> None:
    pins = list(PanelSettings().wiring.values())
    assert sorted(pins) == [PinRef("header", n) for n in range(2, 28) if n not in (14, 15)]


def test_default_lamps_stay_dark_while_the_pi_boots() -> None:
    # At reset GPIO0 to GPIO8 are pulled up, GPIO9 and above down (BCM2835 ARM Peripherals, 6.2).
    assert all(pin.number >= 9 for pin in PanelSettings().lamps.values())


@pytest.mark.parametrize("spots", range(1, 8))
def test_a_smaller_table_uses_only_its_own_pins(spots: int) -> None:
    settings = PanelSettings(spots=spots)
    assert len(settings.wiring) == 3 * spots + 3
    assert sorted(settings.lamps) == list(range(1, spots + 1))
    assert len(settings.inputs) == 2 * spots + 3


def test_inputs_stand_by_spot_with_their_settings() -> None:
    settings = PanelSettings(spots=1)
    assert [line.name for line in settings.inputs] == [
        "spot1.bet",
        "spot1.envy",
        "advance",
        "void",
        "shuffler-fault",
    ]
    bet, envy, advance, void, fault = settings.inputs
    assert (bet.pull, bet.active_high, bet.debounce_ms, bet.stuck_after_s) == (
        "up",
        False,
        30,
        None,
    )
    assert advance.stuck_after_s == void.stuck_after_s == 30
    assert envy.stuck_after_s is None and fault.stuck_after_s is None


@pytest.mark.parametrize(
    ("pull", "active", "active_high"),
    [
        ("up", None, False),
        ("down", None, True),
        ("up", "high", True),  # normally closed
        ("down", "low", False),  # normally closed
    ],
)
def test_the_active_level_is_opposite_to_the_pull_unless_given(
    pull: str, active: str | None, active_high: bool
) -> None:
    bet: dict[str, Any] = {"pull": pull} | ({} if active is None else {"active": active})
    settings = PanelSettings.model_validate({"spots": 1, "bet": bet})
    assert settings.inputs[0].active_high is active_high


def test_own_pins_are_laid_over_the_default_wiring() -> None:
    settings = PanelSettings.model_validate(
        tomllib.loads("""
            spots = 2
            expander_label = "mcp23017"
            [pins]
            "spot1.bet" = "BOARD40"
            "spot1.main" = "expander:0"
            "spot2.lamp" = "none"
        """)
    )
    assert settings.wiring["spot1.bet"] == PinRef("header", 21)
    assert settings.wiring["spot1.main"] == PinRef("expander", 0)
    assert "spot2.lamp" not in settings.wiring and list(settings.lamps) == [1]
    assert settings.wiring["spot2.bet"] == default_wiring(2)["spot2.bet"]


def test_a_pin_used_twice_is_refused_with_both_lines_and_both_names() -> None:
    assert faults_of('[pins]\n"spot5.bet" = "GPIO21"') == (
        "GPIO21 (BOARD40) is used by spot5.bet and spot7.lamp (default wiring); give each "
        'its own pin, or write "none" for a line that is not fitted',
    )


def test_a_line_with_a_bad_pin_lays_no_claim_to_its_default_pin() -> None:
    (fault,) = faults_of('[pins]\n"spot1.bet" = "GPIO99"\n"spot1.envy" = "GPIO17"')
    assert fault.startswith("spot1.bet: GPIO99 is not on the header")


def test_each_kind_of_line_has_its_own_settings() -> None:
    kinds = {"bet": 20, "main": 30, "envy": 40, "button": 50, "shuffler_fault": 60}
    settings = PanelSettings.model_validate(
        {kind: {"debounce_ms": ms} for kind, ms in kinds.items()}
        | {"spots": 1, "expander_label": "mcp23017", "pins": {"spot1.main": "expander:0"}}
    )
    assert {line.name: line.debounce_ms for line in settings.inputs} == {
        "spot1.bet": 20,
        "spot1.main": 30,
        "spot1.envy": 40,
        "advance": 50,
        "void": 50,
        "shuffler-fault": 60,
    }


def test_two_lines_may_trade_their_pins() -> None:
    swapped = {"spot1.bet": "GPIO18", "spot1.envy": "GPIO17"}
    assert PanelSettings(pins=swapped).wiring["spot1.bet"] == PinRef("header", 18)


def test_every_fault_of_the_wiring_is_told_at_once() -> None:
    faults = faults_of("""
        spots = 6
        [shuffler_fault]
        pull = "down"
        [pins]
        "spot1.bet" = 17
        "spot2.bet" = "GPIO14"
        "spot3.bte" = "GPIO21"
        "spot7.bet" = "GPIO21"
        "spot4.bet" = "GPIO4"
        "spot1.main" = "expander:3"
    """)
    starts = [
        "spot1.bet: 17 can be read two ways",
        "spot2.bet: GPIO14 is reserved for the UART",
        "spot3.bte: not a line of the panel; did you mean spot3.bet?",
        "spot7.bet: the table has 6 spots",
        "GPIO4 (BOARD7) is used by spot4.bet and advance (default wiring)",
        "shuffler-fault: GPIO2 (BOARD3) has a pull-up resistor on the board",
        "spot1.main: expander:3 needs panel.expander_label",
    ]
    assert len(faults) == len(starts)
    assert all(f.startswith(s) for f, s in zip(faults, starts, strict=True)), faults


def test_wiring_faults_are_told_together_with_other_faults() -> None:
    with pytest.raises(ValidationError) as caught:
        PanelSettings.model_validate(
            {"spots": 9, "bet": {"debounce_ms": 5}, "colour": "red", "pins": {"advance": "GPIO0"}}
        )
    assert {error["loc"] for error in caught.value.errors()} == {
        ("spots",),
        ("bet", "debounce_ms"),
        ("colour",),
        ("pins",),
    }


@pytest.mark.parametrize("debounce_ms", [9, 251, 30.5, "30"])
def test_a_debounce_time_that_lets_spikes_pass_or_people_wait_is_refused(
    debounce_ms: object,
) -> None:
    with pytest.raises(ValidationError):
        PanelSettings.model_validate({"bet": {"debounce_ms": debounce_ms}})


@pytest.mark.parametrize("limit", ["never", 1, 30, 3600])
def test_a_line_may_be_given_a_limit_or_none(limit: object) -> None:
    settings = PanelSettings.model_validate({"spots": 1, "envy": {"stuck_after_s": limit}})
    (envy,) = [line for line in settings.inputs if line.name == "spot1.envy"]
    assert envy.stuck_after_s == (None if limit == "never" else limit)


@pytest.mark.parametrize("limit", [0, 3601, "always", True, None])
def test_a_limit_out_of_bounds_is_refused(limit: object) -> None:
    cure = r'give seconds from 1 to 3600, or "never"'
    with pytest.raises(ValidationError, match=cure):
        PanelSettings.model_validate({"envy": {"stuck_after_s": limit}})


def test_the_pin_table_gives_every_line_with_both_names() -> None:
    rows = pin_table(PanelSettings(spots=1).wiring)
    assert rows == [
        ("spot1.bet", "GPIO17", "BOARD11"),
        ("spot1.envy", "GPIO18", "BOARD12"),
        ("spot1.lamp", "GPIO12", "BOARD32"),
        ("advance", "GPIO4", "BOARD7"),
        ("void", "GPIO3", "BOARD5"),
        ("shuffler-fault", "GPIO2", "BOARD3"),
    ]
