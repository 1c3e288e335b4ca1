"""The simulated hardware breaks as real hardware does: losses by chance, names that change."""

from __future__ import annotations

from pathlib import Path

from hw.panel import Panel
from hw.settings import PanelSettings
from hw.signals import Edge
from hw.sim.panel import SimPanel
from hw.sim.pty_port import PtyPort


def edges_seen(seed: int, loss: float) -> list[bool]:
    """For each of 200 moves of one line: whether its edge was seen."""
    settings = PanelSettings(spots=1)
    outside = SimPanel(settings, seed=seed)
    outside.edge_loss = loss
    seen: list[Edge] = []
    found = []
    with Panel(settings, outside.pins, seen.append) as panel:
        for move in range(200):
            before = len(seen)
            outside.bet(1, move % 2 == 0)
            assert panel.levels()["spot1.bet"] is (move % 2 == 0), "the level is never lost"
            found.append(len(seen) > before)
    outside.pins.close()
    return found


def test_a_share_of_edges_is_lost_and_no_level() -> None:
    found = edges_seen(seed=1, loss=0.3)
    assert 120 <= sum(found) <= 160


def test_the_losses_of_a_seed_are_the_same_again() -> None:
    assert edges_seen(seed=1, loss=0.3) == edges_seen(seed=1, loss=0.3)
    assert edges_seen(seed=1, loss=0.3) != edges_seen(seed=2, loss=0.3)


def test_a_replugged_device_has_another_name_behind_the_same_link(tmp_path: Path) -> None:
    link = tmp_path / "reader"
    port = PtyPort(link)
    for _ in range(3):
        before = link.readlink()
        port.unplug()
        assert not link.is_symlink()
        port.plug_in()
        assert link.readlink() != before
    port.unplug()
