"""Meters counted a second time, from what was told, by other code than the running table's.

:mod:`firmware_app.journal.meters` follows typed events as they happen. Here whole rounds are
looked at afterwards, as plain JSON. The two must agree on every entry.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any, Final

_WAGERS: Final = ("main", "fortune", "ace_high")
_AMOUNTS: Final = ("paid_cents", "collected_cents", "returned_cents")
_ONE_EACH: Final = {
    "round-opened": "rounds.opened",
    "round-settled": "rounds.settled",
    "round-voided": "rounds.voided",
    "late-bet": "late_bets",
    "alarm-raised": "alarms",
}


class Recount:
    """Counts events, entry after entry. ``total`` is the sum so far."""

    def __init__(self) -> None:
        self.total: Counter[str] = Counter()
        self._bets_of_round: dict[int, dict[int, Mapping[str, Any]]] = {}

    def take_recorded(self, movement: Mapping[str, int]) -> None:
        """Count meters as they are recorded: those that another journal had come to."""
        self.total.update(movement)

    def resume(self, lifetime: Mapping[str, int]) -> None:
        """Go on from ``lifetime`` between two rounds, whatever was counted before."""
        self.total = Counter(lifetime)
        self._bets_of_round = {}

    def recount(self, events: Iterable[tuple[str, Mapping[str, Any]]]) -> dict[str, int]:
        """Return what the events of one entry move, and count it."""
        moved: Counter[str] = Counter()
        for name, data in events:
            if name in _ONE_EACH:
                moved[_ONE_EACH[name]] += 1
            if name == "alarm-raised" and data["alarm"]["spot"]:
                moved[f"spot.{data['alarm']['spot']}.alarms"] += 1
            if name == "round-locked":
                # Only one round is in play at a time.
                self._bets_of_round = {data["round"]: {bet["spot"]: bet for bet in data["spots"]}}
            if name == "round-settled":
                bets = self._bets_of_round.pop(data["round"], {})
                for outcome in data["spots"]:
                    moved.update(_spot(outcome, bets.get(outcome["spot"])))
        nonzero = {name: value for name, value in moved.items() if value}
        self.total.update(nonzero)
        return nonzero


def _spot(outcome: Mapping[str, Any], bet: Mapping[str, Any] | None) -> Counter[str]:
    spot = f"spot.{outcome['spot']}"
    line = outcome["line"]
    moved = Counter({f"{spot}.{w}.{a}": outcome[w][a] for w in _WAGERS for a in _AMOUNTS})
    if line:
        moved[f"line.{line}.hands"] += 1
    if bet:
        moved[f"{spot}.rounds"] = 1 if bet["occupied"] else 0
        for wager in _WAGERS:
            stake = bet[f"{wager}_cents"]
            moved[f"{spot}.{wager}.unknown"] = 1 if stake is None else 0
            moved[f"{spot}.{wager}.wagers"] = 1 if stake else 0
            moved[f"{spot}.{wager}.in_cents"] = stake or 0
        moved[f"line.{line or 'no_line'}.in_cents"] += bet["fortune_cents"] or 0
    fortune = outcome["fortune"]
    if fortune["result"] == "win" and fortune["line"]:
        moved[f"line.{fortune['line']}.wins"] += 1
        moved[f"line.{fortune['line']}.paid_cents"] += fortune["paid_cents"]
    moved[f"{spot}.envy.paid_cents"] = outcome["envy_cents"]
    moved[f"{spot}.envy.wins"] = len(outcome["envy_triggers"])
    for trigger in outcome["envy_triggers"]:
        moved[f"line.{trigger['line']}.envy_wins"] += 1
        moved[f"line.{trigger['line']}.envy_cents"] += trigger["cents"]
    return moved
