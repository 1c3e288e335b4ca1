"""The aggregate cap of a round: sharing what may be paid among wins that together exceed it.

Rule sheet 001 posts "$20,000 maximum aggregate payout": Fortune and envy winnings of the round,
stakes aside.
"""

from __future__ import annotations

from collections.abc import Sequence

from firmware_app.rules.profile import Caps


def share(dues: Sequence[int], caps: Caps) -> tuple[int, ...]:
    """Return what each of ``dues`` (cents, in action order) is paid under ``caps``.

    The sum is all of them where they fit, else exactly the cap; nobody gets more than is due.
    """
    cap = caps.aggregate_cents
    if cap is None or sum(dues) <= cap:
        return tuple(dues)
    if caps.cap_rule == "action_order":
        return _in_order(dues, cap)
    return _pro_rata(dues, cap, caps.chip_unit_cents)


def _in_order(dues: Sequence[int], cap: int) -> tuple[int, ...]:
    paid: list[int] = []
    for due in dues:
        paid.append(min(due, cap - sum(paid)))
    return tuple(paid)


def _pro_rata(dues: Sequence[int], cap: int, unit: int) -> tuple[int, ...]:
    """Pay cap/total of each due, in whole chips; the chips left over go by largest fraction.

    Of equal fractions the one earlier in the action comes first. In integers throughout, since a
    fraction of a float could tip a chip to the wrong player.
    """
    total = sum(dues)
    paid = [due * cap // (total * unit) * unit for due in dues]
    left = cap - sum(paid)
    by_fraction = sorted(
        range(len(dues)), key=lambda number: dues[number] * cap % (total * unit), reverse=True
    )
    # One pass is enough where all dues are whole chips; a due of odd cents may leave a rest.
    while left:
        for number in by_fraction:
            extra = min(unit, left, dues[number] - paid[number])
            paid[number] += extra
            left -= extra
    return tuple(paid)
