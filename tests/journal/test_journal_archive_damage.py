"""Archives that are missing, damaged or exchanged, and what an interrupted archiving leaves."""

from __future__ import annotations

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from aged_table import (
    AgedTable,
    archive,
    archiver,
    archives,
    at_day,
    audited,
    whole_history,
)
from damage import overwrite, tampering
from recorded_table import SOFTWARE

from firmware_app.journal.audit import audit
from firmware_app.journal.errors import ArchiveMissing, JournalError
from firmware_app.journal.head import load_head
from firmware_app.journal.history import archive_folder, open_history
from firmware_app.journal.mark import mark_path
from firmware_app.journal.reading import open_for_reading
from firmware_app.journal.recall import recall
from firmware_app.journal.recovery import replace_damaged
from firmware_app.journal.round_replay import replay_round
from firmware_app.journal.store import Journal


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A journal of 130 days with five archives, closed."""
    table = AgedTable(tmp_path_factory.mktemp("original") / "journal.sqlite3")
    table.play_days(130)
    table.deliver()
    archive(table)
    table.journal.close()
    assert len(archives(table.journal.path)) == 5
    return table.journal.path


@pytest.fixture
def path(original: Path, tmp_path: Path) -> Path:
    """A copy of it, to be damaged."""
    copy = tmp_path / "copy"
    shutil.copytree(original.parent, copy)
    for file in archives(copy / original.name):
        file.chmod(0o600)
    return copy / original.name


# --- damage ----------------------------------------------------------------------------------


def test_whole_archives_make_a_whole_history(path: Path) -> None:
    found = audited(path)
    assert (found.whole, found.first_entry, found.notes) == (True, 1, ())
    assert found.entries == found.last_entry
    assert [each.file for each in found.archives] == [file.name for file in archives(path)]


def test_a_missing_archive_is_named_and_what_lies_behind_it_is_proven(path: Path) -> None:
    gone = archives(path)[1]
    gone.unlink()
    found = audited(path)
    assert not found.whole
    assert found.fault is None
    faults = {each.file: each.fault for each in found.archives if each.fault}
    assert list(faults) == [gone.name]
    assert f"{gone.name}, which is not in {archive_folder(path)}" in (faults[gone.name] or "")
    behind = next(each for each in found.archives if each.file == archives(path)[1].name)
    assert found.first_entry == behind.first_entry
    assert found.last_entry - found.first_entry + 1 == found.entries


@pytest.mark.parametrize("where", [0.0, 0.2, 0.5, 0.8, 0.9999])
def test_a_flipped_bit_in_an_archive_is_found(path: Path, where: float) -> None:
    altered = archives(path)[2]
    data = altered.read_bytes()
    at = int(len(data) * where)
    overwrite(altered, at, bytes([data[at] ^ 4]))
    found = audited(path)
    assert found.fault is None
    assert [each.file for each in found.archives if each.fault] == [altered.name]


@pytest.mark.parametrize("harm", ["truncated", "emptied", "exchanged", "no database"])
def test_an_archive_that_is_another_file_is_found(path: Path, harm: str) -> None:
    altered, other = archives(path)[2:4]
    match harm:
        case "truncated":
            altered.write_bytes(altered.read_bytes()[:-4096])
        case "emptied":
            altered.write_bytes(b"")
        case "exchanged":
            altered.write_bytes(other.read_bytes())
        case "no database":
            altered.write_bytes(bytes(altered.stat().st_size))
    found = audited(path)
    assert not found.whole
    assert [each.file for each in found.archives if each.fault] == [altered.name]


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE archive SET sha256 = 'f' || substr(sha256, 2) || 'x' WHERE last = {newest}",
        "UPDATE archive SET file = 'other.sqlite3' WHERE last = {newest}",
        "UPDATE archive SET seam = zeroblob(40) WHERE last = {newest}",
        "UPDATE archive SET entry = 1 WHERE last = {newest}",
        "UPDATE archive SET first = first + 1 WHERE last = {newest}",
        "UPDATE archive SET last = last + 1 WHERE last = {newest}",
        "UPDATE archive SET sha256 = 'other' WHERE first = 1",
        "DELETE FROM archive WHERE first = 1",
        "DELETE FROM archive WHERE last = {newest}",
        "DELETE FROM archive",
    ],
)
def test_a_changed_list_of_archives_is_found(path: Path, change: str) -> None:
    with tampering(path) as connection:
        (newest,) = connection.execute("SELECT max(last) FROM archive").fetchone()
        connection.execute(change.format(newest=newest))
    assert audited(path).fault is not None or not audited(path).whole


def test_a_changed_seam_keeps_the_table_closed(path: Path) -> None:
    with tampering(path) as connection:
        connection.execute(
            "UPDATE archive SET seam = (SELECT seam FROM archive WHERE first = 1) "
            "WHERE last = (SELECT max(last) FROM archive)"
        )
    with open_for_reading(path) as reader, pytest.raises(ValueError, match="than it was recorded"):
        reader.seam()
    assert audit(path, software=SOFTWARE).fault is not None


def test_damage_to_an_archive_is_no_reason_to_replace_the_journal(path: Path) -> None:
    for file in archives(path):
        file.unlink()
    assert audit(path, software=SOFTWARE).fault is None
    Journal.open(path).close()


def test_a_damaged_journal_is_replaced_by_one_that_goes_on_from_its_seam(path: Path) -> None:
    with open_for_reading(path) as reader:
        meters = load_head(reader).meters
        last = next(entry.number for entry in reader.backwards() if entry.facts)
        first_message = reader.first_message()
    with Journal.open(path) as journal, journal.outbox() as outbox:
        last_message = journal.next_sequence - 1
        outbox.resend(first_message)
    # Without the mark, all that is known of the meters is what the seam and the entries say.
    mark_path(path).unlink()
    with tampering(path) as connection:
        connection.execute("UPDATE entry SET facts = 'damaged' WHERE number = ?", (last,))
    result = replace_damaged(path, software=SOFTWARE, by="floor", stamp=at_day(200.0))
    assert result.meters_through == last - 1
    with Journal.open(path) as journal, journal.outbox() as outbox:
        settled = journal.meters.lifetime["rounds.settled"]
        assert settled == meters.lifetime["rounds.settled"] - 1, "the last one settled a round"
        carried = [each.sequence for each in outbox.pending(100_000)]
    [(lost, to)] = result.lost
    assert to == last_message
    assert carried == list(range(first_message, lost))
    assert audited(path).whole
    assert audit(archives(path)[0], software=SOFTWARE).whole


# --- without the archives --------------------------------------------------------------------


def test_the_journal_alone_is_proven_from_its_seam_on(path: Path) -> None:
    shutil.rmtree(archive_folder(path))
    found = audit(path, software=SOFTWARE)
    assert found.whole
    with open_for_reading(path) as reader:
        assert found.first_entry == reader.first_number()
    assert f"entries up to {found.first_entry - 1} are archived" in found.notes[0]
    # Facts are replayed from the state at the seam, meters summed up from those at the seam.
    assert found.facts_replayed == found.last_fact - _facts_through(path)


def _facts_through(path: Path) -> int:
    with open_for_reading(path) as reader:
        seam = reader.seam()
        assert seam is not None
        return seam.last_fact


def test_archives_are_read_from_the_folder_that_is_named(path: Path, tmp_path: Path) -> None:
    elsewhere = tmp_path / "carried away"
    archive_folder(path).rename(elsewhere)
    assert audit(path, software=SOFTWARE, archives=elsewhere).whole
    with open_history(path, elsewhere) as reader:
        assert replay_round(reader, 2).number == 2


def test_who_asks_for_an_old_round_is_told_which_file_to_bring(path: Path) -> None:
    oldest = archives(path)[0]
    oldest.unlink()
    with (
        open_history(path) as reader,
        pytest.raises(ArchiveMissing, match=f"lie in the archive {oldest.name}, which is not in"),
    ):
        replay_round(reader, 2)
    with open_history(path) as reader:
        assert replay_round(reader, 100).number == 100
        recalled = recall(reader, limit=10_000)
    assert recalled.fault is not None
    assert oldest.name in recalled.fault
    assert recalled.rounds[0].number == 260


# --- an archive by itself --------------------------------------------------------------------


def test_an_archive_is_proven_by_itself(path: Path) -> None:
    for number, file in enumerate(archives(path)):
        found = audit(file, software=SOFTWARE)
        assert found.whole
        assert file.name == f"journal-{found.first_entry:09d}-{found.last_entry:09d}.sqlite3"
        assert any("are archived" in note for note in found.notes) == (number > 0)


def test_no_table_runs_on_an_archive(path: Path) -> None:
    file = archives(path)[3]
    before = file.read_bytes()
    with pytest.raises(JournalError, match="is an archive of old entries, which is only read"):
        Journal.open(file)
    assert file.read_bytes() == before


def test_an_archive_can_only_be_read(original: Path) -> None:
    assert {file.stat().st_mode & 0o777 for file in archives(original)} == {0o440}


# --- what an interruption leaves -------------------------------------------------------------


@pytest.fixture
def table(tmp_path: Path) -> AgedTable:
    """A table with three archives to make."""
    made = AgedTable(tmp_path / "journal.sqlite3")
    made.play_days(115)
    made.deliver()
    return made


def finished_elsewhere(table: AgedTable) -> Path:
    """Put the first archive beside the journal, as if the power had gone before it was listed."""
    path = table.journal.path
    elsewhere = path.parent / "elsewhere"
    elsewhere.mkdir()
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("VACUUM INTO ?", (str(elsewhere / path.name),))
    with Journal.open(elsewhere / path.name) as journal:
        list(archiver(journal, table.day).steps())
    archive_folder(path).mkdir()
    return Path(shutil.copy2(archives(elsewhere / path.name)[0], archive_folder(path)))


def test_an_unfinished_archive_is_thrown_away(table: AgedTable) -> None:
    path = table.journal.path
    before = whole_history(path)
    folder = archive_folder(path)
    folder.mkdir()
    (folder / "journal-000000001-000000123.sqlite3.new").write_bytes(b"half of it")
    archive(table)
    assert {file.suffix for file in folder.iterdir()} == {".sqlite3"}
    assert whole_history(path) == before
    assert audited(path).whole


def test_a_finished_archive_is_used(table: AgedTable) -> None:
    path = table.journal.path
    before = whole_history(path)
    left_over = finished_elsewhere(table)
    made = left_over.stat()
    archive(table)
    assert (left_over.stat().st_ino, left_over.stat().st_mtime_ns) == (
        made.st_ino,
        made.st_mtime_ns,
    )
    assert len(archives(path)) == 3
    assert whole_history(path) == before
    assert audited(path).whole


def test_what_is_to_be_sent_again_is_not_archived_meanwhile(table: AgedTable) -> None:
    path = table.journal.path
    steps = archiver(table.journal, table.day).steps()
    with table.journal.outbox() as outbox:
        next(steps)
        # The first archive is being written when the back office asks for everything once more.
        outbox.resend(1)
        with pytest.raises(JournalError, match="waits, since events in it are sent once more"):
            list(steps)
        [waiting] = archives(path)
        assert [each.sequence for each in outbox.pending(3)] == [1, 2, 3]
        outbox.mark_sent(range(1, table.journal.next_sequence))
    archive(table)
    assert archives(path)[0] == waiting
    assert len(archives(path)) == 3
    assert audited(path).whole


def test_a_finished_archive_that_decayed_is_set_aside(table: AgedTable) -> None:
    path = table.journal.path
    before = whole_history(path)
    left_over = finished_elsewhere(table)
    left_over.chmod(0o600)
    overwrite(left_over, 20_000, b"decayed")
    decayed = left_over.read_bytes()
    archive(table)
    aside = left_over.with_name(left_over.name + ".damaged-1")
    assert aside.read_bytes() == decayed
    assert whole_history(path) == before
    assert audited(path).whole


def test_the_archive_of_another_table_is_not_taken_for_ones_own(
    table: AgedTable, tmp_path: Path
) -> None:
    path = table.journal.path
    before = whole_history(path)
    elsewhere = tmp_path / "other"
    elsewhere.mkdir()
    other = AgedTable(elsewhere / "journal.sqlite3", seed=2)
    other.play_days(115)
    other.deliver()
    archive(other)
    archive_folder(path).mkdir()
    foreign = Path(shutil.copy2(archives(other.journal.path)[0], archive_folder(path)))
    content = foreign.read_bytes()
    archive(table)
    assert foreign.with_name(foreign.name + ".damaged-1").read_bytes() == content
    assert whole_history(path) == before
    assert audited(path).whole


def test_entries_that_are_archived_and_not_yet_deleted_count_once(table: AgedTable) -> None:
    path = table.journal.path
    before = whole_history(path)
    steps = archiver(table.journal, table.day).steps()
    for _ in steps:
        with open_for_reading(path) as reader:
            if reader.archived_through():
                break
    steps.close()
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("SELECT min(number) FROM entry").fetchone() == (1,)
    assert whole_history(path) == before
    assert audited(path).whole
    assert audit(path, software=SOFTWARE).whole
    table.journal.close()
    table.journal = Journal.open(path)
    table.play_checked_round()
    archive(table)
    with closing(sqlite3.connect(path)) as connection:
        (oldest,) = connection.execute("SELECT min(number) FROM entry").fetchone()
    with open_for_reading(path) as reader:
        assert reader.first_number() == oldest


def test_the_journal_refuses_to_give_up_what_is_not_archived(table: AgedTable) -> None:
    archive(table)
    with closing(sqlite3.connect(table.journal.path, isolation_level=None)) as connection:
        (last,) = connection.execute("SELECT max(last) FROM archive").fetchone()
        with pytest.raises(sqlite3.IntegrityError, match="unless they are archived"):
            connection.execute("DELETE FROM entry WHERE number = ?", (last + 1,))
        for change in (
            "DELETE FROM archive",
            "UPDATE archive SET last = last + 1000",
            "INSERT INTO archive SELECT last + 5000, first, file, sha256, seam, entry FROM archive",
        ):
            with pytest.raises(sqlite3.IntegrityError):
                connection.execute(change)
