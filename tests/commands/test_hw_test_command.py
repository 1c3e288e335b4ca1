"""``fortune-table hw-test``: live, as events, beside no running table, and without any hardware."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from firmware_app.cli import cli
from firmware_app.config import load_config
from firmware_app.journal.store import Journal
from hw.chips import HEADER_LABELS, find_chip
from hw.pin_sources import Pins
from hw.sim.panel import SimPanel


@pytest.fixture
def path(tmp_path: Path) -> Path:
    written = tmp_path / "table.toml"
    written.write_text(
        f"""
        game.rules = "commission"
        panel.spots = 6
        reader.url = "{tmp_path}/no-reader"
        mqtt = {{ host = "127.0.0.1", site = "lab", table = "t1" }}
        journal.path = "{tmp_path}/journal.sqlite3"
        """
    )
    return written


def run(path: Path, *options: str) -> Result:
    return CliRunner().invoke(cli, ["hw-test", "--config", str(path), *options])


def events(result: Result) -> list[dict[str, Any]]:
    return [json.loads(line) for line in result.stdout.splitlines()]


def test_a_simulated_test_tells_edges_sentences_and_lamps_and_sums_up(path: Path) -> None:
    result = run(path, "--simulate", "--lamps", "--json", "--seconds", "1.4")

    assert result.exit_code == 0, result.output
    *told, summary = events(result)
    names = {event["event"] for event in told}
    assert {"edge", "level-changed", "serial-text", "reader-up", "lamp-switched"} <= names
    sent = [event["text"] for event in told if event.get("direction") == "sent"]
    received = [event["text"] for event in told if event.get("direction") == "received"]
    assert received[0].startswith("$0,HELLO,SIM,")
    assert sent[0].startswith("$0,ACK*")
    lit = [event["spot"] for event in told if event["event"] == "lamp-switched" and event["lit"]]
    assert lit == [1, 2]
    times = [event["at_ms"] for event in told]
    assert min(times) >= 0 and max(times) < 60_000

    assert summary["event"] == "summary"
    edges = sum(event["event"] == "edge" for event in told)
    assert sum(line["edges"] for line in summary["lines"].values()) == edges > 0
    assert len(summary["lines"]) == 15
    assert summary["reader"]["status"] == "up"


def test_the_live_view_shows_lines_lamps_and_sentences(path: Path) -> None:
    result = run(path, "--simulate", "--lamps", "--seconds", "0.8")

    assert result.exit_code == 0, result.output
    assert "spot  bet" in result.stdout
    assert "☀ LIT" in result.stdout
    assert "shuffler-fault" in result.stdout
    assert "reader up" in result.stdout
    assert "HELLO,SIM" in result.stdout
    assert "= reader-up: model SIM" in result.stdout


def test_the_journal_is_never_opened(path: Path, tmp_path: Path) -> None:
    run(path, "--simulate", "--json", "--seconds", "0.2")
    assert [entry.name for entry in tmp_path.iterdir()] == ["table.toml"]


def test_real_pins_are_watched_and_a_missing_reader_is_waited_for(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    panel = SimPanel(load_config(path).panel)
    monkeypatch.setattr("firmware_app.commands.hw_test.open_pins", lambda _label: panel.pins)
    panel.bet(3)

    result = run(path, "--json", "--seconds", "0.4")

    assert result.exit_code == 0, result.output
    *told, summary = events(result)
    down = [event["reason"] for event in told if event["event"] == "reader-down"]
    assert len(down) == 1 and "no-reader" in down[0]
    assert summary["lines"]["spot3.bet"]["active"] is True
    assert summary["lines"]["spot4.bet"]["active"] is False
    assert summary["reader"]["status"] == "closed"


def test_a_running_table_is_not_disturbed(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def open_pins(_expander_label: str | None) -> Pins:
        raise AssertionError("the running table holds the pins")

    monkeypatch.setattr("firmware_app.commands.hw_test.open_pins", open_pins)
    with Journal.open(load_config(path).journal.path):
        result = run(path, "--seconds", "5")

    assert result.exit_code == 1
    assert "the table is running and holds its pins and its reader" in result.stderr
    assert "systemctl stop fortune-table" in result.stderr


def test_a_machine_without_the_chip_is_told_so(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def open_pins(_expander_label: str | None) -> Pins:
        find_chip(HEADER_LABELS, tmp_path, lambda _number: "none")
        raise AssertionError("an empty folder holds no chip")

    monkeypatch.setattr("firmware_app.commands.hw_test.open_pins", open_pins)
    result = run(path, "--seconds", "5")

    assert result.exit_code == 1
    assert "no gpiochip labelled pinctrl-rp1" in result.stderr
    assert "Run on a Raspberry Pi, as a user of the group gpio" in result.stderr


def test_every_fault_of_the_configuration_is_told_and_ends_with_2(path: Path) -> None:
    path.write_text(path.read_text() + 'panel.pins = { void = "17" }\nsing.size = "x"\n')

    result = run(path, "--simulate", "--seconds", "5")

    assert result.exit_code == 2
    assert "void: '17' can be read two ways; write GPIO17" in result.stderr
    assert "sing is no known key; did you mean sign?" in result.stderr


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_ends_the_test_in_good_order(path: Path, number: signal.Signals) -> None:
    command = [sys.executable, "-m", "firmware_app", "hw-test", "--simulate", "--json"]
    with subprocess.Popen(
        [*command, "--config", str(path)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert json.loads(process.stdout.readline())["at_ms"] >= 0
        process.send_signal(number)
        rest, errors = process.communicate(timeout=20)
    assert process.returncode == 0, errors
    assert json.loads(rest.splitlines()[-1])["event"] == "summary"
