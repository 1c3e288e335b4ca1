"""A table that plays for long uses as much as before, and one that leaks is found out."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from endurance_verdict import Sample, figures

ENDURANCE = Path(__file__).with_name("endurance.py")
MB = 1_000_000


def run(*options: str) -> tuple[int, dict[str, Any]]:
    done = subprocess.run(
        [sys.executable, ENDURANCE, *options],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=150,
    )
    last = done.stdout.splitlines()[-1]
    assert last.startswith("{"), done.stdout
    return done.returncode, json.loads(last)


def test_memory_files_and_threads_stay_flat() -> None:
    code, found = run("--rounds", "220", "--warm-up", "140")
    assert code == 0, found
    assert found["rounds"] == 220
    for name in ("rss_bytes", "sign_rss_bytes", "open_files", "threads"):
        assert found[name]["flat"], found
        assert found[name]["first"] > 0
        assert found[name]["max"] >= found[name]["last"]


def test_a_table_that_leaks_is_found_out() -> None:
    code, found = run("--rounds", "50", "--warm-up", "10", "--leak")
    assert code == 1
    assert not found["open_files"]["flat"]


def sample(number: int, **changes: int) -> Sample:
    usual = {"rss_bytes": 60 * MB, "sign_rss_bytes": 90 * MB, "open_files": 30, "threads": 8}
    return Sample(**(usual | changes))


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("rss_bytes", [60 * MB + 40_000 * number for number in range(120)]),
        ("sign_rss_bytes", [90 * MB + 100_000 * number for number in range(120)]),
        ("open_files", [30 + number // 60 for number in range(120)]),
        ("threads", [8 - number // 60 for number in range(120)]),
    ],
)
def test_what_grows_or_gets_lost_is_not_flat(name: str, values: list[int]) -> None:
    found = figures([sample(number, **{name: value}) for number, value in enumerate(values)])
    assert [each for each in found if not found[each]["flat"]] == [name]


def test_a_warm_up_and_single_peaks_are_flat() -> None:
    samples = [
        sample(number, rss_bytes=min(60, 40 + number) * MB + (number % 7 == 0) * MB)
        for number in range(120)
    ]
    found = figures(samples)
    assert all(each["flat"] for each in found.values())
    assert found["rss_bytes"]["first"] == 41 * MB
    assert found["rss_bytes"]["max"] == 61 * MB


def test_too_few_samples_say_nothing() -> None:
    with pytest.raises(ValueError, match="take at least 8"):
        figures([sample(number) for number in range(7)])
