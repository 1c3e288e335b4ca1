"""No code of the table may wait for the network without an end."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]

# What plays at the table. The simulated fleet and the back office are on the other side.
TABLE = ("cards.py", "rules", "table", "journal", "feed", "signage", "runtime", "assembly.py")


def calls(path: Path) -> Iterator[tuple[str, ast.Call]]:
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            yield node.func.attr, node


def sources(root: Path) -> list[Path]:
    found = [root] if root.is_file() else sorted(root.rglob("*.py"))
    assert found, root
    return found


@pytest.mark.parametrize("package", ["firmware_app", "hw"])
def test_nobody_waits_for_a_publish_without_an_end(package: str) -> None:
    untimed = [
        f"{path.relative_to(ROOT)}:{call.lineno}"
        for path in sources(ROOT / package)
        for name, call in calls(path)
        if name == "wait_for_publish" and not (call.args or call.keywords)
    ]
    assert untimed == []


@pytest.mark.parametrize("room", TABLE)
def test_nothing_at_the_table_waits_for_a_publish_at_all(room: str) -> None:
    """Nor runs the client's endless loop, nor believes its word that it is connected."""
    found = [
        f"{path.relative_to(ROOT)}:{call.lineno} {name}"
        for path in sources(ROOT / "firmware_app" / room)
        for name, call in calls(path)
        if name in {"wait_for_publish", "loop_forever", "is_connected"}
    ]
    assert found == []
