"""Old entries move into archives, and nothing is lost, changed or told otherwise by it."""

from __future__ import annotations

import random
import sqlite3
from contextlib import closing
from itertools import islice
from pathlib import Path
from typing import Any

import pytest
from aged_table import (
    DAY_S,
    AgedTable,
    archive,
    archiver,
    archives,
    at_day,
    audited,
    whole_history,
)
from recorded_table import SOFTWARE, action, stamp

from firmware_app.journal import archiving
from firmware_app.journal.archiving import Archiver
from firmware_app.journal.audit import audit
from firmware_app.journal.changes import last_changes
from firmware_app.journal.errors import JournalError, StorageFull
from firmware_app.journal.head import load_head
from firmware_app.journal.history import archive_folder, open_history
from firmware_app.journal.reading import open_for_reading
from firmware_app.journal.recall import RECALLED_ROUNDS, Recall, recall
from firmware_app.journal.records import Configuration
from firmware_app.journal.round_replay import replay_round
from firmware_app.journal.store import Journal
from firmware_app.table import facts


@pytest.fixture
def aged(path: Path) -> AgedTable:
    """Two rounds a day for 130 days, all of them delivered."""
    table = AgedTable(path)
    table.play_days(130)
    table.deliver()
    return table


@pytest.fixture
def few_rounds(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a journal do with fewer rounds at hand, so that a short one has something to archive."""
    monkeypatch.setattr(archiving, "RECALLED_ROUNDS", 3)


def live_entries(path: Path) -> list[int]:
    """Return the first and the last number of what lies in the file, archived or not."""
    with closing(sqlite3.connect(path)) as connection:
        return list(connection.execute("SELECT min(number), max(number) FROM entry").fetchone())


# --- what is archived, and what is not -------------------------------------------------------


def test_entries_of_more_than_the_days_to_keep_leave_the_journal(aged: AgedTable) -> None:
    path = aged.journal.path
    archive(aged)
    with open_for_reading(path) as reader:
        first = reader.entry(reader.first_number())
        assert first is not None
    age_days = at_day(aged.day).seconds_since(first.stamp) / 86_400
    assert live_entries(path)[0] == first.number > 1
    # An archive is made once it can hold a week, up to the next checkpoint.
    assert 90 - 1 <= age_days <= 90 + 7 + 3
    assert archives(path)[0].name.startswith("journal-000000001-")
    assert audited(path).whole


def test_the_last_rounds_stay_however_old_they_are(aged: AgedTable) -> None:
    aged.second += 3_000 * 86_400
    archive(aged)
    rounds = aged.journal.rounds().rounds
    assert len(rounds) == RECALLED_ROUNDS
    assert rounds[0].number == 260
    assert rounds[-1].told("round-opened") is not None


def test_what_the_broker_does_not_have_stays(path: Path, few_rounds: None) -> None:
    table = AgedTable(path)
    table.play_days(60, rounds_a_day=1)
    with table.journal.outbox() as outbox:
        outbox.mark_sent(range(1, 401))
    table.second += 300 * 86_400
    archive(table)
    with table.journal.outbox() as outbox:
        assert outbox.pending(1)[0].sequence == 401
        assert outbox.unsent_count == table.journal.next_sequence - 401
    with open_for_reading(path) as reader:
        assert 1 < reader.first_message() <= 401


def test_messages_can_be_sent_again_from_the_first_that_is_kept(aged: AgedTable) -> None:
    archive(aged)
    with open_for_reading(aged.journal.path) as reader:
        first = reader.first_message()
    with aged.journal.outbox() as outbox:
        with pytest.raises(JournalError, match=f"kept are {first} to"):
            outbox.resend(first - 1)
        outbox.resend(first)
        assert [each.sequence for each in outbox.pending(3)] == [first, first + 1, first + 2]


def test_nothing_is_archived_while_the_clock_is_not_set(aged: AgedTable) -> None:
    assert list(archiver(aged.journal, 900.0, known=False).steps()) == []
    assert archives(aged.journal.path) == []


def test_an_age_that_an_unset_clock_stamped_is_not_believed(path: Path, few_rounds: None) -> None:
    # The clock stood years back at power-up, and was set only on the tenth day.
    table = AgedTable(path)
    now, table.now = table.now, lambda: _years_back(now())  # type: ignore[method-assign]
    table.play_days(10)
    table.now = now  # type: ignore[method-assign]
    table.play_days(20)
    table.deliver()
    archive(table)
    assert archives(path) == [], "all of it is thirty days old at the most"
    table.second += 95 * 86_400
    archive(table)
    assert len(archives(path)) > 1
    assert audited(path).whole


def _years_back(moment: Any) -> Any:
    return stamp(0, wall_ns=moment.wall_utc_ns - 5 * 365 * 86_400 * 10**9, known=False)


def test_a_journal_that_is_young_is_left_alone(path: Path) -> None:
    table = AgedTable(path)
    table.play_days(60)
    table.deliver()
    before = path.read_bytes()
    assert archive(table) == 0
    assert path.read_bytes() == before
    assert not archive_folder(path).exists()


def test_a_card_that_is_almost_full_is_not_filled_with_archives(aged: AgedTable) -> None:
    full = Archiver(
        aged.journal, keep_days=90, reserve_bytes=1 << 60, stamp=lambda: at_day(aged.day)
    )
    with pytest.raises(StorageFull, match="carry archives away"):
        list(full.steps())
    assert list(archive_folder(aged.journal.path).iterdir()) == []
    assert audited(aged.journal.path).whole


def test_the_file_uses_its_room_again(path: Path, few_rounds: None) -> None:
    table = AgedTable(path)
    table.play_days(110)
    sizes = []
    for _ in range(12):
        table.play_days(14)
        table.deliver()
        archive(table)
        sizes.append(path.stat().st_size)
    # From the third archiving on nothing is added, whatever is played.
    assert max(sizes) == sizes[2]
    assert sum(file.stat().st_size for file in archives(path)) > sizes[0]


# --- the twin: the same table, never archived ------------------------------------------------


def seen(path: Path) -> dict[str, Any]:
    """Return what a user sees of a journal, without the numbers of its entries."""
    found: dict[str, Any] = whole_history(path)
    with open_history(path) as reader:
        head = load_head(reader)
        found["meters"] = (head.meters.lifetime, head.meters.shift)
        found["rounds"] = _without_entries(recall(reader, limit=10_000))
        found["replays"] = [
            (replay.rules, [each.fact for each in replay.facts], replay.settlement)
            for number in range(1, head.round_number, 7)
            for replay in [replay_round(reader, number)]
        ]
    with open_for_reading(path) as reader:
        found["live meters"] = load_head(reader).meters
        found["last rounds"] = _without_entries(recall(reader, limit=3))
        found["changes"] = [
            (each.time, each.software, each.changed) for each in last_changes(reader)
        ]
    found["replayed"] = audited(path).facts_replayed
    return found


def _without_entries(recalled: Recall) -> list[Any]:
    assert recalled.fault is None
    return [
        (each.number, [(event.stamp, event.type, event.data) for event in each.events])
        for each in recalled.rounds
    ]


class Twin:
    """Two tables that are played alike; one of them is archived now and then."""

    def __init__(self, folder: Path) -> None:
        self.plain = AgedTable(folder / "plain.sqlite3")
        self.archived = AgedTable(folder / "journal.sqlite3")

    def do(self, what: str, chance: random.Random) -> None:
        if what == "archive":
            # To the end, or broken off anywhere.
            steps = archiver(self.archived.journal, self.archived.day, keep_days=20).steps()
            for _ in islice(steps, chance.choice((3, 10, 40, 10_000))):
                pass
            steps.close()
            return
        days, by = chance.randint(5, 15), f"change {chance.random()}"
        for table in (self.plain, self.archived):
            match what:
                case "play":
                    table.play_days(days, rounds_a_day=1)
                case "wait":
                    table.second += 40 * DAY_S
                    table.play_checked_round()
                case "void":
                    table.void_round()
                case "shift":
                    table.journal.close_shift(by=by, stamp=table.now())
                case "deliver":
                    table.deliver()
                case "restart":
                    table.journal.close()
                    table.journal = Journal.open(table.journal.path)
                    table.tell(facts.PowerReturned(software=SOFTWARE, configuration="c"))
                    table.tell(facts.Advanced())
                case "configure":
                    before = next(table.journal.configurations())
                    now = Configuration(
                        text=by,
                        rules=before.rules,
                        software=before.software,
                        software_digest=before.software_digest,
                        by="start",
                    )
                    table.journal.record_configuration(now, stamp=table.now())

    def close(self) -> None:
        self.plain.journal.close()
        self.archived.journal.close()


DOINGS = ("play", "play", "play", "void", "shift", "deliver", "restart", "configure", "archive")


@pytest.mark.parametrize("seed", range(5))
def test_archived_at_any_moment_a_journal_tells_what_its_twin_tells(
    seed: int, tmp_path: Path, few_rounds: None
) -> None:
    chance = random.Random(seed)
    twin = Twin(tmp_path)
    for what in ["play", "play", *chance.choices(DOINGS, k=16), "deliver", "wait", "archive"]:
        twin.do(what, chance)
    state, expected = twin.archived.journal.replay()[0], twin.plain.journal.replay()[0]
    assert state == expected
    twin.close()
    assert seen(twin.archived.journal.path) == seen(twin.plain.journal.path)
    assert archives(twin.archived.journal.path)
    found = audited(twin.archived.journal.path)
    assert (found.whole, found.first_entry, found.notes) == (True, 1, ())
    alone = audit(twin.archived.journal.path, software=SOFTWARE)
    assert alone.fault is None
    with Journal.open(twin.archived.journal.path) as journal:
        assert journal.meters == twin.plain.journal.meters
        journal.append([action(1)], [], [], round_number=0, stamp=stamp(10**9))
