"""Ways to damage a journal as an SD card, a careless copy or a cheat would."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path


@contextmanager
def tampering(path: Path) -> Iterator[sqlite3.Connection]:
    """Open the file with its guards taken away, and put them back afterwards."""
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        guards = connection.execute(
            "SELECT name, sql FROM sqlite_master WHERE type = 'trigger'"
        ).fetchall()
        for name, _ in guards:
            connection.execute(f"DROP TRIGGER {name}")
        yield connection
        for _, sql in guards:
            connection.execute(sql)


def page_of(path: Path, number: int) -> int:
    """Return where in the file the page begins that holds entry ``number``, by its chain."""
    with closing(sqlite3.connect(path)) as connection:
        (link,) = connection.execute(
            "SELECT chain FROM entry WHERE number = ?", (number,)
        ).fetchone()
        (size,) = connection.execute("PRAGMA page_size").fetchone()
    return path.read_bytes().index(link) // size * size


def overwrite(path: Path, at: int, data: bytes) -> None:
    with path.open("r+b") as file:
        file.seek(at)
        file.write(data)
