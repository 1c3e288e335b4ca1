"""One emulated machine: QEMU, and every way into it that a test needs."""

from __future__ import annotations

import base64
import json
import os
import select
import socket
import subprocess
import sys
import termios
import threading
import time
from pathlib import Path
from types import TracebackType
from typing import Final, Self

from architecture import SIZE
from data_disk import DataDisk
from guest_image import GuestFiles
from qmp import Qmp

SCREEN: Final = (800, 480)
RELAY: Final = Path(__file__).with_name("relay.py")
BOOT_S: Final = 600.0
"""An emulated processor on a busy machine: a minute is usual, ten are patience."""
_BROUGHT_AT_ONCE: Final = 64 << 10
"""What a shell takes as one word, and more, once it is written in base 64."""


class GuestError(RuntimeError):
    """The guest did not do what was asked. The message holds what it said."""


class Machine:
    """A running guest. ``broker_port`` is the broker outside, the only thing that it can reach,
    ``data`` a second disk for the journal.

    Ways in: :meth:`run` (a shell command), :meth:`pull` and :meth:`level` (its pins),
    :attr:`reader_socket` (the far end of its serial cable), :meth:`screen` (its display).
    """

    def __init__(
        self,
        files: GuestFiles,
        folder: Path,
        broker_port: int,
        data: DataDisk | None = None,
    ) -> None:
        self._folder = folder
        self.console = folder / "console.log"
        self.reader_socket = folder / "reader.sock"
        for name in ("qmp", "agent", "reader"):
            # Left behind by a machine whose power was cut.
            (folder / f"{name}.sock").unlink(missing_ok=True)
        self._requests = 0
        self._pending = b""
        self._lock = threading.Lock()
        self._closed = False
        self._process = subprocess.Popen(
            [*_command(files, folder, broker_port, data)],
            stdin=subprocess.DEVNULL,
            stdout=(folder / "qemu.log").open("wb"),
            stderr=subprocess.STDOUT,
        )
        self._wait_for_sockets()
        self.qmp = Qmp(folder / "qmp.sock")
        self._agent = socket.socket(socket.AF_UNIX)
        self._agent.connect(str(folder / "agent.sock"))

    def boot(self) -> None:
        """Wait until the guest answers."""
        self.run("true", within_s=BOOT_S)

    def check_power(self) -> None:
        """Raise :class:`GuestError` if the machine ended before :meth:`close`: it never should."""
        ended = self._process.poll()
        if ended is not None and not self._closed:
            raise GuestError(
                f"QEMU ended with {ended}: {_end_of(self._folder / 'qemu.log')}\n"
                f"the guest's console ends with:\n{_end_of(self.console)}"
            )

    def run(self, command: str, within_s: float = 60.0) -> str:
        """Return what a shell command in the guest prints; raise :class:`GuestError` if not 0."""
        with self._lock:
            self.check_power()
            self._requests += 1
            number = self._requests
            request = {"id": number, "run": command, "within_s": within_s}
            self._agent.sendall(json.dumps(request).encode() + b"\n")
            answer = self._answer(number, time.monotonic() + within_s + 10)
        if answer["code"] != 0:
            raise GuestError(f"{command!r} ended with {answer['code']}: {answer['err']}")
        return str(answer["out"])

    def bring(self, file: Path) -> str:
        """Copy a file into the guest, as from a technician's stick; return its path there."""
        target = f"/root/{file.name}"
        self.run(f"rm -f {target}")
        content = file.read_bytes()
        for start in range(0, len(content), _BROUGHT_AT_ONCE):
            part = base64.b64encode(content[start : start + _BROUGHT_AT_ONCE]).decode()
            self.run(f"echo {part} | base64 --decode >>{target}")
        return target

    def pull(self, gpio: int, level: str) -> None:
        """Hold a line from outside: ``pull-up`` or ``pull-down``."""
        self.run(f"echo {level} >/run/simulated-pins/sim_gpio{gpio}/pull")

    def level(self, gpio: int) -> bool:
        """Return whether a line is high."""
        return self.run(f"cat /run/simulated-pins/sim_gpio{gpio}/value").strip() == "1"

    def screen(self, path: Path) -> Path:
        """Write what the display shows into the PPM file ``path``."""
        self.qmp.execute("screendump", filename=str(path))
        return path

    def close(self) -> None:
        """End the machine as a power cut would."""
        self._closed = True
        self._agent.close()
        self.qmp.close()
        if self._process.poll() is None:
            self._process.kill()
        self._process.wait()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        exc_type: type[BaseException] | None,
        exc: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def _wait_for_sockets(self) -> None:
        deadline_s = time.monotonic() + 30
        wanted = [self._folder / name for name in ("qmp.sock", "agent.sock", "reader.sock")]
        while not all(path.exists() for path in wanted):
            self.check_power()
            if time.monotonic() > deadline_s:
                raise GuestError(f"QEMU opens no sockets: {_end_of(self._folder / 'qemu.log')}")
            time.sleep(0.05)

    def _answer(self, number: int, deadline_s: float) -> dict[str, object]:
        while (left_s := deadline_s - time.monotonic()) > 0:
            *lines, self._pending = self._pending.split(b"\n")
            for line in lines:
                answer: dict[str, object] = json.loads(line)
                if answer["id"] == number:
                    return answer
            self.check_power()
            if select.select([self._agent], [], [], min(left_s, 1.0))[0]:
                self._pending += self._agent.recv(65536)
        raise GuestError(
            f"the guest gave no answer; its console ends with:\n{_end_of(self.console)}"
        )


class SerialCable:
    """Joins the reader's pseudo-terminal outside with the guest's USB serial adapter, both ways.

    To make one is to plug the adapter in, to close it is to pull it out.
    """

    def __init__(self, device: str, far_end: Path) -> None:
        self._near = os.open(device, os.O_RDWR | os.O_NOCTTY)
        # What the reader said while no cable was there is lost, as it is on a real one.
        termios.tcflush(self._near, termios.TCIFLUSH)
        self._far = socket.socket(socket.AF_UNIX)
        self._far.connect(str(far_end))
        self._stop_read, self._stop_write = os.pipe()
        self._thread = threading.Thread(target=self._carry, name="cable", daemon=True)
        self._thread.start()

    def close(self) -> None:
        os.write(self._stop_write, b"x")
        self._thread.join(5)
        for descriptor in (self._near, self._stop_read, self._stop_write):
            os.close(descriptor)
        self._far.close()

    def _carry(self) -> None:
        far = self._far.fileno()
        while True:
            ready, _, _ = select.select([self._near, far, self._stop_read], [], [])
            if self._stop_read in ready:
                return
            if self._near in ready:
                self._far.sendall(os.read(self._near, 4096))
            if far in ready:
                answer = self._far.recv(4096)
                if not answer:
                    return  # the machine has lost its power
                os.write(self._near, answer)


def _end_of(file: Path) -> str:
    return file.read_text("utf-8", "replace")[-3000:] if file.exists() else ""


def _command(files: GuestFiles, folder: Path, broker_port: int, data: DataDisk | None) -> list[str]:
    def socket_at(name: str) -> str:
        return f"socket,id={name},path={folder / name}.sock,server=on,wait=off"

    architecture = files.architecture
    device_tree = [] if files.device_tree is None else ["-dtb", str(files.device_tree)]
    return [
        "nice", architecture.qemu, "-M", architecture.machine, "-cpu", architecture.model, *SIZE,
        # Processors with hardware help are not everywhere; an emulated one behaves the same.
        "-accel", f"tcg,thread={architecture.turns},tb-size=512",
        "-nodefaults", "-no-user-config", "-no-reboot", "-display", "none",
        "-kernel", str(files.kernel), "-initrd", str(files.initramfs), *device_tree,
        "-append", f"root=/dev/vda console={architecture.console} panic=-1 net.ifnames=0",
        "-chardev", f"file,id=console,path={folder / 'console.log'}", "-serial", "chardev:console",
        "-qmp", f"unix:{folder / 'qmp.sock'},server=on,wait=off",
        "-drive", f"if=none,id=disk,file={files.disk},format=raw,cache=none",
        "-device", "virtio-blk-pci,drive=disk", "-device", "virtio-rng-pci",
        "-netdev", "user,id=net,restrict=on,"
        f"guestfwd=tcp:10.0.2.100:1883-cmd:{sys.executable} {RELAY} {broker_port}",
        "-device", "virtio-net-pci,netdev=net,romfile=",
        "-device", f"virtio-gpu-pci,xres={SCREEN[0]},yres={SCREEN[1]}",
        # A USB serial adapter, plugged in while the far end of its cable is connected.
        "-device", "qemu-xhci", "-chardev", socket_at("reader"),
        "-device", "usb-serial,chardev=reader",
        "-device", "virtio-serial-pci",
        "-chardev", socket_at("agent"), "-device", "virtserialport,chardev=agent,name=agent",
        # Behind the first disk, which is /dev/vda by its place.
        *(() if data is None else data.options()),
    ]  # fmt: skip
