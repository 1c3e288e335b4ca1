from __future__ import annotations

import pytest
from gpiozero.pins.pi import PiBoardInfo

from hw.pins import BOARD_OF_GPIO, PinError, PinRef, parse_pin


def test_a_pin_of_the_header_has_two_names() -> None:
    assert parse_pin("GPIO17") == parse_pin("BOARD11") == PinRef("header", 17)
    assert parse_pin("BOARD11").describe() == "GPIO17 (BOARD11)"


def test_a_line_of_the_expander_has_one_name() -> None:
    pin = parse_pin("expander:5")
    assert pin == PinRef("expander", 5)
    assert str(pin) == pin.describe() == "expander:5"


@pytest.mark.parametrize("revision", [0xA02082, 0xC03114, 0xC04170])  # Pi 3B, 4B, 5B
def test_the_header_is_the_one_gpiozero_knows(revision: int) -> None:
    header = PiBoardInfo.from_revision(revision).headers["J8"]
    assert {
        int(pin.name.removeprefix("GPIO")): place
        for place, pin in header.pins.items()
        if pin.name.startswith("GPIO")
    } == BOARD_OF_GPIO


@pytest.mark.parametrize("place", [n for n in range(1, 41) if n not in BOARD_OF_GPIO.values()])
def test_power_and_ground_are_refused_by_what_they_are(place: int) -> None:
    info = PiBoardInfo.from_revision(0xC03114).headers["J8"].pins[place]
    name = {"GND": "ground"}.get(info.name, info.name)
    with pytest.raises(PinError, match=f"BOARD{place} is {name};"):
        parse_pin(f"BOARD{place}")


@pytest.mark.parametrize(
    ("value", "purpose"),
    [
        ("GPIO14", "UART"),
        ("BOARD10", "UART"),
        ("GPIO0", "ID_SD"),
        ("BOARD28", "ID_SC"),
    ],
)
def test_reserved_pins_are_refused_with_their_purpose(value: str, purpose: str) -> None:
    with pytest.raises(PinError, match=rf"{value} is reserved for .*{purpose}.*; use one of"):
        parse_pin(value)


@pytest.mark.parametrize("value", [17, "17", " 17 "])
def test_a_bare_number_is_refused_with_both_readings(value: object) -> None:
    with pytest.raises(PinError, match=r"GPIO17 .*BOARD17"):
        parse_pin(value)


@pytest.mark.parametrize(
    "value", ["gpio17", "GPIO 17", "J8:11", "", None, 1.5, True, "expander5", "GPIO\u0661\u0667"]
)
def test_what_is_no_pin_is_refused_with_the_spelling(value: object) -> None:
    with pytest.raises(PinError, match='is not a pin; write "GPIO17", "BOARD11" or "expander:5"'):
        parse_pin(value)


@pytest.mark.parametrize("value", ["GPIO28", "BOARD41", "BOARD0", "expander:64"])
def test_a_pin_that_does_not_exist_is_refused(value: str) -> None:
    with pytest.raises(PinError, match=r"not on the header|not a line of an expander"):
        parse_pin(value)
