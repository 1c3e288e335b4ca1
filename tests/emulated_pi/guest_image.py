"""Makes the guest: a Debian 13 disk with the package on it, its kernel, and the simulated pins.

Everything slow is kept in the cache folder and made again only when what it depends on has changed:
the root file system (minutes), the kernel's gpio-sim module and lgpio (a minute each). The disk
is made anew for each run, from the package that was just built. Needs root, since a root file
system holds files of root, and the programs that :data:`PROGRAMS` and the architecture name. What
is of another architecture than this machine is cross-compiled; its packages' scripts run by
qemu-user, which has to be registered with the kernel (``qemu-user-static`` does).

The packages come from the mirror that this machine's own apt uses.
"""

from __future__ import annotations

import gzip
import hashlib
import logging
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from architecture import BUILD_ARCHITECTURE, Architecture
from device_tree import write_device_tree

log = logging.getLogger(__name__)

HERE: Final = Path(__file__).resolve().parent
ROOT: Final = HERE.parents[1]
SUITE: Final = "trixie"
KEYRING: Final = "/usr/share/keyrings/debian-archive-keyring.gpg"
PROGRAMS: Final = ("mmdebstrap", "mke2fs", "depmod", "cpio", "mosquitto")

# What the package depends on is named here too, so that installing it needs no mirror.
GUEST_PACKAGES: Final = (
    "systemd-sysv",
    "udev",
    "dbus",
    "kmod",
    "procps",
    "util-linux",
    "systemd-timesyncd",
    "python3",
    "python3-click",
    "python3-dateutil",
    "python3-deprecation",
    "python3-paho-mqtt",
    "python3-pydantic",
    "python3-pygame",
    "python3-rich",
    "python3-serial",
    "init-system-helpers",
    "libdrm2",
    "libegl1",
    "libgbm1",
    "libgl1-mesa-dri",
    "libgles2",
)
BUILD_PACKAGES: Final = (
    "gcc",
    "make",
    "bc",
    "libelf1t64",
    "libssl3t64",
    "zlib1g",
    "kmod",
    "perl-base",
    "xz-utils",
    "bzip2",
    "tar",
    "swig",
    "python3-dev",
    "python3-setuptools",
    "python3-wheel",
    "python3-pip",
)
MODULES_AT_START: Final = ("virtio_pci", "virtio_blk", "ext4", "crc32c_generic")
DISK_SIZE: Final = "2G"


@dataclass(frozen=True, slots=True)
class GuestFiles:
    """What QEMU boots."""

    architecture: Architecture
    kernel: Path
    initramfs: Path
    disk: Path
    device_tree: Path | None
    """None where the machine describes itself in another way."""


def cache_folder(architecture: Architecture) -> Path:
    """Return the folder for what is kept from run to run."""
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "fortune-table" / "emulated-pi" / architecture.debian


def make_guest(architecture: Architecture, package: Path, cache: Path, scratch: Path) -> GuestFiles:
    """Return a fresh guest with ``package`` installed; the disk lies in ``scratch``."""
    _check_this_machine(architecture)
    cache.mkdir(parents=True, exist_ok=True)
    apt = Apt(cache / "apt", architecture)
    ours, theirs = architecture.build_architectures, [architecture.debian]
    to_build = (*BUILD_PACKAGES, *architecture.build_packages)
    base = _kept(
        cache, "base", GUEST_PACKAGES, lambda target: apt.bootstrap(target, theirs, GUEST_PACKAGES)
    )
    tools = _kept(cache, "tools", to_build, lambda target: apt.bootstrap(target, ours, to_build))
    version = apt.kernel_version()
    kernel = _kept(cache, "kernel", [version], lambda target: _kernel(apt, version, tools, target))
    lgpio = _kept(
        cache, "lgpio", [_lgpio_pin()], lambda target: _lgpio(architecture, tools, target)
    )
    root = scratch / "root"
    _run("cp", "--archive", "--reflink=auto", str(base), str(root))
    _install(root, package, kernel, lgpio, version)
    disk = scratch / "disk.img"
    _run("mke2fs", "-q", "-t", "ext4", "-L", "root", "-d", str(root), str(disk), DISK_SIZE)
    shutil.rmtree(root)
    initramfs = scratch / "initramfs.gz"
    initramfs.write_bytes(_initramfs(kernel, version, scratch))
    return GuestFiles(
        architecture,
        kernel / "boot" / f"vmlinuz-{version}",
        initramfs,
        disk,
        write_device_tree(architecture, scratch / "pi.dtb") if architecture.pi else None,
    )


def _check_this_machine(architecture: Architecture) -> None:
    """Refuse early, and with what to install, what would fail in the middle."""
    programs = (*PROGRAMS, *architecture.programs)
    missing = [name for name in programs if shutil.which(name) is None]
    if missing or os.geteuid() != 0:
        raise SystemExit(f"needs root and these programs; missing: {', '.join(missing) or 'root'}")
    if architecture.debian == BUILD_ARCHITECTURE:
        return
    tried = subprocess.run(["arch-test", architecture.debian], capture_output=True, check=False)
    if tried.returncode != 0:
        raise SystemExit(
            f"programs of {architecture.debian} do not run here: install qemu-user-static, which "
            "registers with the kernel where /proc/sys/fs/binfmt_misc is mounted"
        )


class Apt:
    """The suite's packages for a guest, through an apt that leaves the machine's own alone."""

    def __init__(self, folder: Path, architecture: Architecture) -> None:
        self._folder = folder
        self.architecture = architecture
        for name in ("etc/apt/apt.conf.d", "etc/apt/preferences.d", "var/lib/dpkg",
                     "var/lib/apt/lists/partial", "var/cache/apt/archives/partial"):  # fmt: skip
            (folder / name).mkdir(parents=True, exist_ok=True)
        (folder / "var/lib/dpkg/status").touch()
        self.source = f"deb [signed-by={KEYRING}] {_mirror()} {SUITE} main"
        (folder / "etc/apt/sources.list").write_text(self.source + "\n")
        config = folder / "apt.conf"
        config.write_text(
            f'Dir "{folder}";\nDir::State::status "{folder}/var/lib/dpkg/status";\n'
            f'APT::Architecture "{architecture.debian}";\n'
            f'APT::Architectures {{ "{architecture.debian}"; "{BUILD_ARCHITECTURE}"; }};\n'
            'APT::Sandbox::User "root";\n'
        )
        self._environment = os.environ | {"APT_CONFIG": str(config)}

    def bootstrap(
        self, target: Path, architectures: Sequence[str], packages: Sequence[str]
    ) -> None:
        """Unpack and configure a root file system with ``packages``."""
        _run(
            "mmdebstrap", "--mode=root", "--variant=minbase",
            f"--architectures={','.join(architectures)}",
            f"--include={','.join(packages)}",
            '--aptopt=Apt::Install-Recommends "false"',
            '--aptopt=APT::Sandbox::User "root"',
            "--dpkgopt=path-exclude=/usr/share/man/*",
            "--dpkgopt=path-exclude=/usr/share/locale/*",
            # What a crash interrupts is not used: it has its name only once it is whole.
            "--dpkgopt=force-unsafe-io",
            "--skip=check/signed-by", SUITE, str(target), self.source,
        )  # fmt: skip

    def kernel_version(self) -> str:
        """Return the version of the suite's kernel, such as ``6.12.73+deb13-amd64``."""
        image = f"linux-image-{self.architecture.debian}"
        _run("apt-get", "--quiet=2", "update", environment=self._environment)
        told = _run("apt-cache", "depends", image, environment=self._environment)
        found = re.search(r"Depends: linux-image-(\S+)", told)
        if found is None:
            raise SystemExit(f"the mirror tells of no {image}")
        return found[1]

    def unpack(self, target: Path, *packages: str) -> None:
        """Download packages and unpack them, without what they depend on."""
        target.mkdir(parents=True, exist_ok=True)
        downloads = self._folder / "downloads"
        downloads.mkdir(exist_ok=True)
        for package in packages:
            before = set(downloads.iterdir())
            _run("apt-get", "--quiet=2", "download", package,
                 environment=self._environment, folder=downloads)  # fmt: skip
            for deb in set(downloads.iterdir()) - before:
                _run("dpkg-deb", "-x", str(deb), str(target))
                deb.unlink()


def _kernel(apt: Apt, version: str, tools: Path, target: Path) -> None:
    """Put the kernel, its modules and busybox into ``target``, gpio-sim among the modules.

    Debian's kernels come without gpio-sim (the simulated pins) and irq_sim, on which it stands;
    both are in the kernel's sources and build as a module of their own.
    """
    apt.unpack(target, f"linux-image-{version}", "busybox-static")
    short = ".".join(version.split(".")[:2])
    flavour = version.removesuffix(f"-{apt.architecture.debian}")
    apt.unpack(tools, f"linux-headers-{version}", f"linux-headers-{flavour}-common",
               f"linux-kbuild-{flavour}:{BUILD_ARCHITECTURE}")  # fmt: skip
    sources = target / "sources"
    apt.unpack(sources, f"linux-source-{short}")
    tree = f"linux-source-{short}"
    module = tools / "gpio-sim"
    shutil.rmtree(module, ignore_errors=True)
    module.mkdir()
    wanted = ("drivers/gpio/gpio-sim.c", "kernel/irq/irq_sim.c")
    _run("tar", "--extract", "--file", str(sources / "usr/src" / f"{tree}.tar.xz"),
         "--directory", str(module), "--strip-components=1",
         *(f"{tree}/{name}" for name in wanted))  # fmt: skip
    (module / wanted[0]).rename(module / "gpio-sim-core.c")
    simulated = (module / wanted[1]).read_text("utf-8")
    # A module may not look into interrupt descriptors, and needs no symbol that it exports itself.
    simulated = simulated.replace(
        "handle_simple_irq(irq_to_desc(irqnum));", "generic_handle_irq(irqnum);"
    )
    simulated = re.sub(r"^EXPORT_SYMBOL_GPL.*$", "", simulated, flags=re.MULTILINE)
    (module / "irq_sim.c").write_text(simulated, "utf-8")
    (module / "Makefile").write_text(
        "obj-m := gpio-sim.o\ngpio-sim-y := gpio-sim-core.o irq_sim.o\n"
    )
    _run("chroot", str(tools), "make", "-C", f"/usr/src/linux-headers-{version}",
         f"ARCH={apt.architecture.kernel}",
         f"CROSS_COMPILE={apt.architecture.processor}-linux-gnu-",
         "M=/gpio-sim", "CONFIG_DEBUG_INFO_BTF_MODULES=", "modules")  # fmt: skip
    modules = _modules(target, version)
    shutil.copy(module / "gpio-sim.ko", modules / "kernel" / "drivers" / "gpio" / "gpio-sim.ko")
    shutil.rmtree(sources)
    _run("depmod", "--basedir", str(modules.parents[2]), version)


def _modules(tree: Path, version: str) -> Path:
    for place in ("usr/lib/modules", "lib/modules"):
        if (tree / place / version).is_dir():
            return tree / place / version
    raise SystemExit(f"no modules of kernel {version} in {tree}")


def _lgpio_pin() -> str:
    """Return the lines of ``requirements.lock`` that pin lgpio."""
    lock = (ROOT / "requirements.lock").read_text("utf-8")
    found = re.search(r"^lgpio==(\S+)[^\n]*\n(?:    .*\n)+", lock, re.MULTILINE)
    if found is None:
        raise SystemExit("requirements.lock does not pin lgpio")
    # Pinned for Pythons that have a wheel of it; the source is the same for all.
    return re.sub(r" ; [^\\]*\\", r" \\", found[0])


def _lgpio(architecture: Architecture, tools: Path, target: Path) -> None:
    """Build lgpio for the guest's Python, for which there is no wheel, from its pinned source."""
    target.mkdir()
    pins = target / "pins.txt"
    pins.write_text(_lgpio_pin())
    work = tools / "lgpio"
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir()
    _run(sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--no-binary=:all:",
         "--no-build-isolation", "--require-hashes", "--dest", str(work),
         "--requirement", str(pins))  # fmt: skip
    (source,) = work.glob("lgpio-*.tar.gz")
    triplet = f"{architecture.processor}-linux-gnu"
    # Python builds for the one whose build it is told of, which may be that of another processor.
    _run("chroot", str(tools), "env", "PYPI=1", f"CC={triplet}-gcc",
         f"_PYTHON_SYSCONFIGDATA_NAME=_sysconfigdata__{triplet}",
         f"_PYTHON_HOST_PLATFORM=linux-{architecture.processor}",
         "pip", "install", "--quiet", "--no-index",
         "--no-deps", "--no-build-isolation", "--target", "/lgpio/site",
         f"/lgpio/{source.name}")  # fmt: skip
    shutil.copytree(work / "site", target / "site")


def _install(root: Path, package: Path, kernel: Path, lgpio: Path, version: str) -> None:
    """Install the package in ``root`` as a technician would, and what makes it a simulated Pi."""
    shutil.copytree(_modules(kernel, version), root / "usr/lib/modules" / version, symlinks=True)
    shutil.copytree(lgpio / "site", root / "usr/local/lib/python3.13/dist-packages",
                    dirs_exist_ok=True)  # fmt: skip
    shutil.copy(package, root / "tmp" / package.name)
    # As image builders do; the package's own scripts ask for it.
    _run("mount", "-t", "proc", "proc", str(root / "proc"))
    try:
        _run("chroot", str(root), "dpkg", "--install", f"/tmp/{package.name}")
    finally:
        _run("umount", str(root / "proc"))
    shutil.copytree(HERE / "guest", root, dirs_exist_ok=True)
    for script in (root / "usr/local/sbin").iterdir():
        script.chmod(0o755)
    _run("chroot", str(root), "systemctl", "enable", "simulated-pi.service", "agent.service",
         "systemd-networkd.service", "fortune-table.service")  # fmt: skip
    (root / "etc/machine-id").write_text("")
    (root / "etc/hostname").write_text("emulated-pi\n")


def _initramfs(kernel: Path, version: str, scratch: Path) -> bytes:
    """Return a small initramfs that loads what the disk needs and goes over to it."""
    tree = scratch / "initramfs"
    for name in ("bin", "dev", "proc", "sys", "root", "m"):
        (tree / name).mkdir(parents=True)
    shutil.copy(kernel / "usr/bin/busybox", tree / "bin/busybox")
    base = _modules(kernel, version).parents[2]
    order: list[str] = []
    for module in MODULES_AT_START:
        told = _run("modprobe", "--dirname", str(base), "--set-version", version,
                    "--show-depends", "--ignore-install", module)  # fmt: skip
        for path in re.findall(r"^insmod (\S+)", told, re.MULTILINE):
            if path not in order:
                order.append(path)
    names = []
    for path in order:
        name = Path(path).name
        names.append(name.removesuffix(".xz"))
        shutil.copy(path, tree / "m" / name)
        if name.endswith(".xz"):
            _run("xz", "--decompress", str(tree / "m" / name))
    init = (HERE / "init.sh").read_text("utf-8").replace("@MODULES@", " ".join(names))
    (tree / "init").write_text(init)
    (tree / "init").chmod(0o755)
    listed = "\n".join(str(path.relative_to(tree)) for path in sorted(tree.rglob("*")))
    packed = subprocess.run(
        ["cpio", "--quiet", "--create", "--format=newc"],
        input=listed.encode(), cwd=tree, capture_output=True, check=True,
    )  # fmt: skip
    return gzip.compress(packed.stdout, 1)


def _kept(cache: Path, name: str, made_of: Sequence[str], make: Callable[[Path], None]) -> Path:
    """Return what ``make`` made, now or in an earlier run, of ``made_of``."""
    digest = hashlib.sha256("\n".join(made_of).encode()).hexdigest()[:12]
    target: Path = cache / f"{name}-{digest}"
    if not target.exists():
        log.warning("making %s, which is kept for later runs", target)
        unfinished = cache / f"{name}-{digest}.unfinished"
        shutil.rmtree(unfinished, ignore_errors=True)
        make(unfinished)
        unfinished.rename(target)
    return target


def _mirror() -> str:
    """Return the address of the Debian mirror in this machine's own apt configuration."""
    told = _run("apt-get", "indextargets", "--format", "$(REPO_URI)", "Created-By: Packages")
    for address in told.split():
        if address.rstrip("/").endswith("/debian"):
            return address
    raise SystemExit("the machine's apt configuration names no Debian mirror")


def _run(
    *command: str, environment: dict[str, str] | None = None, folder: Path | None = None
) -> str:
    done = subprocess.run(
        ["nice", *command], env=environment, cwd=folder, capture_output=True, text=True, check=False
    )
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(command)}\n{done.stdout[-2000:]}\n{done.stderr[-4000:]}")
    return done.stdout
