"""Settings of the feed are refused with the field, the value and the cure."""

from __future__ import annotations

from pathlib import Path

import pytest
from pydantic import ValidationError

from firmware_app.feed.demo_broker import DemoBroker
from firmware_app.feed.settings import FeedSettings, parse_broker_url

WHO = {"site": "harbour", "table": "pg-7", "host": "broker.example"}


def test_the_defaults_are_safe_and_quick() -> None:
    settings = FeedSettings.model_validate(WHO)
    assert settings.address == "broker.example:1883"
    assert settings.protocol == "5"
    assert settings.client_name == "fpg-harbour-pg-7"
    assert 20 <= settings.in_flight <= 100, "the range in which the client library is fastest"
    assert settings.accept_resend_requests is False
    # A broker's return is noticed, and answered, within 30 s.
    assert settings.retry_cap_s + settings.connect_timeout_s <= 30


def test_the_port_of_an_encrypted_link_is_another() -> None:
    settings = FeedSettings.model_validate(WHO | {"tls": {"ca": "ca.pem"}})
    assert settings.port_number == 8883
    assert FeedSettings.model_validate(WHO | {"port": 99}).port_number == 99


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("site", "the harbour"),
        ("table", "pg/7"),
        ("host", ""),
        ("port", 0),
        ("port", 65536),
        ("protocol", "4"),
        ("in_flight", 0),
        ("in_flight", 101),
        ("events_per_s", 0),
        ("keepalive_s", 0),
        ("retry_cap_s", 60),
        ("client_id", ""),
        ("brokr", "x"),
    ],
)
def test_what_cannot_work_is_refused_by_name(field: str, value: object) -> None:
    with pytest.raises(ValidationError) as caught:
        FeedSettings.model_validate(WHO | {field: value})
    assert [error["loc"] for error in caught.value.errors()] == [(field,)]


def test_a_certificate_without_its_key_is_refused() -> None:
    with pytest.raises(ValidationError, match="certificate and key go together"):
        FeedSettings.model_validate(WHO | {"tls": {"ca": "ca.pem", "key": "k.pem"}})


def test_a_brokers_address_is_read() -> None:
    plain = parse_broker_url("mqtt://broker.example")
    assert (plain.address, plain.protocol, plain.tls) == ("broker.example:1883", "5", None)
    old = parse_broker_url("mqtt://127.0.0.1:4711/?protocol=3.1.1")
    assert (old.address, old.protocol) == ("127.0.0.1:4711", "3.1.1")
    safe = parse_broker_url("mqtts://broker.example?ca=/a%20b.pem&certificate=c&key=k")
    assert safe.port_number == 8883
    assert safe.tls is not None
    assert (safe.tls.ca, safe.tls.certificate) == (Path("/a b.pem"), Path("c"))


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("broker.example", "is not understood: write mqtt://host:1883"),
        ("http://broker.example", "is not understood"),
        ("mqtt://", "is not understood"),
        ("mqtt://broker.example/topic", "is not understood"),
        ("mqtt://broker.example:70000", "Port out of range"),
        ("mqtt://broker.example:x", "write mqtt://host:1883"),
        ("mqtt://broker.example?protocol=4", "protocol '4' is unknown: use 5 or 3.1.1"),
        ("mqtt://broker.example?x", "bad query field"),
        ("mqtts://broker.example", "mqtts and ca=FILE go together"),
        ("mqtt://broker.example?ca=x", "mqtts and ca=FILE go together"),
        ("mqtts://broker.example?ca=x&cert=y", "cert: "),
        ("mqtts://broker.example?ca=x&key=y", "certificate and key go together"),
    ],
)
def test_an_address_that_is_none_is_refused_with_the_cure(url: str, words: str) -> None:
    with pytest.raises(ValueError) as caught:
        parse_broker_url(url)
    assert words in str(caught.value)


def test_a_password_in_the_address_is_refused_and_not_repeated() -> None:
    with pytest.raises(ValueError, match="do not belong in the broker's address") as caught:
        parse_broker_url("mqtt://table:opensesame@broker.example")
    assert "opensesame" not in str(caught.value)


def test_the_demonstration_brokers_address_can_be_given_to_a_command(broker: DemoBroker) -> None:
    assert parse_broker_url(broker.url) == broker.settings
