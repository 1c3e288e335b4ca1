"""Checks run side by side, each within its time."""

from __future__ import annotations

import threading
from collections.abc import Iterator

from firmware_app.diagnosis.bounded import Check, run_checks
from firmware_app.diagnosis.finding import Finding, split_cure


def fine(name: str) -> Check:
    return Check(name, lambda: [Finding(name, "ok", "fine")])


def test_findings_come_in_the_order_of_the_checks() -> None:
    slow_may_end = threading.Event()

    def slow() -> Iterator[Finding]:
        slow_may_end.wait(10)
        yield Finding("first", "ok", "late")
        yield Finding("first", "warning", "and more")

    def quick() -> list[Finding]:
        slow_may_end.set()
        return [Finding("second", "ok", "quick")]

    found = run_checks([Check("first", slow), Check("second", quick)])

    assert [(one.check, one.detail) for one in found] == [
        ("first", "late"),
        ("first", "and more"),
        ("second", "quick"),
    ]


def test_a_check_that_hangs_is_told_as_its_worst_and_hides_no_other() -> None:
    released = threading.Event()

    def hang() -> list[Finding]:
        released.wait()
        return []

    checks = [Check("chip", hang), Check("display", hang, worst="warning"), fine("clock")]
    found = run_checks(checks, limit_s=0.2)
    released.set()

    assert [(one.check, one.status) for one in found] == [
        ("chip", "failed"),
        ("display", "warning"),
        ("clock", "ok"),
    ]
    assert found[0].detail == "no answer within 0.2 s"
    assert found[0].cure


def test_a_check_that_fails_itself_is_a_finding_with_its_cause() -> None:
    def broken() -> list[Finding]:
        raise ZeroDivisionError("one by none")

    found = run_checks([Check("disk", broken), fine("clock")])

    assert [(one.check, one.status) for one in found] == [("disk", "failed"), ("clock", "ok")]
    assert "ZeroDivisionError: one by none" in found[0].detail


def test_the_cure_of_a_message_is_its_last_sentence_or_its_last_part() -> None:
    assert split_cure("lgpio 0.1 is too old; install 0.2.2 or later") == (
        "lgpio 0.1 is too old",
        "install 0.2.2 or later",
    )
    assert split_cure("no chip under /dev; seen: none. Run on a Pi; gpiodetect lists them") == (
        "no chip under /dev; seen: none",
        "Run on a Pi; gpiodetect lists them",
    )
    assert split_cure("no advice") == ("no advice", "")
