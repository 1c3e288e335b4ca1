"""Whether the sign can draw a frame that is really there. A table plays without a display."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any, Final

from firmware_app.diagnosis.finding import Finding
from firmware_app.signage.settings import SignSettings

DRAW_AT_MOST_S: Final = 5.0
_NOWHERE: Final = ("dummy", "offscreen")
_OPEN_CURE: Final = (
    "check the cable, that no other program holds the screen, and that this user is in the groups "
    "video and render"
)
_BLACK_CURE: Final = (
    "SDL draws with a library that is not there: set SDL_RENDER_DRIVER=opengles2 for the service, "
    "or install libgl1"
)


def check_display(
    sign: SignSettings, *, sys_root: Path = Path("/sys"), draw_at_most_s: float = DRAW_AT_MOST_S
) -> Finding:
    """Return whether a frame can be drawn with the settings of the sign."""
    if sign.connector is not None and not _screen_at(sign.connector, sys_root):
        detail = f"no screen reports itself at {sign.connector}"
        cure = "plug the screen in and switch it on, or correct sign.connector; the sign waits"
        return _without(detail, cure)
    try:
        done = subprocess.run(
            [sys.executable, "-m", "firmware_app.diagnosis.display_probe", sign.size],
            env=_environment(sign),
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
        reason = last[-1].removeprefix("pygame.error: ")
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
        return _without(detail, "unset SDL_VIDEODRIVER, or set sign.driver to the screen's")
    if driver in _NOWHERE:
        detail = f'a frame of {frame} was drawn, where nobody sees it: sign.driver = "{driver}"'
        return _without(detail, 'for a screen, set sign.driver = "auto"')
    return Finding("display", "ok", f"a frame of {frame} was drawn and seen")


def _without(detail: str, cure: str) -> Finding:
    return Finding("display", "warning", detail, cure)


def _screen_at(connector: str, sys_root: Path) -> bool:
    for status in sys_root.glob(f"class/drm/card*-{connector}/status"):
        try:
            if status.read_text("ascii").strip() == "connected":
                return True
        except OSError:
            continue  # unplugged while it was read
    return False


def _environment(sign: SignSettings) -> dict[str, str]:
    # The child finds the same packages as this process, wherever they are installed.
    own = {"PYTHONPATH": os.pathsep.join(sys.path), "PYGAME_HIDE_SUPPORT_PROMPT": "1"}
    if sign.driver != "auto":
        own["SDL_VIDEODRIVER"] = sign.driver
    return {**os.environ, **own}
