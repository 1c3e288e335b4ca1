"""What is on the sign at a moment: the last order, aged by a clock. No display, no waiting."""

from __future__ import annotations

from firmware_app.rules.profile import Profile
from firmware_app.signage.link import Show
from firmware_app.signage.motion import AT_REST_MS, staged
from firmware_app.signage.scene import Scene
from firmware_app.signage.settings import SignSettings
from firmware_app.signage.staging import recall_scene, scene
from firmware_app.table.values import Phase


class Picture:
    """Turns orders into scenes. Times are in ms on one clock that never goes back."""

    def __init__(self, settings: SignSettings, profile: Profile) -> None:
        self._settings = settings
        self._profile = profile
        self._order: Show | None = None
        self._changed_ms = 0
        self._begun_ms = 0
        self._beat: object = None

    def show(self, order: Show, now_ms: int) -> None:
        """Take an order over. A scene that goes on with a small change keeps its clock."""
        if self._order is None or (order.view, order.rounds) != (
            self._order.view,
            self._order.rounds,
        ):
            self._changed_ms = now_ms
        self._order = order
        beat = (order.view.phase, order.view.round_number, bool(order.rounds))
        if beat != self._beat:
            self._beat = beat
            self._begun_ms = now_ms

    def now(self, now_ms: int) -> tuple[Scene | None, int | None]:
        """Return the scene at ``now_ms`` and when to ask again; None before the first order."""
        if self._order is None:
            return None, None
        idle_at = self._idle_at()
        shown, next_elapsed = staged(
            self._scene(idle=idle_at is not None and now_ms >= idle_at),
            now_ms - self._begun_ms,
            reduced_motion=self._settings.reduced_motion,
        )
        moments = [] if next_elapsed is None else [self._begun_ms + next_elapsed]
        if idle_at is not None and now_ms < idle_at:
            moments.append(idle_at)
        return shown, min(moments, default=None)

    def at_rest(self, now_ms: int) -> Scene | None:
        """Return the scene without motion: the same whenever it is asked for."""
        if self._order is None:
            return None
        idle_at = self._idle_at()
        idle = idle_at is not None and now_ms >= idle_at
        return staged(self._scene(idle=idle), AT_REST_MS, reduced_motion=True)[0]

    def _scene(self, *, idle: bool) -> Scene:
        assert self._order is not None
        if self._order.rounds:
            return recall_scene(self._order.rounds, self._order.view, self._profile)
        return scene(self._order.view, self._profile, idle=idle)

    def _idle_at(self) -> int | None:
        """When the sign begins to sell again, None where the round is under way."""
        order = self._order
        if order is None or order.rounds:
            return None
        if order.view.phase not in (Phase.SETTLED, Phase.BETTING):
            return None
        return self._changed_ms + self._settings.attract_after_s * 1000
