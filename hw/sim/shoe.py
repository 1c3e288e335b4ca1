"""A simulated shoe or scanner that prints a code per card on a pseudo-terminal."""

from __future__ import annotations

from pathlib import Path
from types import TracebackType
from typing import Self

from hw.reader.presets import PresetName
from hw.sim.pty_port import PtyPort


class SimShoe:
    """Writes as the device of a preset does. Use as a context manager, or call :meth:`close`."""

    def __init__(self, preset: PresetName = "bee-tek", *, link: Path | None = None) -> None:
        self._preset = preset
        self._port = PtyPort(link)

    @property
    def path(self) -> str:
        """What to give the host as the reader's url."""
        return self._port.path

    def card(self, code: str) -> None:
        """A card was drawn and read."""
        if self._preset == "scanner":
            self.write_raw(code.encode("ascii") + b"\r\n")
        else:
            self._record(f"[Game]<Card:{code}>")

    def unread(self) -> None:
        """A card was drawn and not read. A scanner prints question marks then."""
        if self._preset == "scanner":
            self.write_raw(b"????\r\n")
        else:
            self._record("[Game]<Game>")

    def burn(self, code: str) -> None:
        """A card was burnt by hand (bee-tek)."""
        self._record(f"[Manual Burn Cards]<Card:{code}>")

    def alarm(self, text: str = "E3 Card Not Read") -> None:
        """The shoe raises an alarm (bee-tek)."""
        self._record(f"[Game]<Alarm:{text}>")

    def warning(self, number: int) -> None:
        """The shoe warns with a number (bee-tek)."""
        self._record(f"<W0x{number:02X}>")

    def unplug(self) -> None:
        """Pull the cable."""
        self._port.unplug()

    def plug_in(self) -> None:
        """Plug the cable in again, as a new device."""
        self._port.plug_in()

    def write_raw(self, data: bytes) -> None:
        """Put any bytes on the line."""
        self._port.write(data)

    def close(self) -> None:
        """Take the device away."""
        self._port.unplug()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        fault: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _record(self, text: str) -> None:
        self.write_raw(f" {text} ".encode("ascii"))
