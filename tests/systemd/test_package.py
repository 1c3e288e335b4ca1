"""The Debian packages: the same bytes each time, complete, and runnable from where they unpack."""

from __future__ import annotations

import hashlib
import json
import os
import re
import sqlite3
import subprocess
import sys
import tomllib
from contextlib import closing
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from firmware_app.journal.schema import SCHEMA_VERSION

ROOT = Path(__file__).resolve().parents[2]
DEBIAN = ROOT / "systemd" / "debian"
PRIVATE = "usr/lib/fortune-table"


def output_of(*command: str, **more: Any) -> str:
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False, **more)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def package(
    build_deb: ModuleType, vendor_installed: Any, tmp_path_factory: pytest.TempPathFactory
) -> Path:
    built: Path = build_deb.build("amd64", tmp_path_factory.mktemp("first"), vendor_installed)
    return built


@pytest.fixture(scope="module")
def unpacked(package: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    tree = tmp_path_factory.mktemp("tree")
    output_of("dpkg-deb", "-x", str(package), str(tree))
    return tree


def test_the_same_inputs_give_the_same_bytes(
    build_deb: ModuleType,
    vendor_installed: Any,
    package: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("TZ", "Pacific/Auckland")
    monkeypatch.chdir(tmp_path)
    before = os.umask(0o077)
    try:
        again = build_deb.build("amd64", tmp_path, vendor_installed)
    finally:
        os.umask(before)
    digests = {hashlib.sha256(path.read_bytes()).hexdigest() for path in (package, again)}
    assert len(digests) == 1


def test_name_version_and_architecture_are_the_projects(
    build_deb: ModuleType, vendor_installed: Any, package: Path, tmp_path: Path
) -> None:
    version = build_deb.project_version()
    arm64 = build_deb.build("arm64", tmp_path, vendor_installed)
    for path, architecture in ((package, "amd64"), (arm64, "arm64")):
        assert path.name == f"fortune-table_{version}_{architecture}.deb"
        fields = output_of("dpkg-deb", "-f", str(path), "Version", "Architecture")
        assert fields.split() == ["Version:", version, "Architecture:", architecture]


def test_everything_belongs_to_root_and_nobody_else_writes(package: Path) -> None:
    for line in output_of("dpkg-deb", "-c", str(package)).splitlines():
        mode, owner = line.split()[:2]
        assert owner == "root/root", line
        assert mode[5] == mode[8] == "-", line


def test_every_file_of_the_application_is_in_it(unpacked: Path) -> None:
    tracked = output_of("git", "-C", str(ROOT), "ls-files", "firmware_app", "hw").splitlines()
    # Pictures are of the manual, not of the application.
    wanted = {name for name in tracked if Path(name).suffix not in (".png",)}
    packed = {
        str(path.relative_to(unpacked / PRIVATE))
        for room in ("firmware_app", "hw")
        for path in (unpacked / PRIVATE / room).rglob("*")
        if path.is_file()
    }
    assert wanted <= packed


def test_it_runs_from_where_it_unpacks(unpacked: Path) -> None:
    environment = os.environ | {"PYTHONPATH": str(unpacked / PRIVATE), "PYTHONSAFEPATH": "1"}
    where = output_of(
        sys.executable,
        "-c",
        "import firmware_app, hw, cloudevents, gpiozero; "
        "print(firmware_app.__file__, hw.__file__, cloudevents.__file__, gpiozero.__file__)",
        env=environment,
        cwd="/",
    )
    assert all(path.startswith(str(unpacked / PRIVATE)) for path in where.split())
    hand = ["QS", "QH", "QD", "QC", "JK", "4D", "9H"]
    told = output_of(
        sys.executable, "-m", "firmware_app", "evaluate", "--rules", "envy", "--json", *hand,
        env=environment, cwd="/",
    )  # fmt: skip
    assert json.loads(told)["line"] == "four_of_a_kind"


def test_the_configuration_is_kept_and_is_the_sample(package: Path, unpacked: Path) -> None:
    conffiles = output_of("dpkg-deb", "-I", str(package), "conffiles").split()
    assert conffiles == ["/etc/fortune-table/table.toml"]
    installed = (unpacked / "etc/fortune-table/table.toml").read_bytes()
    assert installed == (ROOT / "systemd" / "table.toml").read_bytes()


def test_the_unit_starts_what_the_package_installs(unpacked: Path) -> None:
    unit = (unpacked / "usr/lib/systemd/system/fortune-table.service").read_text("utf-8")
    path = re.search(r"PYTHONPATH=(\S+)", unit)
    assert path is not None
    assert (unpacked / path[1].lstrip("/") / "firmware_app" / "__main__.py").is_file()
    launcher = (unpacked / "usr/bin/fortune-table").read_text("utf-8")
    assert f"PYTHONPATH={path[1]} " in launcher


def test_the_samples_of_brokers_are_among_the_examples_with_what_explains_them(
    unpacked: Path,
) -> None:
    examples = unpacked / "usr/share/doc/fortune-table/examples"
    for broker, names in (
        ("mosquitto", {"README.md", "bridge.conf", "site.acl", "site.conf", "table.conf"}),
        ("cluster", {"README.md", "node.conf"}),
    ):
        folder = examples / broker
        assert {path.name for path in folder.iterdir()} == names
        for name in names:
            assert (folder / name).read_bytes() == (ROOT / "systemd" / broker / name).read_bytes()
        for target in re.findall(r"\]\(([^)#]+)", (folder / "README.md").read_text("utf-8")):
            assert (folder / target).exists(), f"{broker}/README.md points to {target}"


def test_every_dependency_of_the_project_is_bundled_or_asked_of_the_distribution(
    build_deb: ModuleType, package: Path
) -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    depends = output_of("dpkg-deb", "-f", str(package), "Depends")
    # Debian names them by what is imported.
    debian_name = {"pyserial": "serial"}
    for requirement in project["dependencies"]:
        name, least = re.fullmatch(r"([a-z-]+)>=([\d.]+)", requirement).groups()  # type: ignore[union-attr]
        if name not in build_deb.BUNDLED:
            assert f"python3-{debian_name.get(name, name)} (>= {least})" in depends


def test_bundled_packages_are_pinned_by_hash(build_deb: ModuleType) -> None:
    lines = build_deb.locked(build_deb.BUNDLED)
    names = re.findall(r"^([a-z]+)==", lines, re.MULTILINE)
    assert sorted(names) == sorted(build_deb.BUNDLED)
    for block in re.split(r"^(?=[a-z])", lines, flags=re.MULTILINE)[1:]:
        assert "--hash=sha256:" in block


@pytest.mark.parametrize(("newer_by", "refused"), [(None, False), (0, False), (1, True)])
def test_a_package_is_not_installed_over_a_journal_that_its_software_cannot_read(
    package: Path, tmp_path: Path, newer_by: int | None, refused: bool
) -> None:
    journal = tmp_path / "journal.sqlite3"
    if newer_by is not None:
        with closing(sqlite3.connect(journal)) as database:
            database.execute(f"PRAGMA user_version = {SCHEMA_VERSION + newer_by}")
            database.execute("CREATE TABLE entry (number INTEGER)")
    script = output_of("dpkg-deb", "-I", str(package), "preinst")
    assert "/var/lib/fortune-table/journal.sqlite3" in script
    script = script.replace("/var/lib/fortune-table/journal.sqlite3", str(journal))
    done = subprocess.run(
        ["sh", "-c", script, "preinst", "upgrade", "1.0"],
        capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert done.returncode == refused, done.stderr
    assert (f"{journal} has schema {SCHEMA_VERSION + 1}" in done.stderr) == refused


@pytest.mark.parametrize("name", ["preinst", "postinst", "prerm", "postrm", "launcher"])
def test_a_script_can_be_read_by_the_shell(name: str) -> None:
    output_of("sh", "-n", str(DEBIAN / name))
