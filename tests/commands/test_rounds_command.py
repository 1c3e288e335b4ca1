"""``fortune-table rounds``."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from played_journal import QUADS, files, play

from firmware_app.commands.rounds import rounds


@pytest.fixture
def journal(tmp_path: Path) -> Path:
    table = play(tmp_path / "journal.sqlite3")
    table.journal.close()
    return table.journal.path


def run(*arguments: object) -> Result:
    return CliRunner().invoke(rounds, [str(argument) for argument in arguments])


def test_programs_read_a_round_a_line_newest_first(journal: Path) -> None:
    result = run("--json", journal)
    assert (result.exit_code, result.stderr) == (0, "")
    told = [json.loads(line) for line in result.stdout.splitlines()]
    assert [(each["round"], each["outcome"]) for each in told] == [
        (4, "unfinished"),
        (3, "settled"),
        (2, "voided"),
        (1, "settled"),
    ]
    first = told[3]
    assert first["settled"]["paid_cents"] == 130_00
    assert first["settled"]["spots"][0]["cards"] == QUADS.split()
    assert told[2]["voided"]["reason"] == "cards fell to the floor"


def test_the_last_and_one_by_number(journal: Path) -> None:
    assert [
        json.loads(line)["round"]
        for line in run("--json", "--last", 2, journal).stdout.splitlines()
    ] == [4, 3]
    assert json.loads(run("--json", "--round", 1, journal).stdout)["round"] == 1


def test_people_read_bets_hands_lines_and_payments(journal: Path) -> None:
    text = run("--round", 1, journal).stdout
    assert "round 1: settled, envy, opened 2025-11-30T12:00:" in text
    assert f"spot 1   Fortune $5 win $125, {QUADS} four of a kind = $125" in text
    assert "spot 3   Fortune $10 lose, 2S 2H 4C 7D 9C TS KH envy $5 = $5" in text
    assert "paid $130, collected $13" in text
    assert "void in dealing: cards fell to the floor" in run("--round", 2, journal).stdout


@pytest.mark.parametrize("options", [(), ("--json",)])
def test_the_round_in_play_gives_no_hand_away(journal: Path, options: tuple[str, ...]) -> None:
    text = run("--round", 4, *options, journal).stdout
    assert "unfinished" in text
    for card in QUADS.split():
        assert card not in text


def test_a_round_that_is_not_there_is_one_clear_error(journal: Path) -> None:
    result = run("--round", 9, journal)
    assert result.exit_code == 1
    assert "has no round 9" in result.stderr


def test_no_such_file_is_one_clear_error(tmp_path: Path) -> None:
    result = run(tmp_path / "gone.sqlite3")
    assert (result.exit_code, result.stdout) == (1, "")
    assert "no such file" in result.stderr


def test_a_damaged_journal_gives_what_can_be_read_and_exit_code_1(journal: Path) -> None:
    data = bytearray(journal.read_bytes())
    at = data.index(b'"hand-read"')  # of round 1: the oldest hand in the file
    data[at // 512 * 512 : at // 512 * 512 + 512] = bytes(512)
    journal.write_bytes(data)
    result = run("--json", journal)
    assert result.exit_code == 1
    assert json.loads(result.stdout.splitlines()[0])["round"] == 4
    assert "older rounds cannot be read" in result.stderr


def test_a_journal_in_use_is_read_and_not_altered(tmp_path: Path) -> None:
    table = play(tmp_path / "journal.sqlite3")
    before = table.journal.next_fact_number
    assert run(table.journal.path).exit_code == 0
    table.bet(5, 10_00)
    assert table.journal.next_fact_number == before + 1
    table.journal.close()


def test_nothing_is_left_beside_the_file(journal: Path) -> None:
    before = files(journal.parent)
    run(journal)
    assert files(journal.parent) == before
