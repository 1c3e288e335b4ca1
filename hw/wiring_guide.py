"""Writes the pin tables of the wiring guide from the default wiring: ``python -m hw.wiring_guide``.

The guide is prose with two tables between markers; the tables are never edited by hand.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from hw.pins import BOARD_OF_GPIO, POWER_OF_BOARD, RESERVED_GPIO, PinRef
from hw.settings import PanelSettings
from hw.wiring import pin_table

GUIDE: Final = Path(__file__).with_name("WIRING.md")


def by_line(wiring: Mapping[str, PinRef]) -> str:
    """The wiring by line name, as a Markdown table."""
    rows = [
        f"| `{line}` | {pin} | {place or 'on the expander'} |"
        for line, pin, place in pin_table(wiring)
    ]
    return "\n".join(["| line | pin | header place |", "|---|---|---|", *rows])


def by_place(wiring: Mapping[str, PinRef]) -> str:
    """The wiring as the header is seen from above, its two rows side by side, as Markdown."""
    use = dict(POWER_OF_BOARD)
    for gpio, place in BOARD_OF_GPIO.items():
        use[place] = f"GPIO{gpio}: " + ("reserved" if gpio in RESERVED_GPIO else "free")
    for line, pin in wiring.items():
        if pin.chip == "header":
            use[BOARD_OF_GPIO[pin.number]] = f"{pin}: `{line}`"
    rows = [f"| {use[n]} | {n} | {n + 1} | {use[n + 1]} |" for n in range(1, 41, 2)]
    return "\n".join(["| | BOARD | BOARD | |", "|---|---|---|---|", *rows])


def with_tables(guide: str, wiring: Mapping[str, PinRef]) -> str:
    """The text of the guide with both tables made anew."""
    for name, table in (("by line", by_line(wiring)), ("by place", by_place(wiring))):
        begin, end = f"<!-- {name} -->", f"<!-- end {name} -->"
        between = re.compile(f"{re.escape(begin)}.*?{re.escape(end)}", re.DOTALL)
        guide = between.sub(lambda _, text=f"{begin}\n{table}\n{end}": text, guide)  # type: ignore[misc]
    return guide


if __name__ == "__main__":
    text = GUIDE.read_text("utf-8")
    GUIDE.write_text(with_tables(text, PanelSettings().wiring), "utf-8")
