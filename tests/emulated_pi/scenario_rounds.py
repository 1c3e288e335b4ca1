"""Rounds from the chip to the broker."""

from __future__ import annotations

from outside import Outside
from pictures import ALIKE, differing
from rounds import Round

ROUNDS = 10


def test_ten_rounds_are_right_from_the_chip_to_the_broker(outside: Outside) -> None:
    before = len(outside.of_type("round-settled"))
    for seed in range(ROUNDS):
        Round.drawn(outside, seed).play()
    assert len(outside.of_type("round-settled")) == before + ROUNDS
    outside.check_feed()


def test_the_display_shows_what_the_table_says(outside: Outside) -> None:
    """Painted anew outside from the published state, and compared pixel by pixel."""
    seen = outside.until_shown()
    # The measure can tell pictures apart: that of the same table at rest is another one.
    assert differing(seen, outside.sign(idle=True)) > 3 * ALIKE
