"""Builds the Debian packages: ``build_deb.py [--out DIR] [ARCHITECTURE …]``; default arm64, amd64.

The same inputs give the same bytes: names are sorted, times come from the changelog (or
``SOURCE_DATE_EPOCH``), owners are root. Neither root nor a running systemd is needed.

What Debian 13 has in the version that the application needs comes from there; the rest is put
beside the application, in its private folder, as ``requirements.lock`` pins it by hash.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
import zipfile
from collections.abc import Callable, Iterator
from email.utils import parsedate_to_datetime
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SYSTEMD = ROOT / "systemd"
DEBIAN = SYSTEMD / "debian"
ARCHITECTURES = ("arm64", "amd64")
BUNDLED = ("cloudevents", "colorzero", "gpiozero")
"""Pure Python. Debian 13 has no cloudevents, and a gpiozero (1.6) that is too old."""
PRIVATE = "usr/lib/fortune-table"
DOC = "usr/share/doc/fortune-table"
SCRIPTS = ("preinst", "postinst", "prerm", "postrm")

Vendor = Callable[[Path], None]
"""Puts the bundled packages into a folder."""


def changelog_head() -> tuple[str, int]:
    """Return version and time (seconds since 1970) of the newest entry of the changelog."""
    text = (DEBIAN / "changelog").read_text("utf-8")
    version = re.match(r"fortune-table \(([^)]+)\)", text)
    date = re.search(r"^ -- .*>  (.+)$", text, re.MULTILINE)
    if version is None or date is None:
        raise SystemExit(f"{DEBIAN / 'changelog'}: the first entry has no version or no date")
    return version[1], int(parsedate_to_datetime(date[1]).timestamp())


def project_version() -> str:
    """Return the version, which project and changelog must agree on."""
    project: str = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["version"]
    packaged, _ = changelog_head()
    if project != packaged:
        raise SystemExit(
            f"pyproject.toml has version {project}, systemd/debian/changelog {packaged}; "
            "add an entry to the changelog"
        )
    return project


def journal_schema() -> int:
    """Return the newest schema of the journal that the application knows."""
    text = (ROOT / "firmware_app" / "journal" / "schema.py").read_text("utf-8")
    found = re.search(r"^SCHEMA_VERSION: Final = (\d+)$", text, re.MULTILINE)
    if found is None:
        raise SystemExit("firmware_app/journal/schema.py names no SCHEMA_VERSION")
    return int(found[1])


def locked(names: tuple[str, ...]) -> str:
    """Return the lines of ``requirements.lock`` that pin ``names``, with their hashes."""
    blocks = re.split(r"^(?=[a-z0-9])", (ROOT / "requirements.lock").read_text("utf-8"), flags=re.M)
    chosen = [block for block in blocks if block.partition("==")[0] in names]
    if len(chosen) != len(names):
        raise SystemExit(f"requirements.lock does not pin all of {', '.join(names)}")
    return "".join(chosen)


def vendor_by_pip(folder: Path) -> None:
    """Fetch the bundled packages by the hashes of ``requirements.lock``."""
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as pins:
        pins.write(locked(BUNDLED))
        pins.flush()
        _pip("install", "--no-deps", "--no-compile", "--require-hashes", "--only-binary=:all:",
             "--target", str(folder), "--requirement", pins.name)  # fmt: skip


def build(architecture: str, out: Path, vendor: Vendor = vendor_by_pip) -> Path:
    """Build the package of ``architecture`` into the folder ``out``; return its path."""
    version = project_version()
    epoch = int(os.environ.get("SOURCE_DATE_EPOCH") or changelog_head()[1])
    out.mkdir(parents=True, exist_ok=True)
    package = out / f"fortune-table_{version}_{architecture}.deb"
    with tempfile.TemporaryDirectory() as scratch:
        tree = Path(scratch) / "tree"
        _application(tree / PRIVATE, Path(scratch), epoch)
        vendor(tree / PRIVATE)
        _tidy(tree / PRIVATE)
        _system_files(tree)
        _control(tree, version, architecture)
        _normalise(tree, epoch)
        subprocess.run(
            ["dpkg-deb", "--root-owner-group", "-Zxz", "--build", str(tree), str(package)],
            check=True,
            stdout=subprocess.DEVNULL,
            # xz cuts its blocks by the number of threads, which differs from machine to machine.
            env=os.environ | {"SOURCE_DATE_EPOCH": str(epoch), "DPKG_DEB_THREADS_MAX": "1"},
        )
    return package


def _pip(*arguments: str, epoch: int | None = None) -> None:
    environment = dict(os.environ, PIP_DISABLE_PIP_VERSION_CHECK="1")
    if epoch is not None:
        environment["SOURCE_DATE_EPOCH"] = str(epoch)
    subprocess.run(
        [sys.executable, "-m", "pip", "--quiet", *arguments], check=True, env=environment
    )


def _application(folder: Path, scratch: Path, epoch: int) -> None:
    """Lay out the two packages as setuptools installs them, with their metadata."""
    source = scratch / "source"
    ignore = shutil.ignore_patterns("__pycache__")
    for name in ("firmware_app", "hw"):
        shutil.copytree(ROOT / name, source / name, ignore=ignore)
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, source / name)
    # Built from a copy, since setuptools leaves its working files where the source is.
    _pip("wheel", "--no-deps", "--no-build-isolation", "--no-index",
         "--wheel-dir", str(scratch), str(source), epoch=epoch)  # fmt: skip
    (wheel,) = scratch.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder)


def _tidy(folder: Path) -> None:
    """Take away what the application has no use for: scripts, papers, caches, installers' records
    of this machine."""
    for name in ("bin", "gpiozerocli"):
        shutil.rmtree(folder / name, ignore_errors=True)
    for paper in folder.glob("*.md"):
        paper.unlink()
    for cache in list(folder.rglob("__pycache__")):
        shutil.rmtree(cache)
    for info in folder.glob("*.dist-info"):
        for name in ("RECORD", "INSTALLER", "REQUESTED", "direct_url.json"):
            (info / name).unlink(missing_ok=True)


def _system_files(tree: Path) -> None:
    placed = {
        SYSTEMD / "fortune-table.service": "usr/lib/systemd/system/fortune-table.service",
        SYSTEMD / "fortune-table.sysusers": "usr/lib/sysusers.d/fortune-table.conf",
        SYSTEMD / "fortune-table.tmpfiles": "usr/lib/tmpfiles.d/fortune-table.conf",
        SYSTEMD / "fortune-table.modules": "usr/lib/modules-load.d/fortune-table.conf",
        SYSTEMD / "fortune-table.udev": "usr/lib/udev/rules.d/60-fortune-table.rules",
        SYSTEMD / "table.toml": "etc/fortune-table/table.toml",
        DEBIAN / "launcher": "usr/bin/fortune-table",
        DEBIAN / "copyright": f"{DOC}/copyright",
        ROOT / "README.md": f"{DOC}/README.md",
        ROOT / "hw" / "WIRING.md": f"{DOC}/WIRING.md",
    }
    placed |= {
        sample: f"{DOC}/examples/{sample.name}" for sample in (SYSTEMD / "examples").glob("*.conf")
    }
    # With what explains them: a broker's samples are of use on the Pi, or on the way to the broker.
    placed |= {
        sample: f"{DOC}/examples/{broker}/{sample.name}"
        for broker in ("mosquitto", "cluster")
        for sample in (SYSTEMD / broker).iterdir()
    }
    for source, name in placed.items():
        target = tree / name
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(source, target)
    packed = {
        "changelog": f"{DOC}/changelog.gz",
        "fortune-table.1": "usr/share/man/man1/fortune-table.1.gz",
    }
    for source_name, name in packed.items():
        (tree / name).parent.mkdir(parents=True, exist_ok=True)
        content = (DEBIAN / source_name).read_bytes()
        # mtime 0, since gzip writes the time of packing into its head.
        (tree / name).write_bytes(gzip.compress(content, mtime=0))


def _control(tree: Path, version: str, architecture: str) -> None:
    files = sorted(_files(tree))
    control = tree / "DEBIAN"
    control.mkdir()
    for name in (*SCRIPTS, "conffiles"):
        text = (DEBIAN / name).read_text("utf-8").replace("@SCHEMA@", str(journal_schema()))
        (control / name).write_text(text, "utf-8")
    (control / "control").write_text(
        (DEBIAN / "control.in")
        .read_text("utf-8")
        # One logical line: Debian's tools take a folded list of dependencies for an error.
        .replace(",\n ", ", ")
        .format(
            version=version,
            architecture=architecture,
            installed_kib=sum(-(-file.stat().st_size // 1024) for file in files),
        ),
        "utf-8",
    )
    (control / "md5sums").write_text(
        "".join(
            f"{hashlib.md5(file.read_bytes(), usedforsecurity=False).hexdigest()}  "
            f"{file.relative_to(tree)}\n"
            for file in files
            if not file.is_relative_to(tree / "etc")
        ),
        "utf-8",
    )


def _normalise(tree: Path, epoch: int) -> None:
    """Give everything the modes and times that do not depend on who builds."""
    executable = {tree / "usr/bin/fortune-table", *(tree / "DEBIAN" / name for name in SCRIPTS)}
    for path in [*tree.rglob("*"), tree]:
        path.chmod(0o755 if path.is_dir() or path in executable else 0o644)
        os.utime(path, (epoch, epoch))


def _files(tree: Path) -> Iterator[Path]:
    return (path for path in tree.rglob("*") if path.is_file())


def main() -> None:
    """Build what the command line asks for, and print the paths."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("architectures", nargs="*", default=list(ARCHITECTURES))
    parser.add_argument("--out", type=Path, default=ROOT / "dist")
    asked = parser.parse_args()
    for architecture in asked.architectures:
        if architecture not in ARCHITECTURES:
            parser.error(f"architecture {architecture!r}: use {' or '.join(ARCHITECTURES)}")
        sys.stdout.write(f"{build(architecture, asked.out)}\n")


if __name__ == "__main__":
    main()
