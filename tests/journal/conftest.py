"""A place for a journal, and a table that records into it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from recorded_table import RecordedTable

from firmware_app.journal.store import Journal


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "journal.sqlite3"


@pytest.fixture
def journal(path: Path) -> Iterator[Journal]:
    with Journal.open(path) as opened:
        yield opened


@pytest.fixture
def table(path: Path) -> Iterator[RecordedTable]:
    played = RecordedTable(path)
    yield played
    played.journal.close()
