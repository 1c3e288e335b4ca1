"""A table without screen, video driver, sound or console plays on, and says what is missing."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

TABLE = Path(__file__).with_name("screenless_process.py")


@pytest.mark.parametrize("driver", ["x11", "kmsdrm"])
def test_a_round_is_played_without_a_display_and_survives_the_console(
    driver: str, out: Path, broker: Any, wiretap: Any
) -> None:
    out.mkdir()
    bare = {
        name: value
        for name, value in os.environ.items()
        if name not in ("DISPLAY", "WAYLAND_DISPLAY", "XDG_RUNTIME_DIR", "SDL_VIDEODRIVER")
    }
    done = subprocess.run(
        [sys.executable, str(TABLE), str(out), broker.url, driver],
        env=bare,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    said = json.loads(done.stdout.splitlines()[-1])
    assert said["phase"] == "settled"
    # $5 on four of a kind, and envy for the straight flush of clubs at spot 2; the main bets push.
    assert said["owed"][0] == 125_00 + 20_00
    assert any(text.startswith("display: ") for text in said["alarms"])
    assert said["modules"] == [], "nothing here makes a sound"
    told = {json.loads(payload)["type"] for payload in wiretap.events()}
    assert {"fpg.v1.round-settled", "fpg.v1.alarm-raised"} <= told
