"""Rounds told in few words, for the tests of settlement."""

from __future__ import annotations

from typing import Any

from firmware_app.cards import Card, parse_card
from firmware_app.rules.play import RoundPlay, Settlement, SpotPlay
from firmware_app.rules.profile import Profile, load_profile
from firmware_app.rules.settlement import settle


def cards(text: str) -> tuple[Card, ...]:
    """Return the cards written in ``text``, however many."""
    return tuple(parse_card(word) for word in text.split())


def spot(number: int, hand: str | None = None, *, low: str | None = None, **play: Any) -> SpotPlay:
    """Return spot ``number`` with ``hand``, set with ``low`` in front, else the house way."""
    return SpotPlay(
        number,
        cards=None if hand is None else cards(hand),
        low=None if low is None else cards(low),
        **play,
    )


def played(
    profile: Profile | str, *spots: SpotPlay, dealer: str | None = None, **play: Any
) -> Settlement:
    """Settle a round of ``spots`` against ``dealer``; ``profile`` may be a shipped one's name."""
    rules = load_profile(profile) if isinstance(profile, str) else profile
    return settle(rules, RoundPlay(spots, dealer=None if dealer is None else cards(dealer), **play))


def venue(name: str, **changes: Any) -> Profile:
    """Return the shipped profile ``name`` as a venue changes it: ``fortune={"compare": …}``.

    A table given as a dict is changed key by key; it is validated as a venue's file would be.
    """
    data = load_profile(name).model_dump(mode="json")
    for key, change in changes.items():
        if isinstance(change, dict) and isinstance(data[key], dict):
            data[key] |= change
        else:
            data[key] = change
    return Profile.model_validate(data)
