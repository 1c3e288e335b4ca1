"""A configuration is taken whole or refused whole, with every fault at once."""

from __future__ import annotations

from importlib import resources
from pathlib import Path

import pytest

from firmware_app.config import ConfigError, TableConfig, config_from_text
from firmware_app.rules.profile import load_profile

GOOD = """
[game]
rules = "face-up"
[panel]
spots = 6
[reader]
url = "/dev/fortune-reader"
[mqtt]
host = "127.0.0.1"
site = "casino"
table = "fpg-01"
"""


def faults(text: str) -> list[str]:
    with pytest.raises(ConfigError) as refused:
        config_from_text("table.toml", text)
    return refused.value.faults


def test_the_shortest_configuration_is_enough() -> None:
    config = config_from_text("table.toml", GOOD)
    assert config.table_rules.profile.name == "face-up"
    assert config.journal.path == Path("/var/lib/fortune-table/journal.sqlite3")
    assert config.journal.keep_days == 90


def test_every_fault_is_told_at_once_with_path_value_and_cure() -> None:
    told = faults(
        """
        [game]
        rules = "envi"
        wager_source = "fixd"
        [panel]
        spots = 6
        pins = { "spot1.bet" = "GPIO99" }
        [reader]
        url = "COM3"
        [mqtt]
        host = "localhost"
        site = "demo"
        table = "t1"
        prot = 1
        port = 99999
        [sing]
        """
    )
    wanted = [
        ("game.rules", "'envi'", "face-up"),
        ("game.wager_source", "'fixd'", "'fixed'"),
        ("panel.pins", "GPIO99", "GPIO2 to GPIO27"),
        ("reader.url", "'COM3'", "/dev/fortune-reader"),
        ("mqtt.prot", "no known key", "did you mean"),
        ("mqtt.port", "99999", "65535 or less"),
        ("sing", "no known key", "did you mean sign?"),
    ]
    assert len(told) == len(wanted)
    for path, value, cure in wanted:
        assert any(path in line and value in line and cure in line for line in told), (path, told)


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("spots = 6", "spots = 7", "set panel.spots = 6"),
        ('rules = "face-up"', 'rules = "face-up"\nenvy_input = "none"', "know envy by its button"),
        ('rules = "face-up"', 'rules = "envy"', '"main-sensor", or "fortune-bet"'),
        (
            'rules = "face-up"',
            'rules = "face-up"\nenvy_input = "momentary"',
            "panel.envy.stuck_after_s = 30",
        ),
        ('rules = "face-up"', 'rules = "face-up"\nunit_cents = 5.5', "game.unit_cents"),
        ('rules = "face-up"', 'rules = "face-up"\nunit_cents = -5', "game.unit_cents"),
        ("[mqtt]", "[journal]\nkeep_days = 30\n[mqtt]", "journal.keep_days"),
        ("[mqtt]", "[journal]\nkeep_days = 36500\n[mqtt]", "3650 or less"),
    ],
)
def test_parts_that_do_not_fit_each_other_are_refused_with_the_cure(
    old: str, new: str, words: str
) -> None:
    (fault,) = faults(GOOD.replace(old, new))
    assert words in fault


def test_text_that_is_no_toml_and_a_file_that_is_not_there() -> None:
    assert "not valid TOML" in faults("[game")[0]


def test_the_digest_follows_what_decides_money_and_nothing_else() -> None:
    config = config_from_text("table.toml", GOOD)
    other_host = config_from_text("table.toml", GOOD.replace("127.0.0.1", "10.0.0.1"))
    other_unit = config_from_text(
        "table.toml", GOOD.replace('"face-up"', '"face-up"\nunit_cents = 100')
    )
    assert config.digest() == other_host.digest() != other_unit.digest()
    assert isinstance(config, TableConfig)


def test_rules_are_those_of_the_start_whatever_becomes_of_their_file(tmp_path: Path) -> None:
    shipped = resources.files("firmware_app.rules") / "profiles"
    own = tmp_path / "own.toml"
    own.write_text((shipped / "face-up.toml").read_text("utf-8"), "utf-8")
    config = config_from_text("table.toml", GOOD.replace("face-up", str(own)))
    before = config.digest()

    own.write_text((shipped / "envy.toml").read_text("utf-8"), "utf-8")

    assert config.game.profile == load_profile("face-up")
    assert config.table_rules.profile is config.game.profile
    assert config.digest() == before
