"""Whether a screen is plugged in, as the kernel reports it."""

from __future__ import annotations

from pathlib import Path
from typing import Final

DRM_ROOT: Final = Path("/sys/class/drm")


def is_disconnected(connector: str | None, root: Path = DRM_ROOT) -> bool:
    """Whether the kernel says for sure that no screen is plugged into ``connector``.

    The connector is found by its name (``HDMI-A-1``) on whichever card it is: card numbers change
    from boot to boot. An unknown connector or state is no reason to wait: False.
    """
    if connector is None:
        return False
    states = []
    for status in root.glob(f"card*-{connector}/status"):
        try:
            states.append(status.read_text("ascii").strip())
        except OSError:
            continue
    return bool(states) and all(state == "disconnected" for state in states)
