"""``fortune-table house-way``."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from firmware_app.commands.house_way import house_way

VECTORS = json.loads((Path(__file__).parents[1] / "vectors" / "house_way.json").read_text("utf-8"))


def run(*arguments, stdin=""):
    return CliRunner().invoke(house_way, arguments, input=stdin)


@pytest.mark.parametrize("rules", ["daytona", "commission"])
def test_worked_examples_of_the_sheets_come_out_as_a_json_object_a_line(rules):
    vectors = [vector for vector in VECTORS if vector["profile"] == rules]
    lines = "\n".join(" ".join(vector["cards"]) for vector in vectors)
    result = run("--rules", rules, "--json", stdin=lines)
    assert (result.exit_code, result.stderr) == (0, "")
    answers = [json.loads(line) for line in result.stdout.splitlines()]
    assert len(answers) == len(vectors)
    for answer, vector in zip(answers, vectors, strict=True):
        assert set(answer) == {"cards", "low", "high", "clause"}
        for key in ("cards", "low", "high"):
            assert answer[key] == [card.upper() for card in vector[key]]


@pytest.mark.parametrize("rules", ["envy", "face-up"])
def test_sheets_that_print_no_house_way_follow_the_commission_sheet(rules):
    # Jacks and 10s with an ace: this sheet always splits them, the Daytona sheet would not.
    result = run("--rules", rules, "--json", "JS JH TD TC AS KH 4D")
    assert json.loads(result.stdout)["low"] == ["TC", "TD"]


def test_the_six_card_game_sets_six_cards_one_of_them_in_front():
    result = run("--rules", "six-card", "--json", "AS KH QD JC TS JK")
    assert json.loads(result.stdout) == {
        "cards": ["AS", "KH", "QD", "JC", "TS", "JK"],
        "low": ["JK"],
        "high": ["AS", "KH", "QD", "JC", "TS"],
        "clause": "the highest five-card hand behind, the highest front that leaves it",
    }


def test_seven_cards_are_refused_in_the_six_card_game():
    result = run("--rules", "six-card", "2S 4H 6D 8C TS QH KD")
    assert result.exit_code == 1
    assert result.stderr == "error: a hand has 6 cards, not 7\n"


def test_the_answers_to_a_stream_are_always_json():
    result = run("--rules", "envy", stdin="AS KH JD 9C 7S 4H 2D\n")
    assert json.loads(result.stdout)["low"] == ["KH", "JD"]


def test_a_person_reads_front_back_and_clause():
    result = run("--rules", "daytona", "8s", "8h", "3d", "3c", "ks", "9h", "5d")
    assert result.stdout == (
        "low KS 9H  high 8H 8S 5D 3C 3D  (two pair, 8s to 6s: split unless king in front)\n"
    )


def test_a_venue_names_its_house_way_in_its_own_file(tmp_path):
    venue = tmp_path / "venue.toml"
    venue.write_text(
        'name = "venue"\ntitle = "Venue"\nsource = "venue"\nhouse_way = "daytona"\n'
        "[main]\nlimits = { minimum_cents = 5_00, maximum_cents = 100_00 }\n",
        "utf-8",
    )
    result = run("--rules", str(venue), "--json", "JS JH TD TC AS KH 4D")
    # The sheets without a house way of their own would split this hand.
    assert json.loads(result.stdout)["low"] == ["AS", "KH"]


def test_unknown_rules_are_refused_with_the_names_that_there_are():
    result = run("--rules", "daytonna")
    assert result.exit_code == 2
    assert "no such profile; write one of daytona, envy" in result.stderr


def test_rules_must_be_named():
    result = run("AS")
    assert result.exit_code == 2
    assert "--rules" in result.stderr


def test_a_stream_goes_on_after_a_bad_line_and_says_so():
    result = run("--rules", "envy", "--json", stdin="AS KH\nAS KH JD 9C 7S 4H 2D\n")
    assert result.exit_code == 1
    assert len(result.stdout.splitlines()) == 1
    assert result.stderr.splitlines() == [
        "line 1: a hand has 7 cards, not 2",
        "1 of 2 hands could not be read",
    ]
