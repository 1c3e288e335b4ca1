"""Runs checks side by side, each within a limit of time, so that one that hangs hides no other."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from firmware_app.diagnosis.finding import Finding
from hw.health import Status

LIMIT_S: Final = 6.0

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Check:
    """One check. ``worst`` is what it means for the table if ``look`` comes to no end."""

    name: str
    look: Callable[[], Iterable[Finding]]
    worst: Status = "failed"


class _Run:
    """One check under way. Its thread is a daemon: one that hangs does not hold up the exit."""

    def __init__(self, check: Check) -> None:
        self._check = check
        self._findings: list[Finding] | None = None
        self._thread = threading.Thread(target=self._look, name=f"check-{check.name}", daemon=True)
        self._thread.start()

    def findings(self, timeout_s: float, limit_s: float) -> list[Finding]:
        self._thread.join(timeout_s)
        if self._findings is None:
            detail = f"no answer within {limit_s:g} s"
            return [self._broken(detail, "something hangs below it; look at dmesg, then restart")]
        return self._findings

    def _look(self) -> None:
        try:
            self._findings = list(self._check.look())
        except Exception as error:
            _log.exception("the check %s failed itself", self._check.name)
            detail = f"the check failed itself: {type(error).__name__}: {error}"
            self._findings = [self._broken(detail, "report this message to the maker")]

    def _broken(self, detail: str, cure: str) -> Finding:
        return Finding(self._check.name, self._check.worst, detail, cure)


def run_checks(checks: Sequence[Check], limit_s: float = LIMIT_S) -> list[Finding]:
    """Run all checks at once and return what they found, in their order. Raises nothing."""
    deadline_s = time.monotonic() + limit_s
    runs = [_Run(check) for check in checks]
    return [
        finding
        for run in runs
        for finding in run.findings(max(0.0, deadline_s - time.monotonic()), limit_s)
    ]
