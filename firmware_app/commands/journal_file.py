"""What the commands that look into a journal have in common."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import click

from firmware_app.journal.errors import JournalError
from firmware_app.journal.history import open_history
from firmware_app.journal.reading import EntryReader, open_for_reading

journal_argument = click.argument(
    "journal", metavar="JOURNAL", type=click.Path(dir_okay=False, path_type=Path)
)

archives_option = click.option(
    "--archives",
    metavar="FOLDER",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help='Where old entries lie; the folder "archive" beside JOURNAL if left out.',
)


@contextmanager
def reading(journal: Path) -> Iterator[EntryReader]:
    """Give a reader of what is not archived; what is wrong becomes one line and exit 1."""
    with one_line_for_errors(journal), open_for_reading(journal) as reader:
        yield reader


@contextmanager
def reading_history(journal: Path, archives: Path | None) -> Iterator[EntryReader]:
    """Give a reader of ``journal`` and its archives; what is wrong becomes one line and exit 1."""
    with one_line_for_errors(journal), open_history(journal, archives) as reader:
        yield reader


@contextmanager
def one_line_for_errors(journal: Path) -> Iterator[None]:
    """Turn what is wrong with ``journal`` into one line on standard error, and exit code 1."""
    try:
        yield
    except JournalError as error:
        raise click.ClickException(str(error)) from error
    except (ValueError, TypeError, KeyError) as error:
        raise click.ClickException(
            f"journal {journal} cannot be read on ({error}); run: fortune-table verify {journal}"
        ) from error
