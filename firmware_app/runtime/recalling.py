"""The last rounds as the sign recalls them, from what the journal holds of them."""

from __future__ import annotations

from datetime import datetime

from firmware_app.journal.recall import RecalledRound
from firmware_app.rules.lines import Line
from firmware_app.signage.past_rounds import RoundSpot, RoundSummary
from firmware_app.table.events import RoundSettled, RoundVoided

_NS_PER_S = 1_000_000_000


def summary(recalled: RecalledRound) -> RoundSummary:
    """Return one round as a row of the sign's recall, times in the table's own time zone."""
    settled = recalled.told(RoundSettled.TYPE)
    voided = recalled.told(RoundVoided.TYPE)
    ended = recalled.ended or recalled.opened
    return RoundSummary(
        number=recalled.number,
        time_text=datetime.fromtimestamp(ended.wall_utc_ns // _NS_PER_S).strftime("%H:%M"),
        spots=()
        if settled is None
        else tuple(
            RoundSpot(
                number=spot["spot"],
                line=None if spot["line"] is None else Line(spot["line"]),
                fortune_cents=spot["fortune"]["paid_cents"],
                envy_cents=spot["envy_cents"],
            )
            for spot in settled["spots"]
        ),
        void_reason=None if voided is None else voided["reason"],
        finished=recalled.outcome != "unfinished",
    )
