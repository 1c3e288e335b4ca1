"""Killed again and again while the broker comes and goes: nothing lost, doubled or contradicted."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

SOAK = Path(__file__).with_name("soak.py")
PROMISES = ("lost", "duplicated", "disordered", "contradicted")


def run(tmp_path: Path, kills: int, *options: str) -> tuple[int, dict[str, Any], str]:
    """Return the exit code, the verdict, and everything that the soak said."""
    done = subprocess.run(
        [sys.executable, SOAK, "--kills", str(kills), "--out", tmp_path / "soak", *options],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=150,
    )
    last = done.stdout.splitlines()[-1]
    assert last.startswith("{"), done.stdout
    return done.returncode, json.loads(last), done.stdout


def test_a_table_that_is_killed_at_random_moments_loses_nothing(tmp_path: Path) -> None:
    code, verdict, said = run(tmp_path, 20, "--seed", "7")
    assert code == 0, said
    assert verdict == {
        "kills": 20,
        "rounds": verdict["rounds"],
        "lost": 0,
        "duplicated": 0,
        "disordered": 0,
        "contradicted": 0,
    }, said
    assert verdict["rounds"] > 0


def test_nor_does_it_with_the_embedded_broker(tmp_path: Path) -> None:
    code, verdict, said = run(tmp_path, 6, "--seed", "3", "--embedded")
    assert code == 0, said
    assert [verdict[promise] for promise in PROMISES] == [0, 0, 0, 0], said


@pytest.mark.parametrize(
    ("sabotage", "promise"),
    [
        ("unsent-only-in-memory", "lost"),
        ("shown-before-recorded", "contradicted"),
        ("other-bytes-each-time", "duplicated"),
        ("newest-first", "disordered"),
    ],
)
def test_a_table_that_is_broken_on_purpose_is_found_out(
    sabotage: str, promise: str, tmp_path: Path
) -> None:
    code, verdict, said = run(tmp_path, 12, "--seed", "1", "--sabotage", sabotage)
    assert code == 1, said
    assert verdict[promise] > 0, said
