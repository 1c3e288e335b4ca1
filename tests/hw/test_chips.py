"""Which chip is the header, on directories that look like ``/dev`` of various boards."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from types import ModuleType

import pytest

from hw.chips import HEADER_LABELS, find_chip, load_lgpio, open_pins
from hw.pin_sources import ChipError, Pins
from hw.pins import PinRef
from hw.settings import PanelSettings
from hw.sim.panel import SimPanel

RP1 = "pinctrl-rp1"
BRCM = "gpio-brcmstb@107d508500"


def board(tmp_path: Path, labels: Mapping[int, str]) -> Path:
    for number in labels:
        (tmp_path / f"gpiochip{number}").touch()
    # What else lies there.
    (tmp_path / "gpiomem0").touch()
    (tmp_path / "gpiochip").touch()
    return tmp_path


@pytest.mark.parametrize(
    ("labels", "header"),
    [
        pytest.param({4: RP1, 10: BRCM, 11: BRCM}, 4, id="pi-5-first-kernels"),
        pytest.param({0: RP1, 10: BRCM, 11: BRCM, 12: BRCM, 13: BRCM}, 0, id="pi-5"),
        pytest.param({11: BRCM, 12: BRCM, 13: RP1, 14: BRCM, 15: BRCM}, 13, id="two-digit-chips"),
        pytest.param({0: "pinctrl-bcm2711", 1: "raspberrypi-exp-gpio"}, 0, id="pi-4"),
        pytest.param({0: "pinctrl-bcm2835", 1: "raspberrypi-exp-gpio"}, 0, id="pi-3"),
        pytest.param({0: "mcp23017", 1: "pinctrl-bcm2711"}, 1, id="expander-came-first"),
    ],
)
def test_the_header_is_found_by_its_label(
    tmp_path: Path, labels: dict[int, str], header: int
) -> None:
    assert find_chip(HEADER_LABELS, board(tmp_path, labels), labels.__getitem__) == header


def test_a_link_to_the_header_is_the_header(tmp_path: Path) -> None:
    labels = {0: RP1, 10: BRCM}
    (board(tmp_path, labels) / "gpiochip4").symlink_to("gpiochip0")
    assert find_chip(HEADER_LABELS, tmp_path, labels.__getitem__) == 0


def test_the_expander_is_found_by_the_label_that_is_configured(tmp_path: Path) -> None:
    labels = {0: RP1, 1: "mcp23017"}
    assert find_chip(("mcp23017",), board(tmp_path, labels), labels.__getitem__) == 1


def test_no_header_is_an_error_that_names_what_was_wanted_and_seen(tmp_path: Path) -> None:
    labels = {10: BRCM}
    with pytest.raises(ChipError) as caught:
        find_chip(HEADER_LABELS, board(tmp_path, labels), labels.__getitem__)
    message = str(caught.value)
    assert "pinctrl-rp1 or pinctrl-bcm2711 or pinctrl-bcm2835" in message
    assert f"gpiochip10 [{BRCM}]" in message


def test_a_chip_that_may_not_be_opened_is_named_with_its_reason(tmp_path: Path) -> None:
    def denied(number: int) -> str:
        raise PermissionError(13, "Permission denied")

    with pytest.raises(ChipError, match=r"gpiochip0 not readable .*Permission denied.*group gpio"):
        find_chip(HEADER_LABELS, board(tmp_path, {0: RP1}), denied)


def test_two_chips_of_the_same_label_are_not_guessed_between(tmp_path: Path) -> None:
    labels = {0: RP1, 1: "mcp23017", 2: "mcp23017"}
    with pytest.raises(ChipError, match="more than one gpiochip is labelled mcp23017"):
        find_chip(("mcp23017",), board(tmp_path, labels), labels.__getitem__)


def test_a_machine_without_gpio_is_an_error_even_when_mock_pins_are_on_offer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GPIOZERO_PIN_FACTORY", "mock")
    # Without lgpio that is what is missing first; either way nothing is opened in its place.
    with pytest.raises(ChipError, match=r"no gpiochip labelled .* seen: none|lgpio cannot be"):
        open_pins(devices=tmp_path)


def test_a_missing_lgpio_is_an_error_even_when_mock_pins_are_on_offer(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("GPIOZERO_PIN_FACTORY", "mock")
    monkeypatch.setitem(sys.modules, "lgpio", None)
    with pytest.raises(ChipError, match=r"lgpio cannot be imported .*install python3-lgpio"):
        open_pins()


@pytest.mark.parametrize(("number", "shown"), [(0x00020100, "0.2.1"), (None, "0.0.0")])
def test_an_old_or_placeholder_lgpio_is_refused(
    monkeypatch: pytest.MonkeyPatch, number: int | None, shown: str
) -> None:
    lgpio = ModuleType("lgpio")
    if number is not None:
        lgpio.LGPIO_PY_VERSION = number  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "lgpio", lgpio)
    with pytest.raises(ChipError, match=rf"lgpio {shown} is too old"):
        load_lgpio()


def test_an_expander_line_without_an_expander_is_an_error() -> None:
    header = SimPanel(PanelSettings(spots=1)).pins.pin(PinRef("header", 17)).factory
    with pytest.raises(ChipError, match=r"expander:5: no expander was opened"):
        Pins(header).pin(PinRef("expander", 5))
