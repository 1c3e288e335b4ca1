"""``fortune-table replay``: a round once more, with why each cent was paid."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import click

from firmware_app.cards import hand_text
from firmware_app.commands.journal_file import (
    archives_option,
    journal_argument,
    reading_history,
)
from firmware_app.commands.settle import print_settlement, settlement_json
from firmware_app.journal.records import RecordedFact
from firmware_app.journal.round_replay import RoundReplay, replay_round


@click.command()
@click.option("--json", "as_json", is_flag=True, help="One JSON object, for programs.")
@archives_option
@journal_argument
@click.argument("number", metavar="ROUND", type=click.IntRange(min=1))
def replay(journal: Path, number: int, as_json: bool, archives: Path | None) -> None:
    """Replay ROUND of JOURNAL: what was recorded, and why each cent was paid.

    The facts go through the rules that were in force then. A round that is not revealed yet is
    refused, since its hands are nobody's business until then. An old one is read from its archive.
    """
    with reading_history(journal, archives) as reader:
        replayed = replay_round(reader, number)
    if as_json:
        click.echo(json.dumps(_as_json(replayed), indent=2))
    else:
        _print(replayed)


def _as_json(replayed: RoundReplay) -> dict[str, Any]:
    return {
        "round": replayed.number,
        "rules": replayed.rules.profile.name,
        "facts": [
            {
                "number": recorded.number,
                "utc_ns": recorded.stamp.wall_utc_ns,
                "clock_synchronised": recorded.stamp.synchronised,
                **recorded.fact.model_dump(mode="json"),
            }
            for recorded in replayed.facts
        ],
        "void_reason": replayed.void_reason,
        "settlement": None if replayed.settlement is None else settlement_json(replayed.settlement),
    }


def _print(replayed: RoundReplay) -> None:
    click.echo(f"Round {replayed.number}, {replayed.rules.profile.title}")
    for recorded in replayed.facts:
        click.echo(f"  {_time(recorded)}  #{recorded.number}  {_words(recorded)}")
    if replayed.void_reason is not None:
        click.echo(f"Void: {replayed.void_reason}. Every bet went back.")
    elif replayed.settlement is not None:
        for spot in replayed.settlement.spots:
            if spot.high:
                click.echo(
                    f"  spot {spot.number}: low {hand_text(spot.low)}  high {hand_text(spot.high)}"
                )
        print_settlement(replayed.settlement, replayed.rules.profile.title)


def _time(recorded: RecordedFact) -> str:
    moment = datetime.fromtimestamp(recorded.stamp.wall_utc_ns / 1e9, UTC)
    return f"{moment:%Y-%m-%d %H:%M:%S}{'' if recorded.stamp.synchronised else '?'}"


def _words(recorded: RecordedFact) -> str:
    fields = recorded.fact.model_dump(mode="json")
    kind = fields.pop("kind")
    told = (
        f"{name} {hand_text(value) if name == 'cards' else value}"
        for name, value in fields.items()
        if value is not None
    )
    return " ".join((kind, *told))
