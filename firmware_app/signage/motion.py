"""Calm motion, as a pure function of a scene and the time since it began.

Results open spot by spot in the order of the action; the rows that are hit then glow a few times
and rest. One thing moves at a time, and nothing changes more often than three times a second (WCAG
2.2, success criterion 2.3.1).
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from firmware_app.signage.scene import Hero, Scene, SceneKind, ShownCard, ShownHand, SpotPanel
from firmware_app.signage.words import say

OPEN_EVERY_MS: Final = 450
GLOW_STEP_MS: Final = 350
GLOW_STEPS: Final[tuple[int, ...]] = (2, 4, 6, 4, 2, 0)
GLOW_ROUNDS: Final = 3
AT_REST_MS: Final = 10**9
"""An elapsed time at which every scene rests: for pictures that must not depend on time."""

_MOVING = (SceneKind.REVEAL, SceneKind.BIG_WIN)


def staged(scene: Scene, elapsed_ms: int, *, reduced_motion: bool) -> tuple[Scene, int | None]:
    """Return ``scene`` as it is ``elapsed_ms`` after it began, and when it changes next.

    The second value is the elapsed time of the next change in ms, None where the scene rests.
    """
    if reduced_motion or scene.kind not in _MOVING:
        return scene, None
    order = _opening_order(scene.spots)
    opened = elapsed_ms // OPEN_EVERY_MS
    if opened < len(order):
        return _partly_open(scene, order[:opened]), (opened + 1) * OPEN_EVERY_MS
    if not any(row.hit_by for row in scene.pay_rows):
        return scene, None
    begun = len(order) * OPEN_EVERY_MS
    step = (elapsed_ms - begun) // GLOW_STEP_MS
    if step >= len(GLOW_STEPS) * GLOW_ROUNDS:
        return scene, None
    glow = GLOW_STEPS[step % len(GLOW_STEPS)]
    return replace(scene, glow=glow), begun + (step + 1) * GLOW_STEP_MS


def _opening_order(spots: tuple[SpotPanel, ...]) -> list[int]:
    """Return the numbers of the spots with an open hand, from the first of the action on."""
    first = next((place for place, spot in enumerate(spots) if spot.first), 0)
    round_the_table = spots[first:] + spots[:first]
    return [spot.number for spot in round_the_table if spot.hand is not None]


def _partly_open(scene: Scene, opened: list[int]) -> Scene:
    """Return the scene with only the spots of ``opened`` showing their hand."""
    return replace(
        scene,
        kind=SceneKind.REVEAL,
        hero=Hero("calm", say("revealing")),
        pay_rows=tuple(
            replace(row, hit_by=tuple(spot for spot in row.hit_by if spot in opened))
            for row in scene.pay_rows
        ),
        spots=tuple(
            spot if spot.hand is None or spot.number in opened else _closed(spot)
            for spot in scene.spots
        ),
    )


def _closed(spot: SpotPanel) -> SpotPanel:
    hand = spot.hand
    if hand is None:
        return spot
    back = ShownCard()
    closed = ShownHand((back,) * len(hand.front), (back,) * len(hand.back))
    return replace(spot, hand=closed, title=None, hit=False, awards=(), notes=())
