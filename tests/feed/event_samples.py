"""One event of each kind, and the parts to make others of."""

from __future__ import annotations

from firmware_app.cards import parse_card
from firmware_app.feed.examples import EXAMPLES as SAMPLES
from firmware_app.rules.play import Result
from firmware_app.table.events import WagerOutcome

__all__ = ["SAMPLES", "cards", "wager"]


def cards(text: str) -> tuple:
    return tuple(parse_card(word) for word in text.split())


def wager(result: Result, **amounts: object) -> WagerOutcome:
    nothing = {
        "paid_cents": 0,
        "collected_cents": 0,
        "returned_cents": 0,
        "kept_cents": 0,
        "line": None,
        "pays": None,
        "reason": None,
    }
    return WagerOutcome.model_validate({"result": result} | nothing | amounts)
