"""The outbox: in order, the same bytes each time, and nothing forgotten."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from recorded_table import action, message, stamp

from firmware_app.journal.errors import JournalError
from firmware_app.journal.outbox import SAVED_EVERY, Outbox
from firmware_app.journal.store import Journal


def record(journal: Journal, *counts: int) -> None:
    """Append one entry for each count, with that many messages."""
    for count in counts:
        first = journal.next_sequence
        journal.append(
            [action(first)],
            [],
            [message(first + number, text=f"text {first + number}") for number in range(count)],
            round_number=0,
            stamp=stamp(first),
        )


@pytest.fixture
def outbox(journal: Journal) -> Iterator[Outbox]:
    record(journal, 1, 3, 0, 2, 1, 4)
    with journal.outbox() as opened:
        yield opened


def sequences(outbox: Outbox, limit: int = 100, after: int | None = None) -> list[int]:
    return [each.sequence for each in outbox.pending(limit, after=after)]


def test_messages_come_in_order_and_as_they_were_recorded(outbox: Outbox) -> None:
    assert outbox.pending(100) == [message(n, text=f"text {n}") for n in range(1, 12)]


@pytest.mark.parametrize("limit", [1, 2, 3, 4, 5, 11, 12])
def test_a_backlog_is_read_in_pages_without_a_gap_or_a_repeat(outbox: Outbox, limit: int) -> None:
    found: list[int] = []
    while page := sequences(outbox, limit, after=found[-1] if found else None):
        assert len(page) <= limit
        found += page
    assert found == list(range(1, 12))


@pytest.mark.parametrize("after", range(13))
def test_reading_goes_on_behind_any_message(outbox: Outbox, after: int) -> None:
    assert sequences(outbox, after=after) == list(range(after + 1, 12))
    assert sequences(outbox, 2, after=after) == list(range(after + 1, 12))[:2]


def test_what_is_acknowledged_is_not_handed_out_again(outbox: Outbox) -> None:
    outbox.mark_sent([2, 5])
    assert sequences(outbox) == [1, 3, 4, 6, 7, 8, 9, 10, 11]
    assert (outbox.unsent_count, outbox.sent_through) == (9, 0)
    outbox.mark_sent([1, 3])
    assert sequences(outbox) == [4, 6, 7, 8, 9, 10, 11]
    assert (outbox.unsent_count, outbox.sent_through) == (7, 3)


def test_acknowledging_twice_or_late_changes_nothing(outbox: Outbox) -> None:
    outbox.mark_sent([1, 2, 3])
    outbox.mark_sent([2])
    outbox.mark_sent([])
    assert (outbox.unsent_count, outbox.sent_through) == (8, 3)


def test_new_messages_are_seen_while_the_outbox_is_open(outbox: Outbox, journal: Journal) -> None:
    outbox.mark_sent(range(1, 12))
    assert sequences(outbox) == []
    record(journal, 2)
    assert sequences(outbox) == [12, 13]
    assert outbox.unsent_count == 2


def test_a_crash_loses_at_most_acknowledgements_and_the_same_bytes_go_again(
    journal: Journal, path: Path
) -> None:
    record(journal, 1, 2, 3)
    with journal.outbox() as before:
        first = before.pending(100)
        before.mark_sent([1, 2, 5])
    with Outbox(path) as after:
        # Of 5 only memory knew: it is sent again, the same bytes.
        assert after.pending(100) == [each for each in first if each.sequence > 2]


def test_many_acknowledgements_are_saved_without_being_asked_for(
    journal: Journal, path: Path
) -> None:
    record(journal, *[10] * (SAVED_EVERY // 10 + 1))
    with journal.outbox() as outbox:
        outbox.mark_sent(range(1, SAVED_EVERY))
        with Outbox(path) as after_a_crash:
            assert after_a_crash.sent_through == 0
        outbox.mark_sent([SAVED_EVERY])
        with Outbox(path) as after_a_crash:
            assert after_a_crash.sent_through == SAVED_EVERY


def test_the_oldest_unsent_is_when_it_was_recorded(outbox: Outbox, journal: Journal) -> None:
    outbox.mark_sent([1, 2])
    assert outbox.oldest_unsent == stamp(2)  # the entry of messages 2 to 4
    outbox.mark_sent(range(3, 12))
    assert outbox.oldest_unsent is None


def test_an_empty_journal_has_nothing_to_send(journal: Journal) -> None:
    with journal.outbox() as outbox:
        assert outbox.pending(10) == []
        assert (outbox.unsent_count, outbox.oldest_unsent) == (0, None)


def test_a_consumer_that_lost_data_gets_it_again(outbox: Outbox, path: Path) -> None:
    before = outbox.pending(100)
    outbox.mark_sent(range(1, 12))
    outbox.resend(4)
    assert outbox.pending(100) == before[3:]
    with Outbox(path) as after_a_restart:
        assert after_a_restart.pending(100) == before[3:]


@pytest.mark.parametrize("sequence", [-1, 0, 12])
def test_a_resend_of_what_there_is_not_is_refused(outbox: Outbox, sequence: int) -> None:
    with pytest.raises(JournalError, match="kept are 1 to 11"):
        outbox.resend(sequence)


def test_the_writer_of_facts_never_waits_for_an_acknowledgement(
    journal: Journal, path: Path
) -> None:
    record(journal, 3)
    with journal.outbox() as outbox:
        outbox.mark_sent([1])
        record(journal, 3)
        outbox.mark_sent([2])
        assert sequences(outbox) == [3, 4, 5, 6]


def test_a_place_that_cannot_be_saved_is_reported_kept_in_mind_and_saved_later(
    outbox: Outbox, path: Path
) -> None:
    blocker = sqlite3.connect(path, isolation_level=None)
    blocker.execute(
        "CREATE TRIGGER full_card BEFORE UPDATE ON delivery BEGIN SELECT RAISE(ABORT, 'no'); END"
    )
    outbox.mark_sent([1, 2])
    with pytest.raises(JournalError, match="delivery is not saved"):
        outbox.flush()
    assert sequences(outbox, 1) == [3]
    blocker.execute("DROP TRIGGER full_card")
    blocker.close()
    outbox.flush()
    with Outbox(path) as after_a_restart:
        assert after_a_restart.sent_through == 2


def test_a_damaged_message_is_an_error_that_names_the_journal(journal: Journal, path: Path) -> None:
    record(journal, 1)
    with journal.outbox() as outbox:
        connection = sqlite3.connect(path, isolation_level=None)
        connection.execute("DROP TRIGGER entry_is_never_changed")
        connection.execute("UPDATE entry SET told = x'ff00'")
        connection.close()
        with pytest.raises(JournalError, match=r"journal\.sqlite3: messages cannot be read"):
            outbox.pending(10)


@settings(deadline=None, max_examples=50)
@given(st.lists(st.integers(0, 4), max_size=12), st.randoms(use_true_random=False))
def test_whatever_the_order_of_acknowledgements_each_message_is_sent_until_then(
    tmp_path_factory: pytest.TempPathFactory,
    counts: list[int],
    chance: st.Random,  # type: ignore[name-defined]
) -> None:
    path = tmp_path_factory.mktemp("outbox") / "journal.sqlite3"
    with Journal.open(path) as journal:
        record(journal, *counts)
        open_sequences = set(range(1, sum(counts) + 1))
        outbox = journal.outbox()
        while open_sequences:
            assert sequences(outbox) == sorted(open_sequences)
            assert outbox.unsent_count == len(open_sequences)
            some = set(chance.sample(sorted(open_sequences), min(3, len(open_sequences))))
            outbox.mark_sent(some)
            open_sequences -= some
        assert outbox.pending(10) == []
        outbox.close()
