"""The power goes after each single write or sync of an archiving: no entry is ever nowhere."""

from __future__ import annotations

import pickle
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from storage_archive_life import KEEP_DAYS, archive_in_small
from storage_crash import Crash, crashes
from storage_recorder import (
    Create,
    CreateFolder,
    Operation,
    Promise,
    Rename,
    SyncFolder,
)

sys.path.append(str(Path(__file__).parents[1] / "journal"))

from aged_table import archiver, archives, whole_history

from firmware_app.journal import archiving
from firmware_app.journal.audit import audit
from firmware_app.journal.errors import JournalError
from firmware_app.journal.history import archive_folder
from firmware_app.journal.reading import open_for_reading
from firmware_app.journal.store import Journal

LIFE = Path(__file__).with_name("storage_archive_life.py")
LATER_DAYS = 250.0
"""A day on which the table has more to archive than on the day of the crash."""


def archived(out: Path) -> list[Operation]:
    """Archive a journal in ``out`` with its storage watched; return the notes."""
    out.mkdir()
    notes = out.with_name("notes")
    subprocess.run([sys.executable, LIFE, out, notes], check=True, timeout=120)
    operations: list[Operation] = pickle.loads(notes.read_bytes())
    return operations


def faults_after(crash: Crash, reference: dict[str, Any], folder: Path) -> list[str]:
    """Open the journal of ``crash`` in ``folder`` and archive on; return what is wrong."""
    shutil.rmtree(folder, ignore_errors=True)
    for name, content in crash.files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)
    where = f"operation {crash.operation}, unsynced {crash.how}: "
    try:
        return [where + fault for fault in _faults(crash, reference, folder / "journal.sqlite3")]
    except JournalError as error:
        return [where + str(error)]


def _faults(crash: Crash, reference: dict[str, Any], path: Path) -> Iterator[str]:
    with Journal.open(path) as journal:
        history = whole_history(path)
        recorded = history["facts"][-1][0]
        if recorded < crash.promised.get("recorded", 0):
            yield f"{recorded} facts, though {crash.promised['recorded']} were recorded"
        for name, values in history.items():
            if values != reference[name][: len(values)]:
                yield f"other {name} than were recorded"
        with journal.outbox() as outbox:
            # What was acknowledged need not have reached the disk, and is sent once more.
            outbox.mark_sent(range(1, journal.next_sequence))
        for _ in archiver(journal, LATER_DAYS, keep_days=KEEP_DAYS).steps():
            pass
    if whole_history(path) != history:
        yield "archiving on changed the history"
    # Replaying is the same in every crash, and takes longer than all the rest.
    found = audit(path, software="other than recorded it", archives=archive_folder(path))
    if not found.whole or found.first_entry != 1:
        yield f"afterwards the history is not whole: {found}"
    if len(archives(path)) < 2:
        yield "it was not archived on"
    left = [file.name for file in (path.parent / "archive").iterdir()]
    if [name for name in left if not name.endswith(".sqlite3")]:
        yield f"something is left over: {left}"


@pytest.fixture
def in_small(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("RECALLED_ROUNDS", "ENTRIES_A_STEP"):
        monkeypatch.setattr(archiving, name, getattr(archiving, name))
    archive_in_small()


def test_no_crash_at_any_write_or_sync_of_an_archiving_loses_an_entry(
    tmp_path: Path, in_small: None
) -> None:
    operations = archived(tmp_path / "archived")
    reference = whole_history(tmp_path / "archived" / "journal.sqlite3")
    # What the run must have gone through for the crashes to mean anything.
    begun = operations.index(Promise("begun", 1))
    during = operations[begun:]
    assert sum(isinstance(each, Rename) for each in during) == 2
    assert SyncFolder("archive") in during
    assert len({each.value for each in during if isinstance(each, Promise)}) > 5
    with open_for_reading(tmp_path / "archived" / "journal.sqlite3") as reader:
        assert reader.first_number() > 20
    states, faults = 0, []
    for crash in crashes(operations, seed=1):
        if crash.operation >= begun:
            states += 1
            faults += faults_after(crash, reference, tmp_path / "crashed")
    assert faults == []
    assert states > len(during), "unsynced writes were lost in more ways than one"


def test_an_archive_that_is_listed_before_it_is_on_the_disk_is_found_out(
    tmp_path: Path, in_small: None
) -> None:
    operations = archived(tmp_path / "archived")
    reference = whole_history(tmp_path / "archived" / "journal.sqlite3")
    begun = operations.index(Promise("begun", 1))
    careless = [each for each in operations if each != SyncFolder("archive")]
    assert len(careless) < len(operations)
    found = {
        fault.partition(": ")[2]
        for crash in crashes(careless, seed=1)
        if crash.operation >= begun and crash.how == "dropped"
        for fault in faults_after(crash, reference, tmp_path / "crashed")
    }
    assert any("lie in the archive" in fault for fault in found)


def test_a_file_is_there_once_its_name_and_that_of_its_folder_are_on_the_disk() -> None:
    made: list[Operation] = [
        CreateFolder("archive"),
        Create("archive/new"),
        Rename("archive/new", "archive/name"),
    ]
    assert names_after(made) == {"", "archive/new", "archive/name"}
    made.append(SyncFolder("archive"))
    assert names_after(made) == {"", "archive/name"}, "the folder itself may still be lost"
    made.append(SyncFolder())
    assert names_after(made) == {"archive/name"}


def names_after(operations: list[Operation]) -> set[str]:
    """Return what names there may be after a crash behind the last of ``operations``."""
    # With another promise, files that were seen before are told of once more.
    promised = [*operations, Promise("seen", 1)]
    return {
        " ".join(crash.files)
        for seed in range(20)
        for crash in crashes(promised, seed)
        if crash.operation == len(operations)
    }
