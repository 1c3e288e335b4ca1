"""The command ``fortune-table``. Each subcommand is a module of :mod:`firmware_app.commands`.

A subcommand is imported only when it is called, so that ``evaluate`` does not pay for pygame.
"""

from __future__ import annotations

import gc
import importlib
import os
import sys
from types import ModuleType

import click

# name of the subcommand: its module, and what it is for
COMMANDS = {
    "run": ("run", "Run the table on real pins, reader, display and broker."),
    "simulate": ("simulate", "Play the table on simulated pins and reader, on the real code path."),
    "check": ("check", "Check whether the table can open: configuration, pins, serial, display …"),
    "evaluate": ("evaluate", "Tell the Fortune line of hands, what it pays and its envy."),
    "house-way": ("house_way", "Set hands by the house way, and say which clause applied."),
    "odds": ("odds", "Show every bet of a rule sheet with exact odds."),
    "settle": ("settle", "Tell what every wager of a described round is owed."),
    "floor": ("floor", "Act on a running table as its floor supervisor; list what was done."),
    "rounds": ("rounds", "Recall the last rounds of a journal."),
    "replay": ("replay", "Replay a round, with why each cent was paid."),
    "meters": ("meters", "Show the meters of a journal."),
    "verify": ("verify", "Prove that a journal is whole and its meters agree."),
    "export": ("export", "Write a journal as CSV or JSON lines."),
    "feed": ("feed", "Follow a table's feed and prove that nothing is missing."),
    "fleet": ("fleet", "Try a broker with a whole floor of simulated tables."),
    "backoffice": ("backoffice", "Keep the books of a floor, and answer a shift's questions."),
    "schema": ("schema", "Print the feed's AsyncAPI document."),
    "sign": ("sign", "Draw any scene of the sign into a picture."),
    "support-bundle": ("support_bundle", "Pack what the maker needs to help into one archive."),
    "hw-test": ("hw_test", "Watch every input, lamp and sentence live."),
}


# No other package's code is to take part in reading what decides money; and to look for such
# plug-ins opens a file of every package that is installed.
os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")


class LazyGroup(click.Group):
    """A group whose commands are imported when they are called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        known = COMMANDS.get(cmd_name)
        if known is None:
            return None
        module = _imported(f"firmware_app.commands.{known[0]}")
        command: click.Command = getattr(module, known[0])
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        # The help text stands in the table above, so that listing commands imports none of them.
        with formatter.section("Commands"):
            formatter.write_dl([(name, text) for name, (_, text) in COMMANDS.items()])


def _imported(name: str) -> ModuleType:
    """Return the module; what importing it makes is kept for good, and never searched for garbage.

    A seventh of a table's start went into such searches, and each full one later would hold up
    every thread of a running table for the time that it takes.
    """
    if name in sys.modules:
        return sys.modules[name]
    gc.disable()
    try:
        return importlib.import_module(name)
    finally:
        gc.freeze()
        gc.enable()


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="fortune-table")
def cli() -> None:
    """Controller of a Fortune Pai Gow Poker table."""


def main() -> None:
    """Run the command line; the entry point of the package."""
    sys.exit(cli(prog_name="fortune-table"))
