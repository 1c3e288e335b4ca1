"""No code of the table may wait for the network without an end."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
FORBIDDEN = {"loop_forever", "loop_stop_forever", "connect_srv"}


def calls(path: Path) -> list[tuple[str, ast.Call]]:
    return [
        (node.func.attr, node)
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)
    ]


@pytest.mark.parametrize("package", ["firmware_app", "hw"])
def test_nobody_waits_for_a_publish_or_runs_an_endless_loop(package: str) -> None:
    paths = sorted((ROOT / package).rglob("*.py"))
    assert paths
    found = [
        f"{path.relative_to(ROOT)}:{call.lineno} {name}"
        for path in paths
        for name, call in calls(path)
        if name in FORBIDDEN | {"wait_for_publish", "is_connected"}
    ]
    assert found == []
