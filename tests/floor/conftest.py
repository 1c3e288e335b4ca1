"""A floor: several tables, real brokers between them and the back office.

The tests that need a program which is not on every machine are collected where it is found. What
is left out is said, with the way to get it.
"""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1] / "feed"))

PROGRAMS = {
    "mosquitto": ("test_floor_access.py", "test_floor_bridge.py"),
    "nats-server": ("test_floor_cluster.py",),
}
"""Which tests need which program. Debian keeps both out of a user's search path."""

SEARCH = os.pathsep.join((os.environ.get("PATH", ""), "/usr/local/sbin", "/usr/sbin"))
MISSING = [program for program in PROGRAMS if shutil.which(program, path=SEARCH) is None]

collect_ignore = [test for program in MISSING for test in PROGRAMS[program]]


def pytest_report_collectionfinish() -> list[str]:
    return [
        f"tests/floor: {', '.join(PROGRAMS[program])} left out: apt-get install {program}"
        for program in MISSING
    ]
