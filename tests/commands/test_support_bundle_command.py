"""``fortune-table support-bundle``: enough to help, nothing that must not leave the table."""

from __future__ import annotations

import hashlib
import json
import re
import tarfile
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from played_journal import QUADS, files, play

from firmware_app.commands.support_bundle import support_bundle

CARD = re.compile(r'"(?:[2-9TJQKA][SHDC]|JK)"')
PASSWORD = "hunter2-and-more"

CONFIG = """
# for the old broker: password = "{password}"
[game]
rules = "envy"
occupied_by = "fortune-bet"
[panel]
spots = 6
[reader]
url = "/dev/fortune-reader"  # was socket://operator:{password}@10.0.0.7:4001
[mqtt]
host = "127.0.0.1"
site = "test"
table = "t1"
username = "t1"
password_file = "{folder}/broker-password"
[journal]
path = "{folder}/journal.sqlite3"
"""


@pytest.fixture
def config(tmp_path: Path) -> Path:
    folder = tmp_path / "table"
    folder.mkdir()
    (folder / "broker-password").write_text(PASSWORD)
    (folder / "broker-password").chmod(0o600)
    play(folder / "journal.sqlite3").journal.close()
    path = folder / "table.toml"
    path.write_text(CONFIG.format(password=PASSWORD, folder=folder))
    return path


def bundle(config: Path, out: Path) -> tuple[Result, dict[str, str]]:
    result = CliRunner().invoke(support_bundle, ["--config", str(config), "--out", str(out)])
    if result.exit_code:
        return result, {}
    with tarfile.open(out) as archive:
        found = {}
        for member in archive.getmembers():
            stream = archive.extractfile(member)
            assert stream is not None
            found[member.name.removeprefix("fortune-table-support/")] = stream.read().decode()
    return result, found


def test_it_holds_what_is_needed_to_help(config: Path, tmp_path: Path) -> None:
    result, parts = bundle(config, tmp_path / "support.tar.gz")
    assert result.exit_code == 0
    assert set(parts) == {
        "table.toml",
        "configuration.txt",
        "versions.json",
        "log.txt",
        "health.json",
        "changes.json",
        "meters.json",
        "rounds.json",
        "facts.jsonl",
        "SHA256SUMS",
    }
    assert json.loads(parts["versions.json"])["packages"]["fortune-table"]
    checks = {found["check"] for found in json.loads(parts["health.json"])["findings"]}
    assert {"disk", "journal", "secrets", "clock"} <= checks
    assert json.loads(parts["meters.json"])["meters"]["lifetime"]["rounds.settled"] == 2
    changes = json.loads(parts["changes.json"])
    assert [change["changed"] for change in changes["changes"]] == [None]
    assert len(changes["software"]["digest"]) == 64
    rounds = json.loads(parts["rounds.json"])["rounds"]
    assert [each["round"] for each in rounds] == [4, 3, 2, 1]
    for line in parts["SHA256SUMS"].splitlines():
        digest, name = line.split("  ")
        assert hashlib.sha256(parts[name].encode()).hexdigest() == digest


def test_no_secret_is_in_it(config: Path, tmp_path: Path) -> None:
    _, parts = bundle(config, tmp_path / "support.tar.gz")
    for name, text in parts.items():
        assert PASSWORD not in text, name
    assert "broker-password" in parts["table.toml"], "where the password lies is no secret"
    assert "10.0.0.7:4001" in parts["table.toml"]


def test_a_secret_in_a_faulty_configuration_stays_secret_too(config: Path, tmp_path: Path) -> None:
    config.write_text(
        config.read_text().replace("username =", f'password = "{PASSWORD}"\nusername =')
    )
    result, parts = bundle(config, tmp_path / "support.tar.gz")
    assert result.exit_code == 0
    assert "password" in parts["configuration.txt"]
    for name, text in parts.items():
        assert PASSWORD not in text, name


def test_cards_are_told_of_revealed_rounds_alone(config: Path, tmp_path: Path) -> None:
    _, parts = bundle(config, tmp_path / "support.tar.gz")
    facts = [json.loads(line) for line in parts["facts.jsonl"].splitlines()]
    hands = [each for each in facts if each["fact"]["kind"] == "hand-read"]
    assert {each["round"] for each in hands} >= {1, 4}
    for each in facts:
        if each["round"] not in (1, 3):
            assert not CARD.search(json.dumps(each)), each
    first = next(each for each in hands if each["round"] == 1 and each["fact"]["position"] == 1)
    assert first["fact"]["cards"] == QUADS.split()
    hidden = next(each for each in hands if each["round"] == 4 and each["fact"]["position"] == 2)
    assert hidden["fact"]["cards"] == ["**"] * 7
    in_play = json.loads(parts["rounds.json"])["rounds"][0]
    assert not CARD.search(json.dumps(in_play))


def test_nothing_of_the_table_is_altered_and_others_cannot_read_it(
    config: Path, tmp_path: Path
) -> None:
    out = tmp_path / "support.tar.gz"
    before = files(config.parent)
    bundle(config, out)
    assert files(config.parent) == before
    assert out.stat().st_mode & 0o077 == 0


def test_it_never_overwrites_and_says_so(config: Path, tmp_path: Path) -> None:
    out = tmp_path / "support.tar.gz"
    out.write_text("evidence")
    result, _ = bundle(config, out)
    assert result.exit_code == 1
    assert "name a new file" in result.stderr
    assert out.read_text() == "evidence"


def test_what_cannot_be_read_does_not_keep_the_rest_back(config: Path, tmp_path: Path) -> None:
    (config.parent / "journal.sqlite3").write_bytes(b"no database at all, but long enough " * 99)
    result, parts = bundle(config, tmp_path / "support.tar.gz")
    assert result.exit_code == 0
    assert "damaged" in parts["meters.json.failed.txt"]
    assert "versions.json" in parts
    result, parts = bundle(tmp_path / "no-such.toml", tmp_path / "second.tar.gz")
    assert result.exit_code == 0
    assert "cannot be read" in parts["table.toml"]
