"""The wiring of a panel: which line is on which pin, checked as a whole.

The default wiring puts seven spots on the 40-pin header and leaves the UART and the identity
EEPROM alone, which uses every other pin. Its lamps are on pins that the Pi holds low from
power-up until the service opens them (GPIO9 and above), so that no lamp glows while it boots.
A table's own ``pins`` are laid over the default line by line.
"""

from __future__ import annotations

import difflib
from collections import defaultdict
from collections.abc import Mapping
from typing import Final

from hw.lines import ADVANCE, MAX_SPOTS, SHUFFLER_FAULT, VOID, line_names, spot_line, spot_of
from hw.pins import PinError, PinRef, parse_pin

NOT_WIRED: Final = "none"

# Spot: bet sensor, envy button, envy lamp. Bets and buttons run down the header in pairs from
# BOARD11; the lamps take its lower end.
_SPOT_PINS: Final = {
    1: (17, 18, 12),
    2: (27, 22, 13),
    3: (23, 24, 19),
    4: (10, 9, 16),
    5: (25, 11, 26),
    6: (8, 7, 20),
    7: (5, 6, 21),
}
# The three pins that an I2C expander needs (bus and interrupt) carry the table's own lines: they
# are the ones to move to it.
_TABLE_PINS: Final = {ADVANCE: 4, VOID: 3, SHUFFLER_FAULT: 2}


def default_wiring(spots: int) -> dict[str, PinRef]:
    """The pins of a table of so many spots, without the optional main-bet sensors."""
    wiring: dict[str, PinRef] = {}
    for spot in range(1, spots + 1):
        bet, envy, lamp = _SPOT_PINS[spot]
        wiring[spot_line(spot, "bet")] = PinRef("header", bet)
        wiring[spot_line(spot, "envy")] = PinRef("header", envy)
        wiring[spot_line(spot, "lamp")] = PinRef("header", lamp)
    return wiring | {line: PinRef("header", gpio) for line, gpio in _TABLE_PINS.items()}


def resolve_wiring(
    spots: int, pins: Mapping[str, object]
) -> tuple[dict[str, PinRef], tuple[str, ...]]:
    """Lays a table's own pins over the default wiring and finds every fault of the whole.

    :param pins: pin by line name, as configured; ``"none"`` leaves a line unwired.
    :returns: the wiring, and its faults as readable lines (none: the wiring can be used).
    """
    wiring = default_wiring(spots)
    faults: list[str] = []
    known = line_names(spots)
    for line, value in pins.items():
        if line not in known:
            faults.append(_unknown_line(line, spots))
        elif value == NOT_WIRED:
            wiring.pop(line, None)
        else:
            try:
                wiring[line] = parse_pin(value)
            except PinError as error:
                faults.append(f"{line}: {error}")
                # Its default pin must not stand in for it, nor count as used.
                wiring.pop(line, None)
    faults += _used_twice(wiring, pins)
    return wiring, tuple(faults)


def _used_twice(wiring: Mapping[str, PinRef], configured: Mapping[str, object]) -> list[str]:
    lines_of: defaultdict[PinRef, list[str]] = defaultdict(list)
    for line, pin in wiring.items():
        lines_of[pin].append(line if line in configured else f"{line} (default wiring)")
    return [
        f"{pin.describe()} is used by {' and '.join(lines)}; give each its own pin, "
        f'or write "{NOT_WIRED}" for a line that is not fitted'
        for pin, lines in sorted(lines_of.items())
        if len(lines) > 1
    ]


def _unknown_line(line: str, spots: int) -> str:
    spot = spot_of(line) if line.startswith("spot") and line[4:5].isdecimal() else None
    if spot is not None and spot > spots:
        return f"{line}: the table has {spots} spots; remove the line or raise panel.spots"
    near = difflib.get_close_matches(line, line_names(spots), n=1)
    cure = (
        f"did you mean {near[0]}?" if near else "lines are spot1.bet, spot1.envy, advance, void …"
    )
    return f"{line}: not a line of the panel; {cure}"


def pin_table(wiring: Mapping[str, PinRef]) -> list[tuple[str, str, str]]:
    """Rows of line name, pin and header place, spots first: what ``check`` and the guide print."""
    return [
        (line, str(wiring[line]), wiring[line].describe().partition(" ")[2].strip("()"))
        for line in line_names(MAX_SPOTS)
        if line in wiring
    ]
