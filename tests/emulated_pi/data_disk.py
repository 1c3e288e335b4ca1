"""A disk of its own for the journal, as ``systemd/examples/read-only-root.conf`` advises."""

from __future__ import annotations

import re
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Self

from block_log import SECTOR_BYTES
from guest_image import ROOT

SAMPLE: Final = ROOT / "systemd" / "examples" / "read-only-root.conf"
DROP_IN: Final = "/etc/systemd/system/fortune-table.service.d"
SUPERBLOCK: Final = range(2, 4)
"""Its sectors. ext4 writes them in place and checks them as one: a disk that tears them apart has
no file system, whatever lies on it. Cards write 4 KiB and more at once."""
SIZE: Final = "512M"
"""More than the free space below which no round opens."""
LOG_BYTES: Final = 8 << 30
"""Sparse: far more than a guest writes in minutes."""


@dataclass(frozen=True, slots=True)
class DataDisk:
    """A disk image, and the log of every request to it, None where nobody wants to know."""

    image: Path
    log: Path | None = None

    @classmethod
    def new(cls, folder: Path) -> Self:
        """Make an empty disk with its log in ``folder``."""
        made = cls(folder / "data.img", folder / "data.log")
        # All at once: the kernel would go on making the file system after it is mounted.
        _run(
            "mke2fs", "-q", "-t", "ext4", "-L", _label(),
            "-E", "lazy_itable_init=0,lazy_journal_init=0", str(made.image), SIZE,
        )  # fmt: skip
        with (folder / "data.log").open("wb") as file:
            file.truncate(LOG_BYTES)
        return made

    def options(self) -> list[str]:
        """Return what QEMU is told. Its own flushes to this machine's disk prove nothing here."""
        file = "driver=file,cache.no-flush=on"
        if self.log is None:
            nodes = ["-blockdev", f"{file},node-name=data,filename={self.image}"]
        else:
            nodes = [
                "-blockdev", f"{file},node-name=data-file,filename={self.image}",
                "-blockdev", f"{file},node-name=data-log,filename={self.log}",
                "-blockdev", "driver=blklogwrites,node-name=data,file=data-file,log=data-log,"
                f"log-sector-size={SECTOR_BYTES}",
            ]  # fmt: skip
        return [*nodes, "-device", "virtio-blk-pci,drive=data"]

    def faults(self) -> str:
        """Replay the file system's journal, as mounting does; return what is wrong after that."""
        for options, good in ((("-E", "journal_only", "-p"), (0, 1)), (("-f", "-n"), (0,))):
            done = _done("e2fsck", *options, str(self.image))
            if done.returncode not in good:
                return done.stdout + done.stderr
        return ""

    def copy_files(self, folder: Path) -> None:
        """Copy all its files into ``folder``, which is made."""
        folder.mkdir()
        _run("debugfs", "-R", f"rdump / {folder}", str(self.image))


def fit_out(disk: Path, scratch: Path) -> None:
    """Let the guest on ``disk`` mount its root read-only and the journal's disk beside it, as the
    sample says."""
    fstab = scratch / "fstab"
    fstab.write_text("/dev/vda / ext4 ro,noatime 0 0\n" + "\n".join(_mounts()) + "\n")
    commands = scratch / "fit-out"
    commands.write_text(
        f"cd /etc\nrm fstab\nwrite {fstab} fstab\ncd {DROP_IN}\nwrite {SAMPLE} data.conf\n"
    )
    _run("debugfs", "-w", "-f", str(commands), str(disk))
    # debugfs ends with 0 whatever happens.
    for made, source in (("/etc/fstab", fstab), (f"{DROP_IN}/data.conf", SAMPLE)):
        assert _run("debugfs", "-R", f"cat {made}", str(disk)) == source.read_text("utf-8"), made


def _mounts() -> list[str]:
    """Return the lines of fstab that the sample gives."""
    return re.findall(r"^#   (\S.*)$", SAMPLE.read_text("utf-8"), re.MULTILINE)


def _label() -> str:
    (label,) = re.findall(r"LABEL=(\S+)", "\n".join(_mounts()))
    return str(label)


def _run(*command: str) -> str:
    done = _done(*command)
    assert done.returncode == 0, f"{' '.join(command)}\n{done.stdout}{done.stderr}"
    return done.stdout


def _done(*command: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, capture_output=True, text=True, check=False)
