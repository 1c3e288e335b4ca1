"""The engine: the one consumer of everything that happens, and the one owner of the round.

    signal → intake → fact → step → ONE transaction (facts, messages) → only then sign, lamps, feed

Hardware threads only stamp and enqueue. While the journal cannot record (a full card), the engine
keeps what it has not recorded, goes on following the table, and shows nothing of it: what players
see is what is on the card, and an alarm. Recording resumes by itself, in order, nothing twice.
"""

from __future__ import annotations

import logging
import threading
import time
import traceback
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import NamedTuple, Protocol

from firmware_app.journal.errors import JournalError
from firmware_app.journal.records import OutgoingMessage
from firmware_app.runtime.inbox import Command, Inbox, Item
from firmware_app.runtime.intake import Intake
from firmware_app.runtime.orders import Order, Ruled
from firmware_app.runtime.reader_facts import reader_facts
from firmware_app.runtime.recording import Entry, Recorder
from firmware_app.table import facts
from firmware_app.table.events import Event, RoundSettled
from firmware_app.table.facts import Fact
from firmware_app.table.lamps import lamps
from firmware_app.table.round import step
from firmware_app.table.state import TableRules, TableState, state_to_json
from firmware_app.table.supervision import Outcome
from firmware_app.table.values import Alarm
from firmware_app.table.view import TableView, view
from hw.inputs import InputBank
from hw.lamps import LampPattern
from hw.signals import Edge, InputSignal

log = logging.getLogger(__name__)

LEVELS_EVERY_NS = 1_000_000_000
"""How often all pins are read again, so that a lost edge heals."""
LONGEST_WAIT_S = 0.5
RETRY_RECORDING_NS = 1_000_000_000
ROUNDS_PER_CHECKPOINT = 20
STORAGE_ALARM = "storage-failed"
CONTROLLER_FAULT = "controller-fault"
_CONTROLLER_FAULT = (
    "The controller could not take an input; its log says which. Call the technician"
)


Observer = Callable[[TableView], None]
"""Is shown every committed view: the sign, the lamps, the feed. Must not block."""


class ShowLamps(Protocol):
    """Shows lamp patterns at a moment; returns when it wants to be called again, if ever."""

    def __call__(self, patterns: Mapping[int, LampPattern], now_ns: int) -> int | None: ...


@dataclass(frozen=True, slots=True)
class Parts:
    """What an engine works with.

    ``read_levels`` reads all input pins now. ``committed`` is given the messages of each entry as
    soon as it is recorded, before anything is shown of it; it must not block.
    """

    rules: TableRules
    recorder: Recorder
    inbox: Inbox
    intake: Intake
    inputs: InputBank
    read_levels: Callable[[], Mapping[str, bool]]
    show_lamps: ShowLamps
    observers: tuple[Observer, ...]
    committed: Callable[[Sequence[OutgoingMessage]], None]


class Engine:
    """Owns the state of one table and is the only one to write its journal."""

    def __init__(self, parts: Parts, state: TableState) -> None:
        """``state`` is what recovery found."""
        self._parts = parts
        self._ahead = state
        self._committed = state
        self._unrecorded: list[_Unrecorded] = []
        self._last: tuple[Fact, ...] = ()
        self._storage_fault: str | None = None
        self._retry_ns = 0
        self._levels_due_ns = 0
        self._patterns: Mapping[int, LampPattern] = {}
        self._lamps_due_ns: int | None = None
        self._thread = threading.Thread(target=self._run, name="engine", daemon=True)
        self.last_turn_ns = time.monotonic_ns()
        """When the loop last came round: what the watchdog looks at."""

    def start(self, *first: Fact) -> None:
        """Begin to consume, with ``first`` before anything else; nothing is shown until then."""
        self._parts.inbox.put(Command(first))
        self._thread.start()

    def stop(self, *last: Fact, timeout_s: float = 5.0) -> bool:
        """Let the engine finish what is in its inbox, and record ``last`` after all of it.

        False where it did not in time.
        """
        self._last = last
        self._parts.inbox.close()
        if self._thread.ident is not None:
            self._thread.join(timeout_s)
        return not self._thread.is_alive()

    def is_alive(self) -> bool:
        return self._thread.is_alive()

    @property
    def shown(self) -> TableView:
        """The view of what is recorded. Safe from any thread: it is immutable."""
        shown = view(self._committed, self._parts.rules)
        if self._storage_fault is None:
            return shown
        alarm = Alarm(
            code=STORAGE_ALARM,
            text=f"Recording failed ({self._storage_fault}); free space on the card. "
            "Results wait until they are recorded",
        )
        return replace(shown, alarms=(*shown.alarms, alarm))

    # --- the loop --------------------------------------------------------------------------

    def _run(self) -> None:
        while not self._parts.inbox.finished:
            self.last_turn_ns = time.monotonic_ns()
            items, until_ns = self._parts.inbox.take(self._wait_s())
            try:
                self._turn(items, until_ns)
            except Exception as error:
                # Whatever it was, the table goes on: the next turn starts from what is recorded
                # or waits to be.
                log.error("a turn of the engine failed: %s", _without_values(error))
        try:
            self._end()
        except Exception as error:
            log.error("the end of the engine failed: %s", _without_values(error))

    def _end(self) -> None:
        turn = _Turn(self._parts.rules, self._ahead)
        turn.take(self._last)
        if turn.facts:
            self._enqueue(turn)
        if self._unrecorded:
            self._record()

    def _wait_s(self) -> float:
        now_ns = time.monotonic_ns()
        due = [
            self._levels_due_ns,
            self._lamps_due_ns,
            self._parts.inputs.next_due_ns,
            self._parts.intake.next_due_ns,
            self._retry_ns if self._unrecorded else None,
        ]
        soonest = min(at_ns for at_ns in due if at_ns is not None)
        return min(max(soonest - now_ns, 0) / 1e9, LONGEST_WAIT_S)

    def _turn(self, items: Sequence[Item], now_ns: int) -> None:
        """Serve ``items``, then let time come to ``now_ns`` and no further: an edge that waits in
        the inbox by now must not be overtaken by the time that it belongs to."""
        turn = _Turn(self._parts.rules, self._ahead)
        for item in items:
            try:
                self._serve(item, turn)
            except Exception as error:
                # One bad item must not take the others with it.
                log.error("could not take %s: %s", type(item).__name__, _without_values(error))
                turn.take((facts.AlarmRaised(code=CONTROLLER_FAULT, text=_CONTROLLER_FAULT),))
        if now_ns >= self._levels_due_ns:
            self._levels_due_ns = now_ns + LEVELS_EVERY_NS
            self._take_inputs(self._parts.inputs.levels(self._parts.read_levels(), now_ns), turn)
        self._take_inputs(self._parts.inputs.advance(now_ns), turn)
        turn.take(self._parts.intake.advance(now_ns))
        if turn.facts:
            self._enqueue(turn)
        if self._unrecorded and (turn.facts or now_ns >= self._retry_ns):
            self._record()
        if self._lamps_due_ns is not None and now_ns >= self._lamps_due_ns:
            self._lamps_due_ns = self._parts.show_lamps(self._patterns, now_ns)

    def _serve(self, item: Item, turn: _Turn) -> None:
        match item:
            case Edge():
                self._take_inputs(self._parts.inputs.edge(item), turn)
            case Command():
                turn.take(item.facts)
            case Order():
                self._take_order(item, turn)
            case _:
                turn.take(reader_facts(item))

    def _take_order(self, order: Order, turn: _Turn) -> None:
        if not order.begin():
            return
        if self._storage_fault is not None:
            order.refuse(
                f"Not now: nothing can be recorded ({self._storage_fault}); free space on the card",
                self.shown,
            )
            return
        turn.take_order(order)

    def _take_inputs(self, found: Sequence[InputSignal], turn: _Turn) -> None:
        for signal in found:
            turn.take(self._parts.intake.input_signal(signal, turn.state))

    # --- recording -------------------------------------------------------------------------

    def _enqueue(self, turn: _Turn) -> None:
        self._ahead = turn.state
        settled = any(isinstance(event, RoundSettled) for event in turn.events)
        due = settled and turn.state.round_number % ROUNDS_PER_CHECKPOINT == 0
        checkpoint = state_to_json(turn.state) if due else None
        entry = self._parts.recorder.entry(turn.facts, turn.events, turn.state, checkpoint)
        self._unrecorded.append(_Unrecorded(entry, tuple(turn.orders)))

    def _record(self) -> None:
        """Commit in order what waits; then, and only then, show it, and answer who gave orders."""
        answers: list[tuple[Order, Outcome]] = []
        try:
            while self._unrecorded:
                entry, orders = self._unrecorded[0]
                self._parts.recorder.write(entry, partial(self._announce, entry))
                self._committed = entry.state
                del self._unrecorded[0]
                answers += [(ruled.order, ruled.carried_out(self._parts.rules)) for ruled in orders]
        except JournalError as error:
            if self._storage_fault is None:
                log.error("recording failed: %s", error)
            self._storage_fault = str(error)
            self._retry_ns = time.monotonic_ns() + RETRY_RECORDING_NS
        else:
            self._storage_fault = None
        self._show()
        for order, outcome in answers:
            order.outcome.set_result(outcome)

    def _announce(self, entry: Entry) -> None:
        try:
            self._parts.committed(entry.messages)
        except Exception:
            # The outbox has them, and a broken feed never stops the table.
            log.exception("the feed could not take messages")
        # Gives way to the feed's thread: a broker nearby has answered by now, and is heard before
        # the view is made and not after it.
        time.sleep(0)

    def _show(self) -> None:
        shown = self.shown
        self._patterns = {spot: LampPattern(name) for spot, name in lamps(shown).items()}
        self._lamps_due_ns = self._parts.show_lamps(self._patterns, time.monotonic_ns())
        for observer in self._parts.observers:
            try:
                observer(shown)
            except Exception:
                # A broken display or feed never stops the table.
                log.exception("%s could not take a view", observer)


def _without_values(error: Exception) -> str:
    """Return what failed and where, without the error's own text: that may name a card."""
    frames = traceback.extract_tb(error.__traceback__)
    where = " < ".join(f"{Path(f.filename).name}:{f.lineno}" for f in reversed(frames))
    return f"{type(error).__name__} at {where}"


class _Unrecorded(NamedTuple):
    """One transaction that waits, with the orders to answer when it is done."""

    entry: Entry
    orders: tuple[Ruled, ...]


class _Turn:
    """What one turn of the loop adds up to, before it is committed as one transaction."""

    __slots__ = ("events", "facts", "orders", "rules", "state")

    def __init__(self, rules: TableRules, state: TableState) -> None:
        self.rules = rules
        self.state = state
        self.facts: list[Fact] = []
        self.events: list[Event] = []
        self.orders: list[Ruled] = []

    def take(self, found: Sequence[Fact]) -> None:
        """Step through facts. One that changes and announces nothing is not worth a record."""
        for fact in found:
            after = step(self.rules, self.state, fact)
            if not after.events and after.state == self.state:
                continue
            self.state = after.state
            self.facts.append(fact)
            self.events.extend(after.events)

    def take_order(self, order: Order) -> None:
        """Step through what a supervisor asks for; who asked is always a fact to record."""
        ruling = order.rule(self.rules, self.state)
        self.take(ruling.facts)
        self.orders.append(Ruled(order, ruling, self.state))
