"""The unit, the rules and the drop-ins, as systemd itself and a technician read them."""

from __future__ import annotations

import configparser
import subprocess
from pathlib import Path

import pytest

from firmware_app.journal.schema import _BUSY_TIMEOUT_S

SYSTEMD = Path(__file__).resolve().parents[2] / "systemd"
UNIT = SYSTEMD / "fortune-table.service"
EXPOSURE_AT_MOST = 15  # tenths, as systemd-analyze counts its threshold


def unit_of(path: Path) -> configparser.RawConfigParser:
    unit = configparser.RawConfigParser(strict=False)
    unit.optionxform = str  # type: ignore[assignment,method-assign]
    unit.read(path)
    return unit


def analyze(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["systemd-analyze", *arguments], capture_output=True, text=True, timeout=60, check=False
    )


def test_systemd_finds_no_fault_in_the_unit() -> None:
    done = analyze("verify", "--man=no", str(UNIT))
    # It exits 0 for an unknown key, too: what it says is what counts.
    assert done.stderr == ""
    assert done.returncode == 0


def test_the_service_is_well_closed() -> None:
    done = analyze("security", "--offline=true", f"--threshold={EXPOSURE_AT_MOST}", str(UNIT))
    assert done.returncode == 0, done.stdout


def test_the_table_is_started_again_for_ever() -> None:
    unit = unit_of(UNIT)
    assert unit["Service"]["Restart"] == "always"
    assert unit["Unit"]["StartLimitIntervalSec"] == "0"
    # Were a drop-in to switch the limit on again, 5 starts in 10 s could still not be reached.
    assert 5 * float(unit["Service"]["RestartSec"]) > 10


def test_nothing_on_the_network_is_required() -> None:
    section = unit_of(UNIT)["Unit"]
    assert "network-online.target" in section["Wants"]
    for key in ("Requires", "BindsTo", "Requisite", "PartOf"):
        assert key not in section


def test_the_watchdog_outlasts_a_slow_card_and_a_locked_journal() -> None:
    service = unit_of(UNIT)["Service"]
    assert service["Type"] == "notify"
    assert float(service["WatchdogSec"]) > 8.0 + _BUSY_TIMEOUT_S + 5.0


def test_lgpio_gets_a_directory_that_the_service_may_write() -> None:
    text = UNIT.read_text("utf-8")
    assert unit_of(UNIT)["Service"]["RuntimeDirectory"] == "fortune-table"
    assert "Environment=LG_WD=%t/fortune-table\n" in text


@pytest.mark.parametrize("device", ["gpiochip", "ttyUSB", "ttyACM", "ttyAMA", "drm", "input"])
def test_a_device_of_the_table_is_let_through(device: str) -> None:
    assert f"\nDeviceAllow=char-{device} r" in UNIT.read_text("utf-8")


def test_the_sign_may_listen_for_new_devices() -> None:
    # Without it SDL's KMSDRM driver (2.32) ends in a segmentation fault.
    assert "AF_NETLINK" in unit_of(UNIT)["Service"]["RestrictAddressFamilies"].split()


def test_every_group_that_a_device_needs_is_the_users() -> None:
    lines = (SYSTEMD / "fortune-table.sysusers").read_text("utf-8").splitlines()
    members = {line.split()[2] for line in lines if line.startswith("m fortune-table ")}
    assert members == {"gpio", "dialout", "video", "render", "input"}


@pytest.mark.parametrize(
    "sample", sorted((SYSTEMD / "examples").glob("*.conf")), ids=lambda p: p.stem
)
def test_a_sample_drop_in_has_a_section_and_says_what_it_is_for(sample: Path) -> None:
    text = sample.read_text("utf-8")
    assert text.startswith("# ")
    assert unit_of(sample).sections()
