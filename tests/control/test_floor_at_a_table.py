"""A supervisor acts on a whole table in play, and every action is on record with who and why."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

import pytest
from fake_floor import Talker, control_threads, wait_for
from supervised_table import NO_BROKER, FloorStory

from firmware_app.cards import parse_card
from firmware_app.control.client import ask
from firmware_app.control.protocol import Advance
from firmware_app.feed.demo_broker import DemoBroker
from firmware_app.feed.envelope import decode
from firmware_app.feed.subscriber import Subscriber
from firmware_app.simulation.stage import Places, Stage
from firmware_app.table import facts
from firmware_app.table.values import Phase
from firmware_app.table.view import TableView

# Three queens, and a four of a kind once the deuce is corrected to the queen that it was. Posted
# at the envy rules: three of a kind pays 3 to 1, four of a kind 25 to 1.
MISREAD = "QS QH QD 2C 5H 4D 9H"


class Heard:
    """The sequence numbers of all events that a broker carried, repeats included."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._numbers: Counter[int] = Counter()

    def hear(self, _topic: str, payload: bytes) -> None:
        with self._changed:
            self._numbers[decode(payload).sequence] += 1
            self._changed.notify_all()

    def wait_for(self, numbers: Iterable[int]) -> None:
        wanted = Counter(numbers)
        with self._changed:
            came = self._changed.wait_for(lambda: wanted <= self._numbers, 20)
        assert came, f"missing: {wanted - self._numbers}"


def fortune_paid(view: TableView) -> int | None:
    result = view.spots[0].result
    return None if result is None else result.fortune.paid_cents


def test_void_from_the_floor_in_mid_round_gives_every_bet_back(table) -> None:
    table.bet(1, 2)
    table.lock()
    done = table.floor("void")
    assert done.exit_code == 0, done.output
    assert "Return every bet" in done.stdout
    shown = table.wait(Phase.VOIDED)
    assert shown.void_reason == "asked for by the pit"
    (voided,) = table.recorded(facts.Voided)
    assert (voided.by, voided.reason) == ("Ms. Ortega", "asked for by the pit")
    (logged,) = table.log()
    assert (logged["action"], logged["by"], logged["why"], logged["refused"]) == (
        "void",
        "Ms. Ortega",
        "asked for by the pit",
        None,
    )


def test_a_card_corrected_after_the_reveal_is_paid_as_it_was_dealt(table) -> None:
    table.bet(1)
    table.lock()
    table.deal({1: MISREAD}, undealt="QC 3H 7S 8H")
    assert table.floor("advance").exit_code == 0
    assert fortune_paid(table.wait(Phase.REVEALED)) == 3 * 5_00
    done = table.floor("correct", "1", "2c", "qc")
    assert done.exit_code == 0, done.output
    shown = table.stage.watch.until(
        lambda view: fortune_paid(view) == 25 * 5_00, "the corrected payout", 10
    )
    assert shown.phase is Phase.REVEALED
    (corrected,) = table.recorded(facts.CardCorrected)
    assert (corrected.was, corrected.now) == (parse_card("2C"), parse_card("QC"))
    assert (corrected.by, corrected.why) == ("Ms. Ortega", "asked for by the pit")


def test_an_advance_that_comes_twice_does_nothing_the_second_time(table) -> None:
    table.bet(1)
    table.lock()
    table.deal({})
    shown = table.wait(Phase.DEALT)
    reveal = Advance(
        by="Ms. Ortega", why="dealer's button stuck", phase=Phase.DEALT, round=shown.round_number
    )
    first, second = (ask(table.places.control, reveal) for _ in range(2))
    assert (first.outcome, second.outcome) == ("done", "refused")
    assert second.text.startswith("Nothing was done")
    assert second.table is not None
    assert second.table.phase is Phase.REVEALED
    assert len(table.recorded(facts.Advanced)) == 1
    assert [entry["refused"] is None for entry in table.log()] == [True, False]


def test_a_whole_round_can_be_played_from_the_floor(table) -> None:
    table.bet(1)
    for phase in (Phase.DEALING, None, Phase.REVEALED, Phase.SETTLED):
        if phase is None:
            table.deal({})
        else:
            assert table.floor_json("advance")["table"]["phase"] == phase
    assert table.floor_json("status", who=())["table"]["round"] == 1


def test_what_is_not_done_says_why_and_is_logged_as_refused(table) -> None:
    table.bet(1)
    table.lock()
    refusals = [
        (("link", "1", "2"), "before bets are locked"),
        (("designate", "3"), "no designated player"),
        (("bank", "50000"), "no bank to declare"),
        (("surrender", "1"), "no surrender"),
        (("dead", "7"), "no spot 7"),
        (("link", "6", "7"), "no spot 7"),
        (("resend", "9999"), "no event 9999"),
        (("advance",), "Still to come"),
    ]
    for words, why in refusals:
        refused = table.floor(*words)
        assert refused.exit_code == 1, words
        assert why in refused.stderr, words
        assert "refused" in refused.stderr
    assert table.wait(Phase.DEALING).notice is None, "the table's sign is left alone"
    logged = table.log()
    assert [entry["action"] for entry in logged] == [words[0] for words, _ in refusals]
    for entry, (_, why) in zip(logged, refusals, strict=True):
        assert why in entry["refused"]


def test_declarations_from_the_floor_stand_under_the_supervisors_name(table) -> None:
    table.bet(1, 2)
    for words, kind in (
        (("link", "1", "2"), facts.SpotsLinked),
        (("action-button", "4"), facts.ActionButtonMoved),
    ):
        assert table.floor(*words).exit_code == 0
        (fact,) = table.recorded(kind)
        assert fact.by == "Ms. Ortega"
    table.lock()
    for words, kind in ((("fold", "2"), facts.HandFolded), (("dead", "1"), facts.HandDead)):
        done = table.floor(*words)
        assert (done.exit_code, kind) == (0, kind), done.output
        (fact,) = table.recorded(kind)
        assert fact.by == "Ms. Ortega"
    again = table.floor("dead", "1")
    assert "alive again" in again.stdout
    assert [entry["by"] for entry in table.log()] == ["Ms. Ortega"] * 5
    shown = table.wait(Phase.DEALING)
    assert shown.spots[0].player == shown.spots[1].player


def test_a_players_setting_is_recorded_once_the_hands_are_open(table) -> None:
    table.bet(1)
    table.lock()
    table.deal({1: "AS AH KD QC 9H 5D 3C"})
    low = ("set-low", "1", "KD", "QC")
    early = table.floor(*low)
    assert early.exit_code == 1
    assert "once the hands are revealed" in early.stderr
    table.floor("advance")
    assert "2 different cards" in table.floor("set-low", "1", "KD").stderr
    assert "does not hold" in table.floor("set-low", "1", "KD", "QD").stderr
    assert table.floor(*low).exit_code == 0
    shown = table.stage.watch.until(
        lambda view: (
            view.spots[0].result is not None
            and view.spots[0].result.low == (parse_card("KD"), parse_card("QC"))
        ),
        "the setting",
        10,
    )
    assert shown.phase is Phase.REVEALED


def test_closing_the_shift_shows_what_it_ended_with_and_begins_a_new_one(table) -> None:
    table.bet(1)
    table.lock()
    table.floor("void")
    ended = table.floor_json("close-shift")
    assert ended["outcome"] == "done"
    assert ended["meters"]["shift"]["rounds.voided"] == 1
    now = table.floor_json("meters", who=())["meters"]
    assert now["shift"] == {}
    assert now["lifetime"]["rounds.voided"] == 1
    assert "rounds.voided" in table.floor("meters", who=()).stdout
    assert [entry["action"] for entry in table.log()] == ["void", "close-shift"]
    # What is told after the shift entry still goes on from the last number.
    table.floor("advance")
    assert table.wait(Phase.BETTING).round_number == 2


def test_events_are_sent_again_to_the_broker_from_the_number_asked_for(tmp_path: Path) -> None:
    places = Places(tmp_path)
    places.prepare()
    heard = Heard()
    with DemoBroker() as broker, Subscriber(broker.settings, "fpg/v1/+/+/event/#", heard.hear):
        stage = Stage("envy", places, seed=1, broker_url=broker.url, sign={}, subscribe=False)
        with stage:
            stage.start()
            table = FloorStory(stage, places)
            table.bet(1, 2)
            last = stage.table.journal.next_sequence - 1
            heard.wait_for(range(1, last + 1))
            done = table.floor("resend", "2")
            assert done.exit_code == 0, done.output
            # The record of the action is an event too: it is the last, after those sent again.
            heard.wait_for([*range(1, last + 1), *range(2, last + 2)])
            (logged,) = table.log()
            assert (logged["action"], logged["refused"]) == ("resend", None)
            assert "from 2 on" in logged["text"]


def test_nothing_hostile_on_the_socket_moves_the_table(table, caplog) -> None:
    table.bet(1)
    hostile = [
        b"\n",
        b"{\n",
        b"\xff\xfe\n",
        b'{"action": "void"}\n',
        b"[" * 5_000 + b"\n",
        b"a" * 9_000,
    ]
    for line in hostile * 5:
        with Talker(table.places.control) as talker:
            talker.send(line)
            assert talker.reply()["outcome"] == "error"
    for _ in range(50):
        Talker(table.places.control).hang_up()
    table.lock()
    table.deal({})
    wait_for(lambda: len(control_threads()) == 1)
    assert table.floor_json("advance")["table"]["phase"] == Phase.REVEALED
    assert [entry["action"] for entry in table.log()] == ["advance"]
    assert table.stage.table.engine.is_alive()


@pytest.mark.parametrize("rules", ["envy", "face-up"])
def test_no_reply_before_the_reveal_tells_a_hand(rules: str, tmp_path: Path) -> None:
    told = []
    for number, first in enumerate(("QS QH QD QC JK 4D 9H", "QS TH 8D 6C 5H 3D 2C")):
        places = Places(tmp_path / str(number))
        places.prepare()
        with Stage(rules, places, seed=1, broker_url=NO_BROKER, sign={}, subscribe=False) as stage:
            stage.start()
            table = FloorStory(stage, places)
            table.bet(1)
            table.lock()
            table.deal({0: "AS KH JD 9C 7S 4H 2D", 1: first}, undealt="3H 3S 3C 5S")
            replies = [
                table.floor(*words, who=())
                for words in (("status",), ("status", "--json"), ("meters", "--json"))
            ]
            replies += [
                table.floor(*words, "--json")
                for words in (
                    ("correct", "1", "QH", "3H"),
                    ("correct", "1", "QH", "QD"),
                    ("set-low", "1", "QS", "QH"),
                    ("dead", "1"),
                    ("dead", "1"),
                    ("void",),
                )
            ]
        told.append([(reply.exit_code, reply.output) for reply in replies])
    assert told[0] == told[1]
    assert [code for code, _ in told[0]] == [0, 0, 0, 1, 1, 1, 0, 0, 0]
