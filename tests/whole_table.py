"""``fortune-table run`` in a process of its own, on simulated pins and without a reader."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

PROGRAM = Path(__file__).with_name("whole_table_program.py")

_CONFIG = """
[game]
rules = "envy"
occupied_by = "fortune-bet"
[panel]
spots = 6
[reader]
url = "{folder}/no-reader"
[mqtt]
host = "127.0.0.1"
port = {port}
protocol = "{protocol}"
site = "test"
table = "t1"
retry_first_s = 0.05
retry_cap_s = 0.2
[sign]
driver = "dummy"
size = "640x480"
[journal]
path = "{folder}/journal.sqlite3"
reserve_mib = 1
[control]
socket = "{folder}/control.sock"
"""


def configured(folder: Path, port: int, protocol: str = "5") -> Path:
    """Write a configuration into ``folder``, where the table keeps all that it has."""
    path = folder / "table.toml"
    path.write_text(_CONFIG.format(folder=folder, port=port, protocol=protocol), "utf-8")
    return path


@contextmanager
def running(
    config: Path, journal: str = "sound", **environment: str
) -> Iterator[subprocess.Popen[str]]:
    """Run the table; kill it where it still runs at the end.

    ``journal`` is how the journal behaves; :func:`lay_a_bet` is all that happens at this table.
    """
    process = subprocess.Popen(
        [sys.executable, str(PROGRAM), str(config), journal],
        env=os.environ | {"XDG_RUNTIME_DIR": str(config.parent)} | environment,
        stdin=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    try:
        yield process
    finally:
        if process.poll() is None:
            process.kill()
        process.communicate()


def lay_a_bet(process: subprocess.Popen[str]) -> None:
    """Lay a bet on spot 1."""
    assert process.stdin is not None
    process.stdin.write("bet\n")
    process.stdin.flush()
