"""What a supervisor may do when, what is told of it, and that a guess at a hand tells nothing."""

from __future__ import annotations

import random
from typing import Any

import pytest

from firmware_app.cards import DECK, parse_card
from firmware_app.table import events, facts
from firmware_app.table.supervision import Asked, ruling
from firmware_app.table.values import Phase

QUADS = "QS QH QD QC JK 4D 9H"
RECORD = facts.SupervisorActed(
    action="asked", text="what was asked", by="Ms. Ortega", why="pit call 12", login="floor1"
)


def tell(story: Any, fact: facts.Fact | None, *, known: str | None = None) -> tuple[Any, list[Any]]:
    """Rule on ``fact``, tell the table what is to be recorded, and return what it announced."""
    wanted = Asked(RECORD, fact)
    ruled = ruling(story.rules, story.state, wanted if known is None else wanted.refused(known))
    announced = [event for fact in ruled.facts for event in story.tell(fact)]
    return ruled, announced


def dealt(table: Any, phase: Phase, hands: dict[int, str] | None = None) -> Any:
    story = table("envy")
    story.bet(1)
    story.lock()
    story.deal({1: QUADS} if hands is None else hands, seed=3)
    for wanted in (Phase.REVEALED, Phase.SETTLED):
        if story.phase is not phase:
            story.advance()
            assert story.phase is wanted
    return story


def test_what_is_done_is_recorded_behind_who_and_why(table: Any) -> None:
    story = dealt(table, Phase.DEALT)
    void = facts.Voided(by="Ms. Ortega", reason="pit call 12")
    ruled, (acted, voided) = tell(story, void)
    assert ruled.facts == (RECORD, void)
    assert (ruled.refused, story.phase) == (None, Phase.VOIDED)
    assert isinstance(voided, events.RoundVoided)
    assert acted == events.SupervisorAction(
        round=1,
        action="asked",
        text="what was asked",
        by="Ms. Ortega",
        why="pit call 12",
        login="floor1",
        refused=None,
    )


def test_what_is_refused_is_recorded_alone_and_changes_nothing(table: Any) -> None:
    story = dealt(table, Phase.DEALT)
    before = story.state
    ruled, (acted,) = tell(story, facts.SpotsLinked(spots=(1, 2), by="Ms. Ortega"))
    assert "before bets are locked" in ruled.refused
    assert [fact.refused for fact in ruled.facts] == [ruled.refused]
    assert acted.refused == ruled.refused
    assert story.state == before, "not even the notice of the table's sign"


def test_what_no_round_depends_on_is_recorded_alone(table: Any) -> None:
    story = table("envy")
    ruled, (acted,) = tell(story, None)
    assert (ruled.facts, ruled.refused, acted.refused) == ((RECORD,), None, None)
    ruled, (acted,) = tell(story, None, known="there is no such event")
    assert ruled.refused == acted.refused == "there is no such event"


def test_an_advance_meant_for_another_moment_is_refused(table: Any) -> None:
    story = dealt(table, Phase.REVEALED)
    for phase, number in ((Phase.DEALT, 1), (Phase.REVEALED, 2)):
        ruled, _ = tell(story, facts.Advanced(by="Ms. Ortega", phase=phase, round=number))
        assert "round 1 is revealed now" in ruled.refused
    ruled, _ = tell(story, facts.Advanced(by="Ms. Ortega", phase=Phase.REVEALED, round=1))
    assert (ruled.refused, story.phase) == (None, Phase.SETTLED)


def test_an_advance_that_the_table_cannot_follow_says_what_is_missing(table: Any) -> None:
    story = table("envy")
    story.bet(1)
    story.lock()
    ruled, _ = tell(story, facts.Advanced(by="Ms. Ortega", phase=Phase.DEALING, round=1))
    assert "the dealer" in ruled.refused
    assert story.phase is Phase.DEALING


@pytest.mark.parametrize("phase", [Phase.DEALT, Phase.SETTLED])
@pytest.mark.parametrize(
    "fact",
    [
        facts.CardCorrected(
            position=1, was=parse_card("4D"), now=parse_card("2S"), by="Ms. Ortega", why="misread"
        ),
        facts.LowHandSet(spot=1, low=(parse_card("QS"), parse_card("QH")), by="Ms. Ortega"),
    ],
)
def test_hands_are_corrected_and_set_only_while_they_are_open(
    table: Any, phase: Phase, fact: facts.Fact
) -> None:
    story = dealt(table, phase)
    before = story.state
    ruled, _ = tell(story, fact)
    assert ruled.refused.startswith("Not now")
    assert story.state == before


def test_no_answer_before_the_reveal_depends_on_the_cards(table: Any) -> None:
    """Every action, at two deals that differ in every hand, is answered and announced alike."""
    rng = random.Random(8)
    spots = [{"spot": spot, "by": "Ms. Ortega"} for spot in range(1, 8)]
    low = [tuple(rng.sample(DECK, 2)) for _ in range(40)]
    asked: list[facts.Fact] = [
        facts.CardCorrected(
            position=position, was=card, now=rng.choice(DECK), by="Ms. Ortega", why="a guess"
        )
        for position in range(8)
        for card in DECK
    ]
    asked += [facts.LowHandSet(spot=rng.randint(1, 7), low=cards, by="me") for cards in low]
    for one in (facts.HandDead, facts.HandFolded, facts.HandSurrendered, facts.ActionButtonMoved):
        asked += [one(**spot) for spot in spots]
    asked += [facts.SpotsLinked(spots=(6, 7), by="me"), facts.BankDeclared(cents=1, by="me")]
    asked += [facts.SpotDesignated(spot=2, by="me"), facts.Voided(by="me", reason="enough")]
    first, second = (
        dealt(table, Phase.DEALT, {1: hand}) for hand in (QUADS, "AS KH 9D 7C 5S 3H 2D")
    )
    assert first.state.spots != second.state.spots
    for fact in asked:
        ruled, told = zip(tell(first, fact), tell(second, fact), strict=True)
        assert ruled[0] == ruled[1], fact
        assert told[0] == told[1], fact
        assert first.view == second.view, fact


def test_a_correction_to_a_card_on_record_elsewhere_is_refused_and_spares_the_round(
    table: Any,
) -> None:
    story = dealt(table, Phase.REVEALED, {1: QUADS, 2: "AS KH 9D 7C 5S 3H 2D"})
    wrong = facts.CardCorrected(
        position=1, was=parse_card("4D"), now=parse_card("AS"), by="Ms. Ortega", why="typed amiss"
    )
    ruled, _ = tell(story, wrong)
    assert "AS is on record at spot 2" in ruled.refused
    assert story.phase is Phase.REVEALED


def test_a_correction_of_a_card_that_is_not_there_is_refused(table: Any) -> None:
    story = dealt(table, Phase.REVEALED)
    on_table = {card for spot in story.state.spots for card in spot.cards}
    undealt = min(set(DECK) - on_table - set(story.state.dealer_cards))
    for position in (1, 7):
        wrong = facts.CardCorrected(
            position=position, was=undealt, now=undealt, by="Ms. Ortega", why="typed amiss"
        )
        ruled, _ = tell(story, wrong)
        assert "holds no such card" in ruled.refused


@pytest.mark.parametrize("low", ["QS", "QS QH QD", "QS QS"])
def test_a_low_hand_is_two_different_cards(table: Any, low: str) -> None:
    story = dealt(table, Phase.REVEALED)
    cards = tuple(parse_card(word) for word in low.split())
    ruled, _ = tell(story, facts.LowHandSet(spot=1, low=cards, by="Ms. Ortega"))
    assert "2 different cards" in ruled.refused


def test_a_link_to_a_spot_that_the_table_does_not_have_is_refused(table: Any) -> None:
    ruled, _ = tell(table("envy"), facts.SpotsLinked(spots=(6, 7), by="Ms. Ortega"))
    assert ruled.refused == "This table has no spot 7"


def test_a_bank_is_declared_only_where_a_player_holds_it(table: Any) -> None:
    bank = facts.BankDeclared(cents=50_000_00, by="Ms. Ortega")
    ruled, _ = tell(table("envy"), bank)
    assert "against the house" in ruled.refused
    story = table("daytona")
    ruled, _ = tell(story, bank)
    assert ruled.refused is None
    assert story.view.bank_cents == 50_000_00
    assert ruled.told is not None
    assert "$50,000" in ruled.told


def test_the_record_of_an_action_survives_being_written() -> None:
    refused = RECORD.model_copy(update={"refused": "Not now: 牌"})
    for record in (RECORD, refused):
        assert facts.fact_from_json(facts.fact_to_json(record)) == record
