"""Every package that is built can be booted, and an unknown architecture is refused by name."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest
from architecture import asked_for

BUILD_DEB = Path(__file__).parents[2] / "systemd" / "debian" / "build_deb.py"


def built_architectures() -> tuple[str, ...]:
    spec = importlib.util.spec_from_file_location("built_architectures", BUILD_DEB)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    names: tuple[str, ...] = module.ARCHITECTURES
    return names


@pytest.mark.parametrize("name", built_architectures())
def test_a_package_that_is_built_has_a_machine_to_boot_it(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ARCH", name)
    assert asked_for().debian == name


def test_an_architecture_that_no_package_is_built_for_is_refused_by_name(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("ARCH", "riscv64")
    with pytest.raises(SystemExit, match="ARCH=riscv64: use amd64 or arm64"):
        asked_for()
