"""Messages that were unsent when a damaged journal is replaced: sent if proven, else named."""

from __future__ import annotations

import os
import random
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from damage import overwrite, page_of, tampering
from recorded_table import SOFTWARE, RecordedTable, action, message, stamp

from firmware_app.journal import chain, packing
from firmware_app.journal.audit import audit
from firmware_app.journal.errors import JournalError
from firmware_app.journal.mark import mark_path
from firmware_app.journal.reading import open_for_reading
from firmware_app.journal.records import OutgoingMessage
from firmware_app.journal.recovery import replace_damaged
from firmware_app.journal.replacement import Replaced
from firmware_app.journal.store import Journal

DELIVERED = 150
_ALL = 1_000_000


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A closed journal of fourteen rounds, its first 150 messages delivered."""
    table = RecordedTable(tmp_path_factory.mktemp("original") / "journal.sqlite3")
    for number in range(14):
        table.play_round()
        if number % 5 == 4:
            table.tell(action(number), checkpoint=True)
    with table.journal.outbox() as outbox:
        outbox.mark_sent(range(1, DELIVERED + 1))
    table.journal.close()
    return table.journal.path


@pytest.fixture(scope="module")
def told(original: Path) -> dict[int, OutgoingMessage]:
    """Every message of the original, by sequence."""
    with open_for_reading(original) as reader:
        return {
            each.sequence: each
            for entry in reader.forwards()
            for each in packing.messages_of(entry.told, entry.last_message)
        }


@pytest.fixture
def path(original: Path, tmp_path: Path) -> Path:
    """A copy of the original, to be damaged."""
    return Path(shutil.copytree(original.parent, tmp_path / "copy")) / original.name


def entry_of(path: Path, sequence: int) -> int:
    """Return the entry that tells message ``sequence``."""
    with open_for_reading(path) as reader:
        return reader.first_reaching("last_message", sequence)


def zero_page(path: Path, entry: int) -> None:
    overwrite(path, page_of(path, entry), bytes(512))


def replaced(path: Path) -> Replaced:
    return replace_damaged(path, software=SOFTWARE, by="floor supervisor", stamp=stamp(90_000))


def sent(path: Path) -> list[OutgoingMessage]:
    """Deliver everything that a journal has to send; return it in order."""
    found: list[OutgoingMessage] = []
    with Journal.open(path) as journal, journal.outbox() as outbox:
        while page := outbox.pending(7, after=found[-1].sequence if found else None):
            found += page
        assert outbox.unsent_count == len(found)
        for each in found:
            outbox.mark_sent([each.sequence])
        assert outbox.unsent_count == 0
        assert outbox.sent_through == journal.next_sequence - 1
    with Journal.open(path) as journal, journal.outbox() as outbox:
        assert (outbox.pending(1), outbox.unsent_count) == ([], 0)
    return found


def lost_of(result: Replaced) -> set[int]:
    return {number for low, high in result.lost for number in range(low, high + 1)}


def checked(path: Path, result: Replaced, told: dict[int, OutgoingMessage]) -> set[int]:
    """Return the sequences that go on being sent, once nothing is wrong with how they are."""
    assert audit(path, software=SOFTWARE).whole
    with Journal.open(path) as journal:
        journal.append(
            [], [], [message(journal.next_sequence)], round_number=9_999, stamp=stamp(90_001)
        )
    *carried, own = sent(path)
    assert own.sequence == result.next_message > max(told)
    assert carried == [told[each.sequence] for each in carried], "the same id, type and bytes"
    sequences = [each.sequence for each in carried]
    assert sequences == sorted(set(sequences))
    assert len(sequences) == result.carried
    # What is neither sent nor sent before is named, and nothing else is.
    unsent = set(range(DELIVERED + 1, max(told) + 1))
    assert lost_of(result) == unsent - set(sequences)
    assert audit(path, software=SOFTWARE).whole
    return set(sequences)


def test_damage_before_the_unsent_part_costs_none_of_it(
    path: Path, told: dict[int, OutgoingMessage]
) -> None:
    zero_page(path, entry_of(path, DELIVERED // 2))
    result = replaced(path)
    assert checked(path, result, told) == set(range(DELIVERED + 1, max(told) + 1))
    assert result.lost == ()
    assert result.delivery_known


def test_damage_inside_the_unsent_part_costs_what_it_hit_and_no_more(
    path: Path, told: dict[int, OutgoingMessage]
) -> None:
    hit = entry_of(path, 220)
    zero_page(path, hit)
    result = replaced(path)
    carried = checked(path, result, told)
    assert {DELIVERED + 1, max(told)} <= carried
    [(first, last)] = result.lost
    assert first <= 220 <= last
    # A page of 512 bytes holds two or three entries; the one behind cannot be proven without them.
    assert last - first < 20
    count = last - first + 1
    words = f"{count} cannot be read and will not be sent: {first} to {last}"
    assert words in result.messages_text


def test_damage_behind_the_unsent_part_costs_the_end_of_it(
    path: Path, told: dict[int, OutgoingMessage]
) -> None:
    with open_for_reading(path) as reader:
        last_entry = reader.last_number()
    zero_page(path, last_entry)
    result = replaced(path)
    carried = checked(path, result, told)
    assert carried == set(range(DELIVERED + 1, max(carried) + 1))
    [(first, last)] = result.lost
    assert (first, last) == (max(carried) + 1, max(told))


def test_damage_in_two_places_costs_what_lies_between(
    path: Path, told: dict[int, OutgoingMessage]
) -> None:
    # Only a chain without a break reaches from the mark or from the beginning.
    zero_page(path, entry_of(path, 190))
    zero_page(path, entry_of(path, 230))
    result = replaced(path)
    carried = checked(path, result, told)
    [(first, last)] = result.lost
    assert first <= 190
    assert last >= 230
    assert {DELIVERED + 1, max(told)} <= carried


def test_without_a_mark_nothing_behind_the_damage_is_believed(
    path: Path, told: dict[int, OutgoingMessage]
) -> None:
    mark_path(path).unlink()
    zero_page(path, entry_of(path, 220))
    result = replaced(path)
    carried = checked(path, result, told)
    assert max(carried) < 220
    assert result.lost == ((max(carried) + 1, max(told)),)


def test_a_file_that_is_unreadable_or_gone_has_nothing_to_send(
    path: Path, told: dict[int, OutgoingMessage]
) -> None:
    path.write_bytes(bytes(path.stat().st_size))
    result = replaced(path)
    assert (result.carried, result.lost, result.delivery_known) == (0, (), False)
    assert "which ones had been sent before cannot be read" in result.messages_text
    assert sent(path) == []
    path.unlink()
    assert replaced(path).carried == 0


def test_another_journal_in_its_place_sends_nothing(path: Path, tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    other = RecordedTable(tmp_path / "other" / "journal.sqlite3", seed=2)
    for _ in range(20):
        other.play_round()
    other.journal.close()
    shutil.copy(other.journal.path, path)
    assert replaced(path).carried == 0
    assert sent(path) == []


def test_a_message_that_was_changed_with_its_chain_is_not_sent(
    path: Path, told: dict[int, OutgoingMessage]
) -> None:
    number = entry_of(path, 200)
    with open_for_reading(path) as reader:
        before, entry = reader.entry(number - 1), reader.entry(number)
        assert before is not None
        assert entry is not None
    changed = entry.told.replace(b'"round":', b'"raund":')
    assert changed != entry.told
    link = chain.link(
        before.chain,
        number=number,
        kind=entry.kind,
        stamp=entry.stamp,
        round_number=entry.round_number,
        last_fact=entry.last_fact,
        last_message=entry.last_message,
        facts=entry.facts,
        kept=entry.kept,
        told=changed,
    )
    with tampering(path) as connection:
        connection.execute(
            "UPDATE entry SET told = ?, chain = ? WHERE number = ?",
            (packing.pack(changed), link, number),
        )
    result = replaced(path)
    assert 200 in lost_of(result)
    assert 200 not in checked(path, result, told)


def test_how_far_delivery_came_is_not_believed_beyond_the_last_message(
    path: Path, told: dict[int, OutgoingMessage]
) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("UPDATE delivery SET through = 1 << 40")
    result = replaced(path)
    assert not result.delivery_known
    assert [each.sequence for each in sent(path)] == list(range(1, max(told) + 1))


def test_what_was_carried_and_is_still_unsent_is_carried_again(
    path: Path, told: dict[int, OutgoingMessage]
) -> None:
    zero_page(path, entry_of(path, 220))
    once = replaced(path)
    with Journal.open(path) as journal, journal.outbox() as outbox:
        outbox.mark_sent(range(DELIVERED + 1, DELIVERED + 31))
    with Journal.open(path) as journal:
        for number in range(40):
            journal.append(
                [action(number)],
                [],
                [message(journal.next_sequence)],
                round_number=9_999,
                stamp=stamp(90_001 + number),
            )
    zero_page(path, entry_of(path, once.next_message + 20))
    again = replaced(path)
    # What was lost before is not lost once more, nor are numbers that never had a message.
    assert all(low >= once.next_message for low, _ in again.lost)
    went_out = sent(path)
    carried = {each.sequence: each for each in went_out if each.sequence < once.next_message}
    expected = set(range(DELIVERED + 31, max(told) + 1)) - lost_of(once)
    assert carried == {sequence: told[sequence] for sequence in expected}
    assert again.next_message > once.next_message + 40
    assert audit(path, software=SOFTWARE).whole


def test_what_was_carried_can_be_sent_again(path: Path, told: dict[int, OutgoingMessage]) -> None:
    zero_page(path, entry_of(path, 220))
    result = replaced(path)
    sent(path)
    lost = lost_of(result)
    with Journal.open(path) as journal, journal.outbox() as outbox:
        with pytest.raises(JournalError, match=f"kept are {DELIVERED + 1} to"):
            outbox.resend(DELIVERED)
        for start in (DELIVERED + 1, 200, min(lost), max(lost), max(told)):
            outbox.resend(start)
            expected = [each for each in range(start, max(told) + 1) if each not in lost]
            assert [each.sequence for each in outbox.pending(_ALL)] == expected
            assert outbox.unsent_count == len(expected)


def some_damage(path: Path, chance: random.Random) -> None:
    """Flip a bit, blank or garble a page, or cut the end off; anywhere."""
    size = path.stat().st_size
    at = chance.randrange(size)
    match chance.randrange(4):
        case 0:
            overwrite(path, at, bytes([path.read_bytes()[at] ^ 1 << chance.randrange(8)]))
        case 1:
            overwrite(path, at // 512 * 512, bytes(512))
        case 2:
            overwrite(path, at // 512 * 512, chance.randbytes(512))
        case 3:
            with path.open("r+b") as file:
                file.truncate(max(512, at))


def test_whatever_the_damage_what_is_sent_is_what_was_recorded(
    path: Path, original: Path, told: dict[int, OutgoingMessage]
) -> None:
    found_whole = 0
    for seed in range(60):
        chance = random.Random(seed)
        for file in path.parent.iterdir():
            file.unlink()
        for file in original.parent.iterdir():
            shutil.copy(file, path.parent)
        for _ in range(chance.choice((1, 1, 2))):
            some_damage(path, chance)
        if chance.random() < 0.3:
            mark_path(path).unlink()
        try:
            result = replaced(path)
        except JournalError as refused:
            assert "is whole" in str(refused), seed
            found_whole += 1
            continue
        for each in sent(path):
            assert each == told[each.sequence], seed
        assert result.next_message > max(told), seed
    assert found_whole < 20


class Cut(BaseException):
    """The power goes."""


@pytest.mark.parametrize("renamed", range(4))
def test_a_replacing_that_the_power_cut_is_finished_without_losing_a_message(
    path: Path, told: dict[int, OutgoingMessage], renamed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    zero_page(path, entry_of(path, 220))
    with sqlite3.connect(path) as reading:
        # Its log is not brought in: what lies beside the file has to go with it.
        reading.execute("SELECT count(*) FROM delivery").fetchone()
    (path.parent / (path.name + "-wal")).touch()
    rename, count = os.rename, 0

    def rename_until_the_cut(source: Any, target: Any) -> None:
        nonlocal count
        if count == renamed:
            raise Cut
        count += 1
        rename(source, target)

    with monkeypatch.context() as patched, pytest.raises(Cut):
        patched.setattr(os, "rename", rename_until_the_cut)
        replaced(path)
    result = replaced(path)
    assert {DELIVERED + 1, max(told)} <= checked(path, result, told)
    names = {file.name for file in path.parent.iterdir()}
    assert result.set_aside.name in names
    assert not {name for name in names if name.endswith(".new")}
