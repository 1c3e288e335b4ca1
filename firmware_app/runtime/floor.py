"""The table as a supervisor acts on it: orders go through the engine like everything else."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from firmware_app.feed.link import Link
from firmware_app.journal.meters import Meters
from firmware_app.journal.reading import open_for_reading
from firmware_app.journal.records import Stamp
from firmware_app.journal.store import Journal
from firmware_app.runtime.engine import Engine
from firmware_app.runtime.inbox import Inbox
from firmware_app.runtime.orders import Order
from firmware_app.runtime.recalling import summary
from firmware_app.signage.past_rounds import RoundSummary
from firmware_app.table.supervision import Asked, Outcome
from firmware_app.table.view import TableView

RecallOnSign = Callable[[tuple[RoundSummary, ...]], None]
"""Leaves rounds, newest first, for the sign. Must not block."""

ANSWER_S = 5.0
"""How long an order waits for the engine to record it. The engine needs milliseconds."""


@dataclass(frozen=True, slots=True)
class Floor:
    """Orders to one table, from any thread. An order waits ``answer_s`` at the most."""

    engine: Engine
    inbox: Inbox
    journal: Journal
    link: Link
    stamp: Callable[[], Stamp]
    recall_on_sign: RecallOnSign | None = None
    answer_s: float = ANSWER_S

    @property
    def shown(self) -> TableView:
        """The table as it may be shown now."""
        return self.engine.shown

    @property
    def meters(self) -> Meters:
        """The meters as they stand."""
        return self.journal.meters

    def recall(self, rounds: int) -> Outcome:
        """Have the sign show the last ``rounds`` rounds, the one in play included.

        Nothing of the table changes, so it may be asked for in any phase and beside any fault.
        """
        if self.recall_on_sign is None:
            return Outcome(self.shown, refused="This table has no sign to show rounds on")
        found = self.journal.rounds(rounds)
        if not found.rounds:
            why = "No round is on record yet" if found.fault is None else found.fault
            return Outcome(self.shown, refused=why)
        self.recall_on_sign(tuple(map(summary, found.rounds)))
        return Outcome(
            self.shown, told=f"On the sign: the last rounds, {len(found.rounds)} of them"
        )

    def act(self, asked: Asked) -> Outcome:
        """Have a fact of the round done."""
        return self._give(Order(asked))

    def resend(self, asked: Asked, from_sequence: int) -> Outcome:
        """Have the feed send its events from ``from_sequence`` on once more."""
        first, last = self._kept_sequences()
        if not first <= from_sequence <= last:
            kept = f"kept are {first} to {last}" if last >= first else "none is kept yet"
            return self._give(Order(asked.refused(f"There is no event {from_sequence}: {kept}")))
        return self._give(Order(asked, lambda: self.link.resend(from_sequence)))

    def close_shift(self, asked: Asked) -> tuple[Outcome, Meters | None]:
        """Begin a new shift; return the meters as the old one ended, None where it goes on."""
        ended: list[Meters] = []

        def close() -> None:
            ended.append(self.journal.close_shift(by=asked.record.by, stamp=self.stamp()))

        outcome = self._give(Order(asked, close))
        return outcome, ended[0] if ended else None

    def _give(self, order: Order) -> Outcome:
        if not self.inbox.put(order):
            return Outcome(self.shown, refused="Not now: the table is closing")
        try:
            return order.outcome.result(self.answer_s)
        except TimeoutError:
            if order.outcome.cancel():
                return Outcome(
                    self.shown,
                    refused=f"Not done: the controller did not come to it in {self.answer_s:g} s",
                )
            if order.outcome.done():
                return order.outcome.result()
            return Outcome(self.shown, recorded=False)

    def _kept_sequences(self) -> tuple[int, int]:
        with open_for_reading(self.journal.path) as reader:
            newest = reader.head()
            return reader.first_message(), 0 if newest is None else newest.last_message
