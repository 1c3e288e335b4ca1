"""What the audit finds, and that it names the first entry that cannot be trusted."""

from __future__ import annotations

import json
import shutil
import sqlite3
import zlib
from contextlib import closing
from pathlib import Path

import pytest
from damage import overwrite, page_of, tampering
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from recorded_table import SOFTWARE, RecordedTable, action, stamp

from firmware_app.journal import chain, packing
from firmware_app.journal.audit import Audit, audit
from firmware_app.journal.errors import JournalDamaged, JournalError
from firmware_app.journal.mark import mark_path
from firmware_app.journal.reading import open_for_reading
from firmware_app.journal.store import Journal
from firmware_app.table import facts


def audited(path: Path) -> Audit:
    return audit(path, software=SOFTWARE)


@pytest.fixture
def played(table: RecordedTable, path: Path) -> Path:
    """A closed journal of a dozen rounds, one of them void, with a checkpoint."""
    for number in range(12):
        if number == 5:
            table.void_round()
        else:
            table.play_round()
        if number == 8:
            table.tell(action(number), checkpoint=True)
    table.journal.close_shift(by="floor", stamp=table.now())
    table.play_round()
    table.journal.close()
    return path


def test_a_whole_journal_is_proven_to_its_last_entry(played: Path) -> None:
    found = audited(played)
    assert found.whole
    assert (found.bad_entry, found.fault, found.notes) == (None, None, ())
    with closing(sqlite3.connect(played)) as connection:
        entries, facts_told, messages = connection.execute(
            "SELECT count(*), max(last_fact), max(last_message) FROM entry"
        ).fetchone()
    assert (found.entries, found.last_fact, found.last_message) == (entries, facts_told, messages)
    assert found.facts_replayed == found.last_fact
    assert found.last_round == 13


def test_an_audit_alters_nothing_and_leaves_nothing_behind(played: Path) -> None:
    before = {file.name: file.read_bytes() for file in played.parent.iterdir()}
    assert audited(played).whole
    assert {file.name: file.read_bytes() for file in played.parent.iterdir()} == before


def test_a_journal_in_use_can_be_audited(table: RecordedTable, path: Path) -> None:
    table.play_round()
    assert audited(path).whole
    table.play_round()
    assert audited(path).last_round == 2


def test_a_copy_without_its_mark_is_proven_but_for_its_end(played: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy.sqlite3"
    shutil.copy(played, copy)
    found = audited(copy)
    assert found.whole
    assert found.notes == (
        "no mark beside the journal: whether entries are missing at its end is unknown",
    )


@pytest.mark.parametrize(
    ("column", "value"),
    [
        ("wall_utc_ns", "wall_utc_ns + 1"),
        ("mono_ns", "mono_ns + 1"),
        ("synchronised", "0"),
        ("round", "round + 1"),
        ("last_fact", "last_fact + 1"),
        ("last_message", "last_message + 1"),
        ("kind", "'shift'"),
        ("facts", "replace(facts, 'hand-read', 'hand-raed')"),
        ("kept", "x'00'"),
        ("told", "x'ff'"),
        ("told", "NULL"),
        ("chain", "zeroblob(32)"),
    ],
)
def test_a_changed_value_is_named(played: Path, column: str, value: str) -> None:
    with closing(sqlite3.connect(played)) as connection:
        (number,) = connection.execute(
            "SELECT number FROM entry WHERE facts LIKE '%hand-read%' AND round = 7"
        ).fetchone()
    with tampering(played) as connection:
        connection.execute(f"UPDATE entry SET {column} = {value} WHERE number = ?", (number,))
    found = audited(played)
    assert found.bad_entry == number
    assert found.last_entry == number - 1


def test_another_boot_id_is_named(played: Path) -> None:
    with tampering(played) as connection:
        connection.execute("UPDATE entry SET boot_id = 'boot-9' WHERE number = 1")
    assert audited(played).bad_entry == 1


@pytest.mark.parametrize("number", [1, 40, 77])
def test_a_deleted_entry_is_named(played: Path, number: int) -> None:
    with tampering(played) as connection:
        connection.execute("DELETE FROM entry WHERE number = ?", (number,))
    found = audited(played)
    assert found.bad_entry == number
    assert found.fault is not None
    assert "missing" in found.fault


def test_entries_deleted_at_the_end_are_missed(played: Path) -> None:
    last = audited(played).last_entry
    with tampering(played) as connection:
        connection.execute("DELETE FROM entry WHERE number > ?", (last - 3,))
    found = audited(played)
    assert found.bad_entry == last - 2
    assert found.fault is not None
    assert f"everything up to entry {last}" in found.fault


def test_an_older_copy_put_back_is_noticed(
    table: RecordedTable, path: Path, tmp_path: Path
) -> None:
    table.play_round()
    table.journal.close()
    older = tmp_path / "older"
    shutil.copy(path, older)
    with Journal.open(path) as journal:
        journal.append([action(1)], [], [], round_number=1, stamp=stamp(900))
    shutil.copy(older, path)
    assert audited(path).fault is not None
    with pytest.raises(JournalDamaged, match="older copy"):
        Journal.open(path)


def test_another_journal_put_in_its_place_is_noticed(played: Path, tmp_path: Path) -> None:
    other = RecordedTable(tmp_path / "other.sqlite3", seed=2)
    while other.second < 300:
        other.play_round()
    other.journal.close()
    shutil.copy(other.journal.path, played)
    found = audited(played)
    assert found.fault is not None
    assert "not the one that the mark" in found.fault


def test_a_zeroed_page_is_named(played: Path) -> None:
    number = 60
    overwrite(played, page_of(played, number), bytes(512))
    found = audited(played)
    assert found.bad_entry is not None
    # A page may hold the entry before it too.
    assert number - 2 <= found.bad_entry <= number
    with pytest.raises(JournalDamaged, match="--accept-new-journal"):
        Journal.open(played)


def test_a_zeroed_first_page_is_no_journal(played: Path) -> None:
    overwrite(played, 0, bytes(512))
    found = audited(played)
    assert not found.whole
    assert found.fault is not None
    assert "not a database" in found.fault
    with pytest.raises(JournalDamaged, match="not a database"):
        Journal.open(played)


def test_a_truncated_file_is_found(played: Path) -> None:
    with played.open("r+b") as file:
        file.truncate(played.stat().st_size * 2 // 3)
    assert not audited(played).whole
    with pytest.raises(JournalDamaged):
        Journal.open(played)


def test_an_empty_file_in_place_of_a_journal_is_found(played: Path) -> None:
    played.write_bytes(b"")
    assert not audited(played).whole
    with pytest.raises(JournalDamaged):
        Journal.open(played)


def test_guards_taken_away_are_noticed(played: Path) -> None:
    with closing(sqlite3.connect(played)) as connection:
        connection.execute("DROP TRIGGER entry_is_never_deleted")
    found = audited(played)
    assert found.fault is not None
    assert "triggers that keep entries unchanged" in found.fault


def test_a_delivery_beyond_the_last_message_is_noticed(played: Path) -> None:
    with closing(sqlite3.connect(played, isolation_level=None)) as connection:
        connection.execute("UPDATE delivery SET through = 100000")
    found = audited(played)
    assert found.fault is not None
    assert "message 100000 counts as delivered" in found.fault


def rechained(path: Path, number: int, **changes: object) -> None:
    """Change an entry and forge every link from there on, as one who knows the format could."""
    with open_for_reading(path) as reader:
        entries = list(reader.forwards(after=number - 1))
        before = reader.entry(number - 1)
    assert before is not None
    link = before.chain
    with tampering(path) as connection:
        for entry in entries:
            fields = {
                "round_number": entry.round_number,
                "last_fact": entry.last_fact,
                "last_message": entry.last_message,
                "facts": entry.facts,
                "kept": entry.kept,
                "told": entry.told,
            }
            if entry.number == number:
                fields.update(changes)
            link = chain.link(
                link,
                number=entry.number,
                kind=entry.kind,
                stamp=entry.stamp,
                **fields,  # type: ignore[arg-type]
            )
            connection.execute(
                "UPDATE entry SET chain = ?, facts = ?, kept = ? WHERE number = ?",
                (link, fields["facts"].decode(), packing.pack(fields["kept"]), entry.number),  # type: ignore[attr-defined,arg-type]
            )
    mark_path(path).unlink()


def kept_entry(path: Path, name: str) -> tuple[int, dict[str, object]]:
    with open_for_reading(path) as reader:
        return next(
            (entry.number, entry.kept_values())
            for entry in reader.forwards(after=50)
            if name in entry.kept_values()
        )


def test_changed_meters_are_found_even_with_the_chain_forged(played: Path) -> None:
    number, kept = kept_entry(played, "meters")
    kept["meters"]["lifetime"]["rounds.settled"] += 1  # type: ignore[index]
    rechained(played, number, kept=packing.kept_bytes(**kept))
    found = audited(played)
    assert found.bad_entry == number
    assert found.fault is not None
    assert "not the sum" in found.fault


def test_a_changed_movement_is_found_even_with_the_chain_forged(played: Path) -> None:
    number, kept = kept_entry(played, "movement")
    kept["movement"]["spot.1.fortune.paid_cents"] = 7  # type: ignore[index]
    rechained(played, number, kept=packing.kept_bytes(**kept))
    found = audited(played)
    assert found.bad_entry == number
    assert found.fault is not None
    assert "meters" in found.fault


def test_a_changed_fact_is_found_by_its_replay_even_with_the_chain_forged(played: Path) -> None:
    with open_for_reading(played) as reader:
        number, lines = next(
            (entry.number, entry.facts)
            for entry in reader.forwards(after=70)
            if b'"fortune","cents":1000' in entry.facts
        )
    rechained(played, number, facts=lines.replace(b"1000", b"2500"))
    found = audited(played)
    assert found.bad_entry == number
    assert found.fault is not None
    assert "replay" in found.fault


def test_a_mark_with_other_meters_is_found(played: Path) -> None:
    mark = mark_path(played)
    body = json.loads(mark.read_text().partition(" ")[2])
    body["lifetime"]["rounds.settled"] += 1
    with_crc = json.dumps(body, separators=(",", ":")).encode()
    mark.write_bytes(b"%08x %b\n" % (zlib.crc32(with_crc), with_crc))
    found = audited(played)
    assert found.fault is not None
    assert "the mark beside the journal has other meters" in found.fault


def test_facts_of_other_software_are_stepped_over_up_to_the_next_checkpoint(
    table: RecordedTable, path: Path
) -> None:
    table.play_round()
    table.tell(facts.PowerReturned(software="0.0.9", configuration="c"))
    table.play_round()
    table.tell(facts.PowerReturned(software=SOFTWARE, configuration="c"), checkpoint=True)
    before = table.journal.next_fact_number
    table.play_round()
    after = table.journal.next_fact_number
    found = audited(path)
    assert found.whole
    # The first start and round, and the last round: what stands between is not ours to judge.
    assert found.facts_replayed == 13 + (after - before)
    assert "facts are not replayed" in found.notes[0]


@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(st.data())
def test_no_flipped_bit_passes_for_a_whole_journal_with_other_contents(
    played: Path, data: st.DataObject
) -> None:
    original = played.read_bytes()
    with open_for_reading(played) as reader:
        entries = list(reader.forwards())
    at = data.draw(st.integers(0, len(original) - 1))
    bit = data.draw(st.integers(0, 7))
    try:
        overwrite(played, at, bytes([original[at] ^ 1 << bit]))
        try:
            found = audited(played)
        except JournalError:
            return  # refused as a whole
        if found.whole:
            # An unused byte of a page: nothing that is read has changed.
            with open_for_reading(played) as reader:
                assert list(reader.forwards()) == entries
    finally:
        played.write_bytes(original)
