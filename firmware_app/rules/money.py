"""Amounts in sentences: cents inside the controller, dollars where a person reads them."""

from __future__ import annotations


def dollars(cents: int) -> str:
    """Return ``cents`` as a person writes it: ``$5``, ``$17,778``, ``$2.50``, ``-$0.05``.

    >>> dollars(1_777_800), dollars(2_50), dollars(-5)
    ('$17,778', '$2.50', '-$0.05')
    """
    whole, rest = divmod(abs(cents), 100)
    return f"{'-' if cents < 0 else ''}${whole:,}" + (f".{rest:02d}" if rest else "")
