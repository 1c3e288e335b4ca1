"""What the guides for a venue's servers promise is what there is."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import click
import pytest

from firmware_app.cli import COMMANDS, cli
from firmware_app.feed.settings import FeedSettings

SYSTEMD = Path(__file__).parents[2] / "systemd"
GUIDES = ("README.md", "mosquitto/README.md", "cluster/README.md")


@pytest.mark.parametrize("guide", GUIDES)
def test_every_file_that_a_guide_points_to_is_there(guide: str) -> None:
    path = SYSTEMD / guide
    targets = re.findall(r"\]\(([^)#]+)[^)]*\)", path.read_text("utf-8"))
    for target in targets:
        assert (path.parent / target).exists(), target


def test_every_file_of_a_venue_is_in_the_index() -> None:
    index = (SYSTEMD / "README.md").read_text("utf-8")
    for path in SYSTEMD.iterdir():
        assert path.name in index or path.suffix in index, path.name


@pytest.mark.parametrize("guide", GUIDES)
def test_every_command_and_option_that_a_guide_names_exists(guide: str) -> None:
    text = (SYSTEMD / guide).read_text("utf-8")
    context = click.Context(cli)
    for line in re.findall(r"`fortune-table ([^`]+)`", text):
        name, *words = line.split()
        assert name in COMMANDS, line
        command = cli.get_command(context, name)
        if isinstance(command, click.Group) and words:
            command = command.commands[words.pop(0)]
        assert command is not None
        known = {option for parameter in command.params for option in parameter.opts}
        assert {word for word in words if word.startswith("--")} <= known, line


def test_the_settings_of_the_cluster_guide_are_valid() -> None:
    text = (SYSTEMD / "cluster" / "README.md").read_text("utf-8")
    [block] = re.findall(r"```\n(\[mqtt\].+?)```", text, re.DOTALL)
    settings = FeedSettings.model_validate(
        tomllib.loads(block)["mqtt"] | {"site": "casino", "table": "fpg-01"}
    )
    assert [settings.node(turn).address for turn in range(3)] == [
        "broker-1.casino.example:8883",
        "broker-2.casino.example:8883",
        "broker-3.casino.example:8883",
    ]
    assert settings.accept_resend_requests
