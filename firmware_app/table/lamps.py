"""Which lamp says what: an envy lamp is lit where the button counts, and blinks at spots owed."""

from __future__ import annotations

from typing import Literal

from firmware_app.table.values import Phase
from firmware_app.table.view import SpotView, TableView

LampPattern = Literal["off", "on", "blink"]


def _pattern(shown: TableView, spot: SpotView) -> LampPattern:
    if not spot.in_service:
        return "off"
    if shown.phase is Phase.REVEALED and spot.owed_cents > 0:
        return "blink"
    return "on" if spot.envy_button and shown.phase is not Phase.VOIDED else "off"


def lamps(shown: TableView) -> dict[int, LampPattern]:
    """Return the pattern of every spot's lamp."""
    return {spot.number: _pattern(shown, spot) for spot in shown.spots}
