"""Whose card is the next one, when the device only prints cards: the order of delivery.

A slot that is lost would shift every later card to the wrong hand, and nothing in the stream would
show it. So the order is given up at the first doubt, until the next deal starts.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class Slot:
    """The place of one card: its position (0 the house dealer), and whether it ends the deal."""

    position: int
    last: bool


class DealOrder:
    """Hands out the slots of a deal one after the other. Methods may be called from any thread."""

    def __init__(
        self, positions: Sequence[int], order: Literal["packets", "round-robin"], packet_size: int
    ) -> None:
        """``positions`` in the order of delivery; each gets ``packet_size`` cards, in a packet or
        one card in turn."""
        self._positions = tuple(positions)
        self._order = order
        self._packet_size = packet_size
        self._lock = threading.Lock()
        self._slots: Iterator[Slot] = iter(())
        self._dealing = False
        self._doubt: str | None = None

    @property
    def cards(self) -> int:
        """Cards of a whole deal."""
        return len(self._positions) * self._packet_size

    @property
    def doubt(self) -> str | None:
        """Why the order was given up in this deal, None if it was not."""
        return self._doubt

    def start(self, first_position: int) -> None:
        """Begin a deal at ``first_position``; the others follow in the configured order.

        Raises :class:`ValueError` for a position that is not among those configured.
        """
        if first_position not in self._positions:
            raise ValueError(
                f"first position {first_position} is not one of {list(self._positions)}; "
                "start at one of them, or add it to the reader's line.positions"
            )
        with self._lock:
            self._slots = iter(self._deal(first_position))
            self._dealing = True
            self._doubt = None

    def take(self) -> Slot | None:
        """Return the slot of the next card; None outside a deal, or when the order is in doubt."""
        with self._lock:
            if not self._dealing or self._doubt is not None:
                return None
            slot = next(self._slots)
            self._dealing = not slot.last
            return slot

    def give_up(self, reason: str) -> bool:
        """A card may have been missed; True if that put a running deal in doubt just now."""
        with self._lock:
            if not self._dealing or self._doubt is not None:
                return False
            self._doubt = reason
            return True

    def _deal(self, first_position: int) -> list[Slot]:
        first = self._positions.index(first_position)
        turn = self._positions[first:] + self._positions[:first]
        if self._order == "packets":
            places = [position for position in turn for _ in range(self._packet_size)]
        else:
            places = list(turn) * self._packet_size
        return [
            Slot(position, last=number == len(places)) for number, position in enumerate(places, 1)
        ]
