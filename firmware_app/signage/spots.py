"""One spot of the sign, made of one spot of the table's view."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from typing import Final, Literal

from firmware_app.cards import Card, parse_hand
from firmware_app.rules.lines import Line
from firmware_app.rules.money import dollars
from firmware_app.rules.play import Result, SpotResult
from firmware_app.rules.profile import Profile
from firmware_app.signage.posted import has_fortune, line_name
from firmware_app.signage.scene import Award, ShownCard, ShownHand, SpotPanel
from firmware_app.signage.words import Say, say
from firmware_app.table.values import Phase
from firmware_app.table.view import SpotView, TableView

_OPEN_FOR_BETS = (Phase.BETTING, Phase.SETTLED)
_LOCKED = (Phase.DEALING, Phase.DEALT, Phase.REVEALED, Phase.SETTLED)


def front_count(profile: Profile) -> int:
    """Return how many cards the low hand has: two of seven, one of six."""
    return profile.cards_per_hand - 5


def closed_hand(profile: Profile) -> ShownHand:
    """Return a hand face down: the same whatever its cards are."""
    back = ShownCard()
    return ShownHand((back,) * front_count(profile), (back,) * 5)


_EXAMPLE: Final = parse_hand("KH KS 10S 9D 8C 7D 6H", count=7)
"""Kings in front of a straight: a hand that shows how cards make two hands, of no round."""


def example_hand(profile: Profile) -> ShownHand:
    """Return a hand set in two as this game sets it."""
    return open_hand(profile, _EXAMPLE[-profile.cards_per_hand :])


def open_hand(
    profile: Profile,
    cards: Collection[Card],
    low: tuple[Card, ...] = (),
    high: tuple[Card, ...] = (),
    lit: Collection[Card] = (),
    *,
    dim_rest: bool = False,
) -> ShownHand:
    """Return a hand face up as it was set, or as it was dealt where nobody set it.

    The cards of ``lit`` stand out; the others step back where ``dim_rest``.
    """
    rest: Literal["plain", "dim"] = "dim" if dim_rest else "plain"

    def shown(card: Card) -> ShownCard:
        return ShownCard(card, "lit" if card in lit else rest)

    if not (low and high):
        dealt = tuple(cards)
        low, high = dealt[: front_count(profile)], dealt[front_count(profile) :]
    return ShownHand(tuple(map(shown, low)), tuple(map(shown, high)))


def is_hit(profile: Profile, spot: SpotView) -> bool:
    """Whether the spot's open hand counts for the bonus: its wager wins, or it triggers envy."""
    result = spot.result
    if result is None or result.line is None or spot.dead or profile.fortune is None:
        return False
    row = profile.fortune.row(result.line)
    triggers = profile.envy is not None and row is not None and row.envy_cents > 0
    return triggers or result.fortune.result is Result.WIN


def counts_for_envy(profile: Profile, spot: SpotView) -> bool:
    """Whether the sign shows the spot's envy as on: by the button, or by the known amount."""
    if profile.envy is None:
        return False
    if profile.envy.qualifies_by == "amount":
        enough = profile.envy.minimum_fortune_cents
        return spot.fortune_cents is not None and spot.fortune_cents >= enough
    return spot.envy_button


def spot_panel(shown: TableView, profile: Profile, spot: SpotView, phase: Phase) -> SpotPanel:
    """Return spot ``spot`` as the sign shows it in ``phase`` (the suspended one, if any)."""
    panel = SpotPanel(
        number=spot.number,
        stake=_stake(profile, spot),
        invites=_invitation(profile) if phase in _OPEN_FOR_BETS else None,
        envy=counts_for_envy(profile, spot),
        notes=_bet_notes(profile, spot),
        status=_status(spot),
        broken=not spot.in_service,
        designated_player=spot.is_designated_player,
        first=phase in _LOCKED and spot.number == shown.first_spot,
        linked=tuple(
            other.number
            for other in shown.spots
            if other.player == spot.player and other.number != spot.number
        ),
    )
    if phase in (Phase.REVEALED, Phase.SETTLED) and spot.cards:
        return _opened(profile, spot, panel)
    if phase in _LOCKED and spot.hand_in:
        return replace(panel, hand=closed_hand(profile))
    return panel


def _stake(profile: Profile, spot: SpotView) -> str | None:
    """What lies in the betting circle: the Fortune wager, on a table without one the main wager."""
    if not has_fortune(profile):
        return dollars(spot.main_cents) if spot.main_cents else None
    if not spot.has_fortune:
        return None
    return "?" if spot.fortune_cents is None else dollars(spot.fortune_cents)


def _invitation(profile: Profile) -> Say:
    return say("circle_fortune") if has_fortune(profile) else say("circle_main")


def _bet_notes(profile: Profile, spot: SpotView) -> tuple[Say, ...]:
    notes: list[Say] = []
    if spot.main_cents and has_fortune(profile):
        notes.append(say("note_main", amount=dollars(spot.main_cents)))
    if spot.ace_high_cents:
        notes.append(say("note_ace_high", amount=dollars(spot.ace_high_cents)))
    return tuple(notes)


def _status(spot: SpotView) -> Say | None:
    if not spot.in_service:
        return say("status_broken")
    if spot.dead:
        return say("status_dead")
    if spot.surrendered:
        return say("status_surrendered")
    if spot.folded:
        return say("status_folded")
    return None


def _opened(profile: Profile, spot: SpotView, panel: SpotPanel) -> SpotPanel:
    result = spot.result or SpotResult(spot.number)
    hit = is_hit(profile, spot)
    lit = result.made_of if hit else ()
    return replace(
        panel,
        hand=open_hand(profile, spot.cards, result.low, result.high, lit, dim_rest=hit),
        title=_title(profile, result),
        hit=hit,
        awards=awards(spot, result),
        notes=_result_notes(profile, result),
    )


_MAIN_TITLES = {
    Result.WIN: "main_win",
    Result.LOSE: "main_lose",
    Result.PUSH: "main_push",
    Result.RETURNED: "main_returned",
}


def _title(profile: Profile, result: SpotResult) -> Say:
    """The bonus line of an open hand; on a table without a bonus, what became of the main wager."""
    if has_fortune(profile):
        return say("no_line") if result.line is None else line_name(result.line)
    return say(_MAIN_TITLES.get(result.main.result, "main_none"))


def awards(spot: SpotView, result: SpotResult) -> tuple[Award, ...]:
    """Return what the spot is paid, the bonus first. Unknown amounts are told as odds."""
    paid: list[Award] = []
    if result.fortune.result is Result.WIN:
        if spot.fortune_cents is None:
            paid.append(Award("fortune", say("pays_to_one", pays=f"{result.fortune.pays:,}")))
        else:
            paid.append(Award("fortune", say("money", amount=dollars(result.fortune.paid_cents))))
    if result.envy.paid_cents:
        paid.append(Award("envy", say("award_envy", amount=dollars(result.envy.paid_cents))))
    if result.ace_high.paid_cents:
        amount = dollars(result.ace_high.paid_cents)
        paid.append(Award("ace_high", say("award_ace_high", amount=amount)))
    if result.main.paid_cents:
        paid.append(Award("main", say("award_main", amount=dollars(result.main.paid_cents))))
    return tuple(paid)


def _result_notes(profile: Profile, result: SpotResult) -> tuple[Say, ...]:
    notes: list[Say] = []
    if not has_fortune(profile):
        return ()
    if result.fortune.result is Result.RETURNED:
        notes.append(say("note_returned"))
    elif result.fortune.result is Result.LOSE and _line_not_beaten(profile, result.line):
        notes.append(say("note_not_beaten"))
    if result.main.result is Result.PUSH:
        notes.append(say("note_main_push"))
    return tuple(notes)


def _line_not_beaten(profile: Profile, line: Line | None) -> bool:
    """A posted line that lost all the same lost to the designated player's hand."""
    fortune = profile.fortune
    return fortune is not None and fortune.must_beat_designated_player and line is not None
