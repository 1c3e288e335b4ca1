"""What the installed table takes of a Pi: of its card, and of its memory."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from typing import Final

from outside import Outside

log = logging.getLogger(__name__)

SMALLEST_KIB: Final = 1024 * 1024
"""The memory of the smallest Pi 4."""
MIB: Final = 1024


@dataclass(frozen=True, slots=True)
class Process:
    """One process of the unit, with its memory in KiB."""

    command: str
    resident_kib: int
    share_kib: int
    """Of what several processes use each has its part, so that a sum counts nothing twice."""


def test_the_table_leaves_two_thirds_of_the_smallest_pi_free(outside: Outside) -> None:
    unpacked = outside.machine.run("dpkg-query -W -f '${Installed-Size}' fortune-table")
    compiled = outside.machine.run(
        "find /usr/lib/fortune-table -name '*.pyc' -printf '%k '"
    ).split()
    log.info(
        "installed %.1f MiB, and %.1f MiB that it compiled",
        int(unpacked) / MIB, sum(map(int, compiled)) / MIB,
    )  # fmt: skip
    running = processes(outside)
    for process in running:
        log.info(
            "%s: resident %.0f MiB, its share %.0f MiB",
            process.command, process.resident_kib / MIB, process.share_kib / MIB,
        )  # fmt: skip
    table, painter = sorted(running, key=lambda process: process.share_kib)
    assert "firmware_app run" in table.command
    assert "firmware_app.signage" in painter.command
    assert table.share_kib + painter.share_kib < SMALLEST_KIB / 3


def processes(outside: Outside) -> list[Process]:
    """Return those of the unit, as the kernel counts their memory."""
    group = outside.service("ControlGroup")
    found = []
    for pid in outside.machine.run(f"cat /sys/fs/cgroup{group}/cgroup.procs").split():
        command = outside.machine.run(f"tr '\\0' ' ' </proc/{pid}/cmdline").split()
        rollup = outside.machine.run(f"cat /proc/{pid}/smaps_rollup").splitlines()[1:]
        kib = {
            name: value.split()[0] for name, _, value in (line.partition(":") for line in rollup)
        }
        found.append(Process(" ".join(command[:4]), int(kib["Rss"]), int(kib["Pss"])))
    return found
