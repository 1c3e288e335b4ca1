"""Going on after damage: nothing is deleted, no number comes twice, meters go on."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from damage import overwrite, page_of, tampering
from recorded_table import SOFTWARE, RecordedTable, action, message, stamp

from firmware_app.journal import packing
from firmware_app.journal.audit import audit
from firmware_app.journal.errors import JournalDamaged, JournalError
from firmware_app.journal.mark import mark_path
from firmware_app.journal.recovery import Replaced, replace_damaged
from firmware_app.journal.store import Journal


@pytest.fixture
def played(table: RecordedTable, path: Path) -> Path:
    for number in range(12):
        table.play_round()
        if number == 8:
            table.tell(action(number), checkpoint=True)
    table.journal.close()
    return path


def replaced(path: Path) -> Replaced:
    return replace_damaged(path, software=SOFTWARE, by="floor supervisor", stamp=stamp(5_000))


def damage(path: Path) -> bytes:
    """Zero the page of an entry in the middle; return the file as it then is."""
    overwrite(path, page_of(path, 60), bytes(512))
    return path.read_bytes()


def test_a_damaged_file_is_set_aside_as_it_was(played: Path) -> None:
    damaged = damage(played)
    result = replaced(played)
    assert result.set_aside.name == "journal.sqlite3.damaged-1"
    assert result.set_aside.read_bytes() == damaged
    assert "entry " in result.fault


def test_numbers_and_meters_go_on_in_the_new_journal(played: Path, table: RecordedTable) -> None:
    damage(played)
    result = replaced(played)
    with Journal.open(played) as journal:
        assert journal.next_fact_number == result.next_fact > table.journal.next_fact_number
        assert journal.next_sequence == result.next_message > table.journal.next_sequence
        assert journal.last_round_number > table.state.round_number
        assert journal.meters == table.journal.meters
        journal.append(
            [action(1)],
            [],
            [message(journal.next_sequence)],
            round_number=journal.last_round_number,
            stamp=stamp(5_001),
        )
        with journal.outbox() as outbox:
            assert outbox.pending(10_000)[-1].sequence == result.next_message
    assert audit(played, software=SOFTWARE).whole


def test_the_new_journal_says_what_it_replaces_and_who_decided_so(played: Path) -> None:
    damage(played)
    result = replaced(played)
    with Journal.open(played) as journal:
        assert list(journal.replay()[1]) == []
    with closing(sqlite3.connect(played)) as connection:
        kind, kept = connection.execute("SELECT kind, kept FROM entry").fetchone()
    assert kind == "continued"
    told = packing.unpack(kept).decode()
    assert '"by":"floor supervisor"' in told
    assert result.set_aside.name in told


def test_a_whole_journal_is_never_replaced(played: Path) -> None:
    before = played.read_bytes()
    with pytest.raises(JournalError, match="is whole and is not replaced"):
        replaced(played)
    assert played.read_bytes() == before


def test_no_journal_at_all_is_nothing_to_replace(path: Path) -> None:
    with pytest.raises(JournalError, match="there is none to replace"):
        replaced(path)


def test_without_a_mark_numbers_go_on_from_the_last_entries_that_fit(
    played: Path, table: RecordedTable
) -> None:
    mark_path(played).unlink()
    damage(played)
    result = replaced(played)
    assert result.next_fact > table.journal.next_fact_number
    assert result.next_message > table.journal.next_sequence
    # Meters can only be vouched for as far as entries are proven.
    assert result.meters_through < 60
    with Journal.open(played) as journal:
        settled = journal.meters.lifetime["rounds.settled"]
        assert 0 < settled < table.journal.meters.lifetime["rounds.settled"]


def test_without_any_readable_page_numbers_and_meters_go_on_from_the_mark(
    played: Path, table: RecordedTable
) -> None:
    played.write_bytes(bytes(played.stat().st_size))
    result = replaced(played)
    assert result.next_fact > table.journal.next_fact_number
    with Journal.open(played) as journal:
        assert journal.meters == table.journal.meters


def test_a_file_that_is_gone_is_missed_and_can_be_replaced(
    played: Path, table: RecordedTable
) -> None:
    played.unlink()
    with pytest.raises(JournalDamaged, match="the file is gone"):
        Journal.open(played)
    result = replaced(played)
    assert not result.set_aside.exists()
    with Journal.open(played) as journal:
        assert journal.next_sequence > table.journal.next_sequence
        assert journal.meters == table.journal.meters


def test_a_number_that_damage_made_absurd_is_not_believed(
    played: Path, table: RecordedTable
) -> None:
    mark_path(played).unlink()
    with tampering(played) as connection:
        connection.execute("UPDATE entry SET last_message = 1 << 60 WHERE number = 100")
    result = replaced(played)
    assert table.journal.next_sequence < result.next_message < table.journal.next_sequence + 2_000


def test_damage_after_damage_sets_every_file_aside(played: Path) -> None:
    numbers = []
    for _ in range(3):
        size = played.stat().st_size
        overwrite(played, 0, bytes(size))
        numbers.append(replaced(played).next_message)
    assert numbers == sorted(set(numbers))
    assert {file.name for file in played.parent.glob("*.damaged-*")} == {
        f"journal.sqlite3.damaged-{number}" for number in (1, 2, 3)
    }
    assert audit(played, software=SOFTWARE).whole


def test_the_shift_goes_on_too(table: RecordedTable, path: Path) -> None:
    table.play_round()
    table.journal.close_shift(by="floor", stamp=table.now())
    table.play_round()
    table.journal.close()
    path.write_bytes(b"not a database at all")
    replaced(path)
    with Journal.open(path) as journal:
        assert journal.meters.shift["rounds.settled"] == 1
        assert journal.meters.lifetime["rounds.settled"] == 2
