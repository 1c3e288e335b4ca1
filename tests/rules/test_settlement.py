"""Settlement of the main and Fortune wagers, limits, dead hands and misdeals, sheet by sheet."""

from __future__ import annotations

from typing import Any

import pytest
from settling import cards, played, spot, venue

from firmware_app.rules.lines import Line
from firmware_app.rules.money import dollars
from firmware_app.rules.play import Result, SpotPlay, WagerResult
from firmware_app.rules.round_check import RoundError

# Sets K-Q in front, 8-8 behind: the hand that the spots of this file play against.
DEALER = "8S 8H KD QC 7D 5S 3C"
HIGHER = "9S 9H AD KC 6D 4S 2C"  # A-K in front, 9-9 behind
LOWER = "7S 7H JD TC 6H 4C 2D"  # J-T in front, 7-7 behind
NO_PAIR = "KS QH JH 9D 6C 4D 2H"
ACE_HIGH = "AC JC TS 8D 6S 4H 3H"
STRAIGHT = "5D 6D 7C 8C 9C JS 3D"


def _money(wager: WagerResult) -> tuple[Result, int, int, int, int]:
    return (
        wager.result,
        wager.paid_cents,
        wager.collected_cents,
        wager.returned_cents,
        wager.kept_cents,
    )


# --- main wager


def test_both_hands_higher_wins_even_money_and_the_stake_stays_the_players() -> None:
    result = played("face-up", spot(1, HIGHER, main_cents=50_00), dealer=DEALER).spot(1)
    assert _money(result.main) == (Result.WIN, 50_00, 0, 0, 50_00)
    assert set(result.low) == set(cards("AD KC"))


def test_both_hands_lower_lose() -> None:
    result = played("face-up", spot(1, LOWER, main_cents=50_00), dealer=DEALER).spot(1)
    assert _money(result.main) == (Result.LOSE, 0, 50_00, 0, 0)


def test_one_each_is_a_push_that_moves_nothing() -> None:
    # A-K in front wins, 7-7 behind loses.
    hand = spot(1, "7S 7H AD KC 6D 4S 2C", main_cents=50_00)
    result = played("face-up", hand, dealer=DEALER).spot(1)
    assert _money(result.main) == (Result.PUSH, 0, 0, 0, 50_00)


@pytest.mark.parametrize(
    ("hand", "result", "reason"),
    [
        ("9S 9H KS QH 6D 4S 2C", Result.PUSH, "copy in the low hand goes to the banker"),
        ("7S 7H KS QH 6D 4S 2C", Result.LOSE, "copy in the low hand goes to the banker"),
        (
            "8D 8C KS QH 7S 5H 3D",
            Result.LOSE,
            "copy in the low and the high hand goes to the banker",
        ),
        ("8D 8C AS KH 7S 5H 3D", Result.PUSH, "copy in the high hand goes to the banker"),
        ("8D 8C JS TH 7S 5H 3D", Result.LOSE, "copy in the high hand goes to the banker"),
    ],
)
def test_a_copy_goes_to_the_dealer(hand: str, result: Result, reason: str) -> None:
    main = played("face-up", spot(1, hand, main_cents=50_00), dealer=DEALER).spot(1).main
    assert (main.result, main.reason) == (result, reason)


@pytest.mark.parametrize(
    ("low", "reason"),
    [
        ("AD KC", None),
        ("9S 9H", "foul: the low hand ranks above the high hand"),
        ("AD KC 6D", "foul: set 3 + 4 cards"),
        ("AD", "foul: set 1 + 6 cards"),
    ],
)
def test_a_foul_loses_the_main_wager_whatever_it_holds(low: str, reason: str | None) -> None:
    hand = spot(1, HIGHER, low=low, main_cents=50_00)
    main = played("face-up", hand, dealer="2S 3D 5C 7D 8S JC QD").spot(1).main
    assert main.reason == reason
    assert (main.result is Result.LOSE) == (reason is not None)


def test_players_may_set_their_hands_worse_than_the_house_way() -> None:
    hand = spot(1, HIGHER, low="4S 2C", main_cents=50_00)
    assert played("face-up", hand, dealer=DEALER).spot(1).main.result is Result.PUSH


@pytest.mark.parametrize(
    ("stake", "paid"), [(100_00, 95_00), (25_00, 23_75), (10, 9), (9, 9), (30, 28), (29, 28)]
)
def test_commission_is_five_percent_of_the_win_rounded_half_up_to_the_cent(
    stake: int, paid: int
) -> None:
    house = venue(
        "commission",
        main={"limits": {"minimum_cents": 1, "maximum_cents": 500_00, "unit_cents": 1}},
    )
    main = played(house, spot(1, HIGHER, main_cents=stake), dealer=DEALER).spot(1).main
    assert (main.paid_cents, main.kept_cents) == (paid, stake)


def test_commission_is_charged_on_wins_alone() -> None:
    main = played("commission", spot(1, LOWER, main_cents=100_00), dealer=DEALER).spot(1).main
    assert _money(main) == (Result.LOSE, 0, 100_00, 0, 0)


def test_a_folded_hand_loses_its_main_wager() -> None:
    main = (
        played("envy", spot(1, HIGHER, main_cents=50_00, folded=True), dealer=DEALER).spot(1).main
    )
    assert (main.result, main.collected_cents, main.reason) == (Result.LOSE, 50_00, "folded")


def test_the_main_wager_of_a_player_is_paid_at_most_the_posted_maximum_in_a_round() -> None:
    house = venue("face-up", main={"cap_per_hand_cents": 700_00})
    settlement = played(
        house,
        spot(1, HIGHER, main_cents=500_00, player="Ann"),
        spot(2, "TS TH AS KH 6C 4D 2H", main_cents=500_00, player="Ann"),
        spot(3, "JS JH AH KS 6H 4H 2D", main_cents=500_00, player="Ben", fortune_cents=5_00),
        dealer=DEALER,
        first_spot=2,
    )
    # Hands go out 2, 1, 6, … 3.
    assert [result.main.paid_cents for result in settlement.spots] == [200_00, 500_00, 500_00]
    assert settlement.spot(1).main.reason == (
        "$500 is due; a player is paid at most $700 on main wagers"
    )


# --- Face Up: ace-high push and surrender


@pytest.mark.parametrize(
    "state", [{}, {"low": "AD KC 6D"}, {"folded": True}, {"surrendered": True}]
)
def test_a_dealers_ace_high_hand_pushes_every_main_wager(state: dict[str, Any]) -> None:
    main = (
        played("face-up", spot(1, HIGHER, main_cents=50_00, **state), dealer=ACE_HIGH).spot(1).main
    )
    assert _money(main) == (Result.PUSH, 0, 0, 0, 50_00)


def test_surrender_against_ace_high_is_not_offered_and_says_so() -> None:
    hand = spot(1, HIGHER, main_cents=50_00, surrendered=True)
    main = played("face-up", hand, dealer=ACE_HIGH).spot(1).main
    assert main.reason == (
        "the dealer's ace-high hand pushes every main wager; surrender is not allowed: it is not "
        "offered when the dealer has ace-high"
    )


def test_ace_high_pushes_nothing_on_another_sheet() -> None:
    main = played("envy", spot(1, HIGHER, main_cents=50_00), dealer=ACE_HIGH).spot(1).main
    assert main.result is Result.WIN


@pytest.mark.parametrize(
    ("stake", "collected", "returned"), [(50_00, 25_00, 25_00), (5_01, 2_50, 2_51)]
)
def test_surrender_costs_half_the_wager(stake: int, collected: int, returned: int) -> None:
    hand = spot(1, HIGHER, main_cents=stake, surrendered=True)
    main = played("face-up", hand, dealer=DEALER).spot(1).main
    assert _money(main) == (Result.LOSE, 0, collected, returned, 0)


@pytest.mark.parametrize(
    "optional", [{"fortune_cents": 5_00}, {"fortune_cents": None}, {"ace_high_cents": 5_00}]
)
def test_an_optional_wager_bars_surrender_and_the_hand_plays(
    optional: dict[str, int | None],
) -> None:
    hand = spot(1, HIGHER, main_cents=50_00, surrendered=True, **optional)
    main = played("face-up", hand, dealer=DEALER).spot(1).main
    assert main.result is Result.WIN
    assert main.reason == "surrender is not allowed: it is barred with an optional wager"


def test_surrender_is_not_allowed_where_the_table_does_not_offer_it() -> None:
    hand = spot(1, LOWER, main_cents=50_00, surrendered=True)
    main = played("envy", hand, dealer=DEALER).spot(1).main
    assert _money(main) == (Result.LOSE, 0, 50_00, 0, 0)
    assert main.reason == "surrender is not allowed: this table does not offer it"


# --- Fortune


@pytest.mark.parametrize(
    "main",
    [
        {"main_cents": 0},
        {"main_cents": 50_00, "low": "JS 3D"},
        {"main_cents": 50_00, "low": "JS 9C 3D"},
        {"main_cents": 50_00, "folded": True},
    ],
)
def test_fortune_pays_whatever_becomes_of_the_main_wager(main: dict[str, Any]) -> None:
    hand = spot(1, STRAIGHT, fortune_cents=10_00, **main)
    result = played("face-up", hand, dealer="AS AH AD KS KD TS 2S").spot(1)
    assert _money(result.fortune) == (Result.WIN, 20_00, 0, 0, 10_00)
    assert (result.fortune.line, result.fortune.pays) == ("straight", 2)
    assert set(result.made_of) == set(cards("9C 8C 7C 6D 5D"))


def test_fortune_is_paid_on_a_main_push_by_ace_high() -> None:
    hand = spot(1, STRAIGHT, fortune_cents=10_00, main_cents=50_00)
    assert (
        played("face-up", hand, dealer="AS KH TD 9S 7S 4H 2D").spot(1).fortune.paid_cents == 20_00
    )


def test_fortune_is_paid_once_on_the_best_posted_line() -> None:
    # Four aces and a royal: 150 to 1, not 25 to 1 as well.
    hand = spot(1, "AS AH AD AC KS QS JK", fortune_cents=5_00)
    assert played("face-up", hand).spot(1).fortune.paid_cents == 5_00 * 400
    hand = spot(1, "AS AH AD KS QS JS JK", fortune_cents=5_00)
    assert played("face-up", hand).spot(1).fortune.paid_cents == 5_00 * 150


def test_a_foul_voids_the_bonus_where_the_profile_says_so() -> None:
    strict = venue("face-up", fortune={"foul_voids_bonus": True})
    hand = spot(1, STRAIGHT, low="JS 9C 3D", main_cents=5_00, fortune_cents=5_00)
    fortune = played(strict, hand, dealer=DEALER).spot(1).fortune
    assert (fortune.result, fortune.collected_cents) == (Result.LOSE, 5_00)
    assert fortune.reason == "foul: set 3 + 4 cards; it voids the bonus"


def test_a_wager_of_unknown_amount_is_told_as_odds() -> None:
    settlement = played(
        "face-up", spot(1, STRAIGHT, fortune_cents=None), spot(2, NO_PAIR, fortune_cents=None)
    )
    won, lost = settlement.spot(1).fortune, settlement.spot(2).fortune
    assert _money(won) == (Result.WIN, 0, 0, 0, 0)
    assert (won.line, won.pays) == ("straight", 2)
    assert won.reason == "the amount is not known: odds only"
    assert _money(lost) == (Result.LOSE, 0, 0, 0, 0)


def test_a_hand_without_a_wager_still_names_its_line() -> None:
    result = played("face-up", spot(1, STRAIGHT)).spot(1)
    assert result.fortune == WagerResult()
    assert result.line is Line.STRAIGHT


def test_a_wager_on_a_game_without_the_bonus_is_returned() -> None:
    fortune = played("commission", spot(1, STRAIGHT, fortune_cents=5_00)).spot(1).fortune
    assert _money(fortune) == (Result.RETURNED, 0, 0, 5_00, 0)


# --- Fortune against a designated player


def _against(designated: str, hand: str, **fortune: str) -> WagerResult:
    return (
        played(
            venue("daytona", fortune=fortune),
            spot(1, hand, fortune_cents=10_00),
            spot(2, designated),
            designated_player=2,
            bank_cents=30_000_00,
        )
        .spot(1)
        .fortune
    )


TRIPS = "QS QH QD 9S 7S 4C 2C"
LOWER_STRAIGHT = "4S 5C 6S 7D 8H KC KD"


def test_a_qualifying_hand_wins_only_above_the_designated_players_hand() -> None:
    assert _against(NO_PAIR, STRAIGHT).paid_cents == 20_00
    assert _against(LOWER_STRAIGHT, STRAIGHT).paid_cents == 20_00
    lost = _against(STRAIGHT, LOWER_STRAIGHT)
    assert (lost.result, lost.collected_cents) == (Result.LOSE, 10_00)
    assert lost.reason == "straight does not beat the designated player's hand"


def test_a_tie_with_the_designated_player_loses() -> None:
    assert _against("5S 6S 7S 8S 9H KC 2D", STRAIGHT).result is Result.LOSE


def test_the_printed_ranking_compares_a_straight_above_three_of_a_kind() -> None:
    assert _against(TRIPS, STRAIGHT).paid_cents == 20_00
    assert _against(STRAIGHT, TRIPS).result is Result.LOSE


def test_a_venue_may_compare_in_the_order_of_the_pay_table() -> None:
    assert _against(TRIPS, STRAIGHT, compare="pay-table").result is Result.LOSE
    assert _against(STRAIGHT, TRIPS, compare="pay-table").paid_cents == 30_00


def test_a_hand_below_every_line_loses_to_any_designated_player() -> None:
    assert _against("2S 3S 5H 7D 8C 9H JC", NO_PAIR).result is Result.LOSE


def test_the_designated_players_own_spot_does_not_play() -> None:
    settlement = played(
        "daytona",
        spot(1, HIGHER, main_cents=50_00),
        spot(2, DEALER, main_cents=50_00, fortune_cents=5_00),
        designated_player=2,
        bank_cents=30_000_00,
    )
    own = settlement.spot(2)
    assert _money(own.main) == (Result.RETURNED, 0, 0, 50_00, 0)
    assert _money(own.fortune) == (Result.RETURNED, 0, 0, 5_00, 0)
    assert settlement.spot(1).main.paid_cents == 50_00
    assert settlement.bank_left_cents == 29_950_00


def test_a_designated_players_hand_set_otherwise_is_corrected_to_the_house_way() -> None:
    settlement = played(
        "daytona",
        spot(1, HIGHER, main_cents=50_00),
        spot(2, DEALER, low="8S 8H"),
        designated_player=2,
        bank_cents=30_000_00,
    )
    assert set(settlement.dealer_low) == set(cards("KD QC"))
    assert settlement.spot(1).main.result is Result.WIN
    assert any("is corrected to the house way" in text for text in settlement.discrepancies)


@pytest.mark.parametrize("hand", [DEALER, None])
def test_where_the_designated_players_hand_is_dead_every_bet_is_returned(
    hand: str | None,
) -> None:
    settlement = played(
        "daytona",
        spot(1, HIGHER, main_cents=50_00, fortune_cents=5_00),
        spot(2, hand, dead=True),
        designated_player=2,
        bank_cents=30_000_00,
    )
    assert _money(settlement.spot(1).main) == (Result.RETURNED, 0, 0, 50_00, 0)
    assert settlement.spot(1).fortune.reason == "misdeal: the designated player's hand is dead"
    assert settlement.bank_left_cents == 30_000_00


# --- six-card game


@pytest.mark.parametrize(
    ("low", "dealer", "result"),
    [
        # A player's joker in front beats a dealer's ace there.
        ("JK", "AC", Result.WIN),
        ("AD", "AC", Result.PUSH),
        ("KD", "AC", Result.PUSH),
        ("AD", "KC", Result.WIN),
    ],
)
def test_a_players_joker_is_the_highest_low_card_and_ties_go_to_the_dealer(
    low: str, dealer: str, result: Result
) -> None:
    # A flush against a nine-high straight behind, so that the low cards decide.
    hand = spot(1, f"2H 4H 6H 8H TH {low}", low=low, main_cents=5_00)
    settlement = played("six-card", hand, dealer=f"5D 6D 7S 8D 9C {dealer}")
    assert settlement.dealer_low == cards(dealer)
    assert settlement.spot(1).main.result is result


def test_a_six_card_bonus_without_a_posted_pay_table_is_returned() -> None:
    hand = spot(1, "AS AH AD AC 4D KD", fortune_cents=5_00)
    fortune = played("six-card", hand).spot(1).fortune
    assert (fortune.result, fortune.returned_cents) == (Result.RETURNED, 5_00)
    assert fortune.reason == "no Fortune pay table is posted"


def test_a_six_card_game_pays_by_the_pay_table_that_its_operator_posts() -> None:
    table = [{"line": "four_of_a_kind", "pays": 40}, {"line": "straight", "pays": 3}]
    house = venue("six-card", fortune={"pay_table": table})
    assert (
        played(house, spot(1, "AS AH AD AC 4D KD", fortune_cents=5_00)).spot(1).fortune.pays == 40
    )


# --- limits, dead hands, misdeals


def test_over_the_maximum_is_honoured_up_to_it_and_the_rest_is_returned() -> None:
    result = played("envy", spot(1, STRAIGHT, fortune_cents=40_00)).spot(1)
    assert _money(result.fortune) == (Result.WIN, 50_00, 0, 15_00, 25_00)
    assert result.fortune.reason == "$15 over the table maximum is returned"
    result = played("envy", spot(1, NO_PAIR, fortune_cents=40_00)).spot(1)
    assert _money(result.fortune) == (Result.LOSE, 0, 25_00, 15_00, 0)


def test_under_the_minimum_is_honoured_and_noted_the_first_time() -> None:
    settlement = played("envy", spot(1, HIGHER, main_cents=4_00), dealer=DEALER)
    result = settlement.spot(1)
    assert _money(result.main) == (Result.WIN, 4_00, 0, 0, 4_00)
    assert result.short
    assert settlement.discrepancies == (
        "spot 1: main wager of $4 is under the table minimum of $5: honoured this time; the next "
        "time the hand is dead",
    )


def test_under_the_minimum_the_next_time_the_hand_is_dead_and_the_bets_are_returned() -> None:
    settlement = played(
        "envy",
        spot(1, STRAIGHT, main_cents=4_00, fortune_cents=10_00, short_before=True),
        dealer=DEALER,
    )
    result = settlement.spot(1)
    assert _money(result.main) == (Result.DEAD, 0, 0, 4_00, 0)
    assert _money(result.fortune) == (Result.DEAD, 0, 0, 10_00, 0)
    assert result.line is None
    assert not result.short


def test_a_player_who_was_short_before_and_is_not_now_plays_on() -> None:
    settlement = played("envy", spot(1, HIGHER, main_cents=5_00, short_before=True), dealer=DEALER)
    assert settlement.spot(1).main.paid_cents == 5_00
    assert settlement.discrepancies == ()


def test_a_wager_off_the_posted_increment_is_honoured_and_noted() -> None:
    settlement = played("face-up", spot(1, HIGHER, main_cents=7_00), dealer=DEALER)
    assert settlement.spot(1).main.paid_cents == 7_00
    assert settlement.discrepancies == (
        "spot 1: main wager of $7 is no multiple of $5; honoured as it lies",
    )


def test_every_wager_of_a_dead_hand_is_returned() -> None:
    hand = spot(1, STRAIGHT, main_cents=50_00, fortune_cents=40_00, ace_high_cents=5_00, dead=True)
    result = played("face-up", hand, dealer=DEALER).spot(1)
    assert [wager.returned_cents for wager in (result.main, result.fortune, result.ace_high)] == [
        50_00,
        40_00,
        5_00,
    ]
    assert {result.main.result, result.fortune.result, result.ace_high.result} == {Result.DEAD}


def test_a_wager_where_nobody_plays_is_returned() -> None:
    result = played("envy", spot(1, STRAIGHT, fortune_cents=5_00, occupied=False)).spot(1)
    assert _money(result.fortune) == (Result.RETURNED, 0, 0, 5_00, 0)


def test_a_misdeal_returns_every_bet_over_the_maximum_too() -> None:
    settlement = played(
        "envy",
        spot(1, STRAIGHT, main_cents=50_00, fortune_cents=40_00),
        spot(2, NO_PAIR, fortune_cents=None),
        misdeal="a card was exposed",
    )
    first = settlement.spot(1)
    assert _money(first.main) == (Result.RETURNED, 0, 0, 50_00, 0)
    assert _money(first.fortune) == (Result.RETURNED, 0, 0, 40_00, 0)
    assert first.main.reason == "misdeal: a card was exposed"
    assert settlement.spot(2).fortune.result is Result.RETURNED


@pytest.mark.parametrize("hand", ["5D 6D 7C 8C 9C QH", "5D 6D 7C 8C 9C QH JS 2C"])
def test_too_few_or_too_many_cards_at_one_spot_are_a_misdeal_for_all(hand: str) -> None:
    settlement = played(
        "envy", spot(1, hand, fortune_cents=5_00), spot(2, LOWER, fortune_cents=5_00)
    )
    for result in settlement.spots:
        assert _money(result.fortune) == (Result.RETURNED, 0, 0, 5_00, 0)
    count = len(hand.split())
    assert settlement.spot(2).fortune.reason == (
        f"misdeal: spot 1 holds {count} cards; a hand has 7"
    )


# --- rounds that cannot be settled


@pytest.mark.parametrize(
    ("spots", "play", "fault"),
    [
        (
            [spot(1, STRAIGHT), spot(2, "9C 2S 4S 6H 8S TD KC")],
            {},
            "spot 2: card 9C is also at spot 1; correct one of them",
        ),
        (
            [spot(1, STRAIGHT, main_cents=5_00)],
            {"dealer": "JS 2S 4S 6H 8S TD KC"},
            "dealer: card JS is also at spot 1; correct one of them",
        ),
        ([spot(7, STRAIGHT)], {}, "spot 7 is unknown; rules envy have spots 1 to 6"),
        ([spot(1), spot(1)], {}, "spot 1 is described twice; keep one"),
        ([spot(1, STRAIGHT)], {"first_spot": 7}, "first_spot = 7 is unknown; give 1 to 6"),
        (
            [spot(1, STRAIGHT, main_cents=-5)],
            {"dealer": DEALER},
            "spot 1: main_cents = -5 is negative; give 0 or more",
        ),
        (
            [spot(1, STRAIGHT, low="AS JS")],
            {},
            "spot 1: low card AS is not in the spot's cards",
        ),
        ([spot(1, STRAIGHT, low="JS JS")], {}, "spot 1: low names a card twice"),
        (
            [spot(1, fortune_cents=5_00)],
            {},
            "spot 1 has a wager but no cards; give its cards, or dead = true",
        ),
        (
            [spot(1, STRAIGHT, main_cents=5_00)],
            {},
            "dealer is missing; main and Ace High wagers are settled against the dealer's cards",
        ),
        (
            [spot(1, STRAIGHT)],
            {"bank_cents": 5},
            "bank_cents: rules envy have no designated player's bank; remove it",
        ),
        (
            [spot(1, STRAIGHT)],
            {"designated_player": 3},
            "designated_player = 3 is no spot of the round; describe that spot",
        ),
        (
            [spot(1, STRAIGHT), spot(3)],
            {"designated_player": 3},
            "spot 3 is the designated player but has no cards",
        ),
    ],
)
def test_a_round_that_contradicts_itself_is_refused(
    spots: list[SpotPlay], play: dict[str, Any], fault: str
) -> None:
    with pytest.raises(RoundError) as refused:
        played("envy", *spots, **play)
    assert refused.value.faults == [fault]


def test_a_designated_players_table_asks_for_the_player_and_the_bank_and_for_no_dealer() -> None:
    with pytest.raises(RoundError) as refused:
        played("daytona", spot(1, STRAIGHT, main_cents=50_00), dealer=DEALER)
    assert [fault.split()[0] for fault in refused.value.faults] == [
        "dealer:",
        "designated_player",
        "bank_cents",
    ]


def test_a_dead_hand_needs_no_cards() -> None:
    result = played("envy", spot(1, fortune_cents=5_00, dead=True)).spot(1)
    assert result.fortune.returned_cents == 5_00


def test_the_result_of_an_unknown_spot_is_a_key_error() -> None:
    with pytest.raises(KeyError):
        played("envy", spot(1, STRAIGHT)).spot(2)


def test_the_joker_is_in_one_deck_once() -> None:
    with pytest.raises(RoundError, match="card JK is also at spot 1"):
        played("envy", spot(1, "JK 6D 7C 8C 9C QH JS"), spot(2, "JK 2S 4S 6H 8S TD KC"))


@pytest.mark.parametrize(
    ("cents", "text"),
    [
        (0, "$0"),
        (5_00, "$5"),
        (2_50, "$2.50"),
        (5, "$0.05"),
        (17_778_00, "$17,778"),
        (-5, "-$0.05"),
    ],
)
def test_amounts_in_reasons_are_written_in_dollars(cents: int, text: str) -> None:
    assert dollars(cents) == text
