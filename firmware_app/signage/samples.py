"""Sample pictures: one view for every scene, made by the rules themselves.

Used by ``fortune-table sign``, by the gallery and by tests. Every sample goes through the same gate
as the running table: :func:`firmware_app.table.view.view`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Final

from firmware_app.cards import Card, parse_card
from firmware_app.rules.lines import Line
from firmware_app.rules.play import RoundPlay, SpotPlay
from firmware_app.rules.profile import Profile, load_profile
from firmware_app.rules.settlement import settle
from firmware_app.signage.past_rounds import RoundSpot, RoundSummary
from firmware_app.signage.scene import Scene
from firmware_app.signage.staging import recall_scene, scene
from firmware_app.table.state import (
    Bets,
    SpotState,
    Suspension,
    TableRules,
    TableState,
    new_table,
)
from firmware_app.table.values import Alarm, Phase
from firmware_app.table.view import TableView, view


@dataclass(frozen=True, slots=True)
class Sample:
    """One picture to show: a view under a profile, at rest or not, or the recall of rounds."""

    profile: Profile
    view: TableView
    idle: bool = False
    rounds: tuple[RoundSummary, ...] = ()

    def scene(self) -> Scene:
        """Return the scene that the sign shows of it."""
        if self.rounds:
            return recall_scene(self.rounds, self.view, self.profile)
        return scene(self.view, self.profile, idle=self.idle)


def _cards(text: str) -> tuple[Card, ...]:
    return tuple(parse_card(word) for word in text.split())


_BETS: Final[Mapping[int, Bets]] = {
    1: Bets(main_cents=50_00, fortune_cents=5_00, envy_button=True),
    2: Bets(main_cents=100_00, fortune_cents=25_00, envy_button=True),
    3: Bets(main_cents=25_00),
    5: Bets(main_cents=200_00, fortune_cents=10_00, envy_button=True),
    6: Bets(main_cents=15_00, fortune_cents=1_00),
}

_DEALER: Final = "AD KH JD 9S 7H 5S 3C"
_HANDS: Final[Mapping[int, str]] = {
    1: "AH AC 8D 8C 6S 4H 2D",
    2: "KS KD JH 7C 6H 4C 2C",
    3: "QS QH QD JS 10D 5C 4D",
    4: "AS JC 9C 8H 6C 3H 2S",
    5: "10C 10H 10S 9H 9D 5H KC",
    6: "3S 4S 5D 6D 7S JK QC",
}
_BIG_DEALER: Final = "AD KH JD 7D 7H 5S 3C"
_BIG_HANDS: Final[Mapping[int, str]] = {
    **_HANDS,
    2: "9S 10S JS QS KS 4C 2C",
    3: "QH QD QC 8S JH 5C 4D",
    5: "10C 10H 10D 9H 9D 5H KC",
    6: "3S 4S 5D 6D 7S JK 2H",
}
_GREAT_HANDS: Final[Mapping[int, str]] = {
    **_HANDS,
    1: "AH 7C 8D 8C 6S 4H 2D",
    2: "10D KS JH 5C 6H 4C 2C",
    3: "QS QH 9C JS 7D 3D 4D",
    4: "AS 10H JD 8H 6C 3H 2S",
    5: "AC KC QC JC 10C KD QD",
    6: "3S 4S 5D 6D 7S JK 10S",
}
_GREAT_DEALER: Final = "AD KH 9D 9S 7H 5S 3C"
_POOR_HANDS: Final[Mapping[int, str]] = {
    1: "AH AC 8D 8C 6S 4H 2D",
    2: "KS KD JH 7C 6H 4C 2C",
    3: "QS QH JS 10D 5C 4D 2H",
    4: "AS JC 9C 8H 6C 3H 7D",
    5: "KC 10C 9H 9D 7S 5H 2S",
    6: "3S 4S 5D 8S QD QC 10H",
}
_DAYTONA_HANDS: Final[Mapping[int, str]] = {
    1: "AH AC 8D 8C 6S 4H 2D",
    2: "AS JC 9C 8H 6C 3H 2S",
    3: "QH QD QC 8S JH 5C 4D",
    4: "9S 10S JS QS KS 4C 2C",
    5: "10C 10H 10D 9H 9D 5H KC",
    6: "3S 4S 5D 6D 7S JK 2H",
    7: "AD KH JD 7D 7H 5S 3C",
}
_SIX_DEALER: Final = "AD KH JD 9S 7H 5S"


def _view(
    profile: Profile,
    phase: Phase,
    *,
    bets: Mapping[int, Bets] = _BETS,
    hands: Mapping[int, str] | None = None,
    dealer: str | None = _DEALER,
    round_number: int = 128,
    change: Callable[[TableState], TableState] = lambda state: state,
    **fields: object,
) -> TableView:
    """Return the view of a table in ``phase``; hands are settled by the rules."""
    rules = TableRules(profile)
    state = new_table(rules)
    given = {number: _cards(text) for number, text in (hands or {}).items()}
    spots = tuple(
        replace(
            spot,
            live=bets.get(spot.number, Bets()),
            locked=bets.get(spot.number, Bets()) if phase is not Phase.BETTING else None,
            cards=given.get(spot.number, ()),
        )
        for spot in state.spots
    )
    dealt = _cards(dealer) if hands and dealer else ()
    state = replace(
        state,
        spots=spots,
        phase=phase,
        round_number=round_number,
        first_spot=2,
        dealer_cards=dealt,
        **fields,  # type: ignore[arg-type]
    )
    state = change(state)
    if hands and phase in (Phase.DEALT, Phase.REVEALED, Phase.SETTLED):
        state = replace(state, settlement=settle(profile, _play(state)))
    return view(state, rules)


def _play(state: TableState) -> RoundPlay:
    return RoundPlay(
        spots=tuple(_spot_play(spot) for spot in state.spots if spot.cards),
        first_spot=state.first_spot,
        dealer=state.dealer_cards or None,
        designated_player=state.designated_player,
        bank_cents=state.bank_cents,
    )


def _spot_play(spot: SpotState) -> SpotPlay:
    bets = spot.locked or spot.live
    return SpotPlay(
        number=spot.number,
        cards=spot.cards,
        player=spot.player,
        occupied=bets.main_cents > 0 or bets.has_fortune,
        main_cents=bets.main_cents,
        fortune_cents=bets.fortune_cents,
        ace_high_cents=bets.ace_high_cents,
        envy_button=bets.envy_button,
        dead=spot.dead,
        folded=spot.folded,
    )


def _changed_spot(number: int, **changes: object) -> Callable[[TableState], TableState]:
    def change(state: TableState) -> TableState:
        return state.with_spot(replace(state.spot(number), **changes))  # type: ignore[arg-type]

    return change


def _no_bets(profile: Profile) -> TableView:
    return _view(profile, Phase.SETTLED, bets={}, round_number=0)


_ROUNDS: Final = (
    RoundSummary(128, "21:07", finished=False),
    RoundSummary(
        127,
        "21:04",
        (
            RoundSpot(2, Line.STRAIGHT_FLUSH, 1_250_00, 0),
            RoundSpot(1, None, 0, 20_00),
            RoundSpot(5, None, 0, 20_00),
        ),
    ),
    RoundSummary(126, "21:01"),
    RoundSummary(125, "20:58", (RoundSpot(6, Line.FLUSH, 4_00, 0),)),
    RoundSummary(124, "20:54", void_reason="VOID held by the dealer"),
    RoundSummary(123, "20:51", (RoundSpot(3, Line.THREE_OF_A_KIND, 15_00, 0),)),
    RoundSummary(122, "20:48"),
    RoundSummary(
        121,
        "20:44",
        (
            RoundSpot(1, Line.FULL_HOUSE, 25_00, 0),
            RoundSpot(4, Line.STRAIGHT, 20_00, 0),
        ),
    ),
    RoundSummary(120, "20:41"),
    RoundSummary(119, "20:37", (RoundSpot(5, Line.FOUR_OF_A_KIND, 250_00, 0),)),
)

_READER_LOST: Final = Alarm(
    code="reader-lost", text="Card reader is silent: check its cable, then press ADVANCE"
)
_STUCK: Final = Alarm(
    code="input-stuck",
    text="Spot 4 bet sensor is stuck: clear the sensor or call a technician",
    spot=4,
)


def samples() -> dict[str, Sample]:
    """Return every sample by its name, in the order of a round."""
    envy, face_up = load_profile("envy"), load_profile("face-up")
    daytona, six_card = load_profile("daytona"), load_profile("six-card-sample")
    commission, not_posted = load_profile("commission"), load_profile("six-card")
    rules = envy
    face_bets = {
        **_BETS,
        2: Bets(main_cents=100_00, fortune_cents=25_00, ace_high_cents=10_00, envy_button=True),
        6: Bets(main_cents=15_00, fortune_cents=5_00, envy_button=True),
    }
    unknown = {
        number: replace(bets, fortune_cents=None if bets.has_fortune else 0, main_cents=0)
        for number, bets in _BETS.items()
    }
    main_only = {number: Bets(main_cents=bets.main_cents) for number, bets in _BETS.items()}
    seven = {
        **_BETS,
        2: Bets(),
        4: Bets(main_cents=100_00, fortune_cents=25_00),
        7: Bets(main_cents=75_00, fortune_cents=20_00),
    }
    banked = _view(
        daytona,
        Phase.BETTING,
        bets=seven,
        designated_player=2,
        bank_cents=30_000_00,
        notice="Spot 2 is the designated player",
    )
    return {
        "attract": Sample(envy, _no_bets(envy)),
        "attract-face-up": Sample(face_up, _no_bets(face_up)),
        "attract-daytona": Sample(daytona, _no_bets(daytona)),
        "attract-six-card": Sample(six_card, _no_bets(six_card)),
        "attract-commission": Sample(commission, _no_bets(commission)),
        "attract-not-posted": Sample(not_posted, _no_bets(not_posted)),
        "betting": Sample(rules, _view(rules, Phase.BETTING)),
        "betting-face-up": Sample(face_up, _view(face_up, Phase.BETTING, bets=face_bets)),
        "betting-daytona": Sample(daytona, banked),
        "betting-unknown": Sample(
            face_up,
            _view(
                face_up,
                Phase.BETTING,
                bets=unknown,
                notice="Spots 2 and 3 are one player",
                change=lambda state: _changed_spot(3, player="spot 2")(state),
            ),
        ),
        "betting-commission": Sample(commission, _view(commission, Phase.BETTING, bets=main_only)),
        "dealing": Sample(
            rules, _view(rules, Phase.DEALING, hands={1: _HANDS[1], 2: _HANDS[2]}, dealer=None)
        ),
        "dealt": Sample(rules, _view(rules, Phase.DEALT, hands=_HANDS)),
        "dealt-face-up": Sample(face_up, _view(face_up, Phase.DEALT, hands=_HANDS, bets=face_bets)),
        "reveal": Sample(rules, _view(rules, Phase.REVEALED, hands=_HANDS)),
        "reveal-no-hits": Sample(
            rules,
            _view(
                rules,
                Phase.REVEALED,
                hands=_POOR_HANDS,
                change=_changed_spot(5, dead=True),
                notice="Spot 5 is a dead hand",
            ),
        ),
        "reveal-face-up": Sample(
            face_up, _view(face_up, Phase.REVEALED, hands=_HANDS, bets=face_bets)
        ),
        "reveal-daytona": Sample(
            daytona,
            _view(
                daytona,
                Phase.REVEALED,
                bets=seven,
                hands=_DAYTONA_HANDS,
                dealer=None,
                designated_player=2,
                bank_cents=30_000_00,
            ),
        ),
        "reveal-six-card": Sample(
            six_card,
            _view(
                six_card,
                Phase.REVEALED,
                hands={
                    number: " ".join(text.split()[:6])
                    for number, text in _HANDS.items()
                    if number <= six_card.spots
                },
                dealer=_SIX_DEALER,
            ),
        ),
        "reveal-commission": Sample(
            commission, _view(commission, Phase.REVEALED, bets=main_only, hands=_HANDS)
        ),
        "reveal-unknown": Sample(
            face_up,
            _view(face_up, Phase.REVEALED, bets=unknown, hands=_BIG_HANDS, dealer=_BIG_DEALER),
        ),
        "big-win": Sample(
            rules, _view(rules, Phase.REVEALED, hands=_BIG_HANDS, dealer=_BIG_DEALER)
        ),
        "big-win-royal": Sample(
            face_up,
            _view(
                face_up,
                Phase.REVEALED,
                bets=face_bets,
                hands=_GREAT_HANDS,
                dealer=_GREAT_DEALER,
            ),
        ),
        "settled": Sample(rules, _view(rules, Phase.SETTLED, hands=_BIG_HANDS, dealer=_BIG_DEALER)),
        "void": Sample(
            rules,
            _view(
                rules,
                Phase.VOIDED,
                void_reason="Misdeal: spot 3 has eight cards",
                notice="VOID held: round 128 is void",
            ),
        ),
        "suspended": Sample(
            rules,
            _view(
                rules,
                Phase.SUSPENDED,
                hands={1: _HANDS[1], 2: _HANDS[2]},
                dealer=None,
                suspension=Suspension(Phase.DEALING, "The card reader is lost"),
                reader_up=False,
                alarms=(_READER_LOST,),
            ),
        ),
        "fault": Sample(
            rules,
            _view(
                rules,
                Phase.BETTING,
                change=_changed_spot(4, failed_lines=frozenset({"bet"})),
                alarms=(_STUCK, _READER_LOST),
            ),
        ),
        "last-rounds": Sample(rules, _view(rules, Phase.SETTLED), rounds=_ROUNDS),
    }
