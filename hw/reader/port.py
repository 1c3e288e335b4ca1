"""Opening a serial port so that it can neither hang nor be shared."""

from __future__ import annotations

import termios
from collections.abc import Callable
from typing import Final, Protocol, cast

import serial

from hw.reader.settings import ReaderSettings

PORT_FAULTS: Final = (serial.SerialException, OSError, termios.error)
"""What an unplugged port raises. ``termios.error`` is neither of the other two, and comes out of
``in_waiting``, ``flush`` and ``reset_input_buffer``."""

READ_TIMEOUT_S: Final = 0.1
"""How long a read waits; also how long a request to stop may go unseen."""

WRITE_TIMEOUT_S: Final = 0.2


class Port(Protocol):
    """The part of a pyserial port that is used here."""

    @property
    def in_waiting(self) -> int: ...
    def read(self, size: int = 1, /) -> bytes: ...
    def write(self, data: bytes, /) -> int | None: ...
    def reset_input_buffer(self) -> None: ...
    def close(self) -> None: ...


OpenPort = Callable[[ReaderSettings], Port]


def open_port(settings: ReaderSettings) -> Port:
    """Open the port that ``settings`` name, 8N1, and drop what had arrived before.

    A device is locked for us alone: two programs on one port each get half of every hand. Raises
    one of :data:`PORT_FAULTS`.
    """
    lock = {} if "://" in settings.url else {"exclusive": True}
    port = serial.serial_for_url(
        settings.url,
        baudrate=settings.line_speed_baud,
        timeout=READ_TIMEOUT_S,
        write_timeout=WRITE_TIMEOUT_S,
        **lock,
    )
    try:
        port.reset_input_buffer()
    except BaseException:
        port.close()
        raise
    return cast(Port, port)
