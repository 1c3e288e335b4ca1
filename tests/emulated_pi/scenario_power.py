"""A table gets power, and loses it in mid-round."""

from __future__ import annotations

import logging

from outside import JOURNAL, Outside
from rounds import Round

log = logging.getLogger(__name__)


def test_power_alone_brings_the_table_on_the_line_and_its_sign_on_the_display(
    outside: Outside,
) -> None:
    outside.switch_on()
    outside.until_online()
    online_s = outside.on_for_s()
    # Nobody has asked the guest for anything until here.
    outside.until_shown()
    shown_s = outside.on_for_s()
    assert outside.service("ActiveState") == "active"
    since_kernel_s = float(outside.machine.run("cut -d' ' -f1 /proc/uptime"))
    before_kernel_s = outside.on_for_s() - since_kernel_s
    ready_s = int(outside.service("ActiveEnterTimestampMonotonic")) / 1e6 + before_kernel_s
    log.info(
        "from power to ready %.1f s, online %.1f s, picture %.1f s", ready_s, online_s, shown_s
    )
    login = "systemctl show getty@tty1.service -p ActiveState,UnitFileState --value"
    assert outside.machine.run(login).split() == ["inactive", "enabled"]


def test_a_reader_plugged_in_after_the_start_is_found(outside: Outside) -> None:
    outside.until_alarm("reader-lost", since=0)
    since = len(outside.heard)
    without = outside.until_shown()
    outside.plug_in_reader()
    outside.until_reader_is_up()
    assert outside.machine.run("readlink /dev/fortune-reader").strip() == "ttyUSB0"
    outside.until_alarm_ended("reader-lost", since)
    outside.until_shown(told_from=[without])


def test_the_unit_is_up_and_says_how_it_stands(outside: Outside) -> None:
    assert (outside.service("ActiveState"), outside.service("SubState")) == ("active", "running")
    assert outside.service("NRestarts") == "0"
    outside.until_standing("round 0 settled; reader up; feed connected")


def test_it_runs_as_its_own_user_in_its_sandbox(outside: Outside) -> None:
    pid = outside.service("MainPID")
    status = outside.machine.run(f"cat /proc/{pid}/status")
    assert outside.machine.run(f"stat -c %U /proc/{pid}").strip() == "fortune-table"
    assert "NoNewPrivs:\t1" in status
    assert "CapEff:\t0000000000000000" in status
    assert "Seccomp:\t2" in status


def test_a_round_that_the_power_interrupted_goes_on_where_it_was(outside: Outside) -> None:
    played = Round.drawn(outside, seed=8)
    played.bet()
    number = played.lock()
    played.deal(1, 2)
    outside.until(lambda: len(outside.of_type("hand-received")) == 2, "two hands")
    outside.cut_power()
    # The broker speaks for a table that is gone.
    outside.until(lambda: outside.status.get("status") == "offline", "the will")
    outside.switch_on()
    outside.plug_in_reader()
    outside.until_online()
    outside.until_phase("suspended")
    assert (outside.state["round_number"], outside.state["suspended_from"]) == (number, "dealing")
    played.resume()
    played.deal()
    played.show_and_pay()
    # Ends with 1 where a single record is wrong.
    outside.machine.run(f"fortune-table verify {JOURNAL}")
    outside.check_feed()
