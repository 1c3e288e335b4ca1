from __future__ import annotations

from pathlib import Path

import pytest

from hw.health import PiHealth, Reading

SYNCHRONISED = 0x2001  # STA_NANO | STA_PLL, as a synchronised kernel shows it
UNSYNCHRONISED = 0x0040  # STA_UNSYNC


def sysfs(root: Path, files: dict[str, str]) -> PiHealth:
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text + "\n")
    return PiHealth(root, lambda: SYNCHRONISED)


def by_name(health: PiHealth) -> dict[str, Reading]:
    return {reading.name: reading for reading in health.read()}


def test_what_cannot_be_known_is_unsupported_and_not_healthy(tmp_path: Path) -> None:
    def no_clock() -> int:
        raise OSError(38, "Function not implemented")

    readings = PiHealth(tmp_path, no_clock, timesync=tmp_path / "timesync").read()
    assert [r.name for r in readings] == ["power", "temperature", "storage", "clock"]
    assert {r.status for r in readings} == {"unsupported"}


@pytest.mark.parametrize(("alarm", "status"), [("0", "ok"), ("1", "failed")])
def test_undervoltage_is_read_from_the_firmwares_sensor(
    tmp_path: Path, alarm: str, status: str
) -> None:
    health = sysfs(
        tmp_path,
        {
            "class/hwmon/hwmon0/name": "cpu_thermal",
            "class/hwmon/hwmon3/name": "rpi_volt",
            "class/hwmon/hwmon3/in0_lcrit_alarm": alarm,
        },
    )
    assert by_name(health)["power"].status == status


@pytest.mark.parametrize(
    ("millidegrees", "status"),
    [("42850", "ok"), ("79999", "ok"), ("80000", "warning"), ("85000", "failed")],
)
def test_temperature_warns_before_the_pi_throttles(
    tmp_path: Path, millidegrees: str, status: str
) -> None:
    health = sysfs(
        tmp_path,
        {
            "class/thermal/thermal_zone0/type": "cpu-thermal",
            "class/thermal/thermal_zone0/temp": millidegrees,
        },
    )
    reading = by_name(health)["temperature"]
    assert reading.status == status
    assert f"{int(millidegrees) / 1000:.1f} °C" in reading.detail


def test_file_system_errors_name_the_device(tmp_path: Path) -> None:
    health = sysfs(
        tmp_path, {"fs/ext4/mmcblk0p2/errors_count": "0", "fs/ext4/sda1/errors_count": "3"}
    )
    reading = by_name(health)["storage"]
    assert reading.status == "failed" and "sda1: 3" in reading.detail
    assert "mmcblk0p2" not in reading.detail


def test_file_systems_without_errors_are_ok(tmp_path: Path) -> None:
    health = sysfs(tmp_path, {"fs/ext4/mmcblk0p2/errors_count": "0"})
    assert by_name(health)["storage"] == Reading("storage", "ok", "no errors on mmcblk0p2")


def test_a_clock_that_is_not_synchronised_is_a_warning(tmp_path: Path) -> None:
    assert PiHealth(tmp_path, lambda: SYNCHRONISED).clock().status == "ok"
    assert PiHealth(tmp_path, lambda: SYNCHRONISED | UNSYNCHRONISED).clock().status == "warning"


def test_a_service_that_may_not_ask_the_kernel_believes_the_time_daemon(tmp_path: Path) -> None:
    def forbidden() -> int:
        raise PermissionError(1, "Operation not permitted")

    health = PiHealth(tmp_path, forbidden, timesync=tmp_path / "timesync")
    assert health.clock().status == "unsupported", "no daemon"
    (tmp_path / "timesync").mkdir()
    assert health.clock().status == "warning", "the daemon has not set the clock yet"
    (tmp_path / "timesync" / "synchronized").touch()
    assert health.clock().status == "ok"


def test_a_sensor_that_talks_nonsense_is_unsupported(tmp_path: Path) -> None:
    health = sysfs(
        tmp_path,
        {
            "class/hwmon/hwmon0/name": "rpi_volt",
            "class/hwmon/hwmon0/in0_lcrit_alarm": "?",
            "class/thermal/thermal_zone0/type": "cpu-thermal",
            "class/thermal/thermal_zone0/temp": "warm",
            "fs/ext4/sda1/errors_count": "",
        },
    )
    readings = by_name(health)
    assert {readings[n].status for n in ("power", "temperature", "storage")} == {"unsupported"}


def test_this_machines_kernel_tells_its_clock_status() -> None:
    # Whatever it is here, it is told and not guessed.
    assert PiHealth().clock().status in ("ok", "warning")
