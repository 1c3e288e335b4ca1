"""Whether the sign can draw a frame that is really there. A table plays without a display."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any, Final

from firmware_app.diagnosis.finding import Finding
from firmware_app.signage.connector import DRM_ROOT, is_disconnected
from firmware_app.signage.settings import SignSettings
from firmware_app.signage.window import painting_environment

DRAW_AT_MOST_S: Final = 5.0
_PROBE: Final = "firmware_app.diagnosis.display_probe"
_NOWHERE: Final = ("dummy", "offscreen")
_OPEN_CURE: Final = (
    "check the cable, that no other program holds the screen, and that this user is in the groups "
    "video and render"
)
_NOWHERE_CURE: Final = (
    'plug a screen in; without a desktop set sign.driver = "kmsdrm", which needs the pygame of the '
    "distribution (python3-pygame)"
)
_BLACK_CURE: Final = (
    "SDL draws with a library that is not there: set SDL_RENDER_DRIVER=opengles2 for the service, "
    "or install libgl1"
)


def check_display(
    sign: SignSettings, *, drm_root: Path = DRM_ROOT, draw_at_most_s: float = DRAW_AT_MOST_S
) -> Finding:
    """Return whether a frame can be drawn with the settings of the sign."""
    if is_disconnected(sign.connector, drm_root):
        detail = f"no screen is plugged into {sign.connector}"
        cure = "plug the screen in and switch it on, or correct sign.connector; the sign waits"
        return _without(detail, cure)
    try:
        done = subprocess.run(
            [sys.executable, "-m", _PROBE, sign.model_dump_json()],
            env=painting_environment(sign, os.environ),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=draw_at_most_s,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return _without(f"no frame within {draw_at_most_s:g} s", _OPEN_CURE)
    if done.returncode != 0:
        last = done.stderr.strip().splitlines() or [f"ended with code {done.returncode}"]
        # The last line of a traceback: the name of the exception, and what it says.
        reason = last[-1].partition(": ")[2] or last[-1]
        return _without(f"no frame can be drawn (driver {sign.driver}): {reason}", _OPEN_CURE)
    # Drivers may print above it.
    return judged(sign, json.loads(done.stdout.splitlines()[-1]))


def judged(sign: SignSettings, found: dict[str, Any]) -> Finding:
    """Return the finding of what the probe printed: ``driver``, ``size`` and ``seen``."""
    driver, (width, height) = found["driver"], found["size"]
    frame = f"{width}x{height} with driver {driver}"
    if not found["seen"]:
        return _without(f"a frame of {frame} stays black, without an error", _BLACK_CURE)
    if driver in _NOWHERE and sign.driver != driver:
        detail = f"SDL found no screen and draws to nowhere ({driver})"
        return _without(detail, _NOWHERE_CURE)
    if driver in _NOWHERE:
        detail = f'a frame of {frame} was drawn, where nobody sees it: sign.driver = "{driver}"'
        return _without(detail, 'for a screen, set sign.driver = "auto"')
    return Finding("display", "ok", f"a frame of {frame} was drawn and seen")


def _without(detail: str, cure: str) -> Finding:
    return Finding("display", "warning", detail, cure)
