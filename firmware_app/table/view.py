"""What the world may see of the table: the one gate of secrecy.

The sign, the lamps, the log and the retained ``state`` message are all made from a
:class:`TableView` and from nothing else. A view holds no card, line or payout before the reveal,
save the dealer's own hand on a table where the dealer opens first.
"""

from dataclasses import dataclass, replace
from functools import cache

from pydantic import TypeAdapter

from firmware_app.rules.card_text import CardText
from firmware_app.rules.play import SpotResult
from firmware_app.table.deal import occupied
from firmware_app.table.state import SpotState, TableRules, TableState, new_table
from firmware_app.table.values import Alarm, Phase

_OPEN_PHASES = (Phase.REVEALED, Phase.SETTLED)


@dataclass(frozen=True, slots=True)
class SpotView:
    """One spot as players see it. Amounts in cents; None is a wager of unknown amount.

    ``cards`` and ``result`` are empty before the reveal; the cards of a spot that nobody plays are
    never shown.
    """

    number: int
    player: str
    in_service: bool
    main_cents: int
    fortune_cents: int | None
    ace_high_cents: int
    envy_button: bool
    is_designated_player: bool
    dead: bool
    folded: bool
    surrendered: bool
    hand_in: bool
    cards: tuple[CardText, ...] = ()
    result: SpotResult | None = None

    @property
    def has_fortune(self) -> bool:
        return self.fortune_cents is None or self.fortune_cents > 0

    @property
    def owed_cents(self) -> int:
        return 0 if self.result is None else self.result.owed_cents


@dataclass(frozen=True, slots=True)
class DealerView:
    """The house dealer's hand; the cards are empty until they may be shown."""

    hand_in: bool
    cards: tuple[CardText, ...] = ()
    low: tuple[CardText, ...] = ()
    high: tuple[CardText, ...] = ()
    clause: str | None = None


@dataclass(frozen=True, slots=True)
class TableView:
    """The table as it may be shown now.

    ``bank_cents`` is what the designated player covers wagers with; ``bank_left_cents``, what it
    still covers once all are paid, is empty before the reveal. ``next_step`` tells the dealer what
    the table waits for. ``suspended_from`` is set while the phase is ``suspended``.
    """

    phase: Phase
    round_number: int
    first_spot: int
    spots: tuple[SpotView, ...]
    dealer: DealerView
    designated_player: int | None
    bank_cents: int | None
    bank_left_cents: int | None
    void_reason: str | None
    suspended_from: Phase | None
    suspended_reason: str | None
    next_step: str
    reader_up: bool
    alarms: tuple[Alarm, ...]
    discrepancies: tuple[str, ...]
    notice: str | None

    @property
    def revealed(self) -> bool:
        return self.phase in _OPEN_PHASES


_NEXT_STEP = {
    Phase.BETTING: "ADVANCE or the shuffler's start locks the bets",
    Phase.DEALING: "Deal the hands through the reader",
    Phase.DEALT: "ADVANCE reveals the results",
    Phase.REVEALED: "Pay the spots shown, then ADVANCE",
    Phase.SETTLED: "Place your bets",
    Phase.VOIDED: "Return every bet, then ADVANCE",
}


def _next_step(state: TableState) -> str:
    if state.suspension is None:
        return _NEXT_STEP[state.phase]
    if state.suspension.phase is Phase.DEALING and not state.reader_up:
        return "Reconnect the reader, or hold VOID 2 s to return every bet"
    return "ADVANCE resumes the round; hold VOID 2 s to return every bet"


def _spot_view(
    rules: TableRules, state: TableState, spot: SpotState, *, revealed: bool
) -> SpotView:
    bets = spot.locked if spot.locked is not None else spot.live
    # A hand that was dealt to an empty spot is nobody's, and nothing to be seen.
    open_hand = revealed and occupied(rules, state, spot.number)
    return SpotView(
        number=spot.number,
        player=spot.player,
        in_service=spot.in_service,
        main_cents=bets.main_cents,
        fortune_cents=bets.fortune_cents,
        ace_high_cents=bets.ace_high_cents,
        envy_button=bets.envy_button,
        is_designated_player=spot.number == state.designated_player,
        dead=spot.dead,
        folded=spot.folded,
        surrendered=spot.surrendered,
        hand_in=bool(spot.cards),
        cards=spot.cards if open_hand else (),
        result=(
            state.settlement.spot(spot.number)
            if revealed and state.settlement is not None
            else None
        ),
    )


def view(state: TableState, rules: TableRules) -> TableView:
    """Return what may be shown of ``state``."""
    suspension = state.suspension
    shown_phase = state.phase if suspension is None else suspension.phase
    revealed = shown_phase in _OPEN_PHASES
    dealer_open = revealed or (shown_phase is Phase.DEALT and rules.profile.dealer_opens_first)
    settlement = state.settlement if dealer_open else None
    return TableView(
        phase=state.phase,
        round_number=state.round_number,
        first_spot=state.first_spot,
        spots=tuple(_spot_view(rules, state, spot, revealed=revealed) for spot in state.spots),
        dealer=DealerView(
            hand_in=bool(state.dealer_cards),
            cards=state.dealer_cards if dealer_open else (),
            low=settlement.dealer_low if settlement else (),
            high=settlement.dealer_high if settlement else (),
            clause=settlement.dealer_clause if settlement else None,
        ),
        designated_player=state.designated_player,
        bank_cents=state.bank_cents,
        bank_left_cents=(
            state.settlement.bank_left_cents if revealed and state.settlement is not None else None
        ),
        void_reason=state.void_reason,
        suspended_from=suspension.phase if suspension else None,
        suspended_reason=suspension.reason if suspension else None,
        next_step=_next_step(state),
        reader_up=state.reader_up,
        alarms=state.alarms,
        discrepancies=(
            state.settlement.discrepancies if revealed and state.settlement is not None else ()
        ),
        notice=state.notice,
    )


def closed_view(rules: TableRules, code: str, text: str) -> TableView:
    """Return what is shown of a table that cannot open yet, with the alarm that says why."""
    return replace(
        view(new_table(rules), rules), next_step="", alarms=(Alarm(code=code, text=text),)
    )


@cache
def _adapter() -> TypeAdapter[TableView]:
    # Made when the first view is told: before that, it would only hold up the start.
    return TypeAdapter(TableView)


def view_to_json(shown: TableView) -> bytes:
    """Return the view as JSON: the retained ``state`` message."""
    return _adapter().dump_json(shown)
