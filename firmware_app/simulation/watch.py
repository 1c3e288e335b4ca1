"""Waiting for what the table shows, as a dealer's eyes do."""

from __future__ import annotations

import threading
from collections.abc import Callable

from firmware_app.table.view import TableView


class SimulationError(RuntimeError):
    """The table did not do what the dealer waited for. The message says what it showed."""


class Watch:
    """An observer of the engine that others can wait on."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._view: TableView | None = None

    def __call__(self, shown: TableView) -> None:
        with self._changed:
            self._view = shown
            self._changed.notify_all()

    @property
    def view(self) -> TableView | None:
        """The last view shown."""
        with self._changed:
            return self._view

    def until(self, wanted: Callable[[TableView], bool], what: str, timeout_s: float) -> TableView:
        """Return the first view that is ``wanted``; raise :class:`SimulationError` without one."""
        with self._changed:
            if self._changed.wait_for(
                lambda: self._view is not None and wanted(self._view), timeout_s
            ):
                assert self._view is not None
                return self._view
            seen = self._view
        shown = (
            "nothing"
            if seen is None
            else f"{seen.phase.value} of round {seen.round_number}"
            + "".join(f"; {alarm.text}" for alarm in seen.alarms)
        )
        raise SimulationError(f"waited {timeout_s:g} s for {what}; the table shows {shown}")
