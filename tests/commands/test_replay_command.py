"""``fortune-table replay``: an auditor asks what happened in a round, and why each cent."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from played_journal import QUADS, files, play

from firmware_app.commands.replay import replay


@pytest.fixture
def journal(tmp_path: Path) -> Path:
    table = play(tmp_path / "journal.sqlite3")
    table.journal.close()
    return table.journal.path


def run(*arguments: object) -> Result:
    return CliRunner().invoke(replay, [str(argument) for argument in arguments])


def test_a_round_comes_out_as_it_was_paid(journal: Path) -> None:
    """$5 on four queens at 25 to 1, and $5 of envy for the other qualifying wager."""
    result = run("--json", journal, 1)
    assert (result.exit_code, result.stderr) == (0, "")
    told = json.loads(result.stdout)
    spots = {spot["number"]: spot for spot in told["settlement"]["spots"]}
    assert spots[1]["fortune"]["paid_cents"] == 125_00
    assert spots[1]["fortune"]["line"] == "four_of_a_kind"
    assert spots[3]["envy"] == {
        "paid_cents": 5_00,
        "triggers": [{"spot": 1, "line": "four_of_a_kind", "cents": 5_00}],
    }
    assert spots[4]["fortune"]["collected_cents"] == 3_00
    hands = [fact["cards"] for fact in told["facts"] if fact["kind"] == "hand-read"]
    assert QUADS.split() in hands
    numbers = [fact["number"] for fact in told["facts"]]
    assert numbers == list(range(numbers[0], numbers[0] + len(numbers)))


def test_people_read_facts_hands_and_reasons(journal: Path) -> None:
    told = run(journal, 1).stdout
    assert f"cards {QUADS}" in told
    assert "four of a kind, 25 to 1" in told
    assert "spot 1" in told


def test_a_void_round_says_why(journal: Path) -> None:
    assert "Void: cards fell to the floor. Every bet went back." in run(journal, 2).stdout


def test_a_later_round_is_reached_as_well(journal: Path) -> None:
    assert json.loads(run("--json", journal, 3).stdout)["settlement"] is not None


def test_a_round_that_is_not_revealed_tells_no_card(journal: Path) -> None:
    for arguments in ((journal, 4), ("--json", journal, 4)):
        result = run(*arguments)
        assert result.exit_code == 1
        assert "round 4 is not revealed yet" in result.stderr
        assert "QS" not in result.output


def test_a_round_that_there_is_not_and_a_file_that_there_is_not(
    journal: Path, tmp_path: Path
) -> None:
    assert "round 99 is not in this journal" in run(journal, 99).stderr
    assert run(tmp_path / "none.sqlite3", 1).exit_code == 1


def test_the_journal_is_left_as_it_is(journal: Path) -> None:
    before = files(journal.parent)
    run(journal, 1)
    assert files(journal.parent) == before
