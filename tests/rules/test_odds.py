"""Edges and expectations of the posted sheets, against published figures."""

from __future__ import annotations

from fractions import Fraction

import pytest

from firmware_app.rules.fortune import posted_wager
from firmware_app.rules.lines import Line
from firmware_app.rules.odds import FortuneOdds, fortune_odds
from firmware_app.rules.profile import PostedLine, ProfileError, load_profile
from firmware_app.rules.profile_odds import profile_odds


def odds_of(rules: str) -> FortuneOdds:
    return fortune_odds(posted_wager(load_profile(rules)).pay_table)


def percent(share: Fraction, digits: int = 4) -> float:
    return round(float(share * 100), digits)


@pytest.mark.parametrize(
    ("rules", "edge"),
    [
        ("daytona", Fraction(215_466, 2_752_555)),
        ("face-up", Fraction(215_466, 2_752_555)),
        ("envy", Fraction(32_321, 409_955)),
    ],
)
def test_house_edge_of_a_sheet_is_the_published_fraction(rules: str, edge: Fraction) -> None:
    assert odds_of(rules).house_edge == edge


def test_house_edge_with_eight_thousand_on_top() -> None:
    rows = [
        row.model_copy(update={"pays": 8000}) if row.pays == 5000 else row
        for row in posted_wager(load_profile("face-up")).pay_table
    ]
    odds = fortune_odds(rows)
    assert percent(odds.house_edge) == 7.7656
    assert odds.house_edge == Fraction(11_970_096, 154_143_080)


def test_hit_rate_is_the_published_one() -> None:
    assert percent(odds_of("face-up").hit_rate) == 19.1944


@pytest.mark.parametrize(
    ("rules", "dollars"),
    [("envy", Fraction(10_368, 226_681)), ("face-up", Fraction(25_283, 550_511))],
)
def test_envy_of_one_other_hand_is_the_published_fraction(rules: str, dollars: Fraction) -> None:
    assert odds_of(rules).envy_per_other_hand_cents == 100 * dollars


def test_a_sheet_without_envy_expects_none() -> None:
    assert odds_of("daytona").envy_per_other_hand_cents == 0
    assert profile_odds(load_profile("daytona")).envy == ()


def test_envy_grows_with_the_players_and_lowers_the_edge() -> None:
    rows = profile_odds(load_profile("envy")).envy
    assert [row.other_players for row in rows] == [0, 1, 2, 3, 4, 5, 6]
    assert rows[0].envy_cents == 0
    assert rows[0].house_edge == Fraction(32_321, 409_955)
    assert rows[5].envy_cents == 5 * Fraction(1_036_800, 226_681)
    # $5 loses 7.8840 % of itself and wins five times $0.0457383 in envy: 39.4202 - 22.8691 cents.
    assert percent(rows[5].house_edge) == 3.3102


def test_lines_stand_in_the_order_posted_and_all_hands_are_in() -> None:
    odds = odds_of("face-up")
    assert [row.line for row in odds.lines] == list(Line)
    assert sum(row.hands for row in odds.lines) + odds.losing_hands == 154_143_080


def test_a_cap_takes_what_lies_above_it() -> None:
    # $25 under a cap of $20,000: seven natural is due $200,000 and the royal match $50,000.
    odds = odds_of("envy")
    lost = Fraction(32 * (200_000_00 - 20_000_00) + 72 * (50_000_00 - 20_000_00), 154_143_080)
    assert odds.lost_to_cap_cents(25_00, 20_000_00) == lost
    assert odds.house_edge_under_cap(25_00, 20_000_00) == odds.house_edge + lost / 25_00


def test_a_win_of_the_cap_itself_is_paid_whole() -> None:
    odds = odds_of("envy")
    assert odds.lost_to_cap_cents(2_50, 20_000_00) == 0
    assert odds.lost_to_cap_cents(2_51, 20_000_00) == Fraction(32 * 8_000, 154_143_080)


def test_caps_are_reckoned_at_telling_stakes() -> None:
    # Minimum $1; $2 is the most that the cap leaves whole; $5 qualifies for envy; maximum $25.
    rows = profile_odds(load_profile("envy")).caps
    assert [row.stake_cents for row in rows] == [1_00, 2_00, 5_00, 25_00]
    assert {(row.cap, row.cap_cents) for row in rows} == {("aggregate", 20_000_00)}
    assert [row.lost_cents > 0 for row in rows] == [False, False, True, True]
    assert {row.cap for row in profile_odds(load_profile("daytona")).caps} == {"per_spot"}
    assert profile_odds(load_profile("face-up")).caps == ()


def test_caps_are_reckoned_at_the_stakes_asked_for() -> None:
    rows = profile_odds(load_profile("envy"), [10_00, 3_00]).caps
    assert [row.stake_cents for row in rows] == [10_00, 3_00]


@pytest.mark.parametrize("rules", ["commission", "six-card"])
def test_a_profile_without_a_pay_table_has_no_odds(rules: str) -> None:
    with pytest.raises(ProfileError, match="posts no Fortune pay table; choose rules"):
        profile_odds(load_profile(rules))


def test_six_card_tables_are_reckoned_over_six_card_hands() -> None:
    rows = [
        PostedLine(line=Line.FIVE_ACES, pays=400),
        PostedLine(line=Line.ROYAL_FLUSH, pays=100),
        PostedLine(line=Line.STRAIGHT_FLUSH, pays=50),
    ]
    odds = fortune_odds(rows, 6)
    won = 48 * 400 + 1_132 * 100 + 8_248 * 50
    lost = 22_957_480 - 48 - 1_132 - 8_248
    assert odds.house_edge == Fraction(lost - won, 22_957_480)
