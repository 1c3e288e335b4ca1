"""``fortune-table odds``."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from firmware_app.commands.odds import odds


def run(*arguments: str) -> Result:
    return CliRunner(env={"COLUMNS": "80"}).invoke(odds, arguments)


def document(*arguments: str) -> dict[str, Any]:
    result = run(*arguments, "--json")
    assert (result.exit_code, result.stderr) == (0, "")
    found: dict[str, Any] = json.loads(result.stdout)
    return found


def table_file(folder: Path, text: str) -> str:
    path = folder / "table.toml"
    path.write_text(text, "utf-8")
    return str(path)


def test_programs_read_counts_pays_and_exact_fractions() -> None:
    found = document("--rules", "envy")
    assert found["hands"] == 154_143_080
    assert found["losing_hands"] == 124_556_196
    assert found["lines"][0] == {
        "line": "seven_card_straight_flush",
        "hands": 32,
        "pays": 8000,
        "envy_cents": 500000,
    }
    assert [row["hands"] for row in found["lines"]] == [
        *(32, 72, 1_128, 26_056, 184_804, 307_472, 4_188_528, 6_172_088, 7_672_500, 11_034_204)
    ]
    assert found["house_edge"]["fraction"] == "32321/409955"
    assert round(found["house_edge"]["percent"], 4) == 7.8840
    # $0.0457383 = 10,368/226,681 dollars.
    assert found["envy_per_other_hand_cents"]["fraction"] == "1036800/226681"
    assert round(found["envy_per_other_hand_cents"]["value"], 5) == 4.57383


def test_every_other_bet_of_the_profile_stands_beside() -> None:
    found = document("--rules", "face-up")
    assert round(found["ace_high"]["house_edge"]["percent"], 4) == 5.8502
    assert round(found["ace_high"]["dealer_ace_high"]["percent"], 5) == 9.36194
    envy = found["envy_by_other_players"]
    assert [row["other_players"] for row in envy] == [0, 1, 2, 3, 4, 5, 6]
    # $0.0459264 for each hand of another player.
    assert round(envy[4]["envy_cents"]["value"], 4) == round(4 * 4.59264, 4)
    assert found["caps"] == []
    assert "must_beat_designated_player" not in found


def test_the_condition_that_the_edge_leaves_aside_is_named() -> None:
    found = document("--rules", "daytona")
    assert found["house_edge"]["fraction"] == "215466/2752555"
    assert found["must_beat_designated_player"] == {
        "compare": "printed",
        "in_house_edge": False,
        "sampled_house_edge": None,
    }
    assert found["envy_per_other_hand_cents"] == {"fraction": "0/1", "value": 0.0}
    assert "ace_high" not in found


def test_a_sampled_edge_is_labelled_with_its_error_and_seed() -> None:
    found = document("--rules", "daytona", "--deals", "20000", "--seed", "9")
    sampled = found["must_beat_designated_player"]["sampled_house_edge"]
    assert (sampled["deals"], sampled["seed"]) == (20_000, 9)
    assert abs(sampled["percent"] - 14.634) < 3 * sampled["standard_error_percent"] < 2


def test_sampling_is_refused_where_every_figure_is_exact() -> None:
    result = run("--rules", "envy", "--deals", "5000")
    assert result.exit_code == 2
    assert "every figure is exact" in result.stderr


def test_caps_are_reckoned_for_a_stake() -> None:
    (cap,) = document("--rules", "envy", "--stake-cents", "1000")["caps"]
    assert (cap["cap"], cap["cap_cents"], cap["stake_cents"]) == ("aggregate", 2_000_000, 1_000)
    # Only the natural seven is due more than the cap: $80,000 against $20,000.
    assert round(cap["lost_to_cap_cents"]["value"], 9) == round(32 * 6_000_000 / 154_143_080, 9)


def test_a_changed_table_shows_what_it_does_to_the_edge(tmp_path: Path) -> None:
    rows = document("--rules", "daytona")["lines"]
    rows[0]["pays"] = 8000
    text = "\n".join(f'[[pay_table]]\nline = "{row["line"]}"\npays = {row["pays"]}' for row in rows)
    found = document("--rules", "daytona", "--table", table_file(tmp_path, text))
    assert round(found["house_edge"]["percent"], 4) == 7.7656
    assert round(found["posted_house_edge"]["percent"], 4) == 7.8279
    assert round(found["house_edge_change"]["percent"], 4) == -0.0623
    printed = run("--rules", "daytona", "--table", str(tmp_path / "table.toml")).stdout
    assert "The posted table: house edge 7.8279%" in printed
    assert "the change is -0.0623%" in printed


def test_a_sheet_without_a_table_takes_one(tmp_path: Path) -> None:
    text = 'pay_table = [{ line = "royal_flush", pays = 100 }]\nsample_pay_table = true'
    table = table_file(tmp_path, text)
    found = document("--rules", "six-card", "--table", table)
    assert found["lines"] == [{"line": "royal_flush", "hands": 1_132, "pays": 100, "envy_cents": 0}]
    assert found["hands"] == 22_957_480
    assert found["sample_pay_table"] is True
    assert "posted_house_edge" not in found
    assert "SAMPLE PAY TABLE" in run("--rules", "six-card", "--table", table).stdout


@pytest.mark.parametrize(
    ("rules", "text", "fault"),
    [
        ("envy", "", "pay_table is missing; add it"),
        ("envy", "pay_table = [", "not valid TOML"),
        ("envy", 'pay_table = [{ line = "flush", pays = 0 }]', "fortune.pay_table.0.pays = 0"),
        ("daytona", 'pay_table = [{ line = "flsh", pays = 4 }]', "fortune.pay_table.0.line"),
        ("envy", 'pay_table = [{ line = "flush", pays = 4 }]\nodds = 1', "fortune.odds"),
        ("commission", "pay_table = []", "has no Fortune wager"),
    ],
)
def test_a_table_that_cannot_be_used_is_one_clear_error(
    tmp_path: Path, rules: str, text: str, fault: str
) -> None:
    result = run("--rules", rules, "--table", table_file(tmp_path, text))
    assert result.exit_code == 2
    assert result.stdout == ""
    assert fault in result.stderr


def test_a_table_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    result = run("--rules", "envy", "--table", str(tmp_path / "none.toml"))
    assert result.exit_code == 2
    assert "none.toml: cannot be read: No such file" in result.stderr


@pytest.mark.parametrize("rules", ["commission", "six-card"])
def test_rules_without_a_fortune_table_are_one_clear_error(rules: str) -> None:
    result = run("--rules", rules)
    assert result.exit_code == 2
    assert f"{rules}: posts no Fortune pay table; choose rules that post one" in result.stderr


def test_a_person_reads_tables_of_every_bet() -> None:
    printed = run("--rules", "face-up").stdout
    for text in (
        "Face Up Pai Gow (face-up, rule sheet 003)",
        "all 154,143,080 hands",
        "11,034,204",
        "house edge 7.8279% (215466/2752555)",
        "$0.045926",
        "Ace High Bonus",
        "5.8502%",
    ):
        assert text in printed
    # Figures are never cut short to fit.
    assert "…" not in printed


def test_the_chart_draws_what_each_line_returns() -> None:
    assert "returns of a stake" not in run("--rules", "envy").stdout
    lines = run("--rules", "envy", "--chart").stdout.splitlines()
    start = next(i for i, line in enumerate(lines) if "What each line returns" in line)
    bars = {" ".join(line.split("█")[0].split()): line.count("█") for line in lines[start + 1 :]}
    # The flush returns the most, 16.0 % of a stake; a straight flush 6.0 %.
    assert bars["flush"] == max(bars.values()) > 0
    assert bars["flush"] * 5.9946 / 16.0165 == pytest.approx(bars["straight flush"], abs=0.6)
