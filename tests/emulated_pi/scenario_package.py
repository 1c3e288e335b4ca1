"""The package is updated between rounds, refuses to go back, and is removed at last."""

from __future__ import annotations

from pathlib import Path

import pytest
from guest_machine import BOOT_S, GuestError
from outside import JOURNAL, Outside
from releases import NEXT_VERSION
from rounds import Round

CONFIG = "/etc/fortune-table/table.toml"


def test_an_update_between_rounds_loses_nothing(outside: Outside, newer_package: Path) -> None:
    played = Round.drawn(outside, seed=41)
    brought = outside.machine.bring(newer_package)
    changed = outside.machine.run(f"sha256sum {CONFIG}")
    inode = outside.machine.run(f"stat -c %i {JOURNAL}")
    played.bet()
    meters = outside.meters["lifetime"]
    since = len(outside.heard)
    # Nobody is there to answer a question.
    said = outside.machine.run(f"dpkg --install {brought} </dev/null 2>&1", within_s=BOOT_S)
    started = outside.until_event("device-started", since, BOOT_S)
    assert started["software"] == NEXT_VERSION, said
    (stopped,) = outside.of_type("device-stopped", since)
    assert stopped["phase"] == "betting"
    outside.until_phase("suspended")
    assert outside.state["suspended_from"] == "betting"
    assert outside.machine.run(f"sha256sum {CONFIG}") == changed
    assert outside.machine.run(f"ls {CONFIG}.* 2>/dev/null || true") == ""
    assert outside.machine.run(f"stat -c %i {JOURNAL}") == inode
    assert outside.meters["lifetime"] == meters
    played.resume("betting")
    # A simulated pin forgets what holds it when a program claims it anew; a chip stays where it is.
    played.bet()
    played.lock()
    played.deal()
    played.show_and_pay()
    outside.check_feed()
    outside.machine.run(f"fortune-table verify {JOURNAL}")


def test_an_older_version_refuses_the_newer_journal_and_the_table_plays_on(
    outside: Outside, package: Path
) -> None:
    brought = outside.machine.bring(package)
    since = len(outside.heard)
    with pytest.raises(GuestError) as refused:
        outside.machine.run(f"dpkg --install {brought} </dev/null", within_s=BOOT_S)
    assert "written by newer software: install that version again" in str(refused.value)
    started = outside.until_event("device-started", since, BOOT_S)
    assert started["software"] == NEXT_VERSION
    assert outside.machine.run("dpkg-query -W -f '${Status} ${Version}' fortune-table") == (
        f"install ok installed {NEXT_VERSION}"
    )
    Round.drawn(outside, seed=42).play()
    outside.check_feed()


def test_removing_the_package_for_good_leaves_the_journal(outside: Outside) -> None:
    said = outside.machine.run("dpkg --purge fortune-table 2>&1", within_s=BOOT_S)
    assert "the journal stays" in said
    outside.machine.run(f"test -s {JOURNAL}")
