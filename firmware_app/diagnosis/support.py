"""What the maker needs to see of a table from afar, without what nobody else may see.

No secret of the feed, and no card of a round that was never revealed: those cards could still be
in play, and after a void the players were never shown them.
"""

from __future__ import annotations

import json
import platform
import re
import shutil
import subprocess
import tomllib
import traceback
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict
from importlib.metadata import distributions
from pathlib import Path
from typing import Any, Final

from firmware_app.cards import CardError, parse_card
from firmware_app.config import ConfigError, JournalSettings, TableConfig, config_from_text
from firmware_app.diagnosis.device_check import check_device
from firmware_app.diagnosis.finding import Finding
from firmware_app.diagnosis.journal_check import check_disk, check_journal
from firmware_app.diagnosis.rules_check import check_rules
from firmware_app.diagnosis.running import table_runs
from firmware_app.diagnosis.secrets_check import check_secrets
from firmware_app.journal.changes import last_changes
from firmware_app.journal.head import load_head
from firmware_app.journal.meters import totals
from firmware_app.journal.reading import EntryReader, open_for_reading
from firmware_app.journal.recall import recall
from firmware_app.runtime.software import Software
from firmware_app.table.events import RoundRevealed
from hw.health import PiHealth

ROUNDS: Final = 20
"""How many of the last rounds go along."""
LOG_LINES: Final = 5_000
HIDDEN: Final = "**"
_SECRET_NAME: Final = r"[\w.-]*(?:passw(?:or)?d|passphrase|secret|token|private_key)[\w.-]*"
# A file's name is no secret, what stands behind any other such name may be one.
_SECRET: Final = re.compile(
    rf"""(?i)((?!{_SECRET_NAME}_file\b){_SECRET_NAME}["']?\s*[=:]\s*)"""
    r"""("(?:[^"\\]|\\.)*"|'[^']*'|[^\s,}\]]+)"""
)
_LOGIN_IN_URL: Final = re.compile(r"(://)[^/@\s\"']+@")
_PEM: Final = re.compile(r"-----BEGIN [^-]+-----.*?-----END [^-]+-----", re.DOTALL)
_CARD_IN_TEXT: Final = re.compile(r"(?i)\b(?:(?:10|[2-9TJQKA])[SHDC]|JK|joker)\b")

Part = Callable[[], str]


def parts_of(config_path: Path, pi: PiHealth | None = None) -> Iterator[tuple[str, str]]:
    """Yield name and text of every part of a bundle.

    A part that cannot be made says why in its place: a bundle is asked for when something is wrong.
    """
    text = _read(config_path)
    config, faults = _config(config_path, text)
    journal = _journal_of(text)
    parts: dict[str, Part] = {
        "table.toml": lambda: without_secrets(text),
        "configuration.txt": lambda: "\n".join(faults) or "valid",
        "versions.json": lambda: _json(_versions()),
        "log.txt": lambda: without_secrets(_log()),
        "changes.json": lambda: _json(_changes(journal)),
        "meters.json": lambda: _json(_meters(journal)),
        "rounds.json": lambda: _json(_rounds(journal)),
        "facts.jsonl": lambda: "".join(json.dumps(fact) + "\n" for fact in _facts(journal)),
    }
    if config is not None:
        parts["health.json"] = lambda: _json(_health(config, pi or PiHealth()))
    for name, make in parts.items():
        try:
            yield name, make()
        except Exception as error:
            last = traceback.extract_tb(error.__traceback__)[-1]
            where = f"{Path(last.filename).name}:{last.lineno}"
            yield f"{name}.failed.txt", f"{type(error).__name__} at {where}: {error}\n"


def without_secrets(text: str) -> str:
    """Return ``text`` (TOML, a log) with what may be a password or a key struck out."""
    text = _PEM.sub(HIDDEN, text)
    text = _LOGIN_IN_URL.sub(rf"\1{HIDDEN}@", text)
    return _SECRET.sub(rf'\1"{HIDDEN}"', text)


def without_cards(value: Any) -> Any:
    """Return plain JSON with every card in it hidden, in texts too."""
    if isinstance(value, Mapping):
        return {key: without_cards(item) for key, item in value.items()}
    if isinstance(value, list):
        return [without_cards(item) for item in value]
    if isinstance(value, str):
        return HIDDEN if _is_card(value) else _CARD_IN_TEXT.sub(HIDDEN, value)
    return value


def _is_card(text: str) -> bool:
    try:
        parse_card(text)
    except CardError:
        return False
    return True


def _read(path: Path) -> str:
    try:
        return path.read_text("utf-8", "replace")
    except OSError as error:
        return f"# {path} cannot be read: {error.strerror}\n"


def _config(path: Path, text: str) -> tuple[TableConfig | None, list[str]]:
    try:
        return config_from_text(str(path), text), []
    except ConfigError as error:
        # A fault names the value that is wrong.
        return None, [without_secrets(fault) for fault in error.faults]


def _journal_of(text: str) -> Path:
    """Return where the journal lies, for a configuration with faults elsewhere too."""
    try:
        return Path(tomllib.loads(text)["journal"]["path"])
    except (tomllib.TOMLDecodeError, KeyError, TypeError):
        return JournalSettings().path


def _versions() -> dict[str, Any]:
    release = platform.freedesktop_os_release()
    model = Path("/proc/device-tree/model")
    return {
        "model": model.read_text("ascii").rstrip("\0") if model.exists() else "no Raspberry Pi",
        "system": release.get("PRETTY_NAME"),
        "kernel": platform.release(),
        "machine": platform.machine(),
        "python": platform.python_version(),
        "packages": dict(sorted((each.name, each.version) for each in distributions())),
    }


def _log() -> str:
    if shutil.which("journalctl") is None:
        return "this system has no journalctl\n"
    command = ["journalctl", "--unit=fortune-table", f"--lines={LOG_LINES}", "--no-pager",
               "--output=short-iso-precise"]  # fmt: skip
    done = subprocess.run(command, capture_output=True, text=True, timeout=30, check=False)
    return done.stdout + done.stderr


def _health(config: TableConfig, pi: PiHealth) -> dict[str, Any]:
    journal = config.journal.path
    running = table_runs(journal)
    found: list[Finding] = [
        *check_rules(config.game.profile),
        *check_secrets(config.mqtt),
        check_disk(journal, config.journal.reserve_mib),
        *check_device(pi),
    ]
    if not running:
        found += check_journal(journal)
    return {"running": running, "findings": [finding.as_json() for finding in found]}


def _changes(journal: Path) -> dict[str, Any]:
    with open_for_reading(journal) as reader:
        changes = last_changes(reader)
    return {"software": asdict(Software.running()), "changes": [asdict(each) for each in changes]}


def _meters(journal: Path) -> dict[str, Any]:
    with open_for_reading(journal) as reader:
        head = load_head(reader)
    return {
        "meters": asdict(head.meters),
        "lifetime_totals": totals(head.meters.lifetime),
        "entries": head.number,
        "last_message": head.last_message,
    }


def _rounds(journal: Path) -> dict[str, Any]:
    with open_for_reading(journal) as reader:
        found = recall(reader, limit=ROUNDS)
    return {"fault": found.fault, "rounds": [each.as_json() for each in found.rounds]}


def _facts(journal: Path) -> Iterator[dict[str, Any]]:
    with open_for_reading(journal) as reader:
        told = recall(reader, limit=ROUNDS).rounds
        revealed = {each.number for each in told if each.told(RoundRevealed.TYPE) is not None}
        oldest = min((each.number for each in told), default=0)
        yield from _facts_from(reader, oldest, revealed)


def _facts_from(reader: EntryReader, oldest: int, revealed: set[int]) -> Iterator[dict[str, Any]]:
    for entry in reader.forwards(after=reader.first_reaching("round", oldest) - 1):
        for line in entry.fact_lines():
            fact = json.loads(line)
            yield {
                "entry": entry.number,
                "round": entry.round_number,
                "time": entry.stamp.utc_text,
                "clock_synchronised": entry.stamp.synchronised,
                "fact": fact if entry.round_number in revealed else without_cards(fact),
            }


def _json(value: Any) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False, default=dict) + "\n"
