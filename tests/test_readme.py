"""What the README and the sample configuration promise is what the project holds."""

from __future__ import annotations

import re
from pathlib import Path

from firmware_app.cli import COMMANDS
from firmware_app.config import load_config
from firmware_app.rules.profile import PROFILE_NAMES
from firmware_app.table.events import EVENTS
from hw.reader.sentence import Sentence
from hw.wiring import default_wiring

ROOT = Path(__file__).resolve().parent.parent
README = (ROOT / "README.md").read_text("utf-8")


def test_the_pin_table_is_the_default_wiring() -> None:
    wiring = default_wiring(7)
    for role in ("bet", "envy", "lamp"):
        row = next(line for line in README.splitlines() if line.startswith(f"| {role} |"))
        pins = [cell.strip() for cell in row.split("|")[2:-1]]
        assert pins == [str(wiring[f"spot{spot}.{role}"]) for spot in range(1, 8)]
    for line in ("advance", "void", "shuffler-fault"):
        assert f"{line} on {wiring[line]}" in README


def test_the_example_sentences_are_whole() -> None:
    examples = re.findall(r"\$\d+,[^*]+\*[0-9A-F]{4}", README)
    assert len(examples) >= 4
    for text in examples:
        sentence = Sentence.from_bytes(text.encode() + b"\r\n")
        assert sentence.to_bytes().decode().strip() == text


def test_every_event_type_is_named() -> None:
    for event in EVENTS:
        assert f"`{event.TYPE}`" in README


def test_every_command_named_exists_and_every_profile_is_told_of() -> None:
    for name in re.findall(r"fortune-table ([a-z-]+)", README):
        assert name in COMMANDS
    for profile in PROFILE_NAMES:
        assert f"`{profile}`" in README


def test_every_file_that_it_points_to_is_there() -> None:
    for target in re.findall(r"\]\(([^)#]+)\)", README):
        assert (ROOT / target).exists(), target


def test_the_sample_configuration_is_valid() -> None:
    config = load_config(ROOT / "systemd" / "table.toml")
    assert config.game.profile.name == "face-up"
