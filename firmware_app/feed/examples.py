"""One event of each kind, as a table would tell it: the examples of the published contract."""

from __future__ import annotations

from firmware_app.cards import Card, parse_card
from firmware_app.rules.lines import Line
from firmware_app.rules.play import Result
from firmware_app.table.events import (
    AlarmEnded,
    AlarmStarted,
    BetsLocked,
    ConfigurationApplied,
    DealerAction,
    DealerOpened,
    DeviceStarted,
    DeviceStopped,
    Discrepancy,
    EnvyMoved,
    EnvyTriggered,
    Event,
    HandReceived,
    HandRevealed,
    HandsDealt,
    LateBet,
    LockedSpot,
    Payout,
    RoundOpened,
    RoundResumed,
    RoundRevealed,
    RoundSettled,
    RoundSuspended,
    RoundVoided,
    SpotOutcome,
    SupervisorAction,
    WagerMoved,
    WagerOutcome,
)
from firmware_app.table.values import Alarm, Phase


def cards(text: str) -> tuple[Card, ...]:
    """Return the cards that are written in ``text``, parted by blanks."""
    return tuple(parse_card(word) for word in text.split())


def wager(result: Result, **amounts: object) -> WagerOutcome:
    """Return the fate of a wager; whatever ``amounts`` do not name is 0 or nothing."""
    nothing = {
        "paid_cents": 0,
        "collected_cents": 0,
        "returned_cents": 0,
        "kept_cents": 0,
        "line": None,
        "pays": None,
        "reason": None,
    }
    return WagerOutcome.model_validate({"result": result} | nothing | amounts)


_OUTCOME = SpotOutcome(
    spot=1,
    player="spot 1",
    cards=cards("QS QH QD QC JK 4D 9H"),
    line=Line.FOUR_OF_A_KIND,
    made_of=cards("QS QH QD QC"),
    main=wager(Result.LOSE, collected_cents=2500),
    fortune=wager(Result.WIN, paid_cents=12_500, line="four_of_a_kind", pays=25),
    ace_high=wager(Result.NONE),
    envy_cents=500,
    envy_triggers=(EnvyTriggered(spot=4, line=Line.FOUR_OF_A_KIND, cents=500),),
    owed_cents=13_000,
)

_ALARM = Alarm(code="reader-lost", text="Reconnect the card reader", spot=None)

EXAMPLES: tuple[Event, ...] = (
    DeviceStarted(round=0, software="0.1.0", configuration="8f3a", resumed_phase=Phase.SETTLED),
    DeviceStopped(round=7, reason="terminated", phase=Phase.BETTING),
    ConfigurationApplied(
        round=7,
        configuration_digest="5e1d" * 16,
        rules_digest="c0de" * 16,
        software="0.1.0",
        software_digest="8f3a" * 16,
        changed=("mqtt.host", "rules.profile.fortune.pay_table", "software"),
    ),
    RoundOpened(round=1, profile="envy"),
    WagerMoved(round=1, spot=1, wager="fortune", cents=500),
    EnvyMoved(round=1, spot=1, placed=True),
    BetsLocked(
        round=1,
        first_spot=3,
        designated_player=None,
        bank_cents=None,
        spots=(
            LockedSpot(
                spot=1,
                player="spot 1",
                occupied=True,
                main_cents=2500,
                fortune_cents=None,
                ace_high_cents=0,
                envy_button=None,
            ),
        ),
    ),
    LateBet(round=1, spot=2, wager="main", cents=None, envy_placed=None),
    HandReceived(round=1, position=0),
    HandsDealt(round=1, hands=7),
    DealerOpened(
        round=1,
        cards=cards("AS KS 9D 8C 7H 4S 2D"),
        low=cards("KS 9D"),
        high=cards("AS 8C 7H 4S 2D"),
        clause=None,
    ),
    RoundRevealed(
        round=1,
        dealer_cards=cards("AS KS 9D 8C 7H 4S 2D"),
        dealer_low=cards("KS 9D"),
        dealer_high=cards("AS 8C 7H 4S 2D"),
        spots=(_OUTCOME,),
    ),
    HandRevealed(
        round=1,
        position=1,
        player="spot 1",
        cards=cards("QS QH QD QC JK 4D 9H"),
        line=Line.FOUR_OF_A_KIND,
        made_of=cards("QS QH QD QC"),
    ),
    Payout(
        round=1,
        spot=1,
        player="spot 1",
        main_cents=0,
        fortune_cents=12_500,
        ace_high_cents=0,
        envy_cents=500,
        owed_cents=13_000,
    ),
    RoundSettled(
        round=1, spots=(_OUTCOME,), paid_cents=13_000, collected_cents=2500, bank_left_cents=None
    ),
    RoundVoided(round=2, phase=Phase.DEALING, reason="misdeal: a card twice", by="dealer"),
    RoundSuspended(round=3, phase=Phase.DEALING, reason="the reader is lost"),
    RoundResumed(round=3, phase=Phase.DEALING, by="supervisor Çelik 李"),
    Discrepancy(round=3, text="spot 5: envy button without the wager for it"),
    DealerAction(round=3, action="dead-hand", by="dealer", spot=2, text="spot 2 is a dead hand"),
    SupervisorAction(
        round=3,
        action="void",
        text="void the round",
        by="Ms. Çelik",
        why="a card lay face up",
        login="floor",
        refused=None,
    ),
    AlarmStarted(round=3, alarm=_ALARM),
    AlarmEnded(round=3, alarm=_ALARM),
)
