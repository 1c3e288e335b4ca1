"""The published contract holds for what is really published, and catches what is not."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from dataclasses import asdict, replace
from typing import Any

import pytest
from contract import Contract
from feed_story import TOPICS, MemoryOutbox
from jsonschema import Draft202012Validator

from firmware_app.feed import status
from firmware_app.feed.envelope import encode
from firmware_app.feed.examples import EXAMPLES, cards
from firmware_app.feed.link import Link
from firmware_app.feed.schema import asyncapi, data_schema
from firmware_app.feed.settings import FeedSettings
from firmware_app.journal.meters import Meters
from firmware_app.rules.lines import Line
from firmware_app.rules.play import EnvyResult, EnvyTrigger, Result, SpotResult, WagerResult
from firmware_app.rules.profile import load_profile
from firmware_app.runtime.health import HealthWatch
from firmware_app.table.events import EVENTS, Event
from firmware_app.table.state import TableRules, new_table
from firmware_app.table.view import view, view_to_json
from hw.health import Reading

DOCUMENT = asyncapi()
validator = Contract(DOCUMENT).validator


def published(event: Event) -> Any:
    return json.loads(encode(event, TOPICS, sequence=9, wall_utc_ns=10**18, synchronised=True))


def nodes(part: Any) -> Iterator[dict[str, Any]]:
    if isinstance(part, dict):
        yield part
        part = list(part.values())
    if isinstance(part, list):
        for inner in part:
            yield from nodes(inner)


def resolve(pointer: str) -> Any:
    part: Any = DOCUMENT
    for step in pointer.removeprefix("#/").split("/"):
        part = part[step]
    return part


@pytest.mark.parametrize("event", EXAMPLES, ids=lambda event: event.TYPE)
def test_what_is_published_is_valid(event: Event) -> None:
    validator(event.TYPE).validate(published(event))
    Draft202012Validator(data_schema(type(event))).validate(published(event)["data"])


@pytest.mark.parametrize("event", EXAMPLES, ids=lambda event: event.TYPE)
def test_a_message_is_valid_as_its_own_kind_only(event: Event) -> None:
    document = published(event)
    valid_as = [kind.TYPE for kind in EVENTS if validator(kind.TYPE).is_valid(document)]
    assert valid_as == [event.TYPE]


@pytest.mark.parametrize("event", EXAMPLES, ids=lambda event: event.TYPE)
def test_every_field_is_promised(event: Event) -> None:
    """Taking any field away is a breach: a consumer may rely on all of them."""
    document = published(event)
    check = validator(event.TYPE)
    for name in document:
        assert not check.is_valid({key: document[key] for key in document if key != name}), name
    for name in document["data"]:
        broken = copy.deepcopy(document)
        del broken["data"][name]
        assert not check.is_valid(broken), name


@pytest.mark.parametrize("event", EXAMPLES, ids=lambda event: event.TYPE)
def test_every_field_is_described(event: Event) -> None:
    described = resolve(f"#/components/schemas/{type(event).__name__}")["properties"]
    assert set(published(event)["data"]) == set(described)
    envelope = resolve("#/components/schemas/Envelope")["properties"]
    assert set(published(event)) == set(envelope)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("sequence", 9),
        ("sequence", "9"),
        ("time", "2026-08-01 12:00"),
        ("specversion", "0.3"),
        ("subject", "7"),
        ("clocksynchronised", "yes"),
    ],
)
def test_a_wrong_attribute_is_a_breach(field: str, value: object) -> None:
    document = published(EXAMPLES[-1]) | {field: value}
    assert not validator(EXAMPLES[-1].TYPE).is_valid(document)


def test_a_card_that_is_none_is_a_breach() -> None:
    [settled] = [sample for sample in EXAMPLES if sample.TYPE == "round-settled"]
    document = published(settled)
    document["data"]["spots"][0]["cards"][0] = "1S"
    assert not validator("round-settled").is_valid(document)


def test_fields_of_a_newer_table_are_no_breach() -> None:
    document = published(EXAMPLES[1]) | {"newattribute": "x"}
    document["data"]["newfield"] = 1
    validator(EXAMPLES[1].TYPE).validate(document)


def test_the_event_names_the_schema_of_its_data() -> None:
    for sample in EXAMPLES:
        assert data_schema(type(sample))["$id"] == published(sample)["dataschema"]


def test_the_document_holds_an_example_of_every_event() -> None:
    messages = DOCUMENT["components"]["messages"]
    for event in EVENTS:
        [example] = messages[event.TYPE]["examples"]
        validator(event.TYPE).validate(example["payload"])
        assert messages[event.TYPE]["summary"], event.TYPE


def test_every_schema_is_one() -> None:
    for schema in DOCUMENT["components"]["schemas"].values():
        Draft202012Validator.check_schema(schema)
    for event in EVENTS:
        Draft202012Validator.check_schema(data_schema(event))


def test_every_reference_leads_somewhere() -> None:
    references = [node["$ref"] for node in nodes(DOCUMENT) if isinstance(node.get("$ref"), str)]
    assert len(references) > 4 * len(EVENTS)
    for reference in references:
        assert resolve(reference) is not None


def test_channels_are_the_topics_that_are_used() -> None:
    addresses = {
        name: channel["address"].format(site=TOPICS.site, table=TOPICS.table)
        for name, channel in DOCUMENT["channels"].items()
    }
    expected = {event.TYPE: TOPICS.event(event.TYPE) for event in EVENTS}
    expected |= {
        "state": TOPICS.state,
        "status": TOPICS.status,
        "meters": TOPICS.meters,
        "health": TOPICS.health,
        "resend": TOPICS.resend,
    }
    assert addresses == expected


def test_each_operation_says_how_it_is_sent() -> None:
    sent = {
        name: (operation["action"], *list(operation["bindings"]["mqtt"].values())[:2])
        for name, operation in DOCUMENT["operations"].items()
    }
    assert sent["round-settled"] == ("send", 1, False)
    assert sent["state"] == sent["status"] == sent["meters"] == ("send", 1, True)
    assert sent["health"] == ("send", 0, False)
    assert sent["resend"][0] == "receive"
    for name, operation in DOCUMENT["operations"].items():
        assert resolve(operation["channel"]["$ref"]) is DOCUMENT["channels"][name]
        for reference in operation["messages"]:
            assert resolve(reference["$ref"]) in DOCUMENT["channels"][name]["messages"].values()


def test_birth_will_and_farewell_are_valid() -> None:
    for payload in (status.ONLINE, status.LOST, status.STOPPED):
        validator("status").validate(json.loads(payload))
    assert json.loads(status.LOST) == {"status": "offline", "reason": "connection lost"}


def test_the_retained_state_is_valid() -> None:
    rules = TableRules(load_profile("envy"))
    quiet = view(new_table(rules), rules)
    result = SpotResult(
        number=1,
        fortune=WagerResult(Result.WIN, paid_cents=12_500, line="four_of_a_kind", pays=25),
        envy=EnvyResult(500, (EnvyTrigger(4, Line.FOUR_OF_A_KIND, 500),)),
        line=Line.FOUR_OF_A_KIND,
        made_of=cards("QS QH QD QC"),
    )
    winner = replace(quiet.spots[0], cards=cards("QS QH QD QC JK 4D 9H"), result=result)
    for shown in (quiet, replace(quiet, spots=(winner, *quiet.spots[1:]))):
        document = json.loads(view_to_json(shown))
        validator("state").validate(document)
        del document["phase"]
        assert not validator("state").is_valid(document)


def test_the_retained_meters_are_valid() -> None:
    before = Meters({"rounds.settled": 7}, {})
    after = before.shift_closed().moved({"rounds.settled": 1, "spot.1.main.in_cents": 2500})
    for meters in (before, after):
        document = {"lifetime": dict(meters.lifetime), "shift": meters.shift}
        validator("meters").validate(document)
    assert not validator("meters").is_valid({"lifetime": {"rounds.settled": "7"}, "shift": {}})


def test_the_health_message_is_valid() -> None:
    watch = HealthWatch([lambda: [Reading("space", "ok", "900 MiB free")]])
    watch.look()
    link = Link(FeedSettings(host="h", site="s", table="t"), MemoryOutbox).health()
    document = json.loads(watch.report({"noise": 0}, asdict(link)))
    validator("health").validate(document)
    del document["readings"][0]["status"]
    assert not validator("health").is_valid(document)
