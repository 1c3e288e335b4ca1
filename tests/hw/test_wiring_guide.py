"""The wiring guide says what the software does."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from xml.etree import ElementTree

import pytest

import hw
from hw.settings import PanelSettings
from hw.wiring_guide import GUIDE, with_tables

TEXT = GUIDE.read_text("utf-8")
EXAMPLES = re.findall(r"```toml\n(.*?)```", TEXT, re.DOTALL)


def test_its_pin_tables_are_those_of_the_default_wiring() -> None:
    assert with_tables(TEXT, PanelSettings().wiring) == TEXT, "run python -m hw.wiring_guide"


def test_every_line_stands_in_both_tables_and_once_in_each() -> None:
    for line, pin in PanelSettings().wiring.items():
        by_line = re.findall(rf"^\| `{line}` \| {pin} \| BOARD\d+ \|$", TEXT, re.MULTILINE)
        assert len(by_line) == 1
        assert len(re.findall(rf"{pin}: `{line}`", TEXT)) == 1


@pytest.mark.parametrize("example", EXAMPLES)
def test_its_examples_can_be_used(example: str) -> None:
    PanelSettings.model_validate(tomllib.loads(example)["panel"])


def test_its_example_with_an_expander_has_a_main_sensor_at_every_spot() -> None:
    (example,) = [text for text in EXAMPLES if "expander_label" in text]
    settings = PanelSettings.model_validate(tomllib.loads(example)["panel"])
    mains = [line.name for line in settings.inputs if line.name.endswith(".main")]
    assert mains == [f"spot{n}.main" for n in range(1, 8)]
    # The bus and the interrupt of the expander, by its overlay in the same section.
    freed = {2, 3, 4}
    assert not freed & {p.number for p in settings.wiring.values() if p.chip == "header"}


def test_its_schematic_shows_the_pins_of_the_first_spot() -> None:
    drawing = ElementTree.parse(Path(hw.__file__).with_name("spot.svg"))
    text = [element.text or "" for element in drawing.iter() if element.tag.endswith("text")]
    wiring = PanelSettings().wiring
    for role, direction in (("bet", "input"), ("envy", "input"), ("lamp", "output")):
        assert text.count(wiring[f"spot1.{role}"].describe()) == 1
        assert text.count(f"spot1.{role}, {direction}") == 1
