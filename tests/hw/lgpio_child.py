"""Runs one scenario in a process of its own, since each spoils lgpio for the rest of its process.

Prints one JSON object. Started by the tests beside it: ``python lgpio_child.py SCENARIO DEVICES``.
"""

from __future__ import annotations

import json
import os
import queue
import sys
import threading
import time
from pathlib import Path
from typing import Any

from fake_gpiochip import FakeChips

from hw.chips import load_lgpio, open_pins
from hw.panel import Panel
from hw.pin_sources import ChipError, Pins
from hw.settings import PanelSettings
from hw.signals import Edge


def report(found: dict[str, Any]) -> None:
    sys.stdout.write(json.dumps(found) + "\n")
    sys.stdout.flush()


def open_fake_pins(devices: Path) -> tuple[FakeChips, Pins]:
    lgpio = load_lgpio()
    chips = FakeChips(lgpio, {0: "pinctrl-bcm2711"})
    for name, function in chips.functions().items():
        setattr(lgpio, name, function)
    # gpiozero reads this only on a Pi; c03114 is a Pi 4 Model B.
    import gpiozero.pins.local

    gpiozero.pins.local.get_pi_revision = lambda: 0xC03114
    (devices / "gpiochip0").touch()
    return chips, open_pins(devices=devices)


def thread_dies(devices: Path) -> dict[str, Any]:
    """A foreign callback raises in lgpio's thread: what do health and the levels say then?"""
    chips, pins = open_fake_pins(devices)
    import lgpio

    settings = PanelSettings()
    edges: queue.Queue[Edge] = queue.Queue()
    panel = Panel(settings, pins, edges.put)
    chips.drive(0, 17, False)
    before = edges.get(timeout=5).line
    healthy = panel.health().status

    def raise_in_thread(*_args: object) -> None:
        raise RuntimeError("not one of ours")

    threading.excepthook = lambda args: None  # the traceback is expected
    lgpio.callback(0, 50, lgpio.BOTH_EDGES, raise_in_thread)
    begun = time.monotonic()
    chips.notify(0, 50, True)
    while panel.health().status == "ok" and time.monotonic() - begun < 10:
        time.sleep(0.01)
    noticed_s = time.monotonic() - begun
    health = panel.health()
    chips.drive(0, 27, False)
    return {
        "before": before,
        "healthy": healthy,
        "noticed_s": noticed_s,
        "status": health.status,
        "detail": health.detail,
        "bet_still_read": panel.levels()["spot2.bet"],
    }


def start(_devices: Path) -> dict[str, Any]:
    """What a service's start does before it opens pins."""
    before = Path.cwd()
    try:
        load_lgpio()
    except ChipError as error:
        return {"error": str(error)}
    directory = Path(os.environ["LG_WD"])
    found = {
        "moved": Path.cwd() != before,
        "directory": str(directory),
        "pipe": (directory / ".lgd-nfy0").is_fifo(),
        "mode": oct(directory.stat().st_mode & 0o777),
        "alive": sys.modules["lgpio"]._notify_thread.is_alive(),
    }
    report(found)
    sys.stdin.read()  # lives until its parent closes the pipe
    return found


if __name__ == "__main__":
    scenario = {"thread_dies": thread_dies, "start": start}[sys.argv[1]]
    report(scenario(Path(sys.argv[2])))
