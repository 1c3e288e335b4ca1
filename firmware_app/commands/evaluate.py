"""``fortune-table evaluate``: the Fortune line of hands, what it pays, the cards that make it."""

from __future__ import annotations

import json

import click

from firmware_app.cards import Card, hand_text
from firmware_app.commands.streams import run_stream
from firmware_app.rules.fortune import FortuneEvaluator, made_of, posted_wager
from firmware_app.rules.money import dollars
from firmware_app.rules.profile import PostedLine, ProfileError, load_profile


@click.command("evaluate")
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
def evaluate(context: click.Context, rules: str, as_json: bool, cards: tuple[str, ...]) -> None:
    """Find the best posted Fortune line of a hand, however it would be set.

    Give the CARDS of one hand, such as KS 10H 7D 7C 4S 2H JK, or write one hand a line on
    standard input: the answers to a stream are always JSON.
    """
    try:
        profile = load_profile(rules)
        fortune = posted_wager(profile)
    except ProfileError as error:
        raise click.BadParameter(str(error), param_hint="--rules") from error
    find = FortuneEvaluator(fortune.pay_table).line
    write = _as_json if as_json or not cards else _as_text
    if fortune.sample_pay_table and write is _as_text:
        click.echo("SAMPLE PAY TABLE: for demonstration, not posted by the venue")

    def answer(dealt: tuple[Card, ...]) -> str:
        line = find(dealt)
        if line is None:
            return write(dealt, None, ())
        return write(dealt, fortune.row(line), made_of(dealt, line, profile.ranking))

    context.exit(run_stream(cards, profile.cards_per_hand, answer))


def _as_json(dealt: tuple[Card, ...], row: PostedLine | None, made: tuple[Card, ...]) -> str:
    return json.dumps(
        {
            "cards": [str(card) for card in dealt],
            "line": None if row is None else row.line.value,
            "pays": None if row is None else row.pays,
            "envy_cents": 0 if row is None else row.envy_cents,
            "made_of": [str(card) for card in made],
        }
    )


def _as_text(dealt: tuple[Card, ...], row: PostedLine | None, made: tuple[Card, ...]) -> str:
    if row is None:
        return f"{hand_text(dealt)}: no line"
    envy = f", envy {dollars(row.envy_cents)}" if row.envy_cents else ""
    name = row.line.replace("_", " ")
    return f"{hand_text(dealt)}: {name}, {row.pays:,} to 1{envy}, made of {hand_text(made)}"
