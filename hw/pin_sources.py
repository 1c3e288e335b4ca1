"""Where pins come from: gpiozero factories behind the names that a wiring uses.

The real panel and the simulated one differ in nothing but the :class:`Pins` they are given.
"""

from __future__ import annotations

from collections.abc import Callable
from types import TracebackType
from typing import Any, Self

from gpiozero import Factory, Pin
from gpiozero.pins import PinInfo

from hw.pins import PinRef


class ChipError(RuntimeError):
    """The pins cannot be opened; the message names the cause and the cure."""


class Pins:
    """Hands out gpiozero pins by reference and owns the factories they come from.

    The real panel and the simulated one differ in nothing but the ``Pins`` they are given.

    :param header: factory of the 40-pin header.
    :param expander: factory of the expander chip, an :class:`ExpanderPins`; None without one.
    :param events_alive: whether changes of pins still reach their handlers.
    """

    def __init__(
        self,
        header: Factory,
        expander: Factory | None = None,
        events_alive: Callable[[], bool] = lambda: True,
    ) -> None:
        self._factories = [factory for factory in (header, expander) if factory is not None]
        self._header = header
        self._expander = expander
        self.events_alive = events_alive

    def pin(self, ref: PinRef) -> Pin:
        """The gpiozero pin of a reference.

        :raises ChipError: an expander line, and no expander was opened.
        """
        factory = self._header if ref.chip == "header" else self._expander
        if factory is None:
            raise ChipError(f"{ref}: no expander was opened; set panel.expander_label")
        return factory.pin(str(ref))

    def close(self) -> None:
        """Closes the factories. Panels that use them are closed before."""
        while self._factories:
            self._factories.pop().close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        exc_type: type[BaseException] | None,
        exc: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()


class ExpanderPins:
    """Mixin for a gpiozero factory: hands out the numbered lines of a chip that has no header."""

    pins: dict[PinInfo, Pin]
    pin_class: Any

    def pin(self, name: str) -> Pin:
        """The line of a reference such as ``"expander:5"``."""
        number = int(name.rpartition(":")[2])
        # gpiozero takes the number of a pin from the fifth character of its name on.
        info = PinInfo(
            number=number,
            name=f"exp:{number}",
            names=frozenset({name}),
            pull="",
            row=number + 1,
            col=1,
            interfaces=frozenset({"gpio"}),
        )
        if info not in self.pins:
            self.pins[info] = self.pin_class(self, info)
        return self.pins[info]
