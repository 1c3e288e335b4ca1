"""``fortune-table floor``: exit codes, what has to be said, and what the log lists."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from firmware_app.cli import cli
from firmware_app.control.desk import Desk
from firmware_app.control.server import ControlServer, Limits
from firmware_app.journal.meters import Meters
from firmware_app.journal.records import Stamp
from firmware_app.journal.store import Journal
from firmware_app.rules.profile import load_profile
from firmware_app.table import facts
from firmware_app.table.state import TableRules, new_table
from firmware_app.table.supervision import Asked, Outcome
from firmware_app.table.values import Alarm, Phase
from firmware_app.table.view import TableView, view

RULES = TableRules(load_profile("envy"))
VIEW = replace(
    view(new_table(RULES), RULES),
    phase=Phase.SUSPENDED,
    round_number=12,
    suspended_reason="the card reader was lost while dealing",
    notice="Spots 1 and 2 are one player",
    alarms=(Alarm(code="reader-lost", text="The card reader is not answering"),),
)
WHO = ["--by", "Ms. Ortega", "--why", "pit call 12"]


@dataclass
class ScriptedFloor:
    """A table whose next outcome a test chooses."""

    outcome: Outcome = field(default_factory=lambda: Outcome(VIEW))
    asked: list[Asked] = field(default_factory=list)
    shown: TableView = VIEW
    meters: Meters = field(
        default_factory=lambda: Meters({"rounds.settled": 1_207}, {"rounds.settled": 1_200})
    )

    def recall(self, rounds: int) -> Outcome:
        return replace(self.outcome, told=f"{rounds} rounds")

    def act(self, asked: Asked) -> Outcome:
        self.asked.append(asked)
        return self.outcome

    def resend(self, asked: Asked, from_sequence: int) -> Outcome:
        return self.act(asked)

    def close_shift(self, asked: Asked) -> tuple[Outcome, Meters | None]:
        outcome = self.act(asked)
        return outcome, None if outcome.refused else self.meters


@pytest.fixture
def floor() -> ScriptedFloor:
    return ScriptedFloor()


@pytest.fixture
def path(tmp_path: Path, floor: ScriptedFloor) -> Iterator[Path]:
    server = ControlServer(tmp_path / "control.sock", Desk(floor).answer)
    server.open()
    yield tmp_path / "control.sock"
    server.close()


def run(*words: str | Path) -> Result:
    return CliRunner().invoke(cli, ["floor", *map(str, words)])


def test_the_status_says_round_phase_next_step_and_alarms(path: Path) -> None:
    shown = run("status", "--socket", path)
    assert shown.exit_code == 0
    assert shown.stdout.splitlines() == [
        "Round 12: suspended (the card reader was lost while dealing)",
        f"Next: {VIEW.next_step}",
        "Shown: Spots 1 and 2 are one player",
        "Alarm: The card reader is not answering [reader-lost]",
    ]
    reply = json.loads(run("status", "--socket", path, "--json").stdout)
    assert reply["outcome"] == "done"
    assert (reply["table"]["phase"], reply["table"]["round"]) == ("suspended", 12)
    assert reply["table"]["alarms"][0]["code"] == "reader-lost"


def test_a_recall_needs_no_name_and_says_what_came_of_it(floor: ScriptedFloor, path: Path) -> None:
    for options, rounds in (((), 10), (("--rounds", "3"), 3)):
        shown = run("recall", *options, "--socket", path)
        assert shown.exit_code == 0
        assert shown.stdout.splitlines()[0] == f"{rounds} rounds"
    assert floor.asked == [], "nothing of the table is changed"
    for rounds in (0, 11):
        assert run("recall", "--rounds", str(rounds), "--socket", path).exit_code == 2


ACTIONS: dict[tuple[str, ...], facts.Fact | None] = {
    ("advance",): facts.Advanced(by="Ms. Ortega", phase=Phase.SUSPENDED, round=12),
    ("void",): facts.Voided(by="Ms. Ortega", reason="pit call 12"),
    ("designate", "3"): facts.SpotDesignated(spot=3, by="Ms. Ortega"),
    ("bank", "5000000"): facts.BankDeclared(cents=50_000_00, by="Ms. Ortega"),
    ("action-button", "4"): facts.ActionButtonMoved(spot=4, by="Ms. Ortega"),
    ("dead", "1"): facts.HandDead(spot=1, by="Ms. Ortega"),
    ("fold", "2"): facts.HandFolded(spot=2, by="Ms. Ortega"),
    ("surrender", "2"): facts.HandSurrendered(spot=2, by="Ms. Ortega"),
    ("link", "5", "6"): facts.SpotsLinked(spots=(5, 6), by="Ms. Ortega"),
    ("set-low", "1", "10h", "JK"): facts.LowHandSet.model_validate(
        {"spot": 1, "low": ("TH", "JK"), "by": "Ms. Ortega"}
    ),
    ("correct", "0", "2c", "QC"): facts.CardCorrected.model_validate(
        {"position": 0, "was": "2C", "now": "QC", "by": "Ms. Ortega", "why": "pit call 12"}
    ),
    ("resend", "118"): None,
    ("close-shift",): None,
}


@pytest.mark.parametrize("words", ACTIONS, ids=lambda words: words[0])
def test_every_action_reaches_the_table_with_who_and_why(
    floor: ScriptedFloor, path: Path, words: tuple[str, ...]
) -> None:
    done = run(*words, *WHO, "--socket", path)
    assert done.exit_code == 0, done.output
    (asked,) = floor.asked
    assert asked.fact == ACTIONS[words]
    assert (asked.record.action, asked.record.by, asked.record.why) == (
        words[0],
        "Ms. Ortega",
        "pit call 12",
    )


@pytest.mark.parametrize("words", ACTIONS, ids=lambda words: words[0])
@pytest.mark.parametrize("missing", ["--by", "--why"])
def test_who_and_why_have_to_be_said(
    floor: ScriptedFloor, path: Path, words: tuple[str, ...], missing: str
) -> None:
    at = WHO.index(missing)
    said = run(*words, *WHO[:at], *WHO[at + 2 :], "--socket", path)
    assert said.exit_code == 2
    assert f"Missing option '{missing}'" in said.stderr
    assert floor.asked == []


@pytest.mark.parametrize(
    ("words", "fault"),
    [
        (("dead", "8"), "8 is not in the range"),
        (("dead", "one"), "not a valid integer"),
        (("bank", "--", "-5"), "-5 is not in the range"),
        (("link", "1"), "2 values"),
        (("correct", "8", "2C", "QC"), "8 is not in the range"),
        (("correct", "1", "1C", "QC"), "was: card '1C'"),
        (("set-low", "1"), "Missing argument"),
        (("set-low", "1", "QQ"), "card 'QQ'"),
        (("set-low", "1", *(["2C"] * 8)), "cards"),
        (("resend", "0"), "0 is not in the range"),
        (("pay-me",), "No such command"),
    ],
)
def test_what_makes_no_sense_is_a_usage_error_and_asks_nothing(
    floor: ScriptedFloor, path: Path, words: tuple[str, ...], fault: str
) -> None:
    said = run(words[0], "--socket", path, *WHO, *words[1:])
    assert said.exit_code == 2, said.output
    assert fault in said.stderr
    assert "Traceback" not in said.output
    assert floor.asked == []


@pytest.mark.parametrize("name", ["", "  ", "a\nb", "x" * 81, "dealer"])
def test_a_name_that_cannot_stand_on_record_is_a_usage_error(path: Path, name: str) -> None:
    said = run("void", "--by", name, "--why", "pit call 12", "--socket", path)
    assert said.exit_code == 2
    assert "by" in said.stderr


@pytest.mark.parametrize(
    ("outcome", "word"),
    [
        (Outcome(VIEW, refused="Not now: the bank is declared before"), "refused: Not now"),
        (Outcome(VIEW, recorded=False), "unrecorded: It is taken"),
    ],
)
def test_what_is_not_done_exits_1_and_says_so(
    floor: ScriptedFloor, path: Path, outcome: Outcome, word: str
) -> None:
    floor.outcome = outcome
    told = run("bank", "500", *WHO, "--socket", path)
    assert told.exit_code == 1
    assert told.stderr.startswith(word)
    told = run("bank", "500", *WHO, "--socket", path, "--json")
    assert told.exit_code == 1
    assert json.loads(told.stdout)["outcome"] == word.partition(":")[0]


def test_what_is_done_is_told_with_where_the_table_stands(floor: ScriptedFloor, path: Path) -> None:
    floor.outcome = Outcome(VIEW, told="Spot 2: hand is folded")
    told = run("fold", "2", *WHO, "--socket", path)
    assert told.stdout.splitlines()[:2] == [
        "Spot 2: hand is folded",
        "Round 12: suspended (the card reader was lost while dealing)",
    ]


def test_closing_the_shift_and_meters_show_shift_and_lifetime(path: Path) -> None:
    for words in (("close-shift", *WHO), ("meters",)):
        shown = run(*words, "--socket", path)
        assert shown.exit_code == 0
        (row,) = [line for line in shown.stdout.splitlines() if line.startswith("rounds.settled")]
        assert row.split() == ["rounds.settled", "7", "1,207"]
        reply = json.loads(run(*words, "--socket", path, "--json").stdout)
        assert reply["meters"] == {
            "lifetime": {"rounds.settled": 1_207},
            "shift": {"rounds.settled": 7},
        }


def test_a_shift_that_is_not_closed_shows_no_meters(floor: ScriptedFloor, path: Path) -> None:
    floor.outcome = Outcome(VIEW, refused="the card is full")
    told = run("close-shift", *WHO, "--socket", path, "--json")
    assert told.exit_code == 1
    assert json.loads(told.stdout)["meters"] is None


def test_a_table_too_busy_to_say_how_it_stands_is_not_advanced(
    floor: ScriptedFloor, tmp_path: Path
) -> None:
    server = ControlServer(tmp_path / "busy.sock", Desk(floor).answer, Limits(connections=0))
    server.open()
    try:
        told = run("advance", *WHO, "--socket", tmp_path / "busy.sock")
    finally:
        server.close()
    assert told.exit_code == 1
    assert "try again in a moment" in told.stderr
    assert floor.asked == []


@pytest.mark.parametrize("words", [("status",), ("advance", *WHO), ("void", *WHO)])
def test_a_table_that_does_not_run_exits_1_with_the_cure(
    tmp_path: Path, words: tuple[str, ...]
) -> None:
    told = run(*words, "--socket", tmp_path / "nothing.sock")
    assert told.exit_code == 1
    assert "systemctl status fortune-table" in told.stderr
    assert "Traceback" not in told.output


def test_the_socket_is_found_by_the_tables_configuration(path: Path, tmp_path: Path) -> None:
    config = tmp_path / "table.toml"
    config.write_text(
        f"""
        [game]
        rules = "envy"
        occupied_by = "fortune-bet"
        [panel]
        spots = 6
        [reader]
        url = "/dev/fortune-reader"
        [mqtt]
        host = "broker"
        site = "site"
        table = "table-1"
        [control]
        socket = "{path}"
        """
    )
    assert run("status", "--config", config).exit_code == 0
    both = run("status", "--config", config, "--socket", path)
    assert both.exit_code == 2
    assert "not both" in both.stderr
    config.write_text(config.read_text().replace("socket =", "sokcet ="))
    bad = run("status", "--config", config)
    assert bad.exit_code == 2
    assert "sokcet" in bad.stderr
    assert "did you mean socket?" in bad.stderr


# --- the log ---------------------------------------------------------------------------------


def acted(action: str, text: str, **more: Any) -> facts.SupervisorActed:
    return facts.SupervisorActed(
        action=action, text=text, by="Ms. Ortega", why="pit call 12", login="floor1", **more
    )


def stamp(second: int, *, synchronised: bool = True) -> Stamp:
    return Stamp(1_800_000_000_000_000_000 + second * 1_000_000_000, second, "boot", synchronised)


@pytest.fixture
def journal(tmp_path: Path) -> Path:
    path = tmp_path / "journal.sqlite3"
    quiet = facts.AlarmRaised(code="test", text='it says "supervisor-acted" and is none')
    with Journal.open(path) as journal:
        for number, entry in enumerate(
            [
                [acted("void", "void the round"), quiet],
                [quiet],
                [
                    acted("link", "link spots 1 and 2", refused="Not now: a link"),
                    acted("resend", "send the events from 118 on again"),
                ],
            ]
        ):
            known = stamp(number, synchronised=number > 0)
            journal.append(entry, (), (), round_number=7, stamp=known)
    return path


def test_the_log_lists_when_who_what_and_why_newest_first(journal: Path) -> None:
    listed = run("log", "--journal", journal, "--json")
    assert listed.exit_code == 0, listed.output
    entries = [json.loads(line) for line in listed.stdout.splitlines()]
    assert [entry["action"] for entry in entries] == ["resend", "link", "void"]
    assert entries[2] == {
        "fact": 1,
        "utc_ns": 1_800_000_000_000_000_000,
        "clock_synchronised": False,
        "round": 7,
        "action": "void",
        "text": "void the round",
        "by": "Ms. Ortega",
        "why": "pit call 12",
        "login": "floor1",
        "refused": None,
    }
    assert entries[1]["refused"] == "Not now: a link"


def test_the_log_reads_as_lines_and_marks_a_clock_that_was_not_set(journal: Path) -> None:
    lines = run("log", "--journal", journal, "--last", "3").stdout.splitlines()
    assert len(lines) == 3
    assert "Ms. Ortega [floor1]  void the round (pit call 12)" in lines[2]
    assert "refused, Not now: a link" in lines[1]
    assert "? round 7" in lines[2]
    assert "? round 7" not in lines[0]
    assert len(run("log", "--journal", journal, "--last", "1").stdout.splitlines()) == 1


def test_listing_the_log_leaves_a_journal_in_use_as_it_is(journal: Path) -> None:
    with Journal.open(journal) as running:
        before = journal.read_bytes()
        assert run("log", "--journal", journal).exit_code == 0
        assert journal.read_bytes() == before
        running.append([acted("void", "void the round")], (), (), round_number=8, stamp=stamp(9))
        assert "round 8" in run("log", "--journal", journal).stdout


def test_a_journal_that_is_not_there_is_one_line_and_exit_1(tmp_path: Path) -> None:
    told = run("log", "--journal", tmp_path / "nothing.sqlite3")
    assert told.exit_code == 1
    assert "nothing.sqlite3" in told.stderr
    assert "Traceback" not in told.output
