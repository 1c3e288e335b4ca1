"""The import arrows between rooms: data flows one way, and hardware knows nothing of the game."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent

# What a room may import of the two packages, itself included. A prefix allows all beneath it.
ROOMS: dict[str, tuple[str, ...]] = {
    "firmware_app/cards.py": (),
    "firmware_app/rules": ("firmware_app.cards", "firmware_app.rules"),
    "firmware_app/table": ("firmware_app.cards", "firmware_app.rules", "firmware_app.table"),
    "firmware_app/journal": (
        "firmware_app.cards",
        "firmware_app.rules",
        "firmware_app.table",
        "firmware_app.journal",
    ),
    "firmware_app/feed": (
        "firmware_app.cards",
        "firmware_app.rules",
        "firmware_app.table",
        "firmware_app.journal",
        "firmware_app.feed",
    ),
    # Control speaks to a running table through what the assembly hands it, and to no other room.
    "firmware_app/control": (
        "firmware_app.cards",
        "firmware_app.rules",
        "firmware_app.table",
        "firmware_app.journal",
        "firmware_app.control",
    ),
    # The casino's side: it knows the feed and the rules, and no table from inside.
    "firmware_app/backoffice": (
        "firmware_app.rules",
        "firmware_app.feed",
        "firmware_app.backoffice",
    ),
    "firmware_app/signage": (
        "firmware_app.cards",
        "firmware_app.rules",
        "firmware_app.table",
        "firmware_app.signage",
    ),
    # The runtime and the configuration know the hardware by its plain values and settings.
    "firmware_app/runtime": (
        "firmware_app.cards",
        "firmware_app.rules",
        "firmware_app.table",
        "firmware_app.journal",
        "firmware_app.feed",
        "firmware_app.signage",
        "firmware_app.runtime",
        "hw",
    ),
    "firmware_app/config.py": (
        "firmware_app.rules",
        "firmware_app.table",
        "firmware_app.control.settings",
        "firmware_app.feed.settings",
        "firmware_app.signage.settings",
        "firmware_app.runtime.intake",
        "hw.settings",
        "hw.reader.settings",
    ),
    "firmware_app/diagnosis": (
        "firmware_app.cards",
        "firmware_app.config",
        "firmware_app.rules",
        "firmware_app.table",
        "firmware_app.journal",
        "firmware_app.feed",
        "firmware_app.signage",
        "firmware_app.runtime",
        "firmware_app.diagnosis",
        "hw",
    ),
    "hw": ("hw",),
}

# What of the outside world the pure rooms may use beside the standard library.
PURE_ROOMS = {
    "firmware_app/cards.py": set(),
    "firmware_app/rules": {"pydantic", "pydantic_core"},
    "firmware_app/table": {"pydantic"},
}
IMPURE_STDLIB = {"socket", "threading", "subprocess", "time", "asyncio", "sqlite3", "random"}


def modules(room: str) -> list[Path]:
    path = ROOT / room
    return [path] if path.is_file() else sorted(path.rglob("*.py"))


def imports(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative imports hide the arrow"
            assert node.module is not None
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def is_beneath(module: str, prefix: str) -> bool:
    return module == prefix or module.startswith(prefix + ".")


@pytest.mark.parametrize("room", ROOMS)
def test_a_room_imports_only_the_rooms_before_it(room: str) -> None:
    assert modules(room), f"{room} holds no module"
    for path in modules(room):
        for module in imports(path):
            if module.split(".")[0] not in ("firmware_app", "hw"):
                continue
            allowed = any(is_beneath(module, prefix) for prefix in ROOMS[room])
            # `from firmware_app.rules import x` also names the package that holds the room.
            names_package = any(prefix.startswith(module + ".") for prefix in ROOMS[room])
            assert allowed or names_package, f"{path.relative_to(ROOT)} imports {module}"


@pytest.mark.parametrize("room", PURE_ROOMS)
def test_a_pure_room_has_no_clock_thread_or_io(room: str) -> None:
    import sys

    for path in modules(room):
        for module in imports(path):
            top = module.split(".")[0]
            if top in ("firmware_app", "__future__"):
                continue
            assert top not in IMPURE_STDLIB, f"{path.relative_to(ROOT)} imports {module}"
            known = top in sys.stdlib_module_names or top in PURE_ROOMS[room]
            assert known, f"{path.relative_to(ROOT)} imports {module}"


def test_every_module_belongs_to_a_room_or_wires_the_rooms() -> None:
    wiring = {
        "firmware_app/__init__.py",
        "firmware_app/__main__.py",
        "firmware_app/assembly.py",
        "firmware_app/cli.py",
    }
    homes = (*ROOMS, "firmware_app/commands", "firmware_app/simulation")
    for path in (ROOT / "firmware_app").rglob("*.py"):
        name = path.relative_to(ROOT).as_posix()
        placed = any(name == home or name.startswith(home + "/") for home in homes)
        assert placed or name in wiring, f"{name} is in no room"
