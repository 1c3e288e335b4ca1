"""From view to scene: what is shown, what stays secret, and that all that is posted is there."""

from __future__ import annotations

from dataclasses import replace

import pytest

from firmware_app.cards import parse_hand
from firmware_app.rules.play import RoundPlay, Settlement, SpotPlay, SpotResult
from firmware_app.rules.profile import PROFILE_NAMES, Profile, load_profile
from firmware_app.rules.settlement import settle
from firmware_app.signage.samples import samples
from firmware_app.signage.scene import Award, SceneKind, ShownCard
from firmware_app.signage.staging import scene
from firmware_app.signage.text import Texts
from firmware_app.signage.words import Say, say
from firmware_app.table.state import Bets, Suspension, TableRules, TableState, new_table
from firmware_app.table.values import Phase
from firmware_app.table.view import TableView, view

SAMPLES = samples()
ENGLISH = Texts(("en",))

DEALER = "AS KH JD 9C 7S 4H 2D"
RICH = {1: "QS QH QD QC JK 4D 9H", 2: "KS KD JH 7C 6H 4C 2C"}
POOR = {1: "QS 10H 8D 6C 5H 3D 2C", 2: "KS KD JH 7C 6H 4C 3S"}


def dealt(
    profile: Profile,
    hands: dict[int, str],
    phase: Phase,
    bets: dict[int, Bets] | None = None,
    dealer: str = DEALER,
) -> TableView:
    """The view of a table on which ``hands`` were dealt and settled."""
    wagers = bets or {
        1: Bets(main_cents=10_00, fortune_cents=5_00, envy_button=True),
        2: Bets(main_cents=10_00, fortune_cents=5_00, envy_button=True),
    }
    rules = TableRules(profile)
    state: TableState = new_table(rules)
    for number, text in hands.items():
        cards = parse_hand(text, count=profile.cards_per_hand)
        wager = wagers.get(number, Bets())
        spot = replace(state.spot(number), cards=cards, live=wager, locked=wager)
        state = state.with_spot(spot)
    dealer_cards = parse_hand(dealer, count=profile.cards_per_hand)
    play = RoundPlay(
        spots=tuple(
            SpotPlay(
                number,
                cards=state.spot(number).cards or None,
                occupied=number in hands,
                main_cents=wagers.get(number, Bets()).main_cents,
                fortune_cents=wagers.get(number, Bets()).fortune_cents,
                envy_button=wagers.get(number, Bets()).envy_button,
            )
            for number in range(1, profile.spots + 1)
        ),
        dealer=dealer_cards,
    )
    state = replace(
        state,
        phase=phase,
        round_number=3,
        dealer_cards=dealer_cards,
        settlement=settle(profile, play),
    )
    return view(state, rules)


def test_a_dealt_scene_is_the_same_whatever_the_cards_are() -> None:
    envy = load_profile("envy")
    rich, poor = (scene(dealt(envy, hands, Phase.DEALT), envy) for hands in (RICH, POOR))
    assert rich == poor
    assert all(card == ShownCard() for spot in rich.spots if spot.hand for card in spot.hand.cards)
    assert rich.banker is not None
    assert all(card == ShownCard() for card in rich.banker.hand.cards)


def test_only_the_dealers_hand_is_open_where_the_sheet_opens_it_first() -> None:
    face_up = load_profile("face-up")
    rich, poor = (scene(dealt(face_up, hands, Phase.DEALT), face_up) for hands in (RICH, POOR))
    assert rich == poor
    assert rich.banker is not None
    # House way of an ace-high hand without a pair: second and third highest in front.
    assert [str(card.card) for card in rich.banker.hand.front] == ["KH", "JD"]
    assert rich.banker.clause


def test_a_scene_of_a_suspended_deal_shows_no_card() -> None:
    envy = load_profile("envy")
    shown = replace(
        dealt(envy, RICH, Phase.DEALT),
        phase=Phase.SUSPENDED,
        suspended_from=Phase.DEALT,
        suspended_reason="Power came back in mid-round",
    )
    suspended = scene(shown, envy)
    assert suspended.kind is SceneKind.SUSPENDED
    assert all(
        card == ShownCard() for spot in suspended.spots if spot.hand for card in spot.hand.cards
    )
    assert suspended.strip.notice == "Power came back in mid-round"


def test_the_reveal_lights_the_line_its_cards_and_what_everyone_is_paid() -> None:
    envy = load_profile("envy")
    shown = scene(dealt(envy, RICH, Phase.REVEALED), envy)
    assert shown.kind is SceneKind.BIG_WIN
    lit = {row.line.value: row.hit_by for row in shown.pay_rows if row.hit_by}
    assert lit == {"four_of_a_kind": (1,)}
    first, second = shown.spots[0], shown.spots[1]
    # Rule sheet 001: four of a kind 25 to 1 on $5, envy $5 to the other player.
    assert first.awards[0] == Award("fortune", say("money", amount="$125"))
    assert Award("envy", say("award_envy", amount="$5")) in second.awards
    assert not any(award.kind == "envy" for award in first.awards)
    assert first.hand is not None
    standing_out = {str(card.card) for card in first.hand.cards if card.look == "lit"}
    assert {"QS", "QH", "QD", "QC"} <= standing_out
    assert {"4D", "9H"} & standing_out == set()
    assert shown.hero.amount == say("money", amount="$125")
    assert shown.hero.envy == say("envy_to", amount="$5", spots="2")


def test_an_unknown_wager_is_told_as_odds_and_envy_in_dollars() -> None:
    face_up = load_profile("face-up")
    unknown = {number: Bets(fortune_cents=None, envy_button=True) for number in (1, 2)}
    shown = scene(dealt(face_up, RICH, Phase.REVEALED, bets=unknown), face_up)
    fortune = shown.spots[0].awards[0]
    assert ENGLISH.first(fortune.text) == "pays 25 to 1"
    assert ENGLISH.first(shown.spots[1].awards[0].text) == "Envy $5"


def test_a_hand_without_a_wager_lights_its_line_only_if_it_triggers_envy() -> None:
    envy = load_profile("envy")
    bets = {2: Bets(main_cents=10_00, fortune_cents=5_00), 1: Bets(main_cents=10_00)}
    quads = scene(dealt(envy, RICH, Phase.REVEALED, bets=bets), envy)
    assert quads.spots[0].hit
    assert quads.hero.amount is None
    trips = {**RICH, 1: "QS QH QD 10C JC 4D 3H"}
    shown = scene(dealt(envy, trips, Phase.REVEALED, bets=bets), envy)
    assert not shown.spots[0].hit
    assert ENGLISH.first(shown.spots[0].title or say("raw", text="")) == "Three of a kind"
    assert shown.hero.headline == say("no_hits")


def test_a_dead_hand_lights_nothing() -> None:
    envy = load_profile("envy")
    shown = dealt(envy, RICH, Phase.REVEALED)
    dead = replace(shown, spots=(replace(shown.spots[0], dead=True), *shown.spots[1:]))
    drawn = scene(dead, envy)
    assert not any(row.hit_by for row in drawn.pay_rows)
    assert drawn.spots[0].status == say("status_dead")


@pytest.mark.parametrize("name", [*PROFILE_NAMES, "six-card-sample"])
def test_every_posted_line_stands_on_the_sign_with_its_odds_and_envy(name: str) -> None:
    profile = load_profile(name)
    shown = scene(view(new_table(TableRules(profile)), TableRules(profile)), profile)
    posted = profile.fortune.pay_table if profile.fortune else ()
    assert shown.kind is SceneKind.ATTRACT
    assert [(row.line, row.pays, row.envy_cents) for row in shown.pay_rows] == [
        (row.line, row.pays, row.envy_cents) for row in posted
    ]
    assert shown.sample_pay_table == (name == "six-card-sample")


def said(shown_conditions: tuple[Say, ...]) -> str:
    return " | ".join(ENGLISH.first(condition) for condition in shown_conditions)


def test_caps_and_the_condition_of_envy_are_posted() -> None:
    # Amounts as the rule sheets print them.
    for name, posted in {
        "envy": ("Fortune bet of $5 or more", "$20,000", "never the dealer's"),
        "face-up": ("Fortune bet of $5 or more", "$50,000"),
        "daytona": ("must beat the designated player's", "a tie loses", "$50,000"),
        "commission": ("5 % commission",),
        "six-card": ("no pay table is posted",),
    }.items():
        profile = load_profile(name)
        shown = scene(view(new_table(TableRules(profile)), TableRules(profile)), profile)
        for text in posted:
            assert text in said(shown.conditions), name


def test_a_bank_tells_up_to_which_wager_it_covers_the_best_line_in_full() -> None:
    # A $30,000 bank covers 5000 to 1 in full only up to a $6 wager.
    points = said(SAMPLES["betting-daytona"].scene().hero.points)
    assert "Spot 2 banks $30,000" in points
    assert "Pays 5,000 to 1 in full up to a $6 bet" in points


def test_after_the_reveal_it_tells_what_the_bank_still_covers() -> None:
    # Paid $1,642: main 50 + 200 + 15 + 75, Fortune 50 x 25 + 5 x 10 + 2 x 1. Collected: Fortune 5
    # and 20. Coverage is gross: $30,000 less both is $28,333.
    sample = SAMPLES["reveal-daytona"]
    assert sample.view.bank_left_cents == 28_333_00
    banker = sample.scene().banker
    assert banker is not None
    assert banker.left == say("dp_left", amount="$28,333")


@pytest.mark.parametrize("phase", [phase for phase in Phase if phase is not Phase.REVEALED])
def test_what_the_bank_still_covers_is_secret_until_the_reveal(phase: Phase) -> None:
    # It would tell what the hands are worth.
    profile = load_profile("daytona")
    state = replace(
        new_table(TableRules(profile)),
        phase=phase,
        designated_player=2,
        bank_cents=30_000_00,
        settlement=Settlement(
            tuple(SpotResult(number) for number in range(1, 8)), bank_left_cents=100_00
        ),
        suspension=Suspension(Phase.DEALT, "power") if phase is Phase.SUSPENDED else None,
    )
    told = view(state, TableRules(profile)).bank_left_cents
    assert told == (100_00 if phase is Phase.SETTLED else None)


def test_envy_is_shown_on_by_the_button_or_by_the_amount_as_the_sheet_has_it() -> None:
    by_amount, by_button = load_profile("envy"), load_profile("face-up")
    small = {1: Bets(fortune_cents=1_00, envy_button=True), 2: Bets(fortune_cents=5_00)}
    amounts = scene(dealt(by_amount, POOR, Phase.DEALT, bets=small), by_amount)
    assert [spot.envy for spot in amounts.spots[:2]] == [False, True]
    buttons = scene(dealt(by_button, POOR, Phase.DEALT, bets=small), by_button)
    assert [spot.envy for spot in buttons.spots[:2]] == [True, False]


def test_a_table_at_rest_keeps_the_last_results_and_then_sells_again() -> None:
    envy = load_profile("envy")
    shown = dealt(envy, RICH, Phase.SETTLED)
    assert scene(shown, envy).kind is SceneKind.SETTLED
    assert scene(shown, envy, idle=True).kind is SceneKind.ATTRACT


def test_the_dealers_strip_holds_notice_next_step_and_every_alarm() -> None:
    shown = SAMPLES["fault"].scene()
    assert shown.strip.step == "ADVANCE or the shuffler's start locks the bets"
    assert len(shown.strip.alarms) == 2
    assert shown.spots[3].broken
    assert SAMPLES["betting-daytona"].scene().strip.notice == "Spot 2 is the designated player"


def test_linked_spots_name_each_other() -> None:
    spots = SAMPLES["betting-unknown"].scene().spots
    assert (spots[1].linked, spots[2].linked) == ((3,), (2,))


def test_every_kind_of_scene_has_a_sample() -> None:
    assert {sample.scene().kind for sample in SAMPLES.values()} == set(SceneKind)


def test_equal_views_make_equal_scenes() -> None:
    again = samples()
    for name, sample in SAMPLES.items():
        assert sample.scene() == again[name].scene(), name
