"""``run``: what keeps a table closed is said at once; a full card is waited for."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from firmware_app.commands import run as run_command
from firmware_app.config import TableConfig
from firmware_app.journal.errors import StorageFull
from firmware_app.journal.records import OutgoingMessage, Stamp
from firmware_app.journal.store import Journal
from firmware_app.runtime.engine import STORAGE_ALARM
from firmware_app.signage.settings import SignSettings
from firmware_app.table.facts import AlarmRaised
from firmware_app.table.view import TableView
from hw.reader.settings import ReaderSettings
from hw.sim.panel import SimPanel

WAIT_S = 10.0


class Loop:
    """A main loop that remembers what it was given to show."""

    def __init__(self) -> None:
        self.views: list[TableView] = []
        self.stop_reason = "closed"

    def show(self, view: TableView) -> None:
        self.views.append(view)

    def health(self) -> tuple[Any, ...]:
        return ()

    def recall(self, rounds: tuple[Any, ...]) -> None: ...


def config(folder: Path) -> TableConfig:
    return TableConfig.model_validate(
        {
            "game": {"rules": "face-up"},
            "panel": {"spots": 6},
            "reader": ReaderSettings(url=str(folder / "reader")),
            "mqtt": {"host": "127.0.0.1", "port": 1, "site": "test", "table": "one"},
            "sign": SignSettings(driver="dummy"),
            "journal": {"path": folder / "journal.sqlite3", "reserve_mib": 1},
            "control": {"socket": folder / "control.sock"},
        }
    )


def test_a_table_that_starts_on_a_full_card_shows_why_and_opens_when_there_is_room(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    open_journal, full = Journal.open, [True]

    def on_a_full_card(path: Path) -> Journal:
        if full[0]:
            raise StorageFull("the card is full: make room on it")
        return open_journal(path)

    monkeypatch.setattr(Journal, "open", on_a_full_card)
    monkeypatch.setattr(run_command, "_AGAIN_NS", 0)
    loop, settings = Loop(), config(tmp_path)
    pins = SimPanel(settings.panel).pins
    with run_command._Operation(settings, pins, loop) as table:  # type: ignore[arg-type]
        table.open()
        (alarm,) = loop.views[-1].alarms
        assert (alarm.code, "make room" in alarm.text) == (STORAGE_ALARM, True)
        full[0] = False
        deadline = time.monotonic() + WAIT_S
        while loop.views[-1].alarms and time.monotonic() < deadline:
            table.turn()
            time.sleep(0.01)
        assert STORAGE_ALARM not in {alarm.code for alarm in loop.views[-1].alarms}
    pins.close()
    assert settings.journal.path.exists()


def run_with(text: str, folder: Path) -> subprocess.CompletedProcess[str]:
    path = folder / "table.toml"
    path.write_text(text)
    return subprocess.run(
        [sys.executable, "-m", "firmware_app", "run", "--config", str(path)],
        capture_output=True,
        text=True,
        timeout=60,
    )


def test_a_bad_configuration_gives_every_fault_at_once_and_exit_code_2(tmp_path: Path) -> None:
    done = run_with('[game]\nrules = "envi"\nunit = 5\n[reader]\nurl = "COM1"\n', tmp_path)
    assert done.returncode == 2
    for words in ("game.rules", "game.unit", "reader.url", "mqtt is missing"):
        assert words in done.stderr
    assert "Traceback" not in done.stderr


def test_a_machine_without_a_header_chip_keeps_the_table_closed_and_says_why(
    tmp_path: Path,
) -> None:
    text = (
        '[game]\nrules = "face-up"\n[panel]\nspots = 6\n[reader]\nurl = "/dev/none"\n'
        '[mqtt]\nhost = "127.0.0.1"\nsite = "test"\ntable = "one"\n'
        f'[journal]\npath = "{tmp_path}/journal.sqlite3"\n'
    )
    done = run_with(text, tmp_path)
    assert done.returncode == 1
    assert done.stderr.startswith("the table cannot open:")
    assert "gpiochip" in done.stderr or "lgpio" in done.stderr


def test_who_accepts_a_new_journal_is_told_what_became_of_the_messages(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    table = config(tmp_path)
    with Journal.open(table.journal.path) as journal:
        for sequence in range(1, 41):
            journal.append(
                [AlarmRaised(code=f"code-{sequence}", text="x" * 100)],
                [],
                [OutgoingMessage(sequence, f"one-{sequence}", "alarm-raised", b"{}" * 40)],
                round_number=1,
                stamp=Stamp(sequence, sequence, "boot", True),
            )
    data = table.journal.path.read_bytes()
    at = data.index(b"code-20")
    table.journal.path.write_bytes(data[:at] + b"code-99" + data[at + 7 :])
    run_command._replace_journal(table, "A. Ruiz")
    told = " ".join(capsys.readouterr().err.split())
    assert "entry 20: does not fit the chain" in told
    assert f"lies in {table.journal.path}.damaged-1" in told
    assert "of the events not sent yet, 39 are proven and sent now" in told
    assert "1 cannot be read and will not be sent: 20" in told
