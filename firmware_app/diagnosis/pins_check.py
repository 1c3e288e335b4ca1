"""The panel's wiring, its chip, and whether every line of it can be opened."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TypeAlias

from firmware_app.diagnosis.finding import Finding, WiredLine, finding_of
from hw.panel import Panel, PanelError
from hw.pin_sources import ChipError, Pins
from hw.settings import PanelSettings
from hw.wiring import pin_table

OpenPins: TypeAlias = Callable[[str | None], Pins]
"""Opens the pins, given the label of the expander; ``hw.chips.open_pins`` opens the real ones."""


def wiring(settings: PanelSettings) -> Finding:
    """Return the finding that shows both names of every wired line. Opens nothing."""
    lines = tuple(WiredLine(*row) for row in pin_table(settings.wiring))
    return Finding("wiring", "ok", f"{len(lines)} lines, each on a pin of its own", lines=lines)


def check_pins(settings: PanelSettings, open_pins: OpenPins) -> Iterator[Finding]:
    """Open every line and give it back. The lamps are dark meanwhile."""
    try:
        pins = open_pins(settings.expander_label)
    except ChipError as error:
        yield finding_of("chip", "failed", str(error))
        return
    with pins:
        yield Finding("chip", "ok", "found by its label")
        try:
            with Panel(settings, pins, lambda _edge: None) as panel:
                unread = {line.name for line in settings.inputs} - panel.levels().keys()
        except PanelError as error:
            yield from (finding_of("pins", "failed", fault) for fault in error.faults)
            return
    if unread:
        detail = f"cannot be read: {', '.join(sorted(unread))}"
        yield Finding("pins", "failed", detail, "check the chip and its cable")
    else:
        opened = f"{len(settings.inputs)} inputs and {len(settings.lamps)} lamps can be opened"
        yield Finding("pins", "ok", opened)
