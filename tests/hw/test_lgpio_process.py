"""lgpio in processes of their own: its one thread, and the pipe it makes where it stands."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

_CHILD = Path(__file__).with_name("lgpio_child.py")
_TIMEOUT_S = 30
# Nobody can create anything in it, root included, which a read-only directory would not ensure.
_UNWRITABLE = Path("/proc")


def start_child(
    scenario: str, devices: Path, cwd: Path, environment: dict[str, str]
) -> subprocess.Popen[str]:
    inherited = {
        name: value
        for name, value in os.environ.items()
        if name not in ("LG_WD", "RUNTIME_DIRECTORY", "XDG_RUNTIME_DIR")
    }
    return subprocess.Popen(
        [sys.executable, str(_CHILD), scenario, str(devices)],
        cwd=cwd,
        env=inherited | environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )


def run_child(
    scenario: str, devices: Path, cwd: Path, environment: dict[str, str]
) -> dict[str, Any]:
    with start_child(scenario, devices, cwd, environment) as child:
        out, _ = child.communicate(timeout=_TIMEOUT_S)
    assert child.returncode == 0
    found: dict[str, Any] = json.loads(out.splitlines()[0])
    return found


def test_health_tells_within_two_seconds_that_lgpios_thread_has_ended(tmp_path: Path) -> None:
    found = run_child("thread_dies", tmp_path, tmp_path, {"LG_WD": str(tmp_path)})
    assert found["before"] == "spot1.bet" and found["healthy"] == "ok"
    assert found["status"] == "failed" and found["noticed_s"] < 2
    assert "restart the service" in found["detail"]
    assert found["bet_still_read"] is True  # reading the level does without the thread


@pytest.mark.parametrize("cwd", [Path("/"), _UNWRITABLE])
@pytest.mark.parametrize("variable", ["LG_WD", "RUNTIME_DIRECTORY", "XDG_RUNTIME_DIR"])
def test_lgpio_starts_from_any_directory_in_one_of_its_own(
    tmp_path: Path, cwd: Path, variable: str
) -> None:
    found = run_child("start", tmp_path, cwd, {variable: str(tmp_path)})
    assert found["alive"] and found["pipe"] and not found["moved"]
    assert Path(found["directory"]).parent == tmp_path
    assert found["mode"] == "0o700"
    assert not Path(found["directory"]).exists(), "left behind"


def test_without_any_runtime_directory_the_one_for_temporary_files_is_used(tmp_path: Path) -> None:
    found = run_child("start", tmp_path, Path("/"), {"TMPDIR": str(tmp_path)})
    assert Path(found["directory"]).parent == tmp_path


def test_of_several_runtime_directories_of_systemd_the_first_is_ours(tmp_path: Path) -> None:
    both = f"{tmp_path}:{tmp_path / 'other'}"
    found = run_child("start", tmp_path, Path("/"), {"RUNTIME_DIRECTORY": both})
    assert Path(found["directory"]).parent == tmp_path


@pytest.mark.parametrize("base", [str(_UNWRITABLE), "/does/not/exist"])
def test_a_runtime_directory_that_cannot_be_written_is_one_clear_error(
    tmp_path: Path, base: str
) -> None:
    found = run_child("start", tmp_path, tmp_path, {"LG_WD": base})
    assert base in found["error"] and "set LG_WD to a directory" in found["error"]


def test_two_instances_in_one_directory_have_a_pipe_each(tmp_path: Path) -> None:
    environment = {"LG_WD": str(tmp_path)}
    with (
        start_child("start", tmp_path, tmp_path, environment) as one,
        start_child("start", tmp_path, tmp_path, environment) as two,
    ):
        assert one.stdout is not None and two.stdout is not None
        first, second = json.loads(one.stdout.readline()), json.loads(two.stdout.readline())
        # Both live now; leaving closes their standard input, which ends them.
        assert first["alive"] and second["alive"]
        assert first["directory"] != second["directory"]
        one.communicate(timeout=_TIMEOUT_S)
        two.communicate(timeout=_TIMEOUT_S)
