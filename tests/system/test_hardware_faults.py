"""What breaks at the edge of the table stays there: no hand and no cent is lost or made up."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from worked_table import eventually, worked_table

from firmware_app.commands.simulate import simulate
from firmware_app.signage.scene import SceneKind
from firmware_app.simulation.faults import KINDS
from firmware_app.table.facts import Advanced
from firmware_app.table.values import Phase
from hw.lines import ADVANCE, VOID
from hw.reader.sentence import Sentence

QUEENS = "QS QH QD QC 4D 9H 7C"
ROYAL = "AS KS TS JS JK 4H 2D"
"""A royal flush: the joker stands in for the queen of spades."""
NOTHING = "KH TD 8S 6C 5H 3D 2C"
OTHER_NOTHING = "AH JD 9S 7D 6H 4S 2H"
DEALER = "AD KC JC 9D 7H 4C 3S"

RUNS = {
    "at once": ("envy", 4, "noise cut repeats bounce stuck:3"),
    "one a round": ("face-up", 4, "restart:1 silence:2 unread-card:3 misdeal:4 broker-down:4"),
    "wrong speed": ("envy", 1, "wrong-baud:1"),
}


class Runs:
    """Simulations side by side: each mostly waits."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._processes = {
            name: subprocess.Popen(
                [sys.executable, "-m", "firmware_app", "simulate", "--headless"]
                + ["--rules", rules, "--rounds", str(rounds), "--out", str(self._out(name))]
                + [word for fault in faults.split() for word in ("--fault", fault)],
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
            )
            for name, (rules, rounds, faults) in RUNS.items()
        }
        self._done: dict[str, tuple[dict[str, Any], list[dict[str, Any]]]] = {}

    def outcome(self, name: str) -> tuple[dict[str, Any], list[dict[str, Any]]]:
        """Return the summary of a run that succeeded, and its feed."""
        if name not in self._done:
            process = self._processes[name]
            said, _ = process.communicate(timeout=150)
            assert process.returncode == 0, said
            out = self._out(name)
            summary = json.loads((out / "summary.json").read_text())
            feed = [json.loads(line) for line in (out / "feed.jsonl").read_text().splitlines()]
            self._done[name] = summary, feed
        return self._done[name]

    def _out(self, name: str) -> Path:
        return self._folder / name.replace(" ", "-")

    def close(self) -> None:
        for process in self._processes.values():
            if process.poll() is None:
                process.kill()
            process.communicate()


@pytest.fixture(scope="module", autouse=True)
def runs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Runs]:
    """The simulations begin with the first test of this module, and are judged by the last."""
    started = Runs(tmp_path_factory.mktemp("runs"))
    try:
        yield started
    finally:
        started.close()


def of_type(feed: list[dict[str, Any]], kind: str) -> list[dict[str, Any]]:
    return [event["data"] for event in feed if event["type"] == f"fpg.v1.{kind}"]


# --- the whole table, worked by hand -----------------------------------------------------------


def test_a_reader_pulled_in_mid_hand_comes_back_under_another_name(out: Path, broker: Any) -> None:
    with worked_table("envy", out, broker.url) as table:
        for spot in (1, 2, 3):
            table.lay(spot)
        table.start()
        hands = table.dealt({1: QUEENS, 2: NOTHING, 3: OTHER_NOTHING, 0: DEALER})
        for position in (1, 2):
            table.reader.hand(position, hands[position])
        table.until(lambda view: view.spots[1].hand_in, "the second hand")

        link = out / "reader"
        first_name = link.readlink()
        half, rest = half_a_hand(3, "KS TS 9C 8C 6S 5C 3H")
        counted = table.stage.table.reader.statistics
        before = counted()
        table.reader.write_raw(half)
        eventually(
            lambda: counted().bytes_received >= before.bytes_received + len(half), "half a hand"
        )
        table.reader.unplug()
        suspended = table.until_phase(Phase.SUSPENDED)
        assert table.sign(suspended).kind is SceneKind.SUSPENDED

        table.reader.plug_in()
        assert link.readlink() != first_name
        eventually(lambda: counted().opened > before.opened, "new port")
        table.reader.write_raw(rest)
        table.reader.hand(3, hands[3])
        table.stage.watch.until(
            lambda view: view.reader_up and view.spots[2].hand_in, "the next hand", 5.0
        )
        table.advance()
        table.until_phase(Phase.DEALING)
        for position in (4, 5, 6, 0):
            table.reader.hand(position, hands[position])
        table.reader.dealt(4)
        revealed = table.play_to_the_end()

        assert [str(card) for card in revealed.spots[2].cards] == hands[3]
        received = [event["position"] for event in table.feed("hand-received")]
        assert sorted(received) == [0, 1, 2, 3, 4, 5, 6], "the half hand was never taken for one"
        assert len(table.feed("round-suspended")) == len(table.feed("round-resumed")) == 1
        assert len(table.feed("round-settled")) == 1


def half_a_hand(position: int, cards: str) -> tuple[bytes, bytes]:
    sentence = Sentence(900, "HAND", (str(position), cards)).to_bytes()
    return sentence[: len(sentence) // 2], sentence[len(sentence) // 2 :]


def test_a_sensor_that_hangs_costs_its_spot_and_no_other(
    out: Path, broker: Any, wiretap: Any
) -> None:
    with worked_table("envy", out, broker.url, bet_stuck_after_s=6) as table:
        table.panel.stick("spot3.bet")
        seen = table.until(lambda view: not view.spots[2].in_service, "spot 3 out of service")
        assert [panel.broken for panel in table.sign(seen).spots] == [
            spot == 3 for spot in range(1, 7)
        ]
        assert any("spot3.bet" in alarm for alarm in table.sign(seen).strip.alarms)

        table.panel.main(3)
        for spot in (1, 2):
            table.lay(spot)
        table.start()
        table.deal({1: QUEENS, 2: NOTHING, 3: ROYAL, 0: DEALER})
        table.play_to_the_end()

        (locked,) = table.feed("round-locked")
        third = locked["spots"][2]
        assert (third["main_cents"], third["fortune_cents"], third["envy_button"]) == (0, 0, False)
        (settled,) = table.feed("round-settled")
        # Posted: four of a kind pays 25 to 1, and $5 to every other envy wager; a royal flush
        # would pay $50 of envy, but nobody is known to play spot 3.
        paid = [(spot["fortune"]["paid_cents"], spot["envy_cents"]) for spot in settled["spots"]]
        assert paid == [(125_00, 0), (0, 5_00), (0, 0), (0, 0), (0, 0), (0, 0)]
        (raised,) = [
            event["alarm"]
            for event in table.feed("alarm-raised")
            if event["alarm"]["code"].startswith("input-failed")
        ]
        assert (raised["code"], raised["spot"]) == ("input-failed:spot3.bet", 3)
        assert wiretap.wait(
            lambda topic, payload: (
                topic.endswith("/state")
                and [spot["in_service"] for spot in json.loads(payload)["spots"]]
                == [True, True, False, True, True, True]
            )
        )

        table.panel.free("spot3.bet")
        table.until(lambda view: view.spots[2].in_service, "spot 3 back in service")
        cleared = [event["alarm"]["code"] for event in table.feed("alarm-cleared")]
        assert "input-failed:spot3.bet" in cleared


def test_a_bet_after_the_lock_changes_no_money_and_is_told(out: Path, broker: Any) -> None:
    with worked_table("envy", out, broker.url) as table:
        for spot in (1, 2, 4):
            table.lay(spot, fortune=spot != 4, envy=spot != 4)
        table.start()
        table.panel.bet(4)
        table.panel.bet(1, False)
        late = table.until(lambda view: len(view.alarms) == 2, "two late bets")
        told = table.sign(late).strip.alarms
        assert {text.split(":")[0] for text in told} == {"Spot 1", "Spot 4"}
        assert all("after the lock" in text for text in told)
        table.deal({1: QUEENS, 4: ROYAL, 2: NOTHING, 0: DEALER})
        table.play_to_the_end()

        events = {event["spot"]: event for event in table.feed("late-bet")}
        assert {spot: event["cents"] for spot, event in events.items()} == {1: 0, 4: 5_00}
        (settled,) = table.feed("round-settled")
        fortune = {spot["spot"]: spot["fortune"]["paid_cents"] for spot in settled["spots"]}
        assert (fortune[1], fortune[4]) == (125_00, 0), "as it lay at the lock"
        moves = [(fact.spot, fact.wager, fact.cents) for fact in table.facts("wager-changed")]
        assert moves[-2:] == [(4, "fortune", 5_00), (1, "fortune", 0)]
        assert len(table.recorded("late-bet")) == 2


def test_chords_are_echoed_on_the_sign_the_feed_and_the_journal(out: Path, broker: Any) -> None:
    with worked_table("daytona", out, broker.url) as table:
        for spot in (1, 3, 4, 5):
            table.lay(spot, envy=False)
        said = [
            table.chord(ADVANCE, 2, wanted="Spot 2 is the designated player"),
            table.chord(ADVANCE, 3, 4, wanted="Spots 3 and 4 are one player"),
        ]
        assert said[-1].designated_player == 2
        assert said[-1].spots[2].player == said[-1].spots[3].player
        table.start()
        said.append(table.chord(VOID, 5, wanted="hand is dead"))
        assert said[-1].spots[4].dead
        for view in said:
            assert view.notice is not None
            assert view.notice in (table.sign(view).strip.notice or "")

        expected = [("spot-designated", 2), ("spots-linked", 3), ("hand-dead", 5)]
        told = [(event["action"], event["spot"]) for event in table.feed("action")]
        assert told == expected
        recorded = [(event["action"], event["spot"]) for event in table.recorded("action")]
        assert recorded == expected
        assert [fact.spot for fact in table.facts("spot-designated")] == [2]
        assert [fact.spots for fact in table.facts("spots-linked")] == [(3, 4)]
        assert [fact.spot for fact in table.facts("hand-dead")] == [5]
        assert table.facts("advanced") == [], "no chord is an ADVANCE"


def test_a_button_without_its_wager_pays_nothing_and_is_told(out: Path, broker: Any) -> None:
    with worked_table("face-up", out, broker.url) as table:
        table.lay(1)
        table.lay(2, fortune=False)
        table.lay(4)
        table.start()
        table.deal({1: QUEENS, 2: NOTHING, 4: OTHER_NOTHING, 0: DEALER})
        revealed = table.play_to_the_end()

        (text,) = revealed.discrepancies
        assert text.startswith("spot 2: envy button")
        assert text in table.sign(revealed).strip.alarms
        assert [event["text"] for event in table.feed("discrepancy")] == [text]
        assert [event["text"] for event in table.recorded("discrepancy")] == [text]
        (settled,) = table.feed("round-settled")
        envy = {spot["spot"]: spot["envy_cents"] for spot in settled["spots"]}
        assert (envy[2], envy[4]) == (0, 5_00)


def test_fifty_lock_commands_at_once_are_one_lock_of_one_round(out: Path, broker: Any) -> None:
    with worked_table("envy", out, broker.url) as table:
        table.lay(1)
        table.panel.bounces = 5
        table.panel.press(ADVANCE)
        for _ in range(24):
            table.reader.start(1)
            table.stage.table.act(Advanced(by="floor", phase=Phase.BETTING, round=1))
        table.panel.release(ADVANCE)
        table.stage.table.act(Advanced(by="floor", phase=Phase.BETTING, round=1))
        table.panel.bounces = 0
        table.reader.hand(1, QUEENS.split())
        view = table.until(lambda view: view.spots[0].hand_in, "the hand after all of them")
        assert (view.phase, view.round_number) == (Phase.DEALING, 1)
        assert table.reader.wait_acknowledged(10)

        (locked,) = table.feed("round-locked")
        assert locked["round"] == 1
        assert [event["round"] for event in table.feed("round-opened")] == [1]
        assert table.feed("round-dealt") == []


# --- simulations with faults by name -----------------------------------------------------------


def test_everything_wrong_at_once_loses_and_invents_no_hand(runs: Runs) -> None:
    summary, feed = runs.outcome("at once")
    assert (summary["rounds"], summary["voided"], summary["complete"]) == (4, 1, True)
    assert (summary["hands_lost"], summary["hands_invented"]) == (0, 0)
    assert summary["out_of_service"] == [3]
    assert summary["faults"] == ["noise:0.2", "cut:0.1", "repeats:0.3", "bounce:5", "stuck:3"]
    assert summary["reader"]["bad_sentences"] > 0
    assert summary["reader"]["repeats"] > 0
    hands = sum(len(data["spots"]) for data in of_type(feed, "round-settled"))
    assert hands == 4 * 6, "every hand that was dealt is settled"
    for data in of_type(feed, "round-locked"):
        third = data["spots"][2]
        assert (third["main_cents"], third["fortune_cents"]) == (0, 0)
        assert sum(spot["main_cents"] > 0 for spot in data["spots"]) >= 3, "the others play on"


def test_a_fault_in_each_round_is_overcome_by_the_dealer(runs: Runs) -> None:
    summary, feed = runs.outcome("one a round")
    assert (summary["rounds"], summary["voided"], summary["complete"]) == (4, 2, True)
    assert (summary["hands_lost"], summary["hands_invented"]) == (0, 0)
    assert [data["round"] for data in of_type(feed, "round-suspended")] == [1, 2, 6]
    assert [data["round"] for data in of_type(feed, "round-resumed")] == [1, 2, 6]
    asked = [
        data["round"]
        for data in of_type(feed, "alarm-raised")
        if data["alarm"]["code"] == "reader-alarm"
    ]
    assert asked == [3]
    voided = {data["round"]: data["reason"] for data in of_type(feed, "round-voided")}
    assert voided[4] == "misdeal: two cards came out at once"
    assert [data["round"] for data in of_type(feed, "round-settled")] == [1, 2, 3, 5]


def test_a_reader_at_the_wrong_speed_is_named_and_forgiven(runs: Runs) -> None:
    summary, feed = runs.outcome("wrong speed")
    assert (summary["rounds"], summary["hands_lost"], summary["hands_invented"]) == (1, 0, 0)
    raised = [data["alarm"]["code"] for data in of_type(feed, "alarm-raised")]
    cleared = [data["alarm"]["code"] for data in of_type(feed, "alarm-cleared")]
    assert "reader-unreadable" in raised
    assert "reader-unreadable" in cleared


def test_every_fault_is_listed_with_what_it_does() -> None:
    done = CliRunner().invoke(simulate, ["--fault", "list"])
    assert done.exit_code == 0
    lines = done.output.splitlines()
    assert [line.split(":")[0] for line in lines] == [kind.name for kind in KINDS]
    assert len(set(lines)) == len(KINDS)


@pytest.mark.parametrize(
    ("wish", "words"),
    [
        (["noize"], ["'noize'", "noise"]),
        (["stuck"], ["'stuck'", "spot", "stuck:3"]),
        (["stuck:9"], ["'stuck'", "1 to 6", "'9'"]),
        (["noise:2"], ["'noise'", "0.01 to 0.9", "'2'"]),
        (["unplug:5"], ["'unplug'", "1 to 2", "'5'"]),
        (["cut:often"], ["'cut'", "'often'"]),
        (["broker-down", "--broker", "mqtt://127.0.0.1:1"], ["'broker-down'", "--broker"]),
    ],
)
def test_a_fault_that_cannot_be_is_one_clear_error(
    wish: list[str], words: list[str], tmp_path: Path
) -> None:
    arguments = ["--rules", "envy", "--rounds", "2", "--headless", "--out", str(tmp_path)]
    done = CliRunner().invoke(simulate, [*arguments, "--fault", *wish])
    assert done.exit_code == 1
    (line,) = done.output.splitlines()
    for word in words:
        assert word in line
    assert list(tmp_path.iterdir()) == [], "nothing was opened"


def test_a_fault_of_a_round_needs_a_number_of_rounds(tmp_path: Path) -> None:
    done = CliRunner().invoke(simulate, ["--out", str(tmp_path), "--fault", "unplug"])
    assert done.exit_code == 1
    assert "--rounds" in done.output
