"""What a table says of itself at its start and at its end."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from firmware_app.journal.errors import StorageFull
from firmware_app.journal.store import Journal
from firmware_app.rules.profile import load_profile
from firmware_app.runtime.recording import Recorder
from firmware_app.runtime.recovery import recovered
from firmware_app.runtime.software import Software, digest_of
from firmware_app.table import facts
from firmware_app.table.state import TableRules
from firmware_app.table.values import Phase

RULES = TableRules(load_profile("envy"))
SOFTWARE = Software("1.0", "aa" * 32)


def told(journal: Journal) -> list[dict[str, Any]]:
    with journal.outbox() as outbox:
        return [json.loads(message.payload) for message in outbox.pending(10_000)]


def types(journal: Journal) -> list[str]:
    return [event["type"].removeprefix("fpg.v1.") for event in told(journal)]


@pytest.fixture
def come_up(start: Callable[..., Any], path: Path) -> Callable[[TableRules, str, Software], None]:
    """Return what recovers the journal at ``path`` as a start does, without playing."""
    bench = start()
    bench.close()

    def come(rules: TableRules, text: str, software: Software) -> None:
        with Journal.open(path) as journal:
            recovered(rules, text, software, Recorder(journal, bench.encoded, bench.recorder.stamp))

    return come


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "other.sqlite3"


# --- the end -----------------------------------------------------------------------------------


def test_a_stop_is_the_last_thing_told_whatever_was_still_waiting(
    start: Callable[..., Any],
) -> None:
    bench = start()
    for cents in range(5_00, 105_00, 5_00):
        bench.tell(facts.WagerChanged(spot=1, wager="fortune", cents=cents))
    assert bench.engine.stop(facts.ControllerStopped(reason="terminated"))
    events = told(bench.journal)
    assert [event["data"].get("cents") for event in events][-2:] == [100_00, None]
    assert events[-1]["type"] == "fpg.v1.device-stopped"
    assert events[-1]["data"] == {"round": 1, "reason": "terminated", "phase": "betting"}
    assert not bench.inbox.put(object()), "nothing can come after it"
    bench.journal.close()
    again = start()
    assert again.views[-1].phase is Phase.SUSPENDED
    assert types(again.journal).count("device-started") == 2


def test_what_waited_for_room_is_recorded_before_the_stop(
    start: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    bench = start()
    append, full = Journal.append, True

    def no_room(self: Journal, *rest: Any, **named: Any) -> None:
        if full:
            raise StorageFull("no room in this test")
        append(self, *rest, **named)

    monkeypatch.setattr(Journal, "append", no_room)
    bench.tell(facts.WagerChanged(spot=1, wager="fortune", cents=5_00))
    bench.wait(lambda view: bool(view.alarms))
    assert "wager-changed" not in types(bench.journal)
    full = False
    assert bench.engine.stop(facts.ControllerStopped(reason="closed"))
    assert types(bench.journal)[-3:] == ["round-opened", "wager-changed", "device-stopped"]


# --- the start ---------------------------------------------------------------------------------


def test_what_is_in_force_is_told_once_and_each_change_of_it(
    come_up: Callable[..., None], path: Path
) -> None:
    text = '{"mqtt":{"host":"a"}}'
    newer = replace(SOFTWARE, digest="bb" * 32)
    for rules, configuration, software in (
        (RULES, text, SOFTWARE),
        (RULES, text, SOFTWARE),
        (RULES, text.replace("a", "b"), SOFTWARE),
        (RULES, text.replace("a", "b"), newer),
        (replace(RULES, occupied_by="fortune-bet"), text.replace("a", "b"), newer),
        (replace(RULES, occupied_by="fortune-bet"), text.replace("a", "b"), newer),
    ):
        come_up(rules, configuration, software)
    with Journal.open(path) as journal:
        events = told(journal)
    assert {event["type"] for event in events} == {"fpg.v1.configuration-applied"}
    applied = [event["data"] for event in events]
    assert [one["changed"] for one in applied] == [
        None,
        ["mqtt.host"],
        ["software"],
        ["rules.occupied_by"],
    ]
    assert [one["software_digest"] for one in applied] == ["aa" * 32] * 2 + ["bb" * 32] * 2
    assert len({one["configuration_digest"] for one in applied}) == 2
    assert len({one["rules_digest"] for one in applied}) == 2


def test_a_change_that_cannot_be_told_does_not_count_as_recorded(
    come_up: Callable[..., None], path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as broken:

        def no_room(self: Journal, *rest: Any, **named: Any) -> None:
            raise StorageFull("no room in this test")

        broken.setattr(Journal, "record_configuration", no_room)
        with pytest.raises(StorageFull):
            come_up(RULES, "{}", SOFTWARE)
    come_up(RULES, "{}", SOFTWARE)
    with Journal.open(path) as journal:
        assert types(journal) == ["configuration-applied"]


# --- the software's digest ---------------------------------------------------------------------


def test_the_digest_is_that_of_names_and_contents(tmp_path: Path) -> None:
    def made(name: str, files: dict[str, bytes]) -> str:
        for path, content in files.items():
            file = tmp_path / name / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(content)
        return digest_of(tmp_path / name)

    one = {"firmware_app/a.py": b"x", "hw/b.toml": b"y"}
    assert made("one", one) == made("same", one)
    assert len(made("one", one)) == 64
    others = [
        {"firmware_app/a.py": b"X", "hw/b.toml": b"y"},
        {"firmware_app/c.py": b"x", "hw/b.toml": b"y"},
        {"firmware_app/a.py": b"x", "hw/b.toml": b"y", "hw/new.py": b""},
        {"firmware_app/a.py": b"xy", "hw/b.toml": b""},
    ]
    digests = {made(str(number), files) for number, files in enumerate(others)}
    assert len(digests | {made("one", one)}) == 5


def test_compiled_code_does_not_count(tmp_path: Path) -> None:
    for package in ("firmware_app", "hw"):
        (tmp_path / package).mkdir()
        (tmp_path / package / "a.py").write_text("1")
    before = digest_of(tmp_path)
    (tmp_path / "hw" / "__pycache__").mkdir()
    (tmp_path / "hw" / "__pycache__" / "a.cpython-313.pyc").write_bytes(b"compiled")
    assert digest_of(tmp_path) == before


def test_the_running_software_is_this_one() -> None:
    running = Software.running()
    assert running.version == "0.1.0"
    assert running.digest == digest_of(Path(__file__).parents[2])
