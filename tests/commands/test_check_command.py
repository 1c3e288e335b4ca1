"""``fortune-table check``: what a technician and a program read, and the exit codes."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from firmware_app.cli import cli
from firmware_app.config import load_config
from firmware_app.diagnosis.checks import check_table
from firmware_app.feed.demo_broker import DemoBroker
from firmware_app.journal.store import Journal
from hw.chips import HEADER_LABELS, find_chip
from hw.health import PiHealth
from hw.pin_sources import Pins
from hw.sim.panel import SimPanel
from hw.sim.reader import SimReader

WriteConfig = Callable[..., Path]


@pytest.fixture(scope="module")
def broker() -> Iterator[DemoBroker]:
    with DemoBroker() as running:
        yield running


@pytest.fixture
def reader() -> Iterator[SimReader]:
    with SimReader() as device:
        yield device


@pytest.fixture
def write_config(tmp_path: Path, broker: DemoBroker, reader: SimReader) -> WriteConfig:
    """Writes the file of a table that is all there, with the given lines at its end."""

    def write(more: str = "", rules: str = "commission", protocol: str | None = None) -> Path:
        path = tmp_path / "table.toml"
        path.write_text(
            f"""
            [game]
            rules = "{rules}"
            [panel]
            spots = {7 if rules == "daytona" else 6}
            [reader]
            url = "{reader.path}"
            [mqtt]
            host = "127.0.0.1"
            port = {broker.port}
            protocol = "{protocol or broker.protocol}"
            site = "lab"
            table = "t1"
            [sign]
            driver = "dummy"
            size = "640x480"
            [journal]
            path = "{tmp_path}/journal.sqlite3"
            reserve_mib = 1
            {more}
            """
        )
        return path

    return write


@pytest.fixture
def no_chip(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A machine without a header, whichever machine this is."""

    def open_pins(_expander_label: str | None) -> Pins:
        find_chip(HEADER_LABELS, tmp_path, lambda _number: "none")
        raise AssertionError("an empty folder holds no chip")

    monkeypatch.setattr("firmware_app.commands.check.open_pins", open_pins)


def run(path: Path, *options: str) -> Result:
    return CliRunner().invoke(cli, ["check", "--config", str(path), *options])


def findings(result: Result) -> dict[str, Any]:
    return {one["check"]: one for one in json.loads(result.stdout)}


@pytest.mark.usefixtures("no_chip")
def test_without_a_chip_the_pins_are_shown_and_the_table_cannot_open(
    write_config: WriteConfig,
) -> None:
    result = run(write_config('[panel.pins]\n"spot1.bet" = "BOARD7"\nadvance = "GPIO17"'))

    assert result.exit_code == 1
    words = [line.split() for line in result.stdout.splitlines()]
    assert ["spot1.bet", "GPIO4", "BOARD7"] in words
    assert ["advance", "GPIO17", "BOARD11"] in words
    assert ["FAILED", "chip"] in [line[:2] for line in words]
    flowing = " ".join(result.stdout.split())
    assert "→ Run on a Raspberry Pi, as a user of the group gpio" in flowing
    assert "The table cannot open: 1 failed," in flowing


@pytest.mark.usefixtures("no_chip")
def test_a_program_reads_a_list_of_objects(write_config: WriteConfig) -> None:
    result = run(write_config(rules="daytona"), "--json")

    assert result.exit_code == 1
    found = findings(result)
    assert found["configuration"]["status"] == "ok"
    assert {"line": "spot1.bet", "pin": "GPIO17", "board": "BOARD11"} in found["wiring"]["lines"]
    assert len(found["wiring"]["lines"]) == 24
    assert (found["chip"]["status"], found["reader"]["status"]) == ("failed", "ok")
    assert found["broker"]["status"] == "ok"
    assert (found["disk"]["status"], found["journal"]["status"]) == ("ok", "ok")
    assert "only to a Fortune wager of $6" in found["bank"]["detail"]
    assert {"power", "temperature", "storage", "clock", "display", "secrets"} < found.keys()
    for one in found.values():
        assert one["status"] in ("ok", "warning", "failed", "unsupported")
        assert one["cure"] or one["status"] in ("ok", "unsupported")


def test_a_table_without_display_and_broker_can_open(
    write_config: WriteConfig, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write_config('[mqtt.tls]\nca = "/nowhere/ca.pem"')
    config = load_config(path)
    panel = SimPanel(config.panel)
    monkeypatch.setattr("firmware_app.commands.check.open_pins", lambda _label: panel.pins)

    result = run(path, "--json")

    found = findings(result)
    assert result.exit_code == 0
    assert found["chip"]["status"] == found["pins"]["status"] == "ok"
    assert found["broker"]["status"] == "warning"
    assert "tls ca /nowhere/ca.pem cannot be used" in found["broker"]["detail"]
    assert found["display"]["status"] == "warning"


def test_a_dead_fallback_is_told_beside_the_broker_that_answers(
    write_config: WriteConfig, broker: DemoBroker
) -> None:
    config = load_config(write_config())
    alive = f"127.0.0.1:{broker.port}"
    mqtt = config.mqtt.model_copy(update={"fallbacks": (alive, "127.0.0.1:1")})
    panel = SimPanel(config.panel)

    found = check_table(config.model_copy(update={"mqtt": mqtt}), lambda _label: panel.pins)

    told = {one.check: one.status for one in found if one.check.startswith(("broker", "fall"))}
    assert told == {
        "broker": "ok",
        f"fallback {alive}": "ok",
        "fallback 127.0.0.1:1": "warning",
    }


@pytest.mark.usefixtures("no_chip")
def test_every_fault_of_the_configuration_is_told_at_once(write_config: WriteConfig) -> None:
    path = write_config('[panel.pins]\n"spot1.bet" = "17"\nvoid = "GPIO14"\n[sing]\nsize = "x"')

    human = run(path)
    program = run(path, "--json")

    assert human.exit_code == program.exit_code == 2
    told = " ".join(human.stdout.split())
    for detail in (
        "spot1.bet: '17' can be read two ways",
        "→ write GPIO17 for the Broadcom number or BOARD17 for the place on the header",
        "void: GPIO14 is reserved for the UART (TXD)",
        "sing is no known key → did you mean sign?",
    ):
        assert detail in told
    listed = json.loads(program.stdout)
    assert {one["check"] for one in listed} == {"configuration"}
    assert {one["status"] for one in listed} == {"failed"}
    assert len(listed) == 3
    assert all(one["cure"] for one in listed)


def test_a_file_that_cannot_be_read_is_a_bad_configuration(tmp_path: Path) -> None:
    result = run(tmp_path / "none.toml", "--json")
    assert result.exit_code == 2
    (fault,) = json.loads(result.stdout)
    assert "cannot be read" in fault["detail"]
    assert str(tmp_path / "none.toml") in fault["cure"]


def test_what_a_running_table_holds_is_left_alone(
    write_config: WriteConfig, reader: SimReader, tmp_path: Path
) -> None:
    config = load_config(write_config())

    def open_pins(_expander_label: str | None) -> Pins:
        raise AssertionError("the running table holds the pins")

    with Journal.open(config.journal.path):
        before = (tmp_path / "journal.sqlite3").read_bytes()
        found = {one.check: one for one in check_table(config, open_pins)}
        assert (tmp_path / "journal.sqlite3").read_bytes() == before

    for held in ("chip", "reader", "display"):
        assert found[held].status == "unsupported"
        assert "systemctl stop fortune-table" in found[held].cure
    assert found["journal"].status == "ok"
    assert "in use by the running table" in found["journal"].detail
    assert found["broker"].status == "ok"
    assert "publish" not in found["broker"].detail


def test_the_checks_make_no_journal(write_config: WriteConfig, tmp_path: Path) -> None:
    config = load_config(write_config())
    panel = SimPanel(config.panel)

    check_table(config, lambda _label: panel.pins)

    assert [entry.name for entry in tmp_path.iterdir()] == ["table.toml"]


def test_undervoltage_and_failing_storage_close_the_table(
    write_config: WriteConfig, tmp_path: Path
) -> None:
    config = load_config(write_config())
    sysfs = tmp_path / "sys"
    for path, text in {
        "class/hwmon/hwmon0/name": "rpi_volt",
        "class/hwmon/hwmon0/in0_lcrit_alarm": "1",
        "class/thermal/thermal_zone0/type": "cpu-thermal",
        "class/thermal/thermal_zone0/temp": "81500",
        "fs/ext4/mmcblk0p2/errors_count": "3",
    }.items():
        (sysfs / path).parent.mkdir(parents=True, exist_ok=True)
        (sysfs / path).write_text(text + "\n")
    panel = SimPanel(config.panel)
    # 0x40 is STA_UNSYNC of adjtimex(2).
    pi = PiHealth(sysfs, clock_status=lambda: 0x40)

    found = {one.check: one for one in check_table(config, lambda _label: panel.pins, pi)}

    assert (found["power"].status, found["power"].detail) == ("failed", "undervoltage")
    assert found["power"].cure == "use a 5.1 V supply of the Pi's rating and a short cable"
    assert (found["temperature"].status, found["storage"].status) == ("warning", "failed")
    assert "mmcblk0p2: 3" in found["storage"].detail
    assert (found["clock"].status, found["clock"].detail) == ("warning", "not synchronised")
