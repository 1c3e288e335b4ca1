"""The release after this one, made from this checkout: what a table is updated to."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Final

from guest_image import ROOT

NEXT_VERSION: Final = "99.0"
_SOURCES: Final = (
    "firmware_app", "hw", "systemd", "pyproject.toml", "requirements.lock", "README.md", "LICENSE",
)  # fmt: skip


def next_release(folder: Path, architecture: str) -> Path:
    """Build the package of version :data:`NEXT_VERSION`, whose journal has a schema of its own."""
    for name in _SOURCES:
        source = ROOT / name
        if source.is_dir():
            shutil.copytree(source, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(source, folder / name)
    _replace(folder / "pyproject.toml", r'^version = "[^"]+"$', f'version = "{NEXT_VERSION}"')
    _replace(
        folder / "systemd/debian/changelog",
        r"\Afortune-table \([^)]+\)",
        f"fortune-table ({NEXT_VERSION})",
    )
    schema = folder / "firmware_app/journal/schema.py"
    found = re.search(r"^SCHEMA_VERSION: Final = (\d+)$", schema.read_text("utf-8"), re.MULTILINE)
    assert found is not None
    known = int(found[1])
    _replace(schema, r"^SCHEMA_VERSION: Final = \d+$", f"SCHEMA_VERSION: Final = {known + 1}")
    with schema.open("a", encoding="utf-8") as file:
        file.write(f"MIGRATIONS[{known}] = lambda connection: None\n")
    done = subprocess.run(
        [
            sys.executable,
            folder / "systemd/debian/build_deb.py",
            "--out",
            folder / "dist",
            architecture,
        ],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return Path(done.stdout.strip())


def _replace(path: Path, pattern: str, by: str) -> None:
    text, times = re.subn(pattern, by, path.read_text("utf-8"), flags=re.MULTILINE)
    assert times == 1, f"{path}: {pattern} stands there {times} times"
    path.write_text(text, "utf-8")
