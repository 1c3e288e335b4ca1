"""Profiles: the shipped sheets as printed, and every fault of a venue's own file told at once."""

from __future__ import annotations

from pathlib import Path

import pytest

from firmware_app.rules.profile import (
    PROFILE_NAMES,
    Profile,
    ProfileError,
    load_profile,
    profile_from_text,
)

FACE_UP = """
name = "venue"
title = "Face Up Pai Gow"
source = "venue sheet"
spots = 6
dealer_opens_first = true
house_way = "commission"

[main]
ace_high_push = true
surrender = true
limits = { minimum_cents = 500, maximum_cents = 100000, unit_cents = 500 }

[fortune]
limits = { minimum_cents = 500, maximum_cents = 10000, unit_cents = 500 }
pay_table = [
    { line = "royal_flush", pays = 150, envy_cents = 5000 },
    { line = "straight_flush", pays = 50, envy_cents = 2000 },
    { line = "full_house", pays = 5 },
    { line = "straight", pays = 2 },
]

[envy]
qualifies_by = "button"

[ace_high]
limits = { minimum_cents = 500, maximum_cents = 10000 }
dealer_and_player_pays = 30
dealer_with_joker_pays = 15
dealer_pays = 6
"""


def _faults(text: str) -> list[str]:
    with pytest.raises(ProfileError) as refused:
        profile_from_text("venue", text)
    return refused.value.faults


def _changed(old: str, new: str) -> list[str]:
    assert FACE_UP.count(old) >= 1
    return _faults(FACE_UP.replace(old, new, 1))


def _posted(profile: Profile) -> list[tuple[str, int, int]]:
    assert profile.fortune is not None
    return [(row.line.value, row.pays, row.envy_cents // 100) for row in profile.fortune.pay_table]


# --- the shipped sheets


@pytest.mark.parametrize("name", PROFILE_NAMES)
def test_every_shipped_profile_loads_under_its_name(name: str) -> None:
    assert load_profile(name).name == name


def test_sheet_000_posts_its_pay_scale_cap_and_bank() -> None:
    daytona = load_profile("daytona")
    assert [pays for _, pays, _ in _posted(daytona)] == [
        5000, 2000, 1000, 400, 150, 50, 25, 5, 4, 3, 2,
    ]  # fmt: skip
    assert daytona.fortune is not None
    assert daytona.designated_player is not None
    assert daytona.fortune.cap_per_spot_cents == 50_000_00
    assert daytona.fortune.must_beat_designated_player
    assert daytona.designated_player.minimum_bank_cents == 30_000_00
    assert daytona.envy is None
    assert (daytona.spots, daytona.first_hand.delivery) == (7, "clockwise")


def test_sheet_001_posts_ten_lines_its_envy_and_its_aggregate_cap() -> None:
    envy = load_profile("envy")
    assert _posted(envy) == [
        ("seven_card_straight_flush", 8000, 5000),
        ("royal_flush_plus_royal_match", 2000, 1000),
        ("five_aces", 400, 250),
        ("royal_flush", 150, 50),
        ("straight_flush", 50, 20),
        ("four_of_a_kind", 25, 5),
        ("full_house", 5, 0),
        ("flush", 4, 0),
        ("three_of_a_kind", 3, 0),
        ("straight", 2, 0),
    ]
    assert envy.fortune is not None
    assert envy.envy is not None
    assert (envy.fortune.limits.minimum_cents, envy.fortune.limits.maximum_cents) == (1_00, 25_00)
    assert (envy.envy.minimum_fortune_cents, envy.envy.qualifies_by) == (5_00, "amount")
    assert envy.caps.aggregate_cents == 20_000_00
    assert (envy.spots, envy.deal_all_spots) == (6, True)


def test_sheet_002_charges_five_percent_and_has_no_side_bet() -> None:
    commission = load_profile("commission")
    assert commission.main.commission_percent == 5
    assert (commission.fortune, commission.envy, commission.ace_high) == (None, None, None)


def test_sheet_003_posts_envy_ace_high_surrender_and_five_dollar_steps() -> None:
    face_up = load_profile("face-up")
    assert _posted(face_up) == [
        ("seven_card_straight_flush", 5000, 3000),
        ("royal_flush_plus_royal_match", 2000, 1000),
        ("seven_card_straight_flush_with_joker", 1000, 500),
        ("five_aces", 400, 250),
        ("royal_flush", 150, 50),
        ("straight_flush", 50, 20),
        ("four_of_a_kind", 25, 5),
        ("full_house", 5, 0),
        ("flush", 4, 0),
        ("three_of_a_kind", 3, 0),
        ("straight", 2, 0),
    ]
    bonus, main = face_up.ace_high, face_up.main
    assert bonus is not None
    assert face_up.fortune is not None
    assert (
        bonus.dealer_and_player_pays,
        bonus.dealer_with_joker_pays,
        bonus.dealer_pays,
    ) == (30, 15, 6)
    assert (main.ace_high_push, main.surrender, main.commission_percent) == (True, True, 0)
    assert main.cap_per_hand_cents == 50_000_00
    assert face_up.dealer_opens_first
    steps = {main.limits.unit_cents, face_up.fortune.limits.unit_cents, bonus.limits.unit_cents}
    assert steps == {5_00}


def test_sheet_004_has_six_cards_its_own_wheel_and_no_pay_table() -> None:
    six = load_profile("six-card")
    assert six.fortune is not None
    assert (six.cards_per_hand, six.fortune.pay_table) == (6, ())
    assert (six.ranking.wheel, six.ranking.wheel_straight_flush) == ("second", "second")


# --- a venue's own file


def test_a_venues_own_file_is_loaded_by_its_path(tmp_path: Path) -> None:
    path = tmp_path / "venue.toml"
    path.write_text(FACE_UP, "utf-8")
    assert load_profile(str(path)).source == "venue sheet"


def test_an_unknown_name_names_the_profiles_that_there_are() -> None:
    with pytest.raises(ProfileError, match=r"no such profile; write one of daytona, envy"):
        load_profile("faceup")


def test_a_file_that_is_not_there_says_so(tmp_path: Path) -> None:
    with pytest.raises(ProfileError, match="cannot be read: No such file or directory"):
        load_profile(str(tmp_path / "none.toml"))


def test_a_file_in_another_encoding_names_the_byte(tmp_path: Path) -> None:
    path = tmp_path / "venue.toml"
    path.write_bytes('title = "Caf\u00e9"'.encode("latin-1"))
    with pytest.raises(ProfileError, match="is no UTF-8 text at byte 12; save it as UTF-8"):
        load_profile(str(path))


def test_broken_toml_names_the_line() -> None:
    (fault,) = _faults(FACE_UP.replace("spots = 6", "spots = "))
    assert fault.startswith("not valid TOML")
    assert "line 5" in fault


@pytest.mark.parametrize(
    ("old", "new", "fault"),
    [
        ("spots = 6", 'spots = "6"', "spots = '6' is not valid; give a whole number"),
        ("spots = 6", "spots = 6.5", "spots = 6.5 is not valid; give a whole number"),
        ("spots = 6", "spots = true", "spots = True is not valid; give a whole number"),
        ("spots = 6", "spots = 0", "spots = 0 is not valid; give 1 or more"),
        ("spots = 6", "spots = 8", "spots = 8 is not valid; give 7 or less"),
        ("spots = 6", "spot = 6", "spot is no known key; did you mean spots?"),
        ('title = "Face Up Pai Gow"\n', "", "title is missing; add it"),
        (
            'title = "Face Up Pai Gow"',
            'title = ""',
            "title = '' is not valid; give a text that is not empty",
        ),
        (
            "surrender = true",
            "surrender = 1",
            "main.surrender = 1 is not valid; give true or false, without quotes",
        ),
        (
            "pays = 150",
            "pays = 0",
            "fortune.pay_table.0.pays = 0 is not valid; give more than 0",
        ),
        (
            "envy_cents = 5000",
            "envy_cents = -1",
            "fortune.pay_table.0.envy_cents = -1 is not valid; give 0 or more",
        ),
        (
            "envy_cents = 5000",
            "envi_cents = 5000",
            "fortune.pay_table.0.envi_cents is no known key; did you mean envy_cents?",
        ),
        (
            'qualifies_by = "button"',
            'qualifies_by = "buton"',
            "envy.qualifies_by = 'buton' is not valid; give 'button', 'amount' or 'both'",
        ),
        (
            "unit_cents = 500 }",
            "unit_cents = 400 }",
            "main.limits: minimum_cents 500 is no multiple of unit_cents 400; correct one of them",
        ),
        (
            "minimum_cents = 500, maximum_cents = 100000",
            "minimum_cents = 100000, maximum_cents = 500",
            "main.limits: minimum_cents 100000 is above maximum_cents 500; swap or correct them",
        ),
        (
            '"straight", pays = 2',
            '"straight", pays = 6',
            "fortune: pay_table: straight has pays = 6, more than the higher line full_house "
            "with 5; correct one of them, or set lower_line_may_pay_more = true",
        ),
        (
            "envy_cents = 2000",
            "envy_cents = 6000",
            "fortune: pay_table: straight_flush has envy_cents = 6000, more than the higher line "
            "royal_flush with 5000; correct one of them, or set lower_line_may_pay_more = true",
        ),
        (
            '"full_house", pays = 5',
            '"straight", pays = 2',
            "fortune: pay_table: line straight is posted twice; keep one row",
        ),
        (
            "dealer_opens_first = true",
            "",
            "main.surrender = true needs dealer_opens_first = true: a player surrenders after "
            "the dealer's hand is set; correct one of them",
        ),
        (
            'house_way = "commission"',
            'house_way = "best-high"',
            'house_way = "best-high" does not set 7 cards; give daytona or commission',
        ),
        (
            '[envy]\nqualifies_by = "button"\n',
            "",
            "fortune.pay_table posts envy_cents; add [envy], or remove them",
        ),
        (
            '"button"',
            '"button"\nminimum_fortune_cents = 20000',
            "envy.minimum_fortune_cents = 20000 is above the Fortune maximum of 10000, so that "
            "nobody could qualify; correct one of them",
        ),
        (
            "spots = 6",
            "spots = 5",
            "first_hand.positions = 7 is above the 6 places of the table; give 2 to 6",
        ),
        (
            "[envy]",
            "[caps]\naggregate_cents = 2000050\n[envy]",
            "caps: aggregate_cents 2000050 is no multiple of chip_unit_cents 100; "
            "correct one of them",
        ),
        (
            "[fortune]",
            "[fortune]\nmust_beat_designated_player = true",
            'fortune.must_beat_designated_player = true needs banker = "designated-player"; '
            "correct one of them",
        ),
        (
            "spots = 6",
            'spots = 6\nbanker = "dealer"\ndesignated_player = { minimum_bank_cents = 1 }',
            'banker = "designated-player" and the table [designated_player] go together; '
            "give both or neither",
        ),
        (
            "spots = 6",
            "spots = 6\nnonsense = 1",
            "nonsense is no known key; remove it, or use name, title, source, cards_per_hand, "
            "spots, banker, deal_all_spots, dealer_opens_first, house_way, ranking, main, fortune, "
            "envy, ace_high, caps, designated_player, first_hand",
        ),
    ],
)
def test_a_bad_value_is_one_error_with_field_value_and_cure(old: str, new: str, fault: str) -> None:
    assert _changed(old, new) == [fault]


def test_all_faults_of_a_file_are_told_at_once() -> None:
    text = (
        FACE_UP.replace("spots = 6", "spots = 60")
        .replace("pays = 150", "pays = 1.5")
        .replace('"straight_flush"', '"steel_wheel"')
        .replace("dealer_pays = 6", "dealer_pay = 6")
    )
    assert [fault.split(" ")[0] for fault in _faults(text)] == [
        "spots",
        "fortune.pay_table.0.pays",
        "fortune.pay_table.1.line",
        "ace_high.dealer_pays",
        "ace_high.dealer_pay",
    ]


def test_all_contradictions_of_a_file_are_told_at_once() -> None:
    faults = _faults(
        FACE_UP.replace("spots = 6", "spots = 5").replace("dealer_opens_first = true", "")
    )
    assert [fault.split(" ")[0] for fault in faults] == ["first_hand.positions", "main.surrender"]


def test_a_lower_line_may_pay_more_where_the_profile_says_so() -> None:
    text = FACE_UP.replace('"straight", pays = 2', '"straight", pays = 6').replace(
        "[fortune]", "[fortune]\nlower_line_may_pay_more = true"
    )
    profile = profile_from_text("venue", text)
    assert profile.fortune is not None
    assert profile.fortune.pay_table[-1].pays == 6


def test_rows_may_stand_in_any_order() -> None:
    rows = FACE_UP.replace('    { line = "straight", pays = 2 },\n', "").replace(
        "pay_table = [\n", 'pay_table = [\n    { line = "straight", pays = 2 },\n'
    )
    profile = profile_from_text("venue", rows)
    assert profile.fortune is not None
    assert profile.fortune.pay_table[0].line == "straight"


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        (
            'house_way = "commission"\ncards_per_hand = 6',
            'house_way = "commission" does not set 6 cards; give best-high',
        ),
        (
            "[fortune]\nlimits = { minimum_cents = 500, maximum_cents = 1000 }\n"
            "sample_pay_table = true\n",
            "fortune: sample_pay_table = true but pay_table is empty; add the sample's rows",
        ),
        (
            "[envy]\n",
            "[envy] needs a [fortune] wager; add it or remove [envy]",
        ),
        (
            "[caps]\naggregate_cents = 2000000\n",
            "caps.aggregate_cents limits Fortune and envy winnings, but there is no [fortune]; "
            "add it or remove the cap",
        ),
    ],
)
def test_parts_that_need_each_other_are_asked_for(text: str, fault: str) -> None:
    least = (
        'name = "venue"\ntitle = "Pai Gow"\nsource = "venue sheet"\n{}\n'
        "main = {{ limits = {{ minimum_cents = 500, maximum_cents = 1000 }} }}\n{}"
    )
    keys, table = ("", text) if text.startswith("[") else (text, "")
    assert _faults(least.format(keys, table)) == [fault]


def test_a_six_card_game_knows_no_ace_high() -> None:
    faults = _faults(FACE_UP.replace('"commission"', '"best-high"\ncards_per_hand = 6'))
    assert faults == [
        "an ace-high hand is one of seven cards; remove main.ace_high_push and [ace_high]"
    ]


def test_envy_without_a_posted_amount_is_refused() -> None:
    text = FACE_UP.replace(", envy_cents = 5000", "").replace(", envy_cents = 2000", "")
    assert _faults(text) == [
        "[envy] needs envy_cents in fortune.pay_table; add them or remove [envy]"
    ]


def test_a_designated_players_table_has_no_bets_that_the_house_pays() -> None:
    text = FACE_UP.replace(
        "spots = 6",
        'spots = 7\nbanker = "designated-player"\n'
        "designated_player = { minimum_bank_cents = 3000000 }",
    )
    assert [fault.split(" ")[0] for fault in _faults(text)] == ["[envy]", "[ace_high]"]


def test_a_profile_cannot_be_changed_in_use() -> None:
    profile = load_profile("envy")
    with pytest.raises(ValueError, match="frozen"):
        profile.spots = 7
