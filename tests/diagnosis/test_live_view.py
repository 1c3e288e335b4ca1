"""What a technician sees on a terminal of 80 by 24."""

from __future__ import annotations

import io

from rich.console import Console

from firmware_app.diagnosis.live_view import screen
from firmware_app.diagnosis.observed import SerialText
from firmware_app.diagnosis.record import Record
from hw.reader.statistics import ReaderCounters, ReaderStatistics
from hw.settings import PanelSettings
from hw.signals import Edge, LevelChanged, LineStuck, ReaderAlarm

S = 1_000_000_000
STATISTICS = ReaderStatistics.of(ReaderCounters(sentences=12), status="up", silence_ms=100)
SETTINGS = PanelSettings()


def empty() -> Record:
    return Record.of([line.name for line in SETTINGS.inputs], SETTINGS.lamps)


def drawn(record: Record, now_ns: int, notes: tuple[str, ...] = ()) -> list[str]:
    paper = io.StringIO()
    Console(file=paper, width=80, no_color=True).print(screen(record, STATISTICS, now_ns, notes))
    return paper.getvalue().splitlines()


def row(lines: list[str], spot: int) -> str:
    return next(line for line in lines if line.startswith(f"{spot} "))


def test_the_picture_of_a_full_table_fits_the_terminal() -> None:
    record = empty()
    for number in range(20):
        record.take([SerialText("received", f"${number},HAND," + "10S " * 40, 0)])
    lines = drawn(record, S)
    assert len(lines) <= 24
    assert max(len(line) for line in lines) <= 80


def test_a_line_shows_its_level_edges_age_and_that_it_is_stuck_in_words() -> None:
    record = empty()
    record.take(
        [
            LevelChanged("spot2.bet", False, 0, opening=True),
            LevelChanged("spot2.envy", False, 0, opening=True),
            Edge("spot2.bet", True, 4 * S),
            Edge("spot2.bet", False, 4 * S),
            Edge("spot2.bet", True, 4 * S),
            LevelChanged("spot2.bet", True, 4 * S),
            LineStuck("spot2.bet", 30, 34 * S),
        ]
    )

    shown = row(drawn(record, 36 * S), 2)

    assert shown.split() == ["2", "●", "ON", "3", "32", "s", "STUCK", "○", "off", "0", "dark"]
    assert row(drawn(record, 36 * S), 1).split() == ["1", "unread", "unread", "dark"]


def test_beats_do_not_scroll_the_last_hand_away() -> None:
    record = empty()
    record.take([SerialText("received", "$7,HAND,3,AS KS*0000", 0)])
    for number in range(8, 60):
        record.take(
            [
                SerialText("received", f"${number},BEAT*0000", 0),
                SerialText("sent", f"${number},ACK*0000", 0),
            ]
        )
    assert list(record.sentences) == ["< $7,HAND,3,AS KS*0000", "< $59,BEAT*0000"]


def test_a_refusal_and_square_brackets_are_shown_as_they_are() -> None:
    record = empty()
    record.take(
        [
            SerialText("received", "[Game]<Card:4S>", 0),
            ReaderAlarm("card 4S was read outside a deal; press ADVANCE first", 0),
            SerialText("sent", "$3,NAK,CRC*1234", 0),
        ]
    )
    text = "\n".join(drawn(record, S))
    assert "< [Game]<Card:4S>" in text
    assert "= reader-alarm: detail card 4S was read outside a deal" in text
    assert "> $3,NAK,CRC*1234" in text
    assert "reader up: 12 good" in text


def test_notes_stand_above_the_reader() -> None:
    lines = drawn(empty(), 0, ("no access to spot1.bet; check chip and cable",))
    assert "no access to spot1.bet; check chip and cable" in [line.strip() for line in lines]
