"""Motion is calm, starts from the action, ends by itself, and can be switched off."""

from __future__ import annotations

from itertools import pairwise

from firmware_app.signage.motion import AT_REST_MS, staged
from firmware_app.signage.samples import samples
from firmware_app.signage.scene import Scene, SceneKind

SAMPLES = samples()
BIG = SAMPLES["big-win"].scene()


def frames(scene: Scene) -> list[tuple[int, Scene]]:
    """Every picture from the start until the scene rests, with its time in ms."""
    shown, following = staged(scene, 0, reduced_motion=False)
    found = [(0, shown)]
    while following is not None:
        assert following > found[-1][0]
        at = following
        shown, following = staged(scene, at, reduced_motion=False)
        found.append((at, shown))
    return found


def opened(scene: Scene) -> list[int]:
    return [spot.number for spot in scene.spots if spot.title is not None]


def test_results_open_spot_by_spot_from_the_action_on() -> None:
    first_seen: list[int] = []
    for _, shown in frames(BIG):
        first_seen += [number for number in opened(shown) if number not in first_seen]
    assert first_seen == [2, 3, 4, 5, 6, 1]


def test_a_line_is_lit_only_once_its_spot_is_open() -> None:
    for _, shown in frames(BIG):
        lit = {spot for row in shown.pay_rows for spot in row.hit_by}
        assert lit <= set(opened(shown))


def test_nothing_changes_more_than_three_times_a_second() -> None:
    times = [at for at, _ in frames(BIG)]
    assert min(after - before for before, after in pairwise(times)) >= 334


def test_motion_ends_and_rests_at_the_scene_itself() -> None:
    ended, last = frames(BIG)[-1]
    assert last == BIG
    assert ended < 15_000
    assert staged(BIG, AT_REST_MS, reduced_motion=False) == (BIG, None)


def test_reduced_motion_shows_everything_at_once() -> None:
    assert staged(BIG, 0, reduced_motion=True) == (BIG, None)


def test_scenes_without_results_do_not_move() -> None:
    for sample in SAMPLES.values():
        scene = sample.scene()
        if scene.kind not in (SceneKind.REVEAL, SceneKind.BIG_WIN):
            assert staged(scene, 0, reduced_motion=False) == (scene, None)


def test_a_round_without_a_hit_does_not_glow() -> None:
    assert all(shown.glow == 0 for _, shown in frames(SAMPLES["reveal-no-hits"].scene()))
