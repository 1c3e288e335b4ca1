"""Recall of the last rounds, also of the one in play and of a damaged file."""

from __future__ import annotations

from pathlib import Path

from damage import overwrite, page_of
from recorded_table import RecordedTable

from firmware_app.journal.reading import open_for_reading
from firmware_app.journal.recall import recall
from firmware_app.table import facts

QUADS = "QS QH QD QC JK 4D 9H"


def test_the_last_hundred_rounds_are_recalled_newest_first(table: RecordedTable) -> None:
    for _ in range(104):
        table.void_round()
    recalled = table.journal.rounds()
    assert recalled.fault is None
    # Voided rounds are followed by an open one: the 105th, which counts among the hundred.
    assert [each.number for each in recalled.rounds] == list(range(105, 5, -1))
    assert [each.outcome for each in recalled.rounds] == ["unfinished"] + ["voided"] * 99


def test_a_settled_round_tells_bets_hands_and_payments(table: RecordedTable) -> None:
    table.play_round({1: 5_00, 3: 10_00}, {1: QUADS})
    table.play_round()
    second, first = table.journal.rounds().rounds
    assert (second.number, first.number) == (2, 1)
    told = first.as_json()
    assert (told["round"], told["outcome"], told["profile"]) == (1, "settled", "envy")
    assert told["locked"]["spots"][0]["fortune_cents"] == 5_00
    spot = told["settled"]["spots"][0]
    assert spot["cards"] == QUADS.split()
    assert (spot["line"], spot["fortune"]["paid_cents"]) == ("four_of_a_kind", 125_00)
    payouts = [event["data"] for event in told["events"] if event["type"] == "payout"]
    assert {payout["spot"]: payout["owed_cents"] for payout in payouts}[1] == 125_00
    assert told["opened"] < told["ended"]


def test_the_round_in_play_is_recalled_without_its_hands(table: RecordedTable) -> None:
    table.play_round()
    table.bet(1, 25_00)
    table.deal({1: QUADS})
    (current,) = table.journal.rounds(1).rounds
    assert (current.number, current.outcome) == (2, "unfinished")
    assert current.told("round-locked") is not None
    assert current.ended is None
    text = str(current.as_json())
    assert "hand-received" in text
    assert not any(f"'{card}'" in text for card in QUADS.split())


def test_a_void_round_tells_why(table: RecordedTable) -> None:
    table.void_round()
    first = table.journal.rounds().rounds[-1]
    assert first.outcome == "voided"
    told = first.told("round-voided")
    assert told is not None
    assert told["reason"] == "cards fell to the floor"


def test_an_older_round_is_found_by_its_number(table: RecordedTable, path: Path) -> None:
    for _ in range(30):
        table.play_round()
    with open_for_reading(path) as reader:
        found = recall(reader, limit=2, newest=7)
        assert [each.number for each in found.rounds] == [7, 6]
        everything = {each.number: each for each in recall(reader).rounds}
        assert found.rounds == (everything[7], everything[6])


def test_no_round_yet_is_no_round(table: RecordedTable) -> None:
    assert table.journal.rounds().rounds == ()


def test_a_damaged_journal_gives_what_can_be_read(table: RecordedTable, path: Path) -> None:
    for _ in range(8):
        table.play_round()
    table.journal.close()
    overwrite(path, page_of(path, 45), bytes(512))
    with open_for_reading(path) as reader:
        found = recall(reader)
    assert found.fault is not None
    assert [each.number for each in found.rounds][:3] == [8, 7, 6]


def test_a_round_and_the_next_in_one_entry_are_told_apart(table: RecordedTable) -> None:
    table.bet(1, 5_00)
    table.tell(facts.DealStarted(first_spot=1))
    table.tell(facts.Voided(reason="misdeal"), facts.Advanced())
    second, first = table.journal.rounds().rounds
    assert (first.outcome, second.outcome) == ("voided", "unfinished")
    assert second.events[0].type == "round-opened"
