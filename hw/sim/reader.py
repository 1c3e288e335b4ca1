"""A simulated card reader on a pseudo-terminal: what the real one does, and its faults at a switch.

with SimReader() as reader:
    link = ReaderLink(ReaderSettings(url=reader.path), inbox.put)
    reader.hello()
    reader.start(first_spot=3)
    reader.hand(3, ["AS", "KS", "QS", "JS", "10S", "JK", "2D"])
"""

from __future__ import annotations

import os
import select
import threading
import time
from collections.abc import Iterable
from pathlib import Path
from types import TracebackType
from typing import Final, Self

from hw.reader.sentence import Sentence
from hw.sim.pty_port import PtyPort
from hw.sim.reader_device import REPEAT_AFTER_NS, NativeDevice, ReaderFaults

_NS_PER_S: Final = 1_000_000_000


class SimReader:
    """The device side of the native protocol, in a thread of its own.

    Every method that reports something queues a sentence and returns at once; the thread sends
    one after the other and repeats each until it is acknowledged. Use as a context manager, or
    call :meth:`close`. The faults of one seed are the same in every run.
    """

    def __init__(
        self,
        *,
        link: Path | None = None,
        identity: tuple[str, str, str] = ("SIM", "0", "1"),
        seed: int = 0,
        first_seq: int = 0,
        repeat_after_ms: int = REPEAT_AFTER_NS // 1_000_000,
    ) -> None:
        """``link`` is a symbolic link to keep pointed at the device, as udev would.

        ``identity`` is model, serial and version; ``first_seq`` the number of the first sentence.
        """
        self._port = PtyPort(link)
        self._device = NativeDevice(
            identity=identity,
            seed=seed,
            first_seq=first_seq,
            repeat_after_ns=repeat_after_ms * 1_000_000,
        )
        self._changed = threading.Condition()
        self._wake_read, self._wake_write = os.pipe()
        os.set_blocking(self._wake_write, False)
        self._closing = False
        self._plugged = True
        self._thread = threading.Thread(target=self._run, name="sim-reader", daemon=True)
        self._thread.start()

    @property
    def path(self) -> str:
        """What to give the host as the reader's url."""
        return self._port.path

    @property
    def refused(self) -> tuple[tuple[Sentence, str], ...]:
        """Sentences that the host refused for good, each with the reason of the NAK."""
        with self._changed:
            return self._device.refused

    def hello(self) -> None:
        """Power up: drop what was not yet acknowledged, number from 0, and introduce itself."""
        with self._changed:
            self._device.hello()
        self._wake()

    def start(self, first_spot: int | None = None) -> None:
        """The shuffler's green button was pressed."""
        self._say("START", *([] if first_spot is None else [str(first_spot)]))

    def hand(self, position: int, cards: Iterable[str]) -> None:
        """A whole hand was dealt at ``position``; 0 is the house dealer."""
        self._say("HAND", str(position), " ".join(cards))

    def card(self, position: int, card: str) -> None:
        """One card was dealt at ``position``."""
        self._say("CARD", str(position), card)

    def dealt(self, cards_left: int) -> None:
        """The deal is over, ``cards_left`` cards are left in the shuffler."""
        self._say("DEALT", str(cards_left))

    def misdeal(self, reason: str) -> None:
        """The shuffler's light is red."""
        self._say("MISDEAL", reason)

    def wager(self, position: int, kind: str, cents: int) -> None:
        """A wager of known amount lies at ``position``."""
        self._say("WAGER", str(position), kind, str(cents))

    def dice(self, a: int, b: int, c: int) -> None:
        """Three dice were rolled."""
        self._say("DICE", str(a), str(b), str(c))

    @property
    def faults(self) -> ReaderFaults:
        """The faults of the line that are switched on."""
        with self._changed:
            return self._device.faults

    def set_faults(self, faults: ReaderFaults) -> None:
        """Switch faults of the line on; ``ReaderFaults()`` switches all of them off."""
        with self._changed:
            self._device.faults = faults
        self._wake()

    def unplug(self) -> None:
        """Pull the cable; what is not yet acknowledged is repeated after :meth:`plug_in`."""
        self._plug(False)

    def plug_in(self) -> None:
        """Plug the cable in again, as a new device."""
        self._plug(True)

    def write_raw(self, data: bytes) -> None:
        """Put bytes on the line that no sentence holds."""
        with self._changed:
            self._port.write(data)

    def wait_acknowledged(self, timeout_s: float) -> bool:
        """Wait until everything said was acknowledged or given up; True if it was."""
        with self._changed:
            return self._changed.wait_for(lambda: not self._device.unacknowledged, timeout_s)

    def close(self) -> None:
        """End the thread and take the device away."""
        self._closing = True
        self._wake()
        self._thread.join()
        self._port.unplug()
        os.close(self._wake_read)
        os.close(self._wake_write)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        fault: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _say(self, kind: str, *fields: str) -> None:
        with self._changed:
            self._device.say(kind, *fields)
        self._wake()

    def _plug(self, wanted: bool) -> None:
        # Done by the thread itself: closing a descriptor that another thread waits on is a race.
        with self._changed:
            self._plugged = wanted
            self._wake()
            self._changed.wait_for(lambda: self._port.is_plugged_in is wanted)

    def _wake(self) -> None:
        try:
            os.write(self._wake_write, b"w")
        except BlockingIOError:
            return  # So many wishes to wake are pending that one more says nothing.

    def _run(self) -> None:
        while not self._closing:
            with self._changed:
                self._follow_the_plug()
                near = self._port.fileno()
                now_ns = time.monotonic_ns()
                wait_s = None
                if near is not None:
                    self._port.write(self._device.poll(now_ns))
                    wait_s = max(0, self._device.due_ns() - now_ns) / _NS_PER_S
            waited = [self._wake_read] if near is None else [self._wake_read, near]
            ready = select.select(waited, [], [], wait_s)[0]
            if self._wake_read in ready:
                os.read(self._wake_read, 4096)
            with self._changed:
                self._device.receive(self._port.read(), time.monotonic_ns())
                self._changed.notify_all()

    def _follow_the_plug(self) -> None:
        if self._plugged:
            self._port.plug_in()
        else:
            self._port.unplug()
        self._changed.notify_all()
