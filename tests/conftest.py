"""What holds for every test: no test is judged by the clock, and CI is the same each time.

A test that needs a program or a module which is not on every machine is collected where it is
found. What is left out is said, with the way to get it; CI installs everything and leaves out none.
"""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess

from hypothesis import settings

settings.register_profile("table", deadline=None, derandomize="CI" in os.environ)
settings.load_profile("table")

NAMESPACES = "network namespaces (root, and ip of iproute2)"
NEEDED = {
    "mosquitto": (
        "floor/test_floor_access.py",
        "floor/test_floor_bridge.py",
        "floor/test_floor_cut_cable.py",
        "floor/test_floor_renewal.py",
        "floor/test_floor_secrets.py",
    ),
    NAMESPACES: ("floor/test_floor_cut_cable.py",),
    "systemd-analyze": ("systemd/test_unit.py",),
    "dpkg-deb": ("systemd/test_package.py",),
    "lgpio": ("hw/test_lgpio_pins.py", "hw/test_lgpio_process.py", "hw/test_panel_faults.py"),
}
"""Programs, the one module, and the one right, and the tests that need them."""

# Debian keeps brokers out of a user's search path.
_SEARCH = os.pathsep.join((os.environ.get("PATH", ""), "/usr/local/sbin", "/usr/sbin"))


def _can_make_namespaces() -> bool:
    if os.geteuid() != 0 or shutil.which("ip") is None:
        return False
    name = f"fpg-probe-{os.getpid()}"
    quiet = {"capture_output": True, "timeout": 20, "check": False}
    made = subprocess.run(["ip", "netns", "add", name], **quiet).returncode == 0  # type: ignore[call-overload]
    if made:
        subprocess.run(["ip", "netns", "delete", name], **quiet)  # type: ignore[call-overload]
    return made


def _is_there(name: str) -> bool:
    if name == NAMESPACES:
        return _can_make_namespaces()
    return (
        shutil.which(name, path=_SEARCH) is not None or importlib.util.find_spec(name) is not None
    )


MISSING = [name for name in NEEDED if not _is_there(name)]

collect_ignore = [test for name in MISSING for test in NEEDED[name]]

# Nodes of a cluster die and elect for minutes, and want the machine for themselves: `make cluster`.
if "FORTUNE_CLUSTER" not in os.environ:
    collect_ignore.append("floor/test_floor_cluster.py")


def pytest_report_collectionfinish() -> list[str]:
    return [f"left out, for want of {name}: {', '.join(NEEDED[name])}" for name in MISSING]
