"""Faults by name: what stands behind ``--fault``, and one clear error for what cannot be."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator

from firmware_app.simulation.faults import KINDS, Argument, Fault, Faults, Kind

_BY_NAME = {kind.name: kind for kind in KINDS}
_BOUNDS = {Argument.SHARE: (0.01, 0.9), Argument.PAIRS: (1, 50)}


class FaultError(ValueError):
    """A fault that cannot be simulated. The message says what was written and what can be."""


def parse_faults(
    texts: Iterable[str], *, spots: int, rounds: int | None, own_broker: bool
) -> Faults:
    """Return the faults written ``NAME`` or ``NAME:ARGUMENT``; raise :class:`FaultError`.

    ``rounds`` None: a person deals, and not by number, so that no fault of a round can be had.
    """
    return Faults(tuple(_parse(text, spots, rounds, own_broker) for text in texts))


def list_faults() -> Iterator[str]:
    """Return one line for every fault: how it is written, and what it does."""
    for kind in KINDS:
        default = "" if kind.default is None else f", {kind.default:g} if left out"
        written = f"{kind.name}:{kind.argument.name}"
        yield f"{written:<18} {kind.tells} ({kind.argument.value}{default})"


def _parse(text: str, spots: int, rounds: int | None, own_broker: bool) -> Fault:
    name, colon, argument = text.partition(":")
    kind = _BY_NAME.get(name)
    if kind is None:
        near = difflib.get_close_matches(name, _BY_NAME, n=3) or list(_BY_NAME)
        raise FaultError(
            f"fault {name!r} is unknown; did you mean {', '.join(near)}? "
            "--fault list tells what each does"
        )
    if kind.argument is Argument.ROUND and rounds is None:
        raise FaultError(f"fault {name!r} strikes in a dealt round; say how many with --rounds N")
    if kind.needs_own_broker and not own_broker:
        raise FaultError(f"fault {name!r} stops the simulation's own broker; leave out --broker")
    if not colon and kind.default is None:
        raise FaultError(f"fault {name!r} needs {kind.argument.value}; write {name}:3")
    if not colon and kind.default is not None:
        return Fault(kind, kind.default)
    return Fault(kind, _value(kind, argument, spots, rounds))


def _value(kind: Kind, text: str, spots: int, rounds: int | None) -> float:
    bounds = _BOUNDS | {Argument.SPOT: (1, spots), Argument.ROUND: (1, rounds or 1)}
    lowest, highest = bounds[kind.argument]
    try:
        value = float(text) if kind.argument is Argument.SHARE else int(text)
    except ValueError:
        value = highest + 1
    if not lowest <= value <= highest:
        raise FaultError(
            f"fault {kind.name!r} needs {kind.argument.value} (here {lowest:g} to {highest:g}), "
            f"got {text!r}"
        )
    return value
