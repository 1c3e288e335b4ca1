"""Whether a table runs is told by the lock beside its journal."""

from __future__ import annotations

from pathlib import Path

from firmware_app.diagnosis.running import table_runs
from firmware_app.journal.store import Journal


def test_a_table_runs_while_it_holds_its_journal(journal_path: Path) -> None:
    with Journal.open(journal_path):
        assert table_runs(journal_path)
        assert table_runs(journal_path)
    assert not table_runs(journal_path)


def test_looking_makes_nothing_and_keeps_no_table_out(journal_path: Path) -> None:
    assert not table_runs(journal_path)
    assert list(journal_path.parent.iterdir()) == []

    Journal.open(journal_path).close()
    assert not table_runs(journal_path)
    Journal.open(journal_path).close()
