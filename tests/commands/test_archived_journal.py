"""The commands that look into a journal, on one whose old entries are archived."""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path

import click
import pytest
from click.testing import CliRunner, Result
from played_journal import files

sys.path.append(str(Path(__file__).parents[1] / "journal"))

from aged_table import AgedTable, archive, archives

from firmware_app.commands.export import export
from firmware_app.commands.meters import meters
from firmware_app.commands.replay import replay
from firmware_app.commands.rounds import rounds
from firmware_app.commands.verify import verify
from firmware_app.journal.history import archive_folder

ROUNDS = 230


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A journal of 115 days, two rounds a day; the first days are archived."""
    table = AgedTable(tmp_path_factory.mktemp("archived") / "journal.sqlite3")
    table.play_days(ROUNDS // 2)
    table.deliver()
    archive(table)
    table.journal.close()
    return table.journal.path


@pytest.fixture(scope="module")
def twin(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same table, never archived."""
    table = AgedTable(tmp_path_factory.mktemp("twin") / "journal.sqlite3")
    table.play_days(ROUNDS // 2)
    table.journal.close()
    return table.journal.path


@pytest.fixture
def journal(original: Path, tmp_path: Path) -> Path:
    """A copy to be altered."""
    return Path(shutil.copytree(original.parent, tmp_path / "copy")) / original.name


def run(command: click.Command, *arguments: object) -> Result:
    return CliRunner().invoke(command, [str(argument) for argument in arguments])


def lines(result: Result) -> list[dict[str, object]]:
    assert (result.exit_code, result.stderr) == (0, "")
    return [json.loads(line) for line in result.stdout.splitlines()]


def without_entries(found: list[dict[str, object]]) -> list[dict[str, object]]:
    return [{key: value for key, value in row.items() if key != "entry"} for row in found]


@pytest.mark.parametrize("what", ["facts", "events", "messages"])
def test_an_export_is_the_whole_history(original: Path, twin: Path, what: str) -> None:
    told = lines(run(export, "--what", what, original))
    assert without_entries(told) == without_entries(lines(run(export, "--what", what, twin)))


def test_an_export_of_the_journal_alone_begins_behind_the_archives(original: Path) -> None:
    whole = lines(run(export, original))
    alone = lines(run(export, "--without-archives", original))
    assert 0 < len(alone) < len(whole)
    assert alone == whole[-len(alone) :]


def test_rounds_meters_and_replays_are_those_of_the_twin(original: Path, twin: Path) -> None:
    for command, *arguments in (
        (rounds, "--last", 1000),
        (rounds, "--round", 3),
        (meters, "--json"),
        (meters, "--json", "--shift"),
    ):
        ours, theirs = run(command, *arguments, original), run(command, *arguments, twin)
        assert (ours.exit_code, ours.stdout) == (0, theirs.stdout)
    for number in (1, 4, 20, 21, 60, ROUNDS):
        assert run(replay, original, number).stdout == run(replay, twin, number).stdout


def test_verify_proves_archives_and_journal_and_names_each_file(original: Path) -> None:
    before = files(original.parent / "archive")
    result = run(verify, original)
    assert (result.exit_code, result.stderr) == (0, "")
    assert "is whole." in result.stdout
    for file in archives(original):
        assert f"{file.name}, entries" in result.stdout
    told = json.loads(run(verify, "--json", original).stdout)
    assert (told["whole"], told["first_entry"]) == (True, 1)
    assert [each["file"] for each in told["archives"]] == [file.name for file in archives(original)]
    assert {each["fault"] for each in told["archives"]} == {None}
    assert files(original.parent / "archive") == before


def test_verify_names_an_archive_that_is_missing_and_one_that_is_altered(journal: Path) -> None:
    missing, altered = archives(journal)[0], archives(journal)[2]
    missing.unlink()
    altered.chmod(0o600)
    altered.write_bytes(altered.read_bytes()[:-1] + b"x")
    result = run(verify, journal)
    assert result.exit_code == 1
    assert "its archives are not" in result.stdout
    assert f"lie in the archive {missing.name}, which is not in" in result.stdout
    assert f"{altered.name}, entries" in result.stdout
    told = json.loads(run(verify, "--json", journal).stdout)
    assert (told["whole"], told["fault"]) == (False, None)
    faulty = [each["file"] for each in told["archives"] if each["fault"]]
    assert faulty == [missing.name, altered.name]


def test_a_journal_whose_archives_were_carried_away_is_proven_alone(journal: Path) -> None:
    elsewhere = journal.parent / "carried away"
    archive_folder(journal).rename(elsewhere)
    assert run(verify, journal).exit_code == 1
    alone = run(verify, "--without-archives", journal)
    assert alone.exit_code == 0
    assert "are archived, and were not looked at" in alone.stdout
    assert run(verify, "--archives", elsewhere, journal).exit_code == 0
    assert run(replay, "--archives", elsewhere, journal, 2).exit_code == 0
    assert run(rounds, "--archives", elsewhere, "--round", 2, journal).exit_code == 0
    assert run(export, "--archives", elsewhere, journal).exit_code == 0


def test_what_needs_a_missing_archive_says_which_file_to_bring(journal: Path) -> None:
    gone = archives(journal)[0]
    gone.unlink()
    for result in (
        run(replay, journal, 2),
        run(rounds, "--round", 2, journal),
        run(export, journal),
    ):
        assert result.exit_code == 1
        assert f"the archive {gone.name}, which is not in" in result.stderr
        assert "Traceback" not in result.output
    assert run(rounds, journal).exit_code == 0, "the last hundred lie in the journal"
    assert run(meters, journal).exit_code == 0
    assert run(replay, journal, ROUNDS).exit_code == 0


def test_an_archive_is_looked_into_like_a_journal(journal: Path) -> None:
    file = archives(journal)[1]
    assert run(verify, file).exit_code == 0
    listed = lines(run(rounds, "--json", file))
    assert listed
    assert run(replay, file, listed[0]["round"]).exit_code == 0
    assert lines(run(export, file))
