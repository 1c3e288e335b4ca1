"""Whether a count is chance: the Poisson distribution, which rare hits follow closely."""

from __future__ import annotations

import math

_SUMMED = 500.0
"""Above this mean the normal distribution is as good, and the sum too long."""


def tail(count: int, expected: float) -> float:
    """Return how likely chance strays from ``expected`` hits as far as ``count``, to its side.

    For lines that are not so rare it errs towards "chance": hits of a fixed number of hands vary
    a little less than this. Source: NIST/SEMATECH e-Handbook of Statistical Methods, 1.3.6.6.19.
    """
    if expected <= 0:
        return 1.0 if count == 0 else 0.0
    if expected > _SUMMED:
        # Half a hit towards the mean: the distribution is one of whole numbers.
        away = max(0.0, abs(count - expected) - 0.5)
        return 0.5 * math.erfc(away / math.sqrt(2 * expected))
    below = _at_most(count - 1, expected)
    return 1 - below if count > expected else below + _exactly(count, expected)


def _at_most(count: int, expected: float) -> float:
    return math.fsum(_exactly(number, expected) for number in range(count + 1))


def _exactly(count: int, expected: float) -> float:
    return math.exp(count * math.log(expected) - expected - math.lgamma(count + 1))
