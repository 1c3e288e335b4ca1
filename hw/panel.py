"""The panel: sensors, buttons and lamps of one table on gpiozero pins.

Its handlers run in the pin library's own thread. They stamp and hand on, nothing else: what an
edge means is decided by the debouncer, in the consumer's thread.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from types import TracebackType
from typing import Final, Self

from gpiozero import Pin

from hw.health import Reading
from hw.lamps import LampBoard
from hw.pin_sources import Pins
from hw.pins import PinRef
from hw.settings import InputLine, PanelSettings
from hw.signals import Edge

log = logging.getLogger(__name__)

_NS_PER_S: Final = 1_000_000_000
# A stamp older than this is not of our clock: some kernels stamp edges in wall-clock time.
_STAMP_BELIEVED_NS: Final = 10 * _NS_PER_S


class PanelError(RuntimeError):
    """Lines that cannot be opened. ``faults`` holds one readable line per fault."""

    def __init__(self, faults: list[str]) -> None:
        self.faults = faults
        super().__init__("; ".join(faults))


class _Input:
    """One input pin. Lives as long as its panel: gpiozero holds handlers by weak reference."""

    def __init__(
        self, wired: InputLine, pin: Pin, emit: Callable[[Edge], None], clock: Callable[[], int]
    ) -> None:
        self.line = wired.name
        self.pin = pin
        self.emit_failures = 0
        self.readable = True
        self._active_high = wired.active_high
        self._emit = emit
        self._clock = clock
        pin.function = "input"
        if pin.pull != wired.pull:
            pin.pull = wired.pull
        pin.bounce = None
        pin.edges = "both"
        pin.when_changed = self._changed

    def read(self) -> bool:
        return bool(self.pin.state) is self._active_high

    def _changed(self, ticks_s: float, state: float) -> None:
        try:
            now_ns = self._clock()
            stamp_ns = round(ticks_s * _NS_PER_S)
            # The kernel's stamp is the better one: this thread may run late.
            if not 0 <= now_ns - stamp_ns <= _STAMP_BELIEVED_NS:
                stamp_ns = now_ns
            self._emit(Edge(self.line, bool(state) is self._active_high, stamp_ns))
        except Exception:
            # Whatever is wrong with the consumer, the other lines' edges still have to come.
            self.emit_failures += 1
            if self.emit_failures == 1:
                log.exception("%s: the consumer of edges raised; counting from here", self.line)


class Panel:
    """All inputs and lamps of one table.

    Opening claims every pin, or none: a line that cannot be opened is an error that names it.
    Use as a context manager, or call :meth:`close`.

    :param settings: what is wired where.
    :param pins: real pins (``hw.chips.open_pins``) or simulated ones (``SimPanel.pins``). They
        stay the caller's to close.
    :param emit: takes each raw edge, in the pin library's thread; it should only enqueue.
    :param clock: monotonic nanoseconds.
    :raises PanelError: lines that cannot be opened, all of them.
    """

    def __init__(
        self,
        settings: PanelSettings,
        pins: Pins,
        emit: Callable[[Edge], None],
        clock: Callable[[], int] = time.monotonic_ns,
    ) -> None:
        self._pins = pins
        self._inputs: list[_Input] = []
        self._lamps: dict[int, Pin] = {}
        self._dead_lamps: set[int] = set()
        self._lamp_high = settings.lamp.active == "high"
        faults: list[str] = []
        # Lamps first: they are dark before anything else happens.
        for spot, ref in settings.lamps.items():
            try:
                lamp = pins.pin(ref)
                lamp.output_with_state(not self._lamp_high)
                self._lamps[spot] = lamp
            except Exception as error:
                faults.append(_cannot_open(f"spot{spot}.lamp", ref, error))
        for wired in settings.inputs:
            try:
                self._inputs.append(_Input(wired, pins.pin(wired.pin), emit, clock))
            except Exception as error:
                faults.append(_cannot_open(wired.name, wired.pin, error))
        if faults:
            self.close()
            raise PanelError(faults)
        self.lamps = LampBoard(self._lamps, self.light)

    def levels(self) -> dict[str, bool]:
        """Reads every input now; a line that cannot be read is left out and told by health."""
        levels = {}
        for line in self._inputs:
            try:
                levels[line.line] = line.read()
                line.readable = True
            except Exception:
                if line.readable:
                    log.exception("%s: cannot be read", line.line)
                line.readable = False
        return levels

    def light(self, spot: int, lit: bool) -> None:
        """Switches a lamp. A lamp that cannot be switched is told by health and stops nothing."""
        pin = self._lamps.get(spot)
        if pin is None:
            return
        try:
            pin.state = lit is self._lamp_high
            self._dead_lamps.discard(spot)
        except Exception:
            if spot not in self._dead_lamps:
                log.exception("spot%d.lamp: cannot be switched", spot)
            self._dead_lamps.add(spot)

    @property
    def emit_failures(self) -> int:
        """Edges whose consumer raised."""
        return sum(line.emit_failures for line in self._inputs)

    def health(self) -> Reading:
        """How the panel stands; cheap enough to ask every second."""
        if not self._pins.events_alive():
            return Reading(
                "panel",
                "failed",
                "the thread that reports changes of pins has ended; restart the service",
            )
        unreadable = [line.line for line in self._inputs if not line.readable]
        unlit = [f"spot{spot}.lamp" for spot in sorted(self._dead_lamps)]
        if unreadable or unlit:
            lines = ", ".join(unreadable + unlit)
            return Reading("panel", "failed", f"no access to {lines}; check chip and cable")
        if self.emit_failures:
            detail = f"{self.emit_failures} edges were lost in their consumer; see the log"
            return Reading("panel", "warning", detail)
        return Reading("panel", "ok", f"{len(self._inputs)} inputs, {len(self._lamps)} lamps")

    def close(self) -> None:
        """Stops listening, darkens the lamps and gives the pins back. May be called twice."""
        for line in self._inputs:
            line.pin.when_changed = None
        for spot in self._lamps:
            self.light(spot, False)
        held = [line.pin for line in self._inputs] + list(self._lamps.values())
        self._inputs.clear()
        self._lamps.clear()
        for pin in held:
            try:
                pin.close()
            except Exception:
                log.exception("%r: cannot be given back", pin)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        exc_type: type[BaseException] | None,
        exc: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()


def _cannot_open(line: str, ref: PinRef, error: Exception) -> str:
    return (
        f"{line} on {ref.describe()} cannot be opened ({error}); free the pin from other programs "
        "and overlays (gpioinfo shows who holds it)"
    )
