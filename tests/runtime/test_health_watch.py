"""Health becomes alarms: once when it fails, once when it ends, and anew after a restart."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from firmware_app.runtime.health import HealthWatch
from firmware_app.table.facts import AlarmCleared, AlarmRaised
from hw.health import Reading

WELL = Reading("space", "ok", "900 MiB free")
FULL = Reading("space", "failed", "3 MiB free; make room on the card")
RAISED = AlarmRaised(code="space-failed", text="space: 3 MiB free; make room on the card")
CLEARED = AlarmCleared(code="space-failed")


def test_an_alarm_begins_and_ends_once_however_often_it_is_looked_at() -> None:
    now = [WELL]
    watch = HealthWatch([lambda: now])
    watch.look()
    told = []
    for reading in (WELL, FULL, FULL, WELL, Reading("space", "warning", "little"), FULL):
        now[0] = reading
        told.append(watch.look())
    assert told == [(), (RAISED,), (), (CLEARED,), (), (RAISED,)]


def test_an_alarm_left_from_before_a_restart_ends_at_the_first_look(
    start: Callable[..., Any],
) -> None:
    bench = start()
    bench.tell(*HealthWatch([lambda: [FULL]]).look())
    bench.wait(lambda view: "space-failed" in {alarm.code for alarm in view.alarms})
    bench.close()
    again = start()
    assert "space-failed" in {alarm.code for alarm in again.views[-1].alarms}
    again.tell(*HealthWatch([lambda: [WELL]]).look())
    again.wait(lambda view: "space-failed" not in {alarm.code for alarm in view.alarms})


def test_a_first_look_at_what_is_well_leaves_no_trace_on_record(start: Callable[..., Any]) -> None:
    bench = start()
    before = bench.journal.next_fact_number
    bench.tell(*HealthWatch([lambda: [WELL]]).look())
    bench.close()
    assert bench.journal.next_fact_number == before
