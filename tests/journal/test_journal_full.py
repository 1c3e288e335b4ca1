"""A full card: nothing half recorded, and recording goes on by itself."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest
from recorded_table import SOFTWARE, RecordedTable, action, message, stamp

from firmware_app.journal.audit import audit
from firmware_app.journal.errors import StorageFull, translated
from firmware_app.journal.storage import StorageSpace, storage_space
from firmware_app.journal.store import Journal
from firmware_app.table import facts


def numbers(journal: Journal) -> tuple[int, int, object]:
    return journal.next_fact_number, journal.next_sequence, journal.meters


def test_a_settlement_that_finds_no_room_is_recorded_once_when_there_is_some(
    table: RecordedTable, path: Path
) -> None:
    table.play_round()
    table.bet(3, 25_00)
    table.deal()
    table.tell(facts.Advanced())
    before, state = numbers(table.journal), table.state
    table.journal.limit_size(1)
    for _ in range(3):
        with pytest.raises(StorageFull, match="make room, recording then goes on by itself"):
            table.tell(facts.Advanced())
        assert numbers(table.journal) == before
        table.state = state
    table.journal.limit_size(None)
    table.tell(facts.Advanced())
    assert table.journal.meters.lifetime["rounds.settled"] == 2
    with table.journal.outbox() as outbox:
        types = [each.type for each in outbox.pending(1_000)]
        assert types.count("round-settled") == 2
    assert audit(path, software=SOFTWARE).whole


def test_facts_and_messages_are_recorded_together_or_not_at_all(
    journal: Journal, path: Path
) -> None:
    journal.limit_size(16 * 1024)
    recorded = 0
    with pytest.raises(StorageFull):
        for _ in range(1_000):
            sequence = journal.next_sequence
            # Incompressible, so that an entry needs several pages and can fail at any of them.
            text = "".join(chr(0x4E00 + (sequence * 7_919 + n * n) % 20_000) for n in range(400))
            journal.append(
                [action(sequence)],
                [],
                [message(sequence, text=text)],
                round_number=0,
                stamp=stamp(sequence),
            )
            recorded += 1
    assert recorded > 3
    assert [each.number for each in journal.replay()[1]] == list(range(1, recorded + 1))
    with journal.outbox() as outbox:
        assert len(outbox.pending(1_000)) == recorded
    assert audit(path, software=SOFTWARE).last_entry == recorded


def test_a_failed_append_does_not_forget_the_bets_of_the_round(table: RecordedTable) -> None:
    table.bet(1, 5_00)
    table.bet(3, 0)
    table.journal.limit_size(1)
    state = table.state
    with pytest.raises(StorageFull):
        table.tell(facts.DealStarted(first_spot=1), facts.Voided())
    table.state = state
    table.journal.limit_size(None)
    table.deal()
    table.tell(facts.Advanced())
    state = table.state
    table.journal.limit_size(1)
    with pytest.raises(StorageFull):
        table.tell(facts.Advanced())
    table.state = state
    table.journal.limit_size(None)
    table.tell(facts.Advanced())
    assert table.journal.meters.lifetime["spot.1.fortune.in_cents"] == 5_00


def test_delivery_goes_on_while_the_card_is_full(table: RecordedTable) -> None:
    table.play_round()
    with table.journal.outbox() as outbox:
        table.journal.limit_size(1)
        outbox.mark_sent([1, 2, 3])
        assert outbox.pending(1)[0].sequence == 4


def test_the_reserve_tells_before_the_card_is_full(path: Path) -> None:
    assert storage_space(path, reserve_bytes=1).enough
    assert StorageSpace(free_bytes=100, reserve_bytes=100).enough
    assert not StorageSpace(free_bytes=99, reserve_bytes=100).enough
    assert not storage_space(path, reserve_bytes=1 << 60).enough


@pytest.mark.parametrize("code", [sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR_SHMSIZE])
def test_a_full_card_is_told_from_other_faults_also_when_a_journal_is_opened(
    path: Path, code: int
) -> None:
    error = sqlite3.OperationalError("disk I/O error")
    error.sqlite_errorcode = code
    assert isinstance(translated(error, path, "it cannot be opened"), StorageFull)
    error.sqlite_errorcode = sqlite3.SQLITE_IOERR_READ
    assert not isinstance(translated(error, path, "it cannot be opened"), StorageFull)
