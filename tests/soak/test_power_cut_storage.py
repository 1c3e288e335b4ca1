"""The power goes after each single write or sync of a round: what was promised is kept."""

from __future__ import annotations

import pickle
import subprocess
import sys
from pathlib import Path

import pytest
from storage_check import Reference, faults_after
from storage_crash import SECTOR_BYTES, crashes
from storage_recorder import Create, Operation, Promise, Sync, SyncFolder, Truncate, Write

from firmware_app.feed.demo_broker import DemoBroker
from firmware_app.simulation.stage import Places

LIFE = Path(__file__).with_name("storage_life.py")


def played(out: Path, *mode: str) -> tuple[list[Operation], Reference]:
    """Let a table play with its storage watched; return the notes, and the run as it was."""
    out.mkdir()
    notes = out.with_name("notes")
    with DemoBroker() as broker:
        subprocess.run(
            [sys.executable, LIFE, out, str(broker.port), broker.protocol, notes, *mode],
            check=True,
            timeout=120,
        )
    return pickle.loads(notes.read_bytes()), Reference.of(Places(out).journal)


def test_no_crash_at_any_write_or_sync_takes_back_what_was_promised(tmp_path: Path) -> None:
    operations, reference = played(tmp_path / "played")
    # What the run must have gone through for the crashes to mean anything.
    promises = [each for each in operations if isinstance(each, Promise)]
    assert len({each.value for each in promises if each.kind == "settled"}) == 2
    assert any(each.kind == "delivered" and each.value for each in promises)
    headers = [
        each
        for each in operations
        if isinstance(each, Write) and each.name.endswith("-wal") and each.offset == 0
    ]
    assert len(headers) > 3, "the log was begun anew in mid-round"
    states, faults = 0, []
    for crash in crashes(operations, seed=1):
        states += 1
        faults += faults_after(crash, reference, tmp_path / "crashed")
    assert faults == []
    assert states > len(operations), "unsynced writes were lost in more ways than one"


@pytest.mark.parametrize("mode", ["OFF", "NORMAL"])
def test_a_table_that_does_not_wait_for_the_disk_is_found_out(mode: str, tmp_path: Path) -> None:
    operations, reference = played(tmp_path / "played", mode)
    found: set[str] = set()
    for crash in crashes(operations, seed=1):
        if crash.how == "dropped":
            for fault in faults_after(crash, reference, tmp_path / "crashed"):
                found.add(fault.partition(": ")[2])
    assert any("were recorded" in fault for fault in found)


def test_the_disk_keeps_what_was_synced_and_may_drop_or_tear_the_rest() -> None:
    first, second = b"a" * SECTOR_BYTES, b"b" * SECTOR_BYTES
    operations: list[Operation] = [
        Create("file"),
        Write("file", 0, first),
        Sync("file"),
        SyncFolder(),
        Write("file", 0, second * 2),
        Truncate("file", SECTOR_BYTES),
        Create("other"),
    ]
    last = [crash.files for crash in crashes(operations, seed=1) if crash.operation == 6]
    assert {"file": second, "other": b""} in last
    before = [crash.files for seed in range(30) for crash in crashes(operations[:5], seed)]
    contents = {files["file"] for files in before if "file" in files}
    assert contents == {b"", first, first + second, second, second * 2}
    assert {} in before, "the name was not synced yet"
