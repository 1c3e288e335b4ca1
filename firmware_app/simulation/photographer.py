"""Takes a picture of every scene that the sign comes to, as it stands when it rests."""

from __future__ import annotations

from pathlib import Path

from firmware_app.rules.profile import Profile
from firmware_app.runtime.sign_loop import SignLoop
from firmware_app.signage.scene import SceneKind
from firmware_app.signage.staging import scene
from firmware_app.signage.window import SignWindow
from firmware_app.simulation.watch import SimulationError, Watch
from firmware_app.table.view import TableView

_PICTURES_PER_SCENE = 3
_PATIENCE_S = 30.0


class Photographer:
    """Keeps the first pictures of each scene in ``folder``, named by scene and round."""

    def __init__(self, loop: SignLoop, watch: Watch, profile: Profile, folder: Path) -> None:
        self._loop = loop
        self._watch = watch
        self._profile = profile
        self._folder = folder
        self.taken: dict[SceneKind, list[str]] = {}

    def take(self) -> None:
        """Take a picture of what is shown now, unless there are enough of its scene."""
        view = self._watch.view
        if view is not None:
            self._take(view, scene(view, self._profile).kind)

    def take_as(self, kind: SceneKind) -> None:
        """Take a picture of what the sign was told to show as ``kind``."""
        view = self._watch.view
        if view is not None:
            self._take(view, kind, show=False)

    def _take(self, view: TableView, kind: SceneKind, *, show: bool = True) -> None:
        names = self.taken.setdefault(kind, [])
        if len(names) >= _PICTURES_PER_SCENE:
            return
        name = f"{kind.value}-round-{view.round_number:03d}.png"

        def photograph(window: SignWindow) -> str | None:
            if show:
                window.show(view)
            return window.screenshot(self._folder / name)

        fault = self._loop.call(photograph, _PATIENCE_S)
        if fault is not None:
            raise SimulationError(f"no picture {name}: {fault}")
        if name not in names:
            names.append(name)
