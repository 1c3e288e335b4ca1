"""The far end of a serial cable: a pseudo-terminal that can be unplugged and plugged in again."""

from __future__ import annotations

import os
import tty
from pathlib import Path


class PtyPort:
    """A pseudo-terminal whose other end any program may open by :attr:`path` as a serial device.

    With ``link``, ``path`` is that symbolic link, as udev keeps one for a real adapter: it goes
    away when the cable is pulled and points to the new device, of another number, when it returns.
    """

    def __init__(self, link: Path | None = None) -> None:
        self._link = link
        self._near: int | None = None
        self._far: int | None = None
        self._last_name: str | None = None
        self.plug_in()

    @property
    def path(self) -> str:
        """What the host opens. Raises :class:`OSError` while unplugged and without a link."""
        if self._link is not None:
            return str(self._link)
        if self._far is None:
            raise OSError("the simulated cable is unplugged; it has no device name")
        return os.ttyname(self._far)

    @property
    def is_plugged_in(self) -> bool:
        return self._near is not None

    def fileno(self) -> int | None:
        """The descriptor to wait on, None while unplugged."""
        return self._near

    def plug_in(self) -> None:
        """Make a new device; does nothing while one is there."""
        if self._near is not None:
            return
        self._near, self._far = self._new_device()
        # Raw before anybody opens it: what is written first must be neither echoed nor changed.
        tty.setraw(self._far)
        os.set_blocking(self._near, False)
        if self._link is not None:
            beside = self._link.with_name(self._link.name + ".new")
            beside.unlink(missing_ok=True)
            beside.symlink_to(os.ttyname(self._far))
            beside.replace(self._link)

    def unplug(self) -> None:
        """Pull the cable: whoever has the device open sees a hang-up."""
        if self._near is None or self._far is None:
            return
        if self._link is not None:
            self._link.unlink(missing_ok=True)
        os.close(self._near)
        os.close(self._far)
        self._near = self._far = None

    def _new_device(self) -> tuple[int, int]:
        """Return a device of another name than the last: the kernel hands a free number out
        again, a real adapter whose old device is still held open does not get it."""
        pair = os.openpty()
        if os.ttyname(pair[1]) == self._last_name:
            same, pair = pair, os.openpty()
            for descriptor in same:
                os.close(descriptor)
        self._last_name = os.ttyname(pair[1])
        return pair

    def write(self, data: bytes) -> None:
        """Send ``data``; what does not fit is lost, as on a line without flow control."""
        if self._near is None:
            return
        try:
            os.write(self._near, data)
        except BlockingIOError:
            return

    def read(self) -> bytes:
        """Return what the host wrote, empty if nothing."""
        if self._near is None:
            return b""
        try:
            return os.read(self._near, 4096)
        except BlockingIOError:
            return b""
