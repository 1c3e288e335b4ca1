"""An order of a supervisor on its way through the engine, and back with what became of it."""

from __future__ import annotations

import logging
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass, field

from firmware_app.table.state import TableRules, TableState
from firmware_app.table.supervision import Asked, Outcome, Ruling, ruling
from firmware_app.table.view import TableView, view

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, eq=False)
class Order:
    """What a supervisor asks for. ``outcome`` is set once it is recorded and shown.

    Whoever waits for ``outcome`` may cancel it: an order that the engine has not begun by then is
    never carried out, so that no action of a minute ago hits the next round. ``carry_out`` does
    what is no fact of a round; the engine calls it when the order is on record, and it must not
    wait. What it raises is the reason of a refusal.
    """

    asked: Asked
    carry_out: Callable[[], None] | None = None
    outcome: Future[Outcome] = field(default_factory=Future)

    def begin(self) -> bool:
        """Take the order on; False where nobody waits for it any more."""
        return self.outcome.set_running_or_notify_cancel()

    def rule(self, rules: TableRules, state: TableState) -> Ruling:
        """Return what becomes of it in ``state``; whoever waits is told if that fails."""
        try:
            return ruling(rules, state, self.asked)
        except Exception as error:
            self.outcome.set_exception(error)
            raise

    def refuse(self, text: str, shown: TableView) -> None:
        """Answer that it is not done, without a record."""
        self.outcome.set_result(Outcome(shown, refused=text))


@dataclass(frozen=True, slots=True)
class Ruled:
    """An order whose facts wait to be recorded. ``state`` is the table's right after it."""

    order: Order
    ruling: Ruling
    state: TableState

    def carried_out(self, rules: TableRules) -> Outcome:
        """Do what is to be done beside the record, and return the outcome."""
        refused = self.ruling.refused
        if refused is None and self.order.carry_out is not None:
            try:
                self.order.carry_out()
            except Exception as error:
                log.exception("%s could not be carried out", self.order.asked.record.text)
                refused = str(error)
        return Outcome(view(self.state, rules), refused, self.ruling.told)
