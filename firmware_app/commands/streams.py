"""Commands that answer hand by hand: the cards as arguments, or one hand a line on standard input.

Answers go to standard output in the order of the hands. A line that is no hand is reported on
standard error with its number, and the stream goes on, so that one smudged line in an archive of
a million hands does not hide the rest.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence

import click

from firmware_app.cards import Card, CardError, HandError, parse_hand


def run_stream(
    arguments: Sequence[str], count: int, answer: Callable[[tuple[Card, ...]], str]
) -> int:
    """Print ``answer`` of the hand in ``arguments``, or of each hand on standard input.

    ``count`` is the number of cards of a hand. Blank lines are passed over. Returns the exit code:
    0, or 1 where a hand could not be read; ``answer`` may raise :class:`HandError` to the same end.
    """
    if arguments:
        try:
            click.echo(answer(parse_hand(" ".join(arguments), count=count)))
        except (CardError, HandError) as error:
            click.echo(f"error: {error}", err=True)
            return 1
        return 0
    return _run_lines(count, answer)


def _run_lines(count: int, answer: Callable[[tuple[Card, ...]], str]) -> int:
    hands = faults = 0
    for number, raw in enumerate(sys.stdin.buffer, start=1):
        # Bytes that are no text become U+FFFD, which no card holds: reported like any bad line.
        line = raw.decode("utf-8", "replace")
        if not line.strip():
            continue
        hands += 1
        try:
            text = answer(parse_hand(line, count=count))
        except (CardError, HandError) as error:
            faults += 1
            click.echo(f"line {number}: {error}", err=True)
        else:
            click.echo(text)
    if faults:
        click.echo(f"{faults} of {hands} hands could not be read", err=True)
    return 1 if faults else 0
