"""``fortune-table evaluate``: the Fortune line of hands, what it pays, the cards that make it."""

from __future__ import annotations

import json

import click

from firmware_app.cards import Card, hand_text
from firmware_app.commands.streams import run_stream
from firmware_app.rules.fortune import FortuneEvaluator, made_of
from firmware_app.rules.profile import FortuneWager, PostedLine, ProfileError, load_profile


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
    except ProfileError as error:
        raise click.BadParameter(str(error), param_hint="--rules") from error
    fortune = profile.fortune
    if fortune is None or not fortune.pay_table:
        raise click.ClickException(
            f"profile {profile.name} posts no Fortune pay table; choose rules that post one, or "
            "give the path of a .toml file with fortune.pay_table"
        )
    find = FortuneEvaluator(fortune.pay_table).line
    write = _as_json if as_json or not cards else _as_text

    def answer(dealt: tuple[Card, ...]) -> str:
        line = find(dealt)
        row = None if line is None else fortune.row(line)
        return write(dealt, row, fortune)

    context.exit(run_stream(cards, profile.cards_per_hand, answer))


def _as_json(dealt: tuple[Card, ...], row: PostedLine | None, fortune: FortuneWager) -> str:
    return json.dumps(
        {
            "cards": [str(card) for card in dealt],
            "line": None if row is None else row.line.value,
            "pays": None if row is None else row.pays,
            "envy_cents": 0 if row is None else row.envy_cents,
            "made_of": [] if row is None else [str(card) for card in made_of(dealt, row.line)],
        }
    )


def _as_text(dealt: tuple[Card, ...], row: PostedLine | None, fortune: FortuneWager) -> str:
    sample = " (sample pay table)" if fortune.sample_pay_table else ""
    if row is None:
        return f"no line{sample}"
    envy = f", envy ${row.envy_cents // 100:,}.{row.envy_cents % 100:02}" if row.envy_cents else ""
    name = row.line.replace("_", " ")
    return f"{name}: {row.pays} to 1{envy}  {hand_text(made_of(dealt, row.line))}{sample}"
