"""A table that hangs is started again, a table whose card is slow is not."""

from __future__ import annotations

import logging
import re
import time

import pytest
from guest_machine import BOOT_S
from outside import UNIT, Outside
from rounds import Round

log = logging.getLogger(__name__)

SLOW_S = 8.0
LATE_S = 10.0
"""How much later than its limit an emulated service manager on a busy machine may act."""


@pytest.mark.parametrize(
    ("signal", "what"),
    [("STOP", "the whole process"), ("USR1", "its main thread"), ("USR2", "its engine")],
)
def test_a_table_that_hangs_is_started_again_and_pays_the_round(
    outside: Outside, signal: str, what: str
) -> None:
    """USR1 and USR2: ``blocked_threads`` in the guest, which is no part of the application."""
    played = Round.drawn(outside, seed=31)
    played.bet()
    number = played.lock()
    played.deal(1)
    since = len(outside.heard)
    restarts = int(outside.service("NRestarts"))
    limit_s = float(outside.service("WatchdogUSec").removesuffix("s"))
    asked_s = float(
        outside.machine.run(
            f"cut -d' ' -f1 /proc/uptime; systemctl kill --kill-whom=main --signal={signal} {UNIT}"
        )
    )
    outside.until_event("device-started", since, BOOT_S)
    told = outside.machine.run(
        f"journalctl -u {UNIT} -o short-monotonic --no-pager | grep 'Watchdog timeout' | tail -1"
    )
    found = re.match(r"\[\s*([\d.]+)\]", told)
    assert found is not None, "it was not the watchdog that ended it"
    hung_s = float(found[1]) - asked_s
    log.info("%s blocked: the watchdog acted after %.1f s", what, hung_s)
    assert 0 < hung_s < limit_s + LATE_S
    assert int(outside.service("NRestarts")) == restarts + 1
    outside.until_phase("suspended")
    assert (outside.state["round_number"], outside.state["suspended_from"]) == (number, "dealing")
    played.resume()
    played.deal()
    played.show_and_pay()
    outside.check_feed()


def test_a_card_that_holds_writes_back_for_eight_seconds_ends_nothing(outside: Outside) -> None:
    outside.until_reader_is_up()
    pid, restarts = outside.service("MainPID"), outside.service("NRestarts")
    spot = 1
    bet = f"echo pull-down >/run/simulated-pins/sim_gpio{outside.pin(f'spot{spot}.bet')}/pull"
    outside.machine.run("sync")
    since = len(outside.heard)
    began_s = time.monotonic()
    # The whole card stands still, under the table, the system's log and everything else.
    outside.machine.run(f"fsfreeze -f /; {bet}; sleep {SLOW_S:g}; fsfreeze -u /")
    outside.until_event("wager-changed", since)
    held_s = next(heard.at_s for heard in outside.heard[since:]) - began_s
    log.info("the bet was told %.1f s after it lay on a card that stood still", held_s)
    assert held_s > SLOW_S, "told before it was on the card"
    assert (outside.service("MainPID"), outside.service("NRestarts")) == (pid, restarts)
    outside.bet(spot, False)
    outside.check_feed()
