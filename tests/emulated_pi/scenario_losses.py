"""What a table loses and gets back: its reader, its broker, its screen. It plays on meanwhile."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest
from outside import Outside
from pictures import ALIKE, differing
from rounds import Round

from hw.sim.reader_device import ReaderFaults

CONNECTOR = "/sys/class/drm/card*-Virtual-1/status"
AWAY_S = 60.0


def test_a_reader_that_falls_silent_between_rounds_is_an_alarm_on_feed_and_sign(
    outside: Outside,
) -> None:
    outside.until_reader_is_up()
    healthy = outside.until_shown()
    since = len(outside.heard)
    outside.reader.set_faults(ReaderFaults(silent=True))
    outside.until_alarm("reader-lost", since)
    outside.until(lambda: not outside.state["reader_up"], "the published loss")
    lost = outside.until_shown(told_from=[healthy])
    assert outside.of_type("round-suspended", since) == []
    outside.reader.set_faults(ReaderFaults())
    outside.until_alarm_ended("reader-lost", since)
    outside.until_reader_is_up()
    outside.until_shown(told_from=[lost])
    Round.drawn(outside, seed=21).play()


def test_a_reader_pulled_out_while_dealing_suspends_the_round_which_is_paid_right(
    outside: Outside,
) -> None:
    played = Round.drawn(outside, seed=22)
    played.bet()
    number = played.lock()
    since = len(outside.heard)
    played.deal(1, 2, 3)
    outside.until(lambda: len(outside.of_type("hand-received", since)) == 3, "three hands")
    dealing = outside.until_shown()
    outside.unplug_reader()
    suspended = outside.until_event("round-suspended", since)
    assert (suspended["round"], suspended["phase"]) == (number, "dealing")
    outside.until_alarm("reader-lost", since)
    outside.until_phase("suspended")
    assert outside.machine.run("ls /dev/fortune-reader 2>/dev/null || true") == ""
    lost = outside.until_shown(told_from=[dealing])
    played.deal(4)  # said to nobody, and said again once there is somebody
    outside.plug_in_reader()
    outside.until_alarm_ended("reader-lost", since)
    played.resume()
    outside.until_shown(told_from=[lost])
    played.deal()
    played.show_and_pay()
    outside.check_feed()


def test_a_round_without_a_broker_arrives_whole_and_in_order_when_it_is_back(
    outside: Outside,
) -> None:
    played = Round.drawn(outside, seed=23, betting=1)
    outside.until_reader_is_up()
    number = outside.state["round_number"] + 1
    outside.broker.stop()
    gone_s = time.monotonic()
    outside.until_standing(f"round {number - 1} settled; reader up; feed not connected")
    known = len(outside.heard)
    outside.bet(played.betting[0], True)
    outside.until_standing(f"round {number} betting")
    outside.reader.start(1)
    outside.until_standing(f"round {number} dealing")
    played.deal()
    outside.until_standing(f"round {number} dealt")
    outside.advance()
    outside.until_standing(f"round {number} revealed")
    outside.until(lambda: outside.lamp(played.betting[0]), "the lamp of a spot that is owed")
    outside.advance()
    outside.until_standing(f"round {number} settled; reader up; feed not connected")
    played.take_bets()
    time.sleep(max(0.0, gone_s + AWAY_S - time.monotonic()))
    assert len(outside.heard) == known
    outside.broker.start()
    played.check(number)
    outside.until(lambda: outside.state["round_number"] == number, "the state of now")
    outside.until_standing(f"round {number} settled; reader up; feed connected, 0 unsent")
    outside.check_feed()
    outside.until_shown()


def unplug_screen(outside: Outside) -> Callable[[], None]:
    outside.machine.run(f"for status in {CONNECTOR}; do echo off >$status; done")

    def plug_in() -> None:
        assert differing(outside.display(), outside.sign()) > ALIKE, "it never was away"
        outside.machine.run(f"for status in {CONNECTOR}; do echo detect >$status; done")

    return plug_in


def kill_painter(outside: Outside) -> Callable[[], None]:
    # Brackets, so that the shell that runs this is not what it finds.
    outside.machine.run("pkill -KILL -f '[f]irmware_app.signage.painting'")
    return lambda: None


@pytest.mark.parametrize("lose", [unplug_screen, kill_painter])
def test_a_table_that_loses_its_screen_plays_on_and_gets_it_back(
    outside: Outside, lose: Callable[[Outside], Callable[[], None]]
) -> None:
    before = outside.until_shown()
    pid, restarts = outside.service("MainPID"), outside.service("NRestarts")
    since = len(outside.heard)
    give_back = lose(outside)
    alarm = outside.until_alarm("display-failed", since)
    assert "check the screen and its cable" in alarm["text"]
    Round.drawn(outside, seed=24).play()
    give_back()
    outside.until_alarm_ended("display-failed", since)
    outside.until_shown(told_from=[before])
    assert (outside.service("MainPID"), outside.service("NRestarts")) == (pid, restarts)
    outside.check_feed()
