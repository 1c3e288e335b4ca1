"""``fortune-table settle``: what a program and a person get, and how a file's faults are told."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from firmware_app.commands.settle import settle

ROUND = """
rules = "face-up"
first_spot = 2
dealer = "8S 8H KD QC 7D 5S 3C"

[[spot]]
number = 1
player = "Ann"
main_cents = 5000
fortune_cents = 1000
ace_high_cents = 500
envy_button = true
cards = ["9S", "9h", "9D", "9C", "AD", "KC", "JK"]

[[spot]]
number = 2
main_cents = 5000
fortune_cents = 500
envy_button = true
cards = "7S, 7H, JD, 10C, 6H, 4C, 2D"
low = "JD TC"

[[spot]]
number = 3
cards = "QS QH QD 2S 2H 2C 4D"
"""

NO_WAGER = {
    "result": "none",
    "paid_cents": 0,
    "collected_cents": 0,
    "returned_cents": 0,
    "line": None,
    "reason": None,
}


def _run(tmp_path: Path, text: str, *options: str) -> Result:
    path = tmp_path / "round.toml"
    path.write_text(text, "utf-8")
    return CliRunner().invoke(settle, [str(path), *options])


def _settled(tmp_path: Path, text: str) -> dict[str, Any]:
    answer = _run(tmp_path, text, "--json")
    assert answer.exit_code == 0, answer.stderr
    settled: dict[str, Any] = json.loads(answer.stdout)
    return settled


def _faults(tmp_path: Path, text: str) -> list[str]:
    answer = _run(tmp_path, text, "--json")
    assert answer.exit_code == 1
    assert answer.stdout == ""
    prefix = f"error: {tmp_path / 'round.toml'}: "
    lines = answer.stderr.splitlines()
    assert all(line.startswith(prefix) for line in lines)
    return [line.removeprefix(prefix) for line in lines]


def test_a_program_gets_every_wager_of_every_spot_in_cents(tmp_path: Path) -> None:
    assert _settled(tmp_path, ROUND) == {
        "spots": [
            {
                "number": 1,
                "main": {**NO_WAGER, "result": "win", "paid_cents": 5000},
                "fortune": {
                    **NO_WAGER,
                    "result": "win",
                    "paid_cents": 25000,
                    "line": "four_of_a_kind",
                },
                "ace_high": {**NO_WAGER, "result": "lose", "collected_cents": 500},
                "envy": {"paid_cents": 0, "triggers": []},
            },
            {
                "number": 2,
                "main": {**NO_WAGER, "result": "lose", "collected_cents": 5000},
                "fortune": {**NO_WAGER, "result": "lose", "collected_cents": 500},
                "ace_high": NO_WAGER,
                "envy": {
                    "paid_cents": 500,
                    "triggers": [{"spot": 1, "line": "four_of_a_kind", "cents": 500}],
                },
            },
            {
                "number": 3,
                "main": NO_WAGER,
                "fortune": NO_WAGER,
                "ace_high": NO_WAGER,
                "envy": {"paid_cents": 0, "triggers": []},
            },
        ],
        "bank_left_cents": None,
        "discrepancies": [],
    }


def test_a_designated_players_bank_is_told(tmp_path: Path) -> None:
    settled = _settled(
        tmp_path,
        """
        rules = "daytona"
        first_spot = 5
        designated_player = 2
        bank_cents = 3000000
        [[spot]]
        number = 2
        cards = "QD JH 9C 8D 5D 3H 2D"
        [[spot]]
        number = 5
        main_cents = 10000
        fortune_cents = 2500
        cards = "4C 5C 6C 7C 8C AD KD"
        """,
    )
    assert settled["bank_left_cents"] == 28_650_00
    assert settled["spots"][1]["fortune"]["paid_cents"] == 1_250_00


def test_a_spot_counts_as_played_by_a_wager_or_a_player_unless_the_file_says_otherwise(
    tmp_path: Path,
) -> None:
    quads = '[[spot]]\nnumber = 1\ncards = "QS QH QD QC 9D 4H 2C"\n'
    watcher = '[[spot]]\nnumber = 2\nfortune_cents = 500\ncards = "2S 3C 5D 7H TD KC AD"\n'

    def envy(extra: str) -> int:
        settled = _settled(tmp_path, 'rules = "envy"\n' + quads + extra + watcher)
        cents: int = settled["spots"][1]["envy"]["paid_cents"]
        return cents

    assert envy("") == 0
    assert envy('player = "Ann"\n') == 500
    assert envy("fortune_cents = 100\n") == 500
    assert envy("occupied = true\n") == 500
    assert envy('player = "Ann"\noccupied = false\n') == 0


def test_a_wager_of_unknown_amount_is_written_as_such(tmp_path: Path) -> None:
    text = ROUND.replace("fortune_cents = 1000", 'fortune_cents = "unknown"')
    fortune = _settled(tmp_path, text)["spots"][0]["fortune"]
    assert (fortune["line"], fortune["paid_cents"]) == ("four_of_a_kind", 0)
    assert fortune["reason"] == "the amount is not known: odds only"


def test_a_misdeal_returns_the_bets_of_hands_that_cannot_be_told(tmp_path: Path) -> None:
    text = ROUND.replace("first_spot = 2", 'misdeal = "a card fell"').replace(' "JK"]', ' "KC"]')
    main = _settled(tmp_path, text)["spots"][0]["main"]
    assert (main["result"], main["returned_cents"]) == ("returned", 5000)


def test_a_person_gets_a_table_with_reasons_and_discrepancies(tmp_path: Path) -> None:
    text = ROUND.replace('envy_button = true\ncards = "7S', 'envy_button = false\ncards = "7S')
    answer = _run(tmp_path, text)
    assert answer.exit_code == 0
    for told in (
        "Banker: low KD QC",
        "four of a kind, 25 to 1",
        "win $250",
        "lose $50",
        "$300",
        "Call the floor: spot 2: Fortune wager of $5 without an envy button; no envy is paid",
    ):
        assert told in answer.stdout


def test_reasons_stand_below_the_table(tmp_path: Path) -> None:
    answer = _run(
        tmp_path, ROUND.replace("main_cents = 5000", "main_cents = 5000\nfolded = true", 1)
    )
    assert "spot 1, Main: folded" in answer.stdout


def test_a_dead_hand_shows_what_goes_back(tmp_path: Path) -> None:
    answer = _run(tmp_path, ROUND.replace("main_cents = 5000", "main_cents = 5000\ndead = true", 1))
    assert "dead, $50 back" in answer.stdout


@pytest.mark.parametrize(
    ("old", "new", "fault"),
    [
        (
            "main_cents = 5000",
            "main_cents = -5000",
            "spot 1, main_cents = -5000 is not valid; give 0 or more",
        ),
        (
            "main_cents = 5000",
            "main_cents = 50.5",
            "spot 1, main_cents = 50.5 is not valid; give a whole number",
        ),
        (
            "fortune_cents = 1000",
            "fortune_cents = 2.5",
            'spot 1, fortune_cents: 2.5 is not valid; give a whole number of cents, or "unknown"',
        ),
        ("number = 3", "number = 7", "spot 7 is unknown; rules face-up have spots 1 to 6"),
        ("number = 3", "number = 2", "spot 2 is described twice; keep one"),
        (
            ' "JK"]',
            ' "QS"]',
            "spot 3: card QS is also at spot 1; correct one of them",
        ),
        (
            ' "JK"]',
            ' "8S"]',
            "dealer: card 8S is also at spot 1; correct one of them",
        ),
        (' "KC", "JK"]', ' "KC"]', "spot 1 holds 6 cards; a hand has 7"),
        (' "JK"]', ' "JK", "4S"]', "spot 1 holds 8 cards; a hand has 7"),
        ('dealer = "8S ', 'dealer = "', "dealer holds 6 cards; a hand has 7"),
        (
            '"JK"]',
            '"XK"]',
            "spot 1, cards: card 'XK' is unknown; write rank 2-9, 10 or T, J, Q, K, A and suit "
            "S, H, D or C, such as KS or 10H, or JK for the joker",
        ),
        (
            'cards = "QS QH QD 2S 2H 2C 4D"',
            "cards = 7",
            'spot 3, cards: 7 are no cards; write "KS 10H JK" or ["KS", "10H", "JK"]',
        ),
        (
            "envy_button",
            "envy_buton",
            "spot 1, envy_buton is no known key; did you mean envy_button?",
        ),
        (
            "envy_button = true",
            "envy_button = 1",
            "spot 1, envy_button = 1 is not valid; give true or false, without quotes",
        ),
        ("number = 3", "", "[[spot]] table 3, number is missing; add it"),
        ('low = "JD TC"', 'low = "JD AS"', "spot 2: low card AS is not in the spot's cards"),
        (
            '"face-up"',
            '"faceup"',
            "rules = 'faceup': no such profile; write one of daytona, envy, commission, face-up, "
            "six-card, or the path of a .toml file",
        ),
        ('rules = "face-up"', "", "rules is missing; add it"),
        ("first_spot = 2", "first_spot = 0", "first_spot = 0 is unknown; give 1 to 6"),
        (
            "first_spot = 2",
            "first_sopt = 2",
            "first_sopt is no known key; did you mean first_spot?",
        ),
        (
            'dealer = "8S 8H KD QC 7D 5S 3C"',
            "",
            "dealer is missing; main and Ace High wagers are settled against the dealer's cards",
        ),
    ],
)
def test_a_bad_value_is_one_error_with_field_value_and_cure(
    tmp_path: Path, old: str, new: str, fault: str
) -> None:
    assert old in ROUND
    assert _faults(tmp_path, ROUND.replace(old, new, 1)) == [fault]


def test_every_fault_of_a_file_is_told_at_once_and_none_that_only_follows_from_another(
    tmp_path: Path,
) -> None:
    faults = _faults(
        tmp_path,
        """
        rules = "daytona"
        designated_player = 4
        bank_cents = 5.5
        fist_spot = 2
        [[spot]]
        number = 1
        main_cents = -5
        cards = "2S 3D 5C 7S 9C JD"
        [[spot]]
        number = 8
        foldd = true
        cards = "9H 10H JH QH KH AH JD"
        [[spot]]
        number = 3
        main_cents = 500
        low = "AS KS"
        cards = "XX KS"
        [[spot]]
        cards = "2C 3C 4C 5D 6C 7C 8C"
        """,
    )
    assert faults == [
        "bank_cents = 5.5 is not valid; give a whole number",
        "fist_spot is no known key; did you mean first_spot?",
        "spot 1, main_cents = -5 is not valid; give 0 or more",
        "spot 8, foldd is no known key; did you mean folded?",
        "spot 3, cards: card 'XX' is unknown; write rank 2-9, 10 or T, J, Q, K, A and suit S, H, "
        "D or C, such as KS or 10H, or JK for the joker",
        "[[spot]] table 4, number is missing; add it",
        "spot 8 is unknown; rules daytona have spots 1 to 7",
        "spot 8: card JD is also at spot 1; correct one of them",
        "spot 1 holds 6 cards; a hand has 7",
    ]


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("rules = ", "is no valid TOML: Invalid value"),
        ('rules = "envy"', "spot is missing; add it"),
        ('rules = "envy"\nspot = 5', "spot = 5 is not valid; give a list"),
        ('rules = "envy"\nspot = []', "spot = [] is not valid; give at least 1"),
    ],
)
def test_a_file_that_describes_no_round_says_so(tmp_path: Path, text: str, fault: str) -> None:
    (told,) = _faults(tmp_path, text)
    assert told.startswith(fault)


def test_a_file_that_cannot_be_read_says_so(tmp_path: Path) -> None:
    answer = CliRunner().invoke(settle, [str(tmp_path / "none.toml")])
    assert answer.exit_code == 1
    assert "none.toml: cannot be read: No such file or directory" in answer.stderr


def test_a_file_in_another_encoding_names_the_byte(tmp_path: Path) -> None:
    path = tmp_path / "round.toml"
    path.write_bytes(b'rules = "\xe9"')
    answer = CliRunner().invoke(settle, [str(path)])
    assert answer.exit_code == 1
    assert "is no UTF-8 text at byte 9; save it as UTF-8" in answer.stderr


def test_a_venues_own_rules_are_named_by_their_path(tmp_path: Path) -> None:
    rules = tmp_path / "venue.toml"
    rules.write_text("spots = 60\n", "utf-8")
    faults = _faults(tmp_path, ROUND.replace('"face-up"', f'"{rules}"'))
    assert f"rules = '{rules}': spots = 60 is not valid; give 7 or less" in faults


def test_a_program_does_not_pay_for_loading_the_table_printer() -> None:
    code = (
        "import sys, firmware_app.commands.settle; "
        "print([name for name in ('rich', 'pygame', 'sqlite3') if name in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True
    )
    assert done.stdout.strip() == "[]"
