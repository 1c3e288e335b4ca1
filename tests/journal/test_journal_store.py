"""Appending to a journal, and what it gives back."""

from __future__ import annotations

import sqlite3
import threading
from pathlib import Path

import pytest
from recorded_table import DAY_NS, NOON_NS, SOFTWARE, RecordedTable, action, message, stamp

from firmware_app.journal.audit import audit
from firmware_app.journal.errors import JournalError, JournalInUse, JournalTooNew, StorageFull
from firmware_app.journal.reading import facts_of, open_for_reading
from firmware_app.journal.records import Configuration
from firmware_app.journal.schema import SCHEMA_VERSION, connect
from firmware_app.journal.store import Journal
from firmware_app.rules.profile import load_profile
from firmware_app.table.round import step
from firmware_app.table.state import TableRules, new_table, rules_to_json, state_from_json


def append(journal: Journal, number: int, *, second: int | None = None, **options: object) -> None:
    journal.append(
        [action(number)],
        [],
        [message(journal.next_sequence)],
        round_number=0,
        stamp=stamp(number if second is None else second),
        **options,  # type: ignore[arg-type]
    )


def test_facts_come_back_in_order_with_their_numbers_and_stamps(journal: Journal) -> None:
    for number in (1, 2, 3):
        append(journal, number)
    checkpoint, recorded = journal.replay()
    assert checkpoint is None
    assert [(each.number, each.fact, each.stamp) for each in recorded] == [
        (number, action(number), stamp(number)) for number in (1, 2, 3)
    ]


def test_what_is_told_of_a_step_is_on_the_disk_by_then(journal: Journal, path: Path) -> None:
    found: list[int] = []

    def look() -> None:
        with open_for_reading(path) as reader:
            found.extend(each.number for entry in reader.forwards() for each in facts_of(entry))

    append(journal, 1, on_disk=look)
    assert found == [1]

    def fails() -> None:
        raise AssertionError("nothing is on the disk")

    journal.limit_size(1)
    with pytest.raises(StorageFull):
        append(journal, 2, checkpoint=b'"' + b"x" * 100_000 + b'"', on_disk=fails)


def test_numbers_go_on_after_the_journal_was_closed(path: Path) -> None:
    with Journal.open(path) as journal:
        append(journal, 1)
        append(journal, 2)
    with Journal.open(path) as journal:
        assert (journal.next_fact_number, journal.next_sequence) == (3, 3)
        append(journal, 3)
        assert [each.number for each in journal.replay()[1]] == [1, 2, 3]


def test_replay_starts_behind_the_latest_checkpoint(journal: Journal) -> None:
    append(journal, 1, checkpoint=b'{"state": 1}')
    append(journal, 2)
    append(journal, 3, checkpoint='{"state": "été"}'.encode())
    append(journal, 4)
    checkpoint, recorded = journal.replay()
    assert checkpoint == '{"state": "été"}'.encode()
    assert [each.number for each in recorded] == [4]


def test_a_replay_leads_to_the_state_just_before_the_power_went(table: RecordedTable) -> None:
    for number in range(1, 4):
        table.play_round()
        table.tell(action(number), checkpoint=number == 2)
    table.bet(2, 25_00)
    table.deal()
    checkpoint, recorded = table.journal.replay()
    assert checkpoint is not None
    state = state_from_json(checkpoint)
    for each in recorded:
        state = step(table.rules, state, each.fact).state
    assert state == table.state


def test_messages_that_leave_a_gap_are_refused_and_nothing_is_recorded(journal: Journal) -> None:
    append(journal, 1)
    for sequences in ([1], [3], [2, 4], [3, 2]):
        with pytest.raises(JournalError, match="number them from next_sequence"):
            journal.append(
                [action(2)], [], [message(n) for n in sequences], round_number=0, stamp=stamp(2)
            )
    assert (journal.next_fact_number, journal.next_sequence) == (2, 2)


def test_every_commit_waits_for_the_disk(path: Path, journal: Journal) -> None:
    assert journal.path == path
    with connect(path) as connection:
        assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)
        # 2 is FULL: the log is synced before a commit returns.
        assert connection.execute("PRAGMA synchronous").fetchone() == (2,)
    connection.close()


def test_a_second_controller_is_kept_out(path: Path, journal: Journal) -> None:
    append(journal, 1)
    with pytest.raises(JournalInUse, match="stop that one first"):
        Journal.open(path)
    append(journal, 2)


def test_a_place_that_cannot_be_written_is_one_clear_error(tmp_path: Path) -> None:
    with pytest.raises(JournalError, match=r"No such file or directory.*check that .*gone exists"):
        Journal.open(tmp_path / "gone" / "journal.sqlite3")


def test_a_file_that_the_power_went_in_the_making_of_is_made_anew(path: Path) -> None:
    path.touch()
    with Journal.open(path) as journal:
        append(journal, 1)
    assert audit(path, software=SOFTWARE).whole


def test_a_journal_of_newer_software_is_left_alone(path: Path) -> None:
    with Journal.open(path) as journal:
        append(journal, 1)
    connection = sqlite3.connect(path)
    connection.execute(f"PRAGMA user_version = {SCHEMA_VERSION + 1}")
    connection.close()
    before = path.read_bytes()
    with pytest.raises(JournalTooNew, match="install the newer software again"):
        Journal.open(path)
    with pytest.raises(JournalTooNew):
        audit(path, software=SOFTWARE)
    assert path.read_bytes() == before


@pytest.mark.parametrize("step_ns", [-DAY_NS, 3 * 365 * DAY_NS, -3 * 365 * DAY_NS])
def test_a_leaping_wall_clock_changes_no_order_and_no_age(
    path: Path, journal: Journal, step_ns: int
) -> None:
    stamps = [
        stamp(1, known=False),
        stamp(2, wall_ns=NOON_NS + step_ns, known=True),
        stamp(3, wall_ns=NOON_NS, known=False),
    ]
    for number, moment in enumerate(stamps, start=1):
        journal.append([action(number)], [], [message(number)], round_number=0, stamp=moment)
    assert [(each.number, each.stamp) for each in journal.replay()[1]] == list(
        enumerate(stamps, start=1)
    )
    with journal.outbox() as outbox:
        assert [each.sequence for each in outbox.pending(10)] == [1, 2, 3]
        oldest = outbox.oldest_unsent
    assert oldest is not None
    # Within a boot, age is the monotonic clock's: 9 s, whatever the wall clock did.
    assert stamp(10, wall_ns=NOON_NS + step_ns).seconds_since(oldest) == 9
    assert audit(path, software=SOFTWARE).whole


def test_age_across_a_boot_is_the_wall_clocks_and_never_negative() -> None:
    before = stamp(500, boot="boot-1")
    assert stamp(5, boot="boot-2", wall_ns=NOON_NS + DAY_NS).seconds_since(before) == 86_400 - 495
    assert stamp(5, boot="boot-2").seconds_since(before) == 0


def test_eight_threads_and_a_reader_with_a_snapshot_lose_nothing(path: Path) -> None:
    threads, each = 8, 200
    with Journal.open(path) as journal:
        append(journal, 0)
        snapshot = connect(path)
        snapshot.execute("BEGIN")
        assert snapshot.execute("SELECT count(*) FROM entry").fetchone() == (1,)
        failures: list[Exception] = []

        def settle(thread: int) -> None:
            try:
                for number in range(each):
                    with journal.exclusive:
                        append(journal, thread * each + number)
            except Exception as error:
                failures.append(error)

        running = [threading.Thread(target=settle, args=(number,)) for number in range(threads)]
        for thread in running:
            thread.start()
        for thread in running:
            thread.join(60)
        assert failures == []
        assert snapshot.execute("SELECT count(*) FROM entry").fetchone() == (1,)
        snapshot.close()
        recorded = [entry.fact.code for entry in journal.replay()[1]][1:]  # type: ignore[union-attr]
    assert sorted(recorded) == sorted(f"code-{n}" for n in range(threads * each))
    assert audit(path, software=SOFTWARE).last_message == threads * each + 1


def test_a_commit_by_another_connection_between_a_read_and_a_write_refuses_nothing(
    journal: Journal, path: Path
) -> None:
    for number in range(1, 6):
        append(journal, number)
    _, unread = journal.replay()
    assert next(unread).number == 1
    other = connect(path)
    other.execute("UPDATE delivery SET through = 1")
    other.close()
    append(journal, 6)
    assert [each.number for each in unread] == [2, 3, 4, 5]
    assert journal.next_fact_number == 7


def test_every_configuration_can_be_recalled(path: Path) -> None:
    rules = rules_to_json(TableRules(load_profile("envy"))).decode()
    with Journal.open(path) as journal:
        for number in range(12):
            journal.record_configuration(
                Configuration(f"reserve = {number}", rules, "0.1.0", "0" * 64, by="start"),
                stamp=stamp(number),
            )
            append(journal, number, checkpoint=b"{}" if number == 11 else None)
    with Journal.open(path) as journal:
        texts = [configuration.text for configuration in journal.configurations()]
    assert texts == [f"reserve = {number}" for number in range(11, -1, -1)]


def test_a_new_table_has_no_state_before_it(journal: Journal) -> None:
    checkpoint, recorded = journal.replay()
    assert (checkpoint, list(recorded)) == (None, [])
    assert journal.last_round_number == new_table(TableRules(load_profile("envy"))).round_number
