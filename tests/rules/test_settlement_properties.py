"""What holds for every round, whatever is wagered and dealt."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import replace
from random import Random

import pytest
from hypothesis import assume, given
from hypothesis import settings as budget
from hypothesis import strategies as st
from settling import venue

from firmware_app.cards import DECK, Card
from firmware_app.rules.fortune import bonus_rank
from firmware_app.rules.lines import Line
from firmware_app.rules.play import Result, RoundPlay, Settlement, SpotPlay, SpotResult, WagerResult
from firmware_app.rules.profile import Caps, Profile, load_profile
from firmware_app.rules.settlement import settle

DAYTONA = load_profile("daytona")
PROFILES = {
    "daytona": DAYTONA,
    "daytona net": venue("daytona", designated_player={"coverage": "net"}),
    "envy": load_profile("envy"),
    "envy in action order": venue(
        "envy", caps={"cap_rule": "action_order", "aggregate_cents": 100_00}
    ),
    "envy with a low cap": venue("envy", caps={"aggregate_cents": 100_00}),
    "commission": load_profile("commission"),
    "face-up": load_profile("face-up"),
    "six-card": load_profile("six-card"),
}
PLAIN = {
    "face-up": PROFILES["face-up"],
    "daytona": DAYTONA,
    "daytona by pay table": venue("daytona", fortune={"compare": "pay-table"}),
}
LINES_OF_ENVY = {
    Line.SEVEN_CARD_STRAIGHT_FLUSH,
    Line.ROYAL_FLUSH_PLUS_ROYAL_MATCH,
    Line.SEVEN_CARD_STRAIGHT_FLUSH_WITH_JOKER,
    Line.FIVE_ACES,
    Line.ROYAL_FLUSH,
    Line.STRAIGHT_FLUSH,
    Line.FOUR_OF_A_KIND,
}
FLAGS = st.dictionaries(
    st.sampled_from(["folded", "dead", "surrendered", "short_before"]), st.just(True), max_size=1
)
WAGERS = st.sampled_from([0, 0, 1_00, 4_00, 5_00, 25_00, 40_00, 7_50])


@st.composite
def decks(draw: st.DrawFn) -> list[Card]:
    """A deck in an order that deals good hands far more often than chance: by suit or by rank."""
    deck = sorted(DECK, key=draw(st.sampled_from([int, lambda card: (card % 13, card)])))
    chance = Random(draw(st.integers(0, 2**32)))
    for _ in range(draw(st.sampled_from([0, 2, 8, 20, 200]))):
        one, other = chance.randrange(len(deck)), chance.randrange(len(deck))
        deck[one], deck[other] = deck[other], deck[one]
    return deck


@st.composite
def rounds(draw: st.DrawFn, profile: Profile) -> RoundPlay:
    """A whole deal with any wagers, flags, links and buttons that a table of ``profile`` knows."""
    dealt = iter(draw(decks()))
    size = profile.cards_per_hand
    spots = []
    for number in range(1, profile.spots + 1):
        hand = tuple(itertools.islice(dealt, size))
        spots.append(
            SpotPlay(
                number,
                cards=hand,
                player=draw(st.sampled_from([None, "Ann", "Ben"])),
                occupied=draw(st.integers(0, 5)) > 0,
                main_cents=draw(WAGERS),
                fortune_cents=draw(WAGERS | st.none()),
                ace_high_cents=draw(WAGERS),
                envy_button=draw(st.sampled_from([None, True, False])),
                low=hand[: size - 5] if draw(st.integers(0, 3)) == 0 else None,
                **draw(FLAGS),
            )
        )
    banked = profile.designated_player is not None
    return RoundPlay(
        spots=tuple(spots),
        first_spot=draw(st.integers(1, profile.spots)),
        dealer=None if banked else tuple(itertools.islice(dealt, size)),
        designated_player=draw(st.integers(1, profile.spots)) if banked else None,
        bank_cents=draw(st.sampled_from([0, 50_00, 350_00, 30_000_00])) if banked else None,
        misdeal=draw(st.sampled_from([None] * 9 + ["the shuffler blinks red"])),
    )


@st.composite
def any_rounds(draw: st.DrawFn, *names: str) -> tuple[Profile, RoundPlay]:
    profile = PROFILES[draw(st.sampled_from(names or tuple(PROFILES)))]
    return profile, draw(rounds(profile))


def _wagers(spot: SpotPlay, result: SpotResult) -> Iterator[tuple[int | None, WagerResult]]:
    yield spot.main_cents, result.main
    yield spot.fortune_cents, result.fortune
    yield spot.ace_high_cents, result.ace_high


def _owner(spot: SpotPlay) -> str | int:
    return spot.player or spot.number


@given(any_rounds())
@budget(max_examples=250)
def test_every_stake_is_collected_returned_or_kept_to_the_cent(
    described: tuple[Profile, RoundPlay],
) -> None:
    profile, play = described
    settlement = settle(profile, play)
    for spot in play.spots:
        for stake, wager in _wagers(spot, settlement.spot(spot.number)):
            parts = (wager.collected_cents, wager.returned_cents, wager.kept_cents)
            assert sum(parts) == (stake or 0)
            assert min(*parts, wager.paid_cents) >= 0
            assert (wager.result is Result.NONE) == (stake == 0)
            if wager.result is not Result.WIN:
                assert wager.paid_cents == 0
            if wager.result is Result.LOSE:
                assert wager.kept_cents == 0


@given(any_rounds())
@budget(max_examples=150)
def test_nobody_is_paid_twice_or_more_than_the_odds_of_one_line(
    described: tuple[Profile, RoundPlay],
) -> None:
    profile, play = described
    settlement = settle(profile, play)
    for spot in play.spots:
        result = settlement.spot(spot.number)
        assert result.main.paid_cents <= spot.main_cents
        for stake, wager in (
            (spot.fortune_cents, result.fortune),
            (spot.ace_high_cents, result.ace_high),
        ):
            assert wager.paid_cents <= (stake or 0) * (wager.pays or 0)
        sources = [trigger.spot for trigger in result.envy.triggers]
        assert len(sources) == len(set(sources))
        assert result.envy.paid_cents == sum(trigger.cents for trigger in result.envy.triggers)


@given(any_rounds("envy", "envy with a low cap", "face-up"))
@budget(max_examples=200)
def test_envy_is_never_paid_by_own_dead_or_unplayed_hands_nor_to_those_who_do_not_qualify(
    described: tuple[Profile, RoundPlay],
) -> None:
    profile, play = described
    settlement = settle(profile, play)
    by_number = {spot.number: spot for spot in play.spots}
    for result in settlement.spots:
        watcher = by_number[result.number]
        for trigger in result.envy.triggers:
            source = by_number[trigger.spot]
            assert play.misdeal is None
            assert _owner(source) != _owner(watcher)
            assert source.occupied
            assert not source.dead
            assert watcher.occupied
            assert not watcher.dead
            assert watcher.fortune_cents is None or watcher.fortune_cents >= 5_00
            assert trigger.line in LINES_OF_ENVY


@given(any_rounds(), st.randoms(use_true_random=False))
@budget(max_examples=100)
def test_the_order_in_which_spots_are_told_has_no_say(
    described: tuple[Profile, RoundPlay], chance: Random
) -> None:
    profile, play = described
    shuffled = list(play.spots)
    chance.shuffle(shuffled)
    assert settle(profile, replace(play, spots=tuple(shuffled))) == settle(profile, play)


@given(any_rounds("face-up", "envy", "commission", "six-card"), st.integers(1, 6))
@budget(max_examples=100)
def test_where_the_house_pays_and_no_cap_is_met_the_first_spot_has_no_say(
    described: tuple[Profile, RoundPlay], first: int
) -> None:
    profile, play = described
    settlement = settle(profile, play)
    if profile.caps.aggregate_cents is not None:
        assume(_bonus_cents(settlement) < profile.caps.aggregate_cents)
    assert settle(profile, replace(play, first_spot=first)) == settlement


def _bonus_cents(settlement: Settlement) -> int:
    return sum(spot.fortune.paid_cents + spot.envy.paid_cents for spot in settlement.spots)


@given(rounds(PROFILES["envy"]), st.integers(1, 200), st.sampled_from(["pro_rata", "action_order"]))
@budget(max_examples=200)
def test_a_round_pays_what_is_due_or_exactly_the_aggregate_cap(
    play: RoundPlay, cap_dollars: int, rule: str
) -> None:
    uncapped = PROFILES["envy"].model_copy(update={"caps": Caps()})
    cap = cap_dollars * 1_00
    capped = uncapped.model_copy(update={"caps": Caps(aggregate_cents=cap, cap_rule=rule)})
    due = _bonus_cents(settle(uncapped, play))
    assert _bonus_cents(settle(capped, play)) == min(due, cap)


@pytest.mark.parametrize("name", ["face-up", "daytona", "daytona by pay table"])
@given(st.data())
@budget(max_examples=100)
def test_a_better_bonus_hand_at_the_same_spot_is_never_paid_less(
    name: str, data: st.DataObject
) -> None:
    """Two spots exchange their hands; the first is paid no less with the better of them.

    Better is higher in the ranking that hands are compared in and in what the line pays: the
    printed ranking alone puts a straight above three of a kind and pays it less.
    """
    profile = PLAIN[name]
    assert profile.fortune is not None
    dealt = iter(data.draw(decks()))
    hands = [tuple(itertools.islice(dealt, 7)) for _ in range(3)]

    def paid(first: tuple[Card, ...], second: tuple[Card, ...]) -> SpotResult:
        banked = profile.designated_player is not None
        spots = (
            SpotPlay(1, first, fortune_cents=5_00),
            SpotPlay(2, second, fortune_cents=5_00),
            SpotPlay(3, hands[2]),
        )
        play = RoundPlay(
            spots,
            designated_player=3 if banked else None,
            bank_cents=100_000_00 if banked else None,
        )
        return settle(profile, play).spot(1)

    one, other = paid(hands[0], hands[1]), paid(hands[1], hands[0])
    pays = [_pays(profile, result) for result in (one, other)]
    ranks = [
        bonus_rank(hand, profile.fortune.compare, profile.fortune.pay_table) for hand in hands[:2]
    ]
    if pays[0] >= pays[1] and ranks[0] >= ranks[1]:
        assert one.fortune.paid_cents >= other.fortune.paid_cents
    if pays[0] <= pays[1] and ranks[0] <= ranks[1]:
        assert one.fortune.paid_cents <= other.fortune.paid_cents


def _pays(profile: Profile, result: SpotResult) -> int:
    assert profile.fortune is not None
    row = profile.fortune.row(result.line) if result.line is not None else None
    return 0 if row is None else row.pays
