"""What the sign says, before it is said in a language: message keys with their figures."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Say:
    """One message: the key of a text in ``messages/*.toml`` and what fills its gaps.

    A value that is itself the key of a message is written ``@key`` and is translated too.
    """

    key: str
    values: tuple[tuple[str, str], ...] = ()


def say(key: str, **values: str | int) -> Say:
    """Return the message ``key`` with ``values`` for its gaps."""
    return Say(key, tuple((name, str(value)) for name, value in values.items()))
