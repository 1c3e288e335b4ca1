"""Older software on a newer journal: refused at the start, in words that say what to do."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

from whole_table import PROGRAM, configured

from firmware_app.journal.schema import SCHEMA_VERSION
from firmware_app.journal.store import Journal


def test_a_table_does_not_open_a_journal_of_newer_software(tmp_path: Path) -> None:
    journal = tmp_path / "journal.sqlite3"
    Journal.open(journal).close()
    with closing(sqlite3.connect(journal)) as newer:
        newer.execute(f"PRAGMA user_version = {SCHEMA_VERSION + 1}")
    before = journal.read_bytes()
    config = configured(tmp_path, port=1)
    done = subprocess.run(
        [sys.executable, str(PROGRAM), str(config), "sound"],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 1
    assert f"has schema {SCHEMA_VERSION + 1}" in done.stderr
    assert "install the newer software again" in done.stderr
    assert "Traceback" not in done.stderr
    assert journal.read_bytes() == before
