"""The device tree of the emulated board, changed to say that the board is a Pi."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Final

from architecture import SIZE, Architecture

REVISION: Final = "c03114"
"""Of a Pi 4 Model B with 4 GB, revision 1.4: what gpiozero asks for first."""
OWN_PINS: Final = ("/gpio-keys", "/pl061@9030000")
"""The emulated board's own gpiochip and who uses it: a Pi has one chip, and it is the first."""


def write_device_tree(architecture: Architecture, target: Path) -> Path:
    """Write the tree of the machine that will be started, processors and memory included."""
    _run(architecture.qemu, "-M", f"{architecture.machine},dumpdtb={target}",
         "-cpu", architecture.model, *SIZE, "-nodefaults")  # fmt: skip
    _run("fdtput", "-t", "s", str(target), "/", "model", str(architecture.pi))
    _run("fdtput", "-c", str(target), "/system")
    _run("fdtput", "-t", "x", str(target), "/system", "linux,revision", REVISION)
    for node in OWN_PINS:
        _run("fdtput", "-r", str(target), node)
    return target


def _run(*command: str) -> None:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(command)}\n{done.stderr}")
