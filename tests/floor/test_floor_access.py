"""Who may do what at the site's broker, by the list of rights that the samples hold."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from floor_brokers import CERTIFICATES, SITE, SiteBroker
from floor_story import FloorTable, wait_until

from firmware_app.feed.connection import LinkLostError, connect, new_client
from firmware_app.feed.settings import BrokerSettings, TlsSettings
from firmware_app.feed.subscriber import Subscriber
from firmware_app.feed.topics import TableTopics


class Listener:
    """Subscribes to everything that there is, as one of the users."""

    def __init__(self, broker: BrokerSettings) -> None:
        self.heard: list[tuple[str, bytes]] = []
        self._changed = threading.Condition()
        self._subscriber = Subscriber(broker, "fpg/v1/#", self._hear)

    def __enter__(self) -> Listener:
        self._subscriber.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._subscriber.stop()

    def _hear(self, topic: str, payload: bytes) -> None:
        with self._changed:
            self.heard.append((topic, payload))
            self._changed.notify_all()

    def wait_for(self, topic: str, payload: bytes) -> None:
        with self._changed:
            assert self._changed.wait_for(lambda: (topic, payload) in self.heard, 20), topic

    def topics(self) -> set[str]:
        with self._changed:
            return {topic for topic, _ in self.heard}

    def events(self) -> list[bytes]:
        with self._changed:
            return [payload for topic, payload in self.heard if "/event/" in topic]


@pytest.fixture
def site() -> Iterator[SiteBroker]:
    with SiteBroker() as running:
        yield running


def table(
    folder: Path, site: SiteBroker, name: str, *, certificate: str | None = None
) -> FloorTable:
    return FloorTable(folder, site.as_seen_by(certificate or name), name, site=SITE)


def test_a_table_publishes_under_its_own_name(tmp_path: Path, site: SiteBroker) -> None:
    with (
        Listener(site.as_seen_by("back-office")) as office,
        table(tmp_path, site, "fpg-01") as own,
    ):
        own.link.publish_state(b'{"phase": "betting"}')
        own.link.publish_meters(b'{"rounds": 1}')
        own.play(3)
        assert own.link.flush(20)
        own.link.publish_health(b'{"ok": true}')
        office.wait_for(own.settings.topics.health, b'{"ok": true}')
        assert own.link.health().ok
        assert office.events() == own.told
        topics = own.settings.topics
        assert office.topics() >= {topics.state, topics.meters, topics.status}


def test_a_table_that_takes_anothers_name_is_refused_and_keeps_its_events(
    tmp_path: Path, site: SiteBroker
) -> None:
    with (
        Listener(site.as_seen_by("back-office")) as office,
        table(tmp_path, site, "fpg-01", certificate="fpg-02") as impostor,
    ):
        impostor.link.publish_state(b'{"phase": "dealt"}')
        impostor.play(2)
        wait_until(
            lambda: (impostor.link.health().problem or "").startswith("broker refuses an event"),
            "the refusal",
        )
        health = impostor.link.health()
        assert health.problem == "broker refuses an event: not authorized"
        assert not health.ok
        assert health.alive
        # The own table's words show that the office would have heard the others.
        with table(tmp_path, site, "fpg-02") as honest:
            honest.play(1)
            assert honest.link.flush(20)
            office.wait_for(honest.settings.topics.event("round-settled"), honest.told[-1])
        assert not any(topic.startswith("fpg/v1/casino/fpg-01/") for topic in office.topics())
        wait_until(lambda: impostor.link.health().unsent == len(impostor.told), "the count")


def test_what_was_refused_goes_out_once_the_right_is_given(
    tmp_path: Path, site: SiteBroker
) -> None:
    with table(tmp_path, site, "fpg-01", certificate="fpg-02") as wrong:
        wrong.play(2)
        wait_until(lambda: "refuses" in (wrong.link.health().problem or ""), "the refusal")
        told = wrong.told
    with (
        Listener(site.as_seen_by("back-office")) as office,
        table(tmp_path, site, "fpg-01") as right,
    ):
        assert right.link.flush(20)
        office.wait_for(right.settings.topics.event("round-settled"), told[-1])
        assert office.events() == told


def test_a_subscriber_without_rights_sees_nothing_of_a_table(
    tmp_path: Path, site: SiteBroker
) -> None:
    secret = TableTopics(SITE, "fpg-02")
    with (
        Listener(site.as_seen_by("pit-display")) as display,
        Listener(site.as_seen_by("fpg-01")) as neighbour,
        Listener(site.as_seen_by("back-office")) as office,
        table(tmp_path, site, "fpg-02") as told,
    ):
        told.link.publish_meters(b'{"rounds": 1}')
        told.play(2)
        assert told.link.flush(20)
        office.wait_for(secret.event("round-settled"), told.told[-1])
        office.wait_for(secret.meters, b'{"rounds": 1}')
        # The last word is one that the display may hear, so all before it has passed by.
        told.link.publish_state(b'{"phase": "settled"}')
        display.wait_for(secret.state, b'{"phase": "settled"}')
        assert display.topics() == {secret.state, secret.status}
        assert neighbour.topics() == set()


def test_only_the_back_office_may_ask_for_a_resend(tmp_path: Path, site: SiteBroker) -> None:
    with (
        Listener(site.as_seen_by("back-office")) as office,
        table(tmp_path, site, "fpg-01") as asked,
    ):
        asked.play(2)
        assert asked.link.flush(20)
        office.wait_for(asked.settings.topics.event("round-settled"), asked.told[-1])
        last = len(asked.told)
        for name, first in (("fpg-02", 1), ("pit-display", 1), ("back-office", last)):
            request = json.dumps({"from_sequence": first}).encode()
            publish(site.as_seen_by(name), asked.settings.topics.resend, request)
        wait_until(lambda: len(office.events()) > last, "the resend")
        asked.play(1)
        assert asked.link.flush(20)
        office.wait_for(asked.settings.topics.event("round-settled"), asked.told[-1])
        assert office.events() == [*asked.told[:last], *asked.told[last - 1 :]]


def test_who_shows_no_certificate_is_not_let_in(site: SiteBroker) -> None:
    authority = TlsSettings(ca=CERTIFICATES / "authority.pem")
    nobody = site.as_seen_by("back-office").model_copy(update={"tls": authority})
    with pytest.raises(LinkLostError):
        Subscriber(nobody, "fpg/v1/#", lambda *_: None).start(timeout_s=2)
    plain = nobody.model_copy(update={"tls": None})
    with pytest.raises(LinkLostError):
        Subscriber(plain, "fpg/v1/#", lambda *_: None).start(timeout_s=2)


def publish(broker: BrokerSettings, topic: str, payload: bytes) -> None:
    """Publish one message, and wait for the broker's answer, whatever it is."""
    client = new_client(broker, "asks-for-a-resend")
    connect(client, broker, keepalive_s=20, expiry_s=0, timeout_s=10)
    client.loop_start()
    try:
        message = client.publish(topic, payload, qos=1)
        message.wait_for_publish(10)
        assert message.is_published()
    finally:
        client.disconnect()
        client.loop_stop()
