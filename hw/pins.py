"""Pins: where a line is wired, written as a technician reads it from the board.

Two spellings name a pin of the 40-pin header, both of them gpiozero's: ``"GPIO17"`` (the
Broadcom number printed on most pin charts) and ``"BOARD11"`` (the place on the header).
``"expander:5"`` is line 5 of the one expander chip. Bare numbers are refused, since 11 is one pin
in one scheme and another pin in the other.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

ChipName: TypeAlias = Literal["header", "expander"]

# Place of every GPIO on the 40-pin header, the same on every Raspberry Pi since the B+.
BOARD_OF_GPIO: Final[dict[int, int]] = {
    0: 27, 1: 28, 2: 3, 3: 5, 4: 7, 5: 29, 6: 31, 7: 26, 8: 24, 9: 21, 10: 19, 11: 23, 12: 32,
    13: 33, 14: 8, 15: 10, 16: 36, 17: 11, 18: 12, 19: 35, 20: 38, 21: 40, 22: 15, 23: 16, 24: 18,
    25: 22, 26: 37, 27: 13,
}  # fmt: skip
_GPIO_OF_BOARD: Final = {board: gpio for gpio, board in BOARD_OF_GPIO.items()}
POWER_OF_BOARD: Final[dict[int, str]] = {
    1: "3V3", 2: "5V", 4: "5V", 6: "ground", 9: "ground", 14: "ground", 17: "3V3", 20: "ground",
    25: "ground", 30: "ground", 34: "ground", 39: "ground",
}  # fmt: skip

RESERVED_GPIO: Final[dict[int, str]] = {
    0: "the identity EEPROM of a HAT (ID_SD)",
    1: "the identity EEPROM of a HAT (ID_SC)",
    14: "the UART (TXD), left free for the card reader",
    15: "the UART (RXD), left free for the card reader",
}
# These two carry 1.8 kOhm pull-up resistors on the board itself (they are the I2C bus).
FIXED_PULL_UP_GPIO: Final = frozenset({2, 3})
EXPANDER_LINES: Final = 64

_FREE_GPIO: Final = "GPIO2 to GPIO27 except GPIO14 and GPIO15"
_SPELLING: Final = re.compile(r"(GPIO|BOARD|expander:)([0-9]{1,2})")


class PinError(ValueError):
    """A pin that cannot be used; the message names the value, the reason and the cure."""


@dataclass(frozen=True, slots=True, order=True)
class PinRef:
    """One pin: line ``number`` of the header chip (Broadcom numbering) or of the expander."""

    chip: ChipName
    number: int

    def __str__(self) -> str:
        return f"GPIO{self.number}" if self.chip == "header" else f"expander:{self.number}"

    def describe(self) -> str:
        """Both names of a header pin, ``"GPIO17 (BOARD11)"``; an expander line has one."""
        return f"{self} (BOARD{BOARD_OF_GPIO[self.number]})" if self.chip == "header" else str(self)


def parse_pin(value: object) -> PinRef:
    """Reads a pin as it is written in the configuration.

    :raises PinError: not a pin's name, a power or reserved pin, or a bare number.
    """
    match = _SPELLING.fullmatch(value) if isinstance(value, str) else None
    if match is None:
        raise PinError(_not_a_pin(value))
    scheme, number = match[1], int(match[2])
    if scheme == "expander:":
        if number >= EXPANDER_LINES:
            raise PinError(f"{value} is not a line of an expander; use expander:0 to expander:63")
        return PinRef("expander", number)
    if scheme == "BOARD":
        if number in POWER_OF_BOARD:
            raise PinError(f"{value} is {POWER_OF_BOARD[number]}; use one of {_FREE_GPIO}")
        if number not in _GPIO_OF_BOARD:
            raise PinError(f"{value} is not on the header; its pins are BOARD1 to BOARD40")
        number = _GPIO_OF_BOARD[number]
    elif number not in BOARD_OF_GPIO:
        raise PinError(f"{value} is not on the header; use one of {_FREE_GPIO}")
    if number in RESERVED_GPIO:
        raise PinError(f"{value} is reserved for {RESERVED_GPIO[number]}; use one of {_FREE_GPIO}")
    return PinRef("header", number)


def _not_a_pin(value: object) -> str:
    digits = str(value).strip()
    if digits.isdecimal():
        return (
            f"{value!r} can be read two ways; write GPIO{digits} for the Broadcom number "
            f"or BOARD{digits} for the place on the header"
        )
    return f'{value!r} is not a pin; write "GPIO17", "BOARD11" or "expander:5"'
