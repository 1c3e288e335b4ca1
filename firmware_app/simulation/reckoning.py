"""What the feed says of the hands, held against what the shuffler dealt.

Both sides are outside the table: the dealer's own list, and the file of an independent subscriber.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from firmware_app.feed.envelope import Received, decode
from firmware_app.table.faults import INPUT_FAILED

Hands = Mapping[int, Mapping[int, tuple[str, ...]]]
"""Cards by round and position; position 0 is the dealer's."""

_Key = tuple[int, int, frozenset[str]]


@dataclass(frozen=True, slots=True)
class Reckoning:
    """``hands_lost`` were dealt in a settled round and are in no settlement; ``hands_invented``
    were told and never dealt. ``out_of_service`` are the spots so at the end."""

    hands_lost: int
    hands_invented: int
    out_of_service: tuple[int, ...]


def events_in(path: Path) -> tuple[Received, ...]:
    """Return the events that a recorder wrote to ``path``, in their order, repeats dropped."""
    received = (decode(line) for line in path.read_bytes().splitlines())
    by_sequence = {event.sequence: event for event in received}
    return tuple(by_sequence[sequence] for sequence in sorted(by_sequence))


def reckon(events: Iterable[Received], dealt: Hands, settled: Collection[int]) -> Reckoning:
    """Return what is missing and what is too much in ``events``.

    ``dealt`` holds every hand that left the shuffler, ``settled`` the rounds that were paid.
    """
    told: set[_Key] = set()
    paid: set[int] = set()
    broken: dict[tuple[str, int], None] = {}
    for event in events:
        match event.type.removeprefix("fpg.v1."):
            case "round-revealed":
                told.update(_hands_of(event.data))
            case "round-settled":
                told.update(_hands_of(event.data))
                paid.add(event.data["round"])
            case "alarm-raised" if _is_broken_input(event.data["alarm"]):
                broken[_input(event.data["alarm"])] = None
            case "alarm-cleared" if _is_broken_input(event.data["alarm"]):
                broken.pop(_input(event.data["alarm"]), None)
    left_the_shuffler = {
        (number, position, frozenset(cards))
        for number, hands in dealt.items()
        for position, cards in hands.items()
    }
    due = {key for key in left_the_shuffler if key[0] in settled}
    return Reckoning(
        hands_lost=len(due - {key for key in told if key[0] in paid}),
        hands_invented=len(told - left_the_shuffler),
        out_of_service=tuple(sorted({spot for _, spot in broken})),
    )


def _hands_of(data: Mapping[str, Any]) -> Iterator[_Key]:
    number = data["round"]
    hands = {spot["spot"]: spot["cards"] for spot in data["spots"]}
    hands[0] = data.get("dealer_cards", ())
    yield from ((number, place, frozenset(cards)) for place, cards in hands.items() if cards)


def _is_broken_input(alarm: Mapping[str, Any]) -> bool:
    return alarm["spot"] is not None and alarm["code"].startswith(f"{INPUT_FAILED}:")


def _input(alarm: Mapping[str, Any]) -> tuple[str, int]:
    return alarm["code"], alarm["spot"]
