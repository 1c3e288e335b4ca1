"""What changed of configuration and software is on record, by names and never by values."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from recorded_table import SOFTWARE, stamp

from firmware_app.journal.audit import audit
from firmware_app.journal.changes import changed_names, last_changes
from firmware_app.journal.errors import JournalError
from firmware_app.journal.reading import open_for_reading
from firmware_app.journal.records import Configuration, OutgoingMessage
from firmware_app.journal.store import Journal
from firmware_app.rules.profile import load_profile
from firmware_app.table.state import TableRules, rules_to_json


def rules(name: str = "envy") -> str:
    return rules_to_json(TableRules(load_profile(name))).decode()


def configured(digest: str = "aa", profile: str = "envy", **values: object) -> Configuration:
    return Configuration(json.dumps(values), rules(profile), SOFTWARE, digest, by="start")


def test_nothing_is_known_of_what_was_before_the_first() -> None:
    assert changed_names(None, configured()) is None


@pytest.mark.parametrize(
    ("now", "names"),
    [
        ({"mqtt": {"host": "a", "port": 1}}, ()),
        ({"mqtt": {"host": "b", "port": 1}}, ("mqtt.host",)),
        ({"mqtt": {"host": "a"}}, ("mqtt.port",)),
        ({"mqtt": {"host": "a", "port": 1, "tls": {"ca": "x"}}}, ("mqtt.tls.ca",)),
        ({"mqtt": {}}, ("mqtt", "mqtt.host", "mqtt.port")),
        ({"mqtt": {"host": "a", "port": True}}, ("mqtt.port",)),
        ({"mqtt": {"host": "a", "port": 1}, "spots": [1]}, ("spots",)),
    ],
)
def test_a_key_is_named_by_its_path(now: dict[str, object], names: tuple[str, ...]) -> None:
    before = configured(mqtt={"host": "a", "port": 1})
    assert changed_names(before, configured(**now)) == names


def test_software_and_rules_are_named_too() -> None:
    # The profile that a configuration names may itself have been edited.
    assert changed_names(configured("aa"), configured("bb")) == ("software",)
    names = changed_names(configured(), configured(profile="face-up"))
    assert names is not None
    assert "rules.profile.fortune.pay_table" in names
    assert all(name.startswith("rules.profile.") for name in names)


def test_a_text_that_is_no_json_differs_as_a_whole() -> None:
    old = Configuration("host = 'a'", rules(), SOFTWARE, "aa", by="start")
    new = Configuration("host = 'b'", rules(), SOFTWARE, "aa", by="start")
    assert changed_names(old, new) == ("configuration",)


def test_the_last_ten_changes_are_told_newest_first_and_without_values(path: Path) -> None:
    with Journal.open(path) as journal:
        for number in range(12):
            journal.record_configuration(
                configured(f"{number:064}", password=f"secret-{number}"), stamp=stamp(number)
            )
    with open_for_reading(path) as reader:
        changes = last_changes(reader)
    assert [change.software_digest for change in changes] == [
        f"{number:064}" for number in range(11, 1, -1)
    ]
    assert {change.changed for change in changes} == {("password", "software")}
    assert changes[0].time == "2025-11-30T12:00:11.000000Z"
    assert "secret-" not in repr(changes)
    assert audit(path, software=SOFTWARE).changes == changes


def test_the_oldest_change_of_a_young_journal_is_its_first(path: Path) -> None:
    with Journal.open(path) as journal:
        for number in range(3):
            journal.record_configuration(configured(f"{number}"), stamp=stamp(number))
    with open_for_reading(path) as reader:
        assert [change.changed for change in last_changes(reader)] == [
            ("software",),
            ("software",),
            None,
        ]


def test_a_configuration_and_its_message_are_one_transaction(journal: Journal) -> None:
    told = OutgoingMessage(1, "t-1", "configuration-applied", b"{}")
    journal.record_configuration(configured(), messages=[told], stamp=stamp(1))
    with pytest.raises(JournalError, match=r"\[1\] do not go on from 2"):
        journal.record_configuration(configured("bb"), messages=[told], stamp=stamp(2))
    assert [each.software_digest for each in journal.configurations()] == ["aa"]
    with journal.outbox() as outbox:
        assert outbox.pending(10) == [told]
