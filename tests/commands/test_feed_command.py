"""``fortune-table feed``: what it shows, and what its exit code proves."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from firmware_app.commands.feed import feed
from firmware_app.feed.demo_broker import DemoBroker
from firmware_app.feed.envelope import encode
from firmware_app.feed.link import Link
from firmware_app.feed.settings import FeedSettings
from firmware_app.feed.topics import TableTopics
from firmware_app.journal.records import OutgoingMessage
from firmware_app.table.events import Payout, WagerMoved

TOPICS = TableTopics("harbour", "pg-7")


def event(sequence: int) -> bytes:
    told = Payout(
        round=12,
        spot=3,
        player="spot 3",
        main_cents=0,
        fortune_cents=12_500_00,
        ace_high_cents=0,
        envy_cents=sequence,
        owed_cents=12_500_00 + sequence,
    )
    return encode(told, TOPICS, sequence=sequence, wall_utc_ns=0, synchronised=True)


def run(*arguments: object) -> Result:
    return CliRunner().invoke(feed, [str(argument) for argument in arguments])


def recording(path: Path, sequences: list[int], *more: bytes) -> Path:
    path.write_bytes(b"".join(line + b"\n" for line in [*map(event, sequences), *more]))
    return path


def test_a_whole_recording_is_shown_and_exits_0(tmp_path: Path) -> None:
    result = run("--file", recording(tmp_path / "f", [1, 2, 3]))
    assert result.exit_code == 0
    lines = result.stdout.splitlines()
    assert len(lines) == 3
    assert lines[0].startswith("1970-01-01 00:00:00  pg-7 #1      payout")
    assert "fortune_cents $12,500.00" in lines[0]
    assert "3 events, 1 to 3, 0 repeats" in result.stderr


def test_json_is_each_new_event_as_it_came(tmp_path: Path) -> None:
    result = run("--json", "--file", recording(tmp_path / "f", [1, 2, 2, 1, 3]))
    assert result.exit_code == 0
    assert result.stdout.encode().splitlines() == [event(1), event(2), event(3)]


def test_a_gap_is_named_and_exits_1(tmp_path: Path) -> None:
    result = run("--json", "--file", recording(tmp_path / "f", [1, 2, 5, 6]))
    assert result.exit_code == 1
    assert "/fpg/v1/harbour/pg-7: events 3 to 4 are missing" in result.stderr
    assert len(result.stdout.splitlines()) == 4, "what is there is shown all the same"


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--first", 1], "events 1 to 4 are missing"),
        (["--last", 9], "events 7 to 9 are missing"),
    ],
)
def test_beginning_and_end_can_be_asked_for(
    tmp_path: Path, options: list[object], words: str
) -> None:
    result = run("--file", recording(tmp_path / "f", [5, 6]), *options)
    assert result.exit_code == 1
    assert words in result.stderr


def test_nothing_at_all_is_a_fault_where_an_end_was_asked_for(tmp_path: Path) -> None:
    result = run("--file", recording(tmp_path / "f", []), "--last", 3)
    assert result.exit_code == 1
    assert "no event up to 3 has come" in result.stderr


def test_a_line_that_is_no_event_is_named_and_exits_1(tmp_path: Path) -> None:
    result = run("--file", recording(tmp_path / "f", [1, 2], b"\xff{", b"", event(3)))
    assert result.exit_code == 1
    assert "message 3: not a CloudEvent" in result.stderr
    assert "3 events, 1 to 3" in result.stderr


def test_no_recording_and_no_broker_is_explained() -> None:
    for arguments in ([], ["--broker", "mqtt://h", "--file", __file__]):
        result = run(*arguments)
        assert result.exit_code == 2
        assert "either --broker URL or --file FILE" in result.stderr


def test_an_address_that_is_none_is_explained() -> None:
    result = run("--broker", "localhost:1883")
    assert result.exit_code == 2
    assert "write mqtt://host:1883" in result.stderr


def test_a_broker_that_is_not_there_is_explained() -> None:
    with DemoBroker() as broker:
        url = broker.url
    result = run("--broker", url, "--seconds", 1)
    assert result.exit_code == 1
    assert "connection refused; is the broker running" in result.stderr


def test_a_password_is_taken_from_a_file_and_the_file_is_named_when_missing(tmp_path: Path) -> None:
    missing = run("--broker", "mqtt://h", "--username", "x", "--password-file", tmp_path / "no")
    assert missing.exit_code == 2
    assert "--password-file" in missing.stderr


class Rows:
    """An outbox that holds the given sequences, gaps and all."""

    def __init__(self, sequences: list[int]) -> None:
        self.rows = [OutgoingMessage(s, f"pg-7-{s}", "payout", event(s)) for s in sequences]
        self.sent: set[int] = set()

    def pending(self, limit: int, *, after: int | None = None) -> list[OutgoingMessage]:
        rows = [row for row in self.rows if row.sequence > (after or 0)]
        return [row for row in rows if row.sequence not in self.sent][:limit]

    def mark_sent(self, sequences: object) -> None:
        self.sent |= set(sequences)

    def flush(self) -> None:
        pass

    def resend(self, from_sequence: int) -> None:
        raise NotImplementedError

    @property
    def unsent_count(self) -> int:
        return len(self.rows) - len(self.sent)

    def close(self) -> None:
        pass


@pytest.fixture
def broker() -> Iterator[DemoBroker]:
    with DemoBroker() as running:
        yield running


def follow(broker: DemoBroker, sequences: list[int], *options: str) -> tuple[int, str, str]:
    """Run the command as a process, publish once it has subscribed, return what it did."""
    command = [sys.executable, "-m", "firmware_app", "feed", "--broker", broker.url, *options]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stderr is not None
        assert "following" in process.stderr.readline()
        link = Link(
            FeedSettings.model_validate(
                broker.settings.model_dump() | {"site": TOPICS.site, "table": TOPICS.table}
            ),
            lambda: Rows(sequences),
        )
        link.start()
        try:
            out, err = process.communicate(timeout=30)
        finally:
            process.kill()
            link.stop(10)
        return process.returncode, out, err


def test_a_live_feed_is_followed_to_the_end_asked_for(broker: DemoBroker) -> None:
    code, out, err = follow(broker, [1, 2, 3], "--json", "--first", "1", "--last", "3")
    assert code == 0
    assert [json.loads(line)["id"] for line in out.splitlines()] == ["pg-7-1", "pg-7-2", "pg-7-3"]
    assert "3 events, 1 to 3" in err


def test_a_live_gap_ends_it_with_1(broker: DemoBroker) -> None:
    code, out, err = follow(broker, [1, 2, 4, 5], "--json")
    assert code == 1
    assert "event 3 is missing" in err
    assert [json.loads(line)["id"] for line in out.splitlines()] == ["pg-7-1", "pg-7-2", "pg-7-4"]


def test_a_live_gap_can_be_followed_over(broker: DemoBroker) -> None:
    code, out, err = follow(broker, [1, 3, 4], "--json", "--keep-going", "--seconds", "2")
    assert code == 1
    assert "event 2 is missing" in err
    assert len(out.splitlines()) == 3


def test_other_tables_can_be_left_out(broker: DemoBroker) -> None:
    code, out, err = follow(broker, [1, 2], "--table", "pg-8", "--seconds", "1")
    assert (code, out, err) == (0, "", "")


def test_names_and_lists_are_brief(tmp_path: Path) -> None:
    told = WagerMoved(round=1, spot=2, wager="fortune", cents=None)
    line = encode(told, TOPICS, sequence=1, wall_utc_ns=0, synchronised=False)
    result = run("--file", recording(tmp_path / "f", [], line))
    assert result.stdout.endswith("round 1  spot 2  wager fortune  cents -\n")
    assert result.stdout.startswith("1970-01-01 00:00:00?"), "the clock was not set"
