"""Health of the Pi under the table, one reading per concern.

What cannot be known is ``unsupported``, which is not healthy: nobody may conclude from it that
the power supply is good.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, Literal, TypeAlias

Status: TypeAlias = Literal["ok", "warning", "failed", "unsupported"]

# The Pi throttles itself between 80 and 85 degrees Celsius; see its documentation, "Frequency
# management and thermal control".
WARM_C: Final = 80.0
HOT_C: Final = 85.0
_STA_UNSYNC: Final = 0x0040
_LIBC: Final = ctypes.CDLL(None, use_errno=True)
"""Loaded once: every fact is stamped with what it says of the clock."""


@dataclass(frozen=True, slots=True)
class Reading:
    """One concern: its name, how it stands, and what a technician should know or do."""

    name: str
    status: Status
    detail: str


class _Timex(ctypes.Structure):
    """The head of Linux ``struct timex``, and room for the rest of it."""

    _fields_ = (
        ("modes", ctypes.c_uint),
        ("offset", ctypes.c_long),
        ("freq", ctypes.c_long),
        ("maxerror", ctypes.c_long),
        ("esterror", ctypes.c_long),
        ("status", ctypes.c_int),
        ("rest", ctypes.c_long * 32),
    )


def kernel_clock_status() -> int:
    """The kernel's clock status bits (``STA_*`` of adjtimex(2)), read without setting anything.

    :raises OSError: the kernel does not tell.
    """
    timex = _Timex()
    if _LIBC.adjtimex(ctypes.byref(timex)) < 0:
        raise OSError(ctypes.get_errno(), "adjtimex refused")
    return int(timex.status)


@dataclass(frozen=True)
class PiHealth:
    """Reads the Pi's health from the kernel.

    :param sys_root: where sysfs is mounted.
    :param clock_status: the kernel's clock status bits; raises OSError when it cannot tell.
    :param timesync: where systemd-timesyncd tells that it has set the clock since power-up. A
        service that may not touch the clock may not ask the kernel about it either.
    """

    sys_root: Path = Path("/sys")
    clock_status: Callable[[], int] = field(default=kernel_clock_status)
    timesync: Path = Path("/run/systemd/timesync")

    def read(self) -> tuple[Reading, ...]:
        """All readings, in a fixed order; raises nothing."""
        return (self.power(), self.temperature(), self.storage(), self.clock())

    def power(self) -> Reading:
        """Undervoltage, as the firmware reports it through hwmon ``rpi_volt``."""
        for sensor in sorted(self.sys_root.glob("class/hwmon/hwmon*")):
            if _text(sensor / "name") == "rpi_volt":
                alarm = _text(sensor / "in0_lcrit_alarm")
                if alarm == "0":
                    return Reading("power", "ok", "supply voltage is sufficient")
                if alarm == "1":
                    detail = "undervoltage; use a 5.1 V supply of the Pi's rating and a short cable"
                    return Reading("power", "failed", detail)
        return Reading("power", "unsupported", "this board does not report undervoltage")

    def temperature(self) -> Reading:
        """The processor's temperature."""
        for zone in sorted(self.sys_root.glob("class/thermal/thermal_zone*")):
            if _text(zone / "type") == "cpu-thermal":
                millidegrees = _number(zone / "temp")
                if millidegrees is not None:
                    return _temperature(millidegrees / 1000)
        return Reading("temperature", "unsupported", "this board does not report its temperature")

    def storage(self) -> Reading:
        """Errors that ext4 has recorded since the file systems were last checked."""
        counts = {
            entry.parent.name: count
            for entry in sorted(self.sys_root.glob("fs/ext4/*/errors_count"))
            if (count := _number(entry)) is not None
        }
        if not counts:
            return Reading("storage", "unsupported", "no ext4 file system reports its errors")
        bad = [f"{device}: {count}" for device, count in counts.items() if count]
        if bad:
            detail = f"file system errors ({', '.join(bad)}); save the journal and replace the card"
            return Reading("storage", "failed", detail)
        return Reading("storage", "ok", f"no errors on {', '.join(counts)}")

    def clock(self) -> Reading:
        """Whether the wall clock is synchronised. The Pi may have no clock of its own."""
        try:
            synchronised = not self.clock_status() & _STA_UNSYNC
        except OSError as error:
            if not self.timesync.is_dir():
                return Reading("clock", "unsupported", f"the kernel does not tell ({error})")
            synchronised = (self.timesync / "synchronized").exists()
        if synchronised:
            return Reading("clock", "ok", "synchronised")
        detail = "not synchronised; records are in order, their times of day are not certain"
        return Reading("clock", "warning", detail)


def _temperature(celsius: float) -> Reading:
    detail = f"{celsius:.1f} °C"
    if celsius >= HOT_C:
        return Reading("temperature", "failed", f"{detail}, throttled; free the air vents")
    if celsius >= WARM_C:
        return Reading("temperature", "warning", f"{detail}, close to throttling; check the fan")
    return Reading("temperature", "ok", detail)


def _text(path: Path) -> str | None:
    try:
        return path.read_text(encoding="ascii").strip()
    except (OSError, UnicodeDecodeError):
        return None


def _number(path: Path) -> int | None:
    text = _text(path)
    try:
        return None if text is None else int(text)
    except ValueError:
        return None
