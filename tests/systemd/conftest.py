"""The packages, built once from this checkout without the network."""

from __future__ import annotations

import importlib.util
import shutil
from collections.abc import Callable
from importlib.metadata import distribution
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="session")
def build_deb() -> ModuleType:
    spec = importlib.util.spec_from_file_location(
        "build_deb", ROOT / "systemd" / "debian" / "build_deb.py"
    )
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="session")
def vendor_installed(build_deb: ModuleType) -> Callable[[Path], None]:
    """Copy the bundled packages from this environment, which has them from the same lock."""

    def vendor(folder: Path) -> None:
        for name in build_deb.BUNDLED:
            for file in distribution(name).files or ():
                if ".." in file.parts or "__pycache__" in file.parts:
                    continue
                target = folder / file
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(str(file.locate()), target)

    return vendor
