"""The books, and messages of tables to put into them."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from firmware_app.backoffice.store import Store

sys.path.append(str(Path(__file__).parents[1] / "feed"))


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store(tmp_path / "books.sqlite3") as opened:
        yield opened
