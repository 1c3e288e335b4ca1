"""``fortune-table evaluate``."""

from __future__ import annotations

import json
import random
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from firmware_app.cards import DECK, hand_text
from firmware_app.commands.evaluate import evaluate

VECTORS = json.loads((Path(__file__).parents[1] / "vectors" / "fortune.json").read_text("utf-8"))
FACE_UP = {
    "seven_card_straight_flush": (5000, 3_000_00),
    "royal_flush_plus_royal_match": (2000, 1_000_00),
    "seven_card_straight_flush_with_joker": (1000, 500_00),
    "five_aces": (400, 250_00),
    "royal_flush": (150, 50_00),
    "straight_flush": (50, 20_00),
    "four_of_a_kind": (25, 5_00),
    "full_house": (5, 0),
    "flush": (4, 0),
    "three_of_a_kind": (3, 0),
    "straight": (2, 0),
    None: (None, 0),
}
SIX_CARD_SAMPLE = """
name = "sampled"
title = "Six-Card Fortune Pai Gow Poker"
source = "a demonstration"
cards_per_hand = 6
house_way = "best-high"
[main]
limits = { minimum_cents = 5_00, maximum_cents = 1_000_00 }
[fortune]
limits = { minimum_cents = 1_00, maximum_cents = 25_00 }
sample_pay_table = true
pay_table = [
    { line = "royal_flush", pays = 100 },
    { line = "straight_flush", pays = 50 },
]
[ranking]
wheel_straight_flush = "second"
"""


def run(*arguments: str, stdin: str | bytes = "") -> Result:
    return CliRunner().invoke(evaluate, arguments, input=stdin)


def objects(result: Result) -> list[dict[str, Any]]:
    return [json.loads(line) for line in result.stdout.splitlines()]


def test_worked_examples_come_out_in_order_as_a_json_object_a_line() -> None:
    lines = "\n".join(" ".join(vector["cards"]) for vector in VECTORS)
    result = run("--rules", "face-up", "--json", stdin=lines)
    assert (result.exit_code, result.stderr) == (0, "")
    answers = objects(result)
    assert len(answers) == len(VECTORS)
    for answer, vector in zip(answers, VECTORS, strict=True):
        assert list(answer) == ["cards", "line", "pays", "envy_cents", "made_of"]
        assert answer["cards"] == [card.upper() for card in vector["cards"]]
        assert answer["line"] == vector["category"]
        assert (answer["pays"], answer["envy_cents"]) == FACE_UP[vector["category"]]
        assert set(answer["made_of"]) <= set(answer["cards"])
        assert bool(answer["made_of"]) == (vector["category"] is not None)


def test_one_hand_as_arguments_is_answered_as_an_object() -> None:
    result = run("--rules", "envy", "--json", "JK", "KS", "QS", "JS", "10s", "KH", "QH")
    assert result.exit_code == 0
    assert objects(result) == [
        {
            "cards": ["JK", "KS", "QS", "JS", "TS", "KH", "QH"],
            "line": "royal_flush_plus_royal_match",
            "pays": 2000,
            "envy_cents": 100000,
            "made_of": ["JK", "KS", "QS", "JS", "TS", "KH", "QH"],
        }
    ]


def test_hand_without_a_line_is_null_pays_nothing_and_is_made_of_nothing() -> None:
    result = run("--rules", "envy", "--json", "KS KH 9S 9D 4C 4H AD")
    assert objects(result) == [
        {
            "cards": ["KS", "KH", "9S", "9D", "4C", "4H", "AD"],
            "line": None,
            "pays": None,
            "envy_cents": 0,
            "made_of": [],
        }
    ]


def test_a_stream_is_answered_in_json_unasked() -> None:
    result = run("--rules", "envy", stdin="KS KH KD JK AC 7H 9D\n")
    assert objects(result)[0]["line"] == "full_house"


def test_a_person_reads_a_sentence() -> None:
    result = run("--rules", "face-up", "AS AH AD AC JK 7H 9D")
    assert result.stdout == (
        "AS AH AD AC JK 7H 9D: five aces, 400 to 1, envy $250, made of AS AH AD AC JK\n"
    )
    assert run("--rules", "face-up", "KS KH 9S 9D 4C 4H AD").stdout == (
        "KS KH 9S 9D 4C 4H AD: no line\n"
    )


def test_bad_lines_are_reported_and_the_stream_goes_on() -> None:
    stream = b"AS AH AD AC JK 7H 9D\nAS AH\n\nXX AH AD AC JK 7H 9D\n\xff\nKS KH KD JK AC 7H 9D\n"
    result = run("--rules", "envy", "--json", stdin=stream)
    assert result.exit_code == 1
    assert [answer["line"] for answer in objects(result)] == ["five_aces", "full_house"]
    reported = result.stderr.splitlines()
    assert [line.split(":")[0] for line in reported[:3]] == ["line 2", "line 4", "line 5"]
    assert "7 cards, not 2" in reported[0]
    assert "'XX' is unknown" in reported[1]
    assert reported[3].startswith("3 of 5 ")


@pytest.mark.parametrize("rules", ["commission", "six-card"])
def test_rules_without_a_fortune_table_are_one_clear_error(rules: str) -> None:
    result = run("--rules", rules, "AS")
    assert result.exit_code == 2
    assert result.stdout == ""
    assert f"{rules}: posts no Fortune pay table; choose rules that post one" in result.stderr


def test_unknown_rules_are_named_with_the_known_ones() -> None:
    result = run("--rules", "envie", "AS")
    assert result.exit_code == 2
    assert "envie" in result.stderr
    assert "daytona, envy, commission, face-up, six-card" in result.stderr


def test_a_six_card_table_of_the_venue_is_evaluated_on_six_cards(tmp_path: Path) -> None:
    rules = tmp_path / "sampled.toml"
    rules.write_text(SIX_CARD_SAMPLE, "utf-8")
    # K Q 10 suited with ace and joker is a royal; the wheel is the highest other straight flush.
    result = run("--rules", str(rules), "--json", stdin="AS KS QS TS JK 2D\nAD 2D 3D 4D 5D 6D\n")
    assert [(answer["line"], answer["made_of"]) for answer in objects(result)] == [
        ("royal_flush", ["AS", "KS", "QS", "JK", "TS"]),
        ("straight_flush", ["5D", "4D", "3D", "2D", "AD"]),
    ]
    spoken = run("--rules", str(rules), "AS KS QS TS JK 2D").stdout
    assert spoken.startswith("SAMPLE PAY TABLE")
    assert "6 cards, not 7" in run("--rules", str(rules), "AS KS QS TS JK 2D 3D").stderr


def test_a_long_stream_loads_nothing_that_it_does_not_need() -> None:
    """In a process of its own, as it runs: every hand answered, no drawing or network library."""
    dealer = random.Random(1)
    hands = [hand_text(dealer.sample(DECK, 7)) for _ in range(3_000)]
    program = (
        "import sys\n"
        "from firmware_app.commands.evaluate import evaluate\n"
        "evaluate(['--rules', 'envy', '--json'], standalone_mode=False)\n"
        "heavy = {'rich', 'pygame', 'paho', 'gpiozero', 'serial'} & set(sys.modules)\n"
        "sys.exit(f'loaded {heavy}' if heavy else 0)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        input="\n".join(hands),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    answered = [json.loads(line) for line in done.stdout.splitlines()]
    assert [" ".join(answer["cards"]) for answer in answered] == hands
