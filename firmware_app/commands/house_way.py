"""``fortune-table house-way``: set hands as the house way of a rule sheet does."""

from __future__ import annotations

import json

import click

from firmware_app.cards import Card, hand_text
from firmware_app.commands.streams import run_stream
from firmware_app.rules.house_way import SetHand, set_hand
from firmware_app.rules.profile import ProfileError, load_profile


@click.command("house-way")
@click.option(
    "--rules",
    "rules",
    required=True,
    metavar="NAME",
    help="A shipped profile, or the path of a venue's own .toml file.",
)
@click.option("--json", "as_json", is_flag=True, help="One JSON object a hand, for programs.")
@click.argument("cards", nargs=-1)
@click.pass_context
def house_way(context: click.Context, rules: str, as_json: bool, cards: tuple[str, ...]) -> None:
    """Set a hand the house way and name the clause of the rule sheet that decides.

    Give the CARDS of one hand, such as KS 10H 7D 7C 4S 2H JK, or write one hand a line on
    standard input: the answers to a stream are always JSON.
    """
    try:
        profile = load_profile(rules)
    except ProfileError as error:
        raise click.BadParameter(str(error), param_hint="--rules") from error

    write = _as_json if as_json or not cards else _as_text

    def answer(dealt: tuple[Card, ...]) -> str:
        return write(dealt, set_hand(profile.house_way, dealt, profile.ranking))

    context.exit(run_stream(cards, profile.cards_per_hand, answer))


def _as_json(dealt: tuple[Card, ...], hand: SetHand) -> str:
    return json.dumps(
        {
            "cards": [str(card) for card in dealt],
            "low": [str(card) for card in hand.low],
            "high": [str(card) for card in hand.high],
            "clause": hand.clause,
        }
    )


def _as_text(dealt: tuple[Card, ...], hand: SetHand) -> str:
    return f"low {hand_text(hand.low)}  high {hand_text(hand.high)}  ({hand.clause})"
