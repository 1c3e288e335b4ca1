"""Who gets the first hand: from the shuffler's random number, else from three dice.

Positions are counted from the banker, who is position 1, and empty spots count too:
``position = ((sum - 1) mod positions) + 1``. The direction of counting, the direction in which
hands then go out and the number of positions are the house's (:class:`FirstHand`). Spots are
numbered clockwise around the table from the house dealer's left, so the dealer stands between the
last spot and spot 1.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from firmware_app.rules.profile import Profile

HOUSE_DEALER: Final = 0
"""The place of the house dealer, beside the spots 1, 2, …"""

_DICE: Final = 3


@dataclass(frozen=True, slots=True)
class Delivery:
    """The places in the order in which hands go out. With a house dealer, 0 is among them."""

    order: tuple[int, ...]

    @property
    def first_place(self) -> int:
        """Where the first hand goes; 0 is the house dealer."""
        return self.order[0]

    @property
    def first_spot(self) -> int:
        """The first spot in the order, where the action starts."""
        return next(place for place in self.order if place != HOUSE_DEALER)


def position_of_number(profile: Profile, number: int) -> int:
    """Return the position, 1 for the banker, that a random number or a sum of dice points to.

    Raises :class:`ValueError` for a number below 1.
    """
    if number < 1:
        raise ValueError(f"random number {number} is below 1; read it from the shuffler again")
    return (number - 1) % profile.first_hand.positions + 1


def position_of_dice(profile: Profile, dice: Sequence[int]) -> int:
    """Return the position that three dice point to; raise :class:`ValueError` for other dice."""
    if len(dice) != _DICE or not all(1 <= die <= 6 for die in dice):
        raise ValueError(f"dice {tuple(dice)} are not three numbers from 1 to 6; roll them again")
    return position_of_number(profile, sum(dice))


def delivery(profile: Profile, position: int, designated_player: int | None = None) -> Delivery:
    """Return the order of delivery when ``position`` gets the first hand.

    ``designated_player`` is the spot of the player who holds the bank, None for the house dealer.
    Raises :class:`ValueError` for a position or a spot that the table does not have.
    """
    settings = profile.first_hand
    if not 1 <= position <= settings.positions:
        raise ValueError(f"position {position} is unknown; give 1 to {settings.positions}")
    if designated_player is not None and not 1 <= designated_player <= profile.spots:
        raise ValueError(
            f"designated_player {designated_player} is unknown; give a spot, 1 to {profile.spots}"
        )
    places = _places(profile)
    if designated_player is None and HOUSE_DEALER not in places:
        raise ValueError("designated_player is missing; give the spot that holds the bank")
    banker = places.index(HOUSE_DEALER if designated_player is None else designated_player)
    first = banker + _step(settings.counting) * (position - 1)
    step = _step(settings.delivery)
    return Delivery(
        tuple(places[(first + step * turn) % len(places)] for turn in range(len(places)))
    )


def _places(profile: Profile) -> list[int]:
    """Return all places clockwise: a house dealer is one of them, also where a player banks."""
    spots = list(range(1, profile.spots + 1))
    return spots if profile.banker == "designated-player" else [HOUSE_DEALER, *spots]


def _step(direction: str) -> int:
    return 1 if direction == "clockwise" else -1
