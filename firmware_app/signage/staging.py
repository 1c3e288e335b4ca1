"""From the table's view to the scene of the sign: the one place that decides what is shown.

Pure: the same view, profile and idleness give the same scene. A view holds nothing that is still
secret, so neither can a scene.
"""

from __future__ import annotations

from firmware_app.rules.lines import Line
from firmware_app.rules.money import dollars
from firmware_app.rules.play import Result
from firmware_app.rules.profile import Profile
from firmware_app.signage import posted
from firmware_app.signage.past_rounds import RoundSummary
from firmware_app.signage.scene import (
    BankerHand,
    Hero,
    Scene,
    SceneKind,
    ShownCard,
    ShownHand,
    Strip,
)
from firmware_app.signage.spots import closed_hand, example_hand, is_hit, open_hand, spot_panel
from firmware_app.signage.words import Say, say
from firmware_app.table.values import Phase
from firmware_app.table.view import SpotView, TableView

_BIG_FROM = Line.FOUR_OF_A_KIND
_ORDER = {line: place for place, line in enumerate(Line)}


def scene(shown: TableView, profile: Profile, *, idle: bool = False) -> Scene:
    """Return what the sign shows of ``shown``.

    ``idle`` says that the table has rested for a while: between rounds, the sign then sells.
    """
    phase = shown.suspended_from or shown.phase
    spots = tuple(spot_panel(shown, profile, spot, phase) for spot in shown.spots)
    kind = _kind(shown, profile, idle=idle)
    hits = _hits(shown, profile) if kind is not SceneKind.ATTRACT else {}
    return Scene(
        kind=kind,
        title=profile.title,
        hero=_hero(kind, shown, profile),
        round_label=say("round", number=shown.round_number) if shown.round_number else None,
        pay_rows=posted.pay_rows(profile, hits),
        shows_envy=posted.lowest_envy_line(profile) is not None,
        ace_rows=posted.ace_rows(profile, hits),
        conditions=posted.conditions(profile),
        limits=posted.limits(profile),
        spots=() if kind is SceneKind.ATTRACT else spots,
        banker=_banker(shown, profile, phase),
        strip=_strip(shown),
        sample_pay_table=profile.fortune is not None and profile.fortune.sample_pay_table,
    )


def recall_scene(
    rounds: tuple[RoundSummary, ...], shown: TableView, profile: Profile, *, last: int = 10
) -> Scene:
    """Return the recall of the ``last`` rounds of ``rounds``, newest first."""
    return Scene(
        kind=SceneKind.LAST_ROUNDS,
        title=profile.title,
        hero=Hero("calm", say("last_rounds")),
        round_label=say("round", number=shown.round_number) if shown.round_number else None,
        strip=_strip(shown),
        rounds=tuple(sorted(rounds, key=lambda one: -one.number)[:last]),
    )


def _kind(shown: TableView, profile: Profile, *, idle: bool) -> SceneKind:
    match shown.phase:
        case Phase.BETTING:
            return SceneKind.ATTRACT if idle and not _has_bets(shown) else SceneKind.BETTING
        case Phase.DEALING:
            return SceneKind.DEALING
        case Phase.DEALT:
            return SceneKind.DEALT
        case Phase.REVEALED:
            best = best_spot(shown, profile)
            return SceneKind.BIG_WIN if best and _is_big(best) else SceneKind.REVEAL
        case Phase.SETTLED:
            if any(spot.cards for spot in shown.spots) and not idle:
                return SceneKind.SETTLED
            return SceneKind.BETTING if _has_bets(shown) and not idle else SceneKind.ATTRACT
        case Phase.VOIDED:
            return SceneKind.VOID
        case Phase.SUSPENDED:
            return SceneKind.SUSPENDED


def _has_bets(shown: TableView) -> bool:
    return any(spot.has_fortune or spot.main_cents or spot.ace_high_cents for spot in shown.spots)


def _is_big(spot: SpotView) -> bool:
    line = spot.result.line if spot.result else None
    return line is not None and _ORDER[line] <= _ORDER[_BIG_FROM]


def best_spot(shown: TableView, profile: Profile) -> SpotView | None:
    """Return the spot of the round's best hit: the highest line, then the lowest number."""
    hits = [spot for spot in shown.spots if is_hit(profile, spot)]
    return min(hits, key=_place, default=None)


def _place(spot: SpotView) -> tuple[int, int]:
    line = spot.result.line if spot.result else None
    return (len(_ORDER) if line is None else _ORDER[line], spot.number)


def _hits(shown: TableView, profile: Profile) -> dict[str, tuple[int, ...]]:
    """Return the spots of every line that is hit, by the line's name."""
    hits: dict[str, tuple[int, ...]] = {}
    for spot in shown.spots:
        result = spot.result
        if result is None:
            continue
        if result.line is not None and is_hit(profile, spot):
            hits[result.line] = (*hits.get(result.line, ()), spot.number)
        ace = result.ace_high
        if ace.line is not None and ace.result is Result.WIN:
            hits[ace.line] = (*hits.get(ace.line, ()), spot.number)
    return hits


_WITH_HANDS = (Phase.DEALING, Phase.DEALT, Phase.REVEALED, Phase.SETTLED)


def _banker(shown: TableView, profile: Profile, phase: Phase) -> BankerHand | None:
    """Return the dealer's hand, or the designated player's, once it is dealt."""
    if phase not in _WITH_HANDS:
        return None
    if shown.designated_player is not None:
        seat = next(spot for spot in shown.spots if spot.number == shown.designated_player)
        hand = spot_panel(shown, profile, seat, phase).hand
        if hand is None:
            return None
        left = shown.bank_left_cents
        words = None if left is None else say("dp_left", amount=dollars(left))
        return BankerHand(_plain(hand), spot=seat.number, left=words)
    dealer = shown.dealer
    if not dealer.hand_in:
        return None
    if not dealer.cards:
        return BankerHand(closed_hand(profile))
    return BankerHand(open_hand(profile, dealer.cards, dealer.low, dealer.high), dealer.clause)


def _plain(hand: ShownHand) -> ShownHand:
    """Return a hand without its lights: as the banker's it is compared, not paid."""
    front, back = ((ShownCard(one.card) for one in row) for row in (hand.front, hand.back))
    return ShownHand(tuple(front), tuple(back))


def _strip(shown: TableView) -> Strip:
    said = [text for text in (shown.suspended_reason, shown.void_reason, shown.notice) if text]
    return Strip(
        step=shown.next_step,
        notice=" · ".join(dict.fromkeys(said)) or None,
        alarms=(*(alarm.text for alarm in shown.alarms), *shown.discrepancies),
    )


def _hero(kind: SceneKind, shown: TableView, profile: Profile) -> Hero:
    match kind:
        case SceneKind.ATTRACT:
            return _selling(profile)
        case SceneKind.BETTING:
            return Hero("bet", say("place_bets"), points=_betting_points(shown, profile))
        case SceneKind.DEALING:
            return Hero("wait", say("bets_closed"), points=(say("bets_closed_point"),))
        case SceneKind.DEALT if shown.dealer.cards:
            return Hero("wait", say("dealer_hand"), points=(say("dealer_hand_point"),))
        case SceneKind.DEALT:
            return Hero("wait", say("hands_in"), points=(say("hands_in_point"),))
        case SceneKind.VOID:
            return Hero("alarm", say("round_void"), points=(say("bets_returned"),))
        case SceneKind.SUSPENDED:
            return Hero("alarm", say("please_wait"), points=(say("bets_stand"),))
        case SceneKind.SETTLED:
            over = say("round_complete", number=shown.round_number)
            return Hero("bet", say("place_bets"), over=over, points=_result_points(shown, profile))
        case _:
            return _result(shown, profile)


def _selling(profile: Profile) -> Hero:
    if not posted.has_fortune(profile) or profile.fortune is None:
        return Hero(
            "sell",
            say("sell_main"),
            over=say("sell_main_over"),
            hand=example_hand(profile),
            points=posted.how_to_win(profile),
        )
    top = max(row.pays for row in profile.fortune.pay_table)
    return Hero(
        "sell",
        say("to_one", pays=f"{top:,}"),
        over=say("sell_over"),
        points=(say("sell_point_any"),),
    )


def _betting_points(shown: TableView, profile: Profile) -> tuple[Say, ...]:
    points: list[Say] = []
    if not posted.has_fortune(profile):
        points.extend(posted.how_to_win(profile))
    seat, bank = shown.designated_player, shown.bank_cents
    if seat is not None and bank is not None:
        points.append(say("dp_bank", number=seat, amount=dollars(bank)))
        points.extend(_coverage(profile, bank))
    elif seat is not None:
        points.append(say("dp_spot", number=seat))
    return tuple(points)


def _coverage(profile: Profile, bank_cents: int) -> tuple[Say, ...]:
    """How large a wager the bank pays in full on the top line, in whole wager units."""
    if profile.fortune is None or not profile.fortune.pay_table:
        return ()
    top = max(row.pays for row in profile.fortune.pay_table)
    unit = profile.fortune.limits.unit_cents
    wager = bank_cents // top // unit * unit
    return (say("dp_covers", pays=f"{top:,}", amount=dollars(wager)),) if wager else ()


def _result(shown: TableView, profile: Profile) -> Hero:
    best = best_spot(shown, profile)
    if not posted.has_fortune(profile):
        return Hero("calm", say("revealing"))
    if best is None or best.result is None or best.result.line is None:
        return Hero("calm", say("no_hits"), points=(say("no_hits_point"),))
    panel = spot_panel(shown, profile, best, Phase.REVEALED)
    amount = next((award.text for award in panel.awards if award.kind == "fortune"), None)
    return Hero(
        "win",
        posted.line_name(best.result.line),
        over=say("spot", number=best.number),
        amount=amount,
        envy=_envy_paid(shown, best.number),
        hand=panel.hand,
    )


def _envy_paid(shown: TableView, by: int) -> Say | None:
    """Who is paid envy by the hand of spot ``by``, and how much each.

    Nothing where a cap left them unequal amounts: each spot then shows what it is paid itself.
    """
    paid = {
        spot.number: trigger.cents
        for spot in shown.spots
        if spot.result is not None
        for trigger in spot.result.envy.triggers
        if trigger.spot == by
    }
    if len(set(paid.values())) != 1:
        return None
    key = "envy_to" if len(paid) == 1 else "envy_to_many"
    spots = ", ".join(str(number) for number in paid)
    return say(key, amount=dollars(max(paid.values())), spots=spots)


def _result_points(shown: TableView, profile: Profile) -> tuple[Say, ...]:
    points: list[Say] = []
    for spot in sorted(shown.spots, key=_place):
        if spot.result is None or not is_hit(profile, spot) or spot.result.line is None:
            continue
        fortune = spot.result.fortune
        if fortune.result is Result.WIN and fortune.paid_cents:
            line = f"@{spot.result.line.value}"
            amount = dollars(fortune.paid_cents)
            points.append(say("result_fortune", number=spot.number, line=line, amount=amount))
    if not posted.has_fortune(profile):
        return ()
    return tuple(points[:3]) or (say("no_hits"),)
