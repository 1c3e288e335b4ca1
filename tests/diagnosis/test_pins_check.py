"""The wiring, the chip, and every line opened and given back."""

from __future__ import annotations

from pathlib import Path

from gpiozero.pins.mock import MockFactory

from firmware_app.diagnosis.finding import Finding
from firmware_app.diagnosis.pins_check import check_pins, wiring
from hw.chips import HEADER_LABELS, find_chip
from hw.pin_sources import Pins
from hw.settings import PanelSettings
from hw.sim.panel import ContactPin, SimPanel


def test_the_wiring_shows_both_names_of_every_line() -> None:
    settings = PanelSettings.model_validate(
        {
            "spots": 1,
            "expander_label": "mcp23017",
            "pins": {"spot1.bet": "BOARD7", "advance": "GPIO17", "spot1.main": "expander:5"},
        }
    )

    rows = [(line.line, line.pin, line.board) for line in wiring(settings).lines]

    # BOARD7 is GPIO4 and GPIO17 is BOARD11 on every 40-pin header.
    assert rows == [
        ("spot1.bet", "GPIO4", "BOARD7"),
        ("spot1.envy", "GPIO18", "BOARD12"),
        ("spot1.main", "expander:5", ""),
        ("spot1.lamp", "GPIO12", "BOARD32"),
        ("advance", "GPIO17", "BOARD11"),
        ("void", "GPIO3", "BOARD5"),
        ("shuffler-fault", "GPIO2", "BOARD3"),
    ]


def test_every_line_is_opened_and_given_back() -> None:
    settings = PanelSettings()
    panel = SimPanel(settings)

    found = list(check_pins(settings, lambda _label: panel.pins))

    assert [(one.check, one.status) for one in found] == [("chip", "ok"), ("pins", "ok")]
    assert "17 inputs and 7 lamps" in found[1].detail
    pin_of = panel.pins.pin
    assert {pin_of(ref).function for ref in settings.wiring.values()} == {"input"}
    assert {pin_of(line.pin).when_changed for line in settings.inputs} == {None}


def test_a_machine_without_the_chip_fails_with_its_cure(tmp_path: Path) -> None:
    def no_chip(_label: str | None) -> Pins:
        find_chip(HEADER_LABELS, tmp_path, lambda _number: "none")
        raise AssertionError("an empty folder holds no chip")

    assert list(check_pins(PanelSettings(), no_chip)) == [
        Finding(
            "chip",
            "failed",
            "no gpiochip labelled pinctrl-rp1 or pinctrl-bcm2711 or pinctrl-bcm2835 under "
            f"{tmp_path}; seen: none",
            "Run on a Raspberry Pi, as a user of the group gpio; gpiodetect lists the chips",
        )
    ]


def test_each_line_that_cannot_be_opened_is_named_with_its_pin() -> None:
    settings = PanelSettings.model_validate(
        {
            "expander_label": "mcp23017",
            "pins": {"spot1.main": "expander:1", "spot2.main": "expander:2"},
        }
    )

    found = list(check_pins(settings, lambda _label: Pins(MockFactory(pin_class=ContactPin))))

    assert [(one.check, one.status) for one in found] == [
        ("chip", "ok"),
        ("pins", "failed"),
        ("pins", "failed"),
    ]
    assert found[1].detail.startswith("spot1.main on expander:1 cannot be opened")
    assert "gpioinfo shows who holds it" in found[1].cure
