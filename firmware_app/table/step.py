"""The result of one fact, and the few moves that every part of the round shares."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from firmware_app.table import events
from firmware_app.table.events import Event
from firmware_app.table.state import TableState
from firmware_app.table.values import Alarm


@dataclass(frozen=True, slots=True)
class Step:
    """The state after a fact, and what to tell the back office about it, in order."""

    state: TableState
    events: tuple[Event, ...] = ()

    def then(self, move: Callable[[TableState], Step]) -> Step:
        """Return this step followed by ``move`` on its state."""
        following = move(self.state)
        return Step(following.state, self.events + following.events)


def unchanged(state: TableState) -> Step:
    """Return a step that changes nothing."""
    return Step(state)


def noticed(state: TableState, text: str) -> Step:
    """Return ``state`` with ``text`` echoed to the dealer."""
    return Step(replace(state, notice=text))


def acted(state: TableState, *, action: str, by: str, text: str, spot: int | None = None) -> Step:
    """Return ``state`` with an action of the dealer or the floor echoed and announced."""
    return Step(
        replace(state, notice=text),
        (
            events.DealerAction(
                round=state.round_number, action=action, by=by, spot=spot, text=text
            ),
        ),
    )


def raised(state: TableState, alarm: Alarm) -> Step:
    """Return ``state`` with ``alarm`` standing; the same alarm twice is one alarm."""
    standing = _standing(state, alarm.code, alarm.spot)
    if standing == alarm:
        return Step(state)
    alarms = (*(old for old in state.alarms if old is not standing), alarm)
    return Step(
        replace(state, alarms=alarms),
        (events.AlarmStarted(round=state.round_number, alarm=alarm),),
    )


def cleared(state: TableState, *codes: str) -> Step:
    """Return ``state`` without the alarms of these codes, on whatever spot they stand."""
    ended = tuple(alarm for alarm in state.alarms if alarm.code in codes)
    if not ended:
        return Step(state)
    return Step(
        replace(state, alarms=tuple(alarm for alarm in state.alarms if alarm not in ended)),
        tuple(events.AlarmEnded(round=state.round_number, alarm=alarm) for alarm in ended),
    )


def _standing(state: TableState, code: str, spot: int | None) -> Alarm | None:
    return next((old for old in state.alarms if (old.code, old.spot) == (code, spot)), None)
