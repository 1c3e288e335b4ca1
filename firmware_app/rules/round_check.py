"""Whether a described round can be settled at all: every contradiction in it, named at once."""

from __future__ import annotations

from collections.abc import Iterator

from firmware_app.cards import Card
from firmware_app.rules.play import RoundPlay, SpotPlay
from firmware_app.rules.profile import Profile


class RoundError(ValueError):
    """A round that contradicts itself or its profile. ``faults`` holds one line per fault."""

    def __init__(self, faults: list[str]) -> None:
        self.faults = faults
        super().__init__("; ".join(faults))


def check_round(profile: Profile, play: RoundPlay) -> None:
    """Raise :class:`RoundError` with every fault of ``play``, or return where there is none."""
    faults = round_faults(profile, play)
    if faults:
        raise RoundError(faults)


def round_faults(profile: Profile, play: RoundPlay) -> list[str]:
    """Return every reason why ``play`` cannot be settled under ``profile``."""
    faults = [*_spot_faults(profile, play), *_banker_faults(profile, play)]
    if play.misdeal is None:
        # The cards of a misdeal settle nothing, and may be the reason for it.
        faults += [*_card_faults(play), *_missing_hands(profile, play)]
    return faults


def miscounts(profile: Profile, play: RoundPlay) -> list[str]:
    """Return a sentence for each hand with too few or too many cards: the round is misdealt."""
    hands = [(f"spot {spot.number}", spot.cards) for spot in play.spots]
    return [
        f"{place} holds {len(cards)} cards; a hand has {profile.cards_per_hand}"
        for place, cards in [*hands, ("dealer", play.dealer)]
        if cards is not None and len(cards) != profile.cards_per_hand
    ]


def _spot_faults(profile: Profile, play: RoundPlay) -> Iterator[str]:
    seen: set[int] = set()
    for spot in play.spots:
        if not 1 <= spot.number <= profile.spots:
            yield (
                f"spot {spot.number} is unknown; rules {profile.name} have spots 1 to "
                f"{profile.spots}"
            )
        if spot.number in seen:
            yield f"spot {spot.number} is described twice; keep one"
        seen.add(spot.number)
        for name, cents in (
            ("main_cents", spot.main_cents),
            ("fortune_cents", spot.fortune_cents),
            ("ace_high_cents", spot.ace_high_cents),
        ):
            if cents is not None and cents < 0:
                yield f"spot {spot.number}: {name} = {cents} is negative; give 0 or more"
    if not 1 <= play.first_spot <= profile.spots:
        yield f"first_spot = {play.first_spot} is unknown; give 1 to {profile.spots}"


def _card_faults(play: RoundPlay) -> Iterator[str]:
    """One deck deals all hands, so a card that is there twice was misread."""
    places: dict[Card, str] = {}
    for place, cards in [
        *((f"spot {spot.number}", spot.cards or ()) for spot in play.spots),
        ("dealer", play.dealer or ()),
    ]:
        for card in cards:
            if card in places:
                where = "twice" if places[card] == place else f"also at {places[card]}"
                yield f"{place}: card {card} is {where}; correct one of them"
            places.setdefault(card, place)
    for spot in play.spots:
        low = spot.low or ()
        for card in low:
            if card not in (spot.cards or ()):
                yield f"spot {spot.number}: low card {card} is not in the spot's cards"
        if len(set(low)) != len(low):
            yield f"spot {spot.number}: low names a card twice"


def _banker_faults(profile: Profile, play: RoundPlay) -> Iterator[str]:
    number = play.designated_player
    if profile.designated_player is None:
        if play.bank_cents is not None:
            yield f"bank_cents: rules {profile.name} have no designated player's bank; remove it"
    else:
        if play.dealer is not None:
            yield (
                f"dealer: rules {profile.name} play against the designated player; remove the "
                "dealer's cards"
            )
        if number is None:
            yield "designated_player is missing; give the number of the spot that holds the bank"
        if play.bank_cents is None:
            yield "bank_cents is missing; give what the designated player brings"
    if play.bank_cents is not None and play.bank_cents < 0:
        yield f"bank_cents = {play.bank_cents} is negative; give 0 or more"
    if number is not None and not any(spot.number == number for spot in play.spots):
        yield f"designated_player = {number} is no spot of the round; describe that spot"


def _missing_hands(profile: Profile, play: RoundPlay) -> Iterator[str]:
    live = [spot for spot in play.spots if plays(play, spot)]
    for spot in live:
        if spot.cards is None and _has_wager(spot):
            yield (f"spot {spot.number} has a wager but no cards; give its cards, or dead = true")
    if profile.designated_player is not None or play.designated_player is not None:
        for spot in play.spots:
            if spot.number == play.designated_player and spot.cards is None and not spot.dead:
                yield f"spot {spot.number} is the designated player but has no cards"
    elif play.dealer is None and any(spot.main_cents or spot.ace_high_cents for spot in live):
        yield "dealer is missing; main and Ace High wagers are settled against the dealer's cards"


def plays(play: RoundPlay, spot: SpotPlay) -> bool:
    """Whether ``spot`` plays against the banker: somebody sits there, the hand is not dead, and it
    is not the designated player's own."""
    return spot.occupied and not spot.dead and spot.number != play.designated_player


def _has_wager(spot: SpotPlay) -> bool:
    return bool(spot.main_cents or spot.ace_high_cents or spot.fortune_cents != 0)
