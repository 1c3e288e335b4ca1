"""What differs between the guests: one with a Pi's processor, and one that is made more quickly."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Final

BUILD_ARCHITECTURE: Final = "amd64"
"""That of the machine that the tests run on; what the guest needs is built there."""
SIZE: Final = ("-smp", "2", "-m", "1024")
"""Two processors, since more would take time from one another; the MiB of the smallest Pi 4."""


@dataclass(frozen=True, slots=True)
class Architecture:
    """One kind of guest, in the words of those who need to know it."""

    debian: str
    """Of its packages, and at the end of its kernels' versions."""
    kernel: str
    """In the kernel's sources."""
    processor: str
    """To compilers and to Python, before ``-linux-gnu``."""
    qemu: str
    machine: str
    model: str
    console: str
    """Its first serial port."""
    turns: str
    """To QEMU: whether its processors run side by side (``multi``) or in turns (``single``)."""
    pi: str | None = None
    """What its device tree says it is; None for a machine without one."""
    build_packages: tuple[str, ...] = ()
    programs: tuple[str, ...] = ()
    """Programs that are needed here for this kind of guest alone."""

    @property
    def build_architectures(self) -> tuple[str, ...]:
        """Those of the packages where what it needs is built; the first can run there."""
        return tuple(dict.fromkeys((BUILD_ARCHITECTURE, self.debian)))


AMD64: Final = Architecture(
    debian="amd64",
    kernel="x86",
    processor="x86_64",
    qemu="qemu-system-x86_64",
    machine="pc",
    model="max",
    console="ttyS0",
    # Kernels of this processor rewrite themselves while they run. QEMU 7.2 may translate an
    # instruction for one processor while the other rewrites it, and keep what is gone by then: one
    # boot in hundreds ended with "Oops: int3". In turns that cannot happen, and costs little.
    turns="single",
)
ARM64: Final = Architecture(
    debian="arm64",
    kernel="arm64",
    processor="aarch64",
    qemu="qemu-system-aarch64",
    machine="virt,gic-version=3",
    model="cortex-a72",
    console="ttyAMA0",
    turns="multi",
    pi="Raspberry Pi 4 Model B Rev 1.4",
    build_packages=("gcc-aarch64-linux-gnu", "libpython3-dev:arm64"),
    programs=("arch-test", "fdtput"),
)


def asked_for() -> Architecture:
    """Return the architecture that ``ARCH`` names in the environment; amd64 where it is not set."""
    name = os.environ.get("ARCH", AMD64.debian)
    for known in (AMD64, ARM64):
        if known.debian == name:
            return known
    raise SystemExit(f"ARCH={name}: use {AMD64.debian} or {ARM64.debian}")
