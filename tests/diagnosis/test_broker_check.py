"""The broker is visited beside the table: reachable, welcome, allowed to publish."""

from __future__ import annotations

import queue
import socket

from refusing_broker import BAD_USER_NAME_OR_PASSWORD, NOT_AUTHORIZED, RefusingBroker

from firmware_app.diagnosis.broker_check import broker_names, check_broker
from firmware_app.feed.demo_broker import DemoBroker
from firmware_app.feed.settings import BrokerSettings, FeedSettings
from firmware_app.feed.subscriber import Subscriber

HEALTH = b'{"readings": [], "reader": {}, "feed": {}}'


def feed(broker: BrokerSettings | int) -> FeedSettings:
    reach = (
        {"host": "127.0.0.1", "port": broker} if isinstance(broker, int) else broker.model_dump()
    )
    return FeedSettings.model_validate(reach | {"site": "lab", "table": "t1"})


def unused_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def test_a_broker_that_takes_the_table_gets_one_health_message_and_nothing_else() -> None:
    heard: queue.SimpleQueue[tuple[str, bytes]] = queue.SimpleQueue()
    with DemoBroker() as broker:
        with Subscriber(broker.settings, "fpg/#", lambda *message: heard.put(message)):
            found = check_broker(feed(broker.settings), HEALTH)
            assert heard.get(timeout=10) == ("fpg/v1/lab/t1/health", HEALTH)
            assert heard.empty()
        late: queue.SimpleQueue[tuple[str, bytes]] = queue.SimpleQueue()
        with Subscriber(broker.settings, "fpg/#", lambda *message: late.put(message)):
            check_broker(feed(broker.settings), b"second")
            # Had the first been retained, it would have come first.
            assert late.get(timeout=10) == ("fpg/v1/lab/t1/health", b"second")
    assert found.status == "ok"
    assert f"accepts the table, MQTT {broker.protocol} without TLS" in found.detail


def test_beside_a_running_table_nothing_is_published() -> None:
    heard: queue.SimpleQueue[tuple[str, bytes]] = queue.SimpleQueue()
    with (
        DemoBroker() as broker,
        Subscriber(broker.settings, "fpg/#", lambda *message: heard.put(message)),
    ):
        assert check_broker(feed(broker.settings), None).status == "ok"
        check_broker(feed(broker.settings), b"marker")
        assert heard.get(timeout=10)[1] == b"marker"


def test_the_check_does_not_take_the_tables_client_name() -> None:
    with RefusingBroker(connack=0) as broker:
        settings = feed(broker.port)
        check_broker(settings, None)
    assert settings.client_name == "fpg-lab-t1"
    assert broker.client_names == ["fpg-lab-t1-check"]


def test_a_broker_that_is_not_there_is_a_warning() -> None:
    found = check_broker(feed(unused_port()), HEALTH)

    assert found.status == "warning"
    assert "connection refused" in found.detail
    assert "the table plays on and keeps its events" in found.cure


def test_refused_credentials_are_told_with_the_keys_to_look_at() -> None:
    with RefusingBroker(connack=BAD_USER_NAME_OR_PASSWORD) as broker:
        found = check_broker(feed(broker.port), HEALTH)

    assert found.status == "warning"
    assert "refuses the table: bad user name or password" in found.detail
    assert "mqtt.password_file" in found.cure


def test_a_broker_that_does_not_let_the_table_publish_is_told_with_the_topics_to_allow() -> None:
    with RefusingBroker(connack=0, puback=NOT_AUTHORIZED) as broker:
        found = check_broker(feed(broker.port), HEALTH)

    assert found.status == "warning"
    assert "not let it publish on fpg/v1/lab/t1/health: not authorized" in found.detail
    assert "allow fpg/v1/lab/t1/# to this table" in found.cure


def test_a_broker_of_another_protocol_is_told_by_its_hanging_up() -> None:
    with RefusingBroker(connack=None, hangs_up=True) as broker:
        found = check_broker(feed(broker.port), HEALTH)

    assert found.status == "warning"
    assert "closed the connection without an answer" in found.detail
    assert "does it speak MQTT 5?" in found.cure


def test_a_port_where_nobody_answers_is_given_up() -> None:
    with RefusingBroker(connack=None) as broker:
        found = check_broker(feed(broker.port), HEALTH)

    assert found.status == "warning"
    assert "does not answer" in found.detail


def test_a_certificate_that_cannot_be_read_is_named(tmp_path: object) -> None:
    settings = feed(unused_port()).model_dump() | {"tls": {"ca": f"{tmp_path}/ca.pem"}}
    found = check_broker(FeedSettings.model_validate(settings), HEALTH)

    assert found.status == "warning"
    assert f"tls ca {tmp_path}/ca.pem cannot be used" in found.detail


def with_fallbacks(first: int, *others: int) -> FeedSettings:
    places = tuple(f"localhost:{port}" for port in others)
    return feed(first).model_copy(update={"fallbacks": places})


def test_every_fallback_is_visited_under_a_name_of_its_own() -> None:
    with (
        RefusingBroker(connack=0) as first,
        RefusingBroker(connack=NOT_AUTHORIZED) as second,
    ):
        away = unused_port()
        settings = with_fallbacks(first.port, second.port, away)
        names = broker_names(settings)
        found = [check_broker(settings, None, turn=turn) for turn in range(len(names))]

    assert names == ["broker", f"fallback localhost:{second.port}", f"fallback localhost:{away}"]
    assert [finding.check for finding in found] == names
    assert [finding.status for finding in found] == ["ok", "warning", "warning"]
    assert f"broker localhost:{second.port} refuses the table: not authorized" in found[1].detail
    assert f"broker localhost:{away}: connection refused" in found[2].detail
    assert first.client_names == ["fpg-lab-t1-check"]
    assert second.client_names == ["fpg-lab-t1-check-1"]


def test_a_fallback_that_closes_without_a_word_is_looked_for_among_the_fallbacks() -> None:
    with RefusingBroker(connack=0) as first, RefusingBroker(connack=None) as silent:
        found = check_broker(with_fallbacks(first.port, silent.port), None, turn=1)

    assert found.check == f"fallback localhost:{silent.port}"
    assert found.detail.startswith(f"broker localhost:{silent.port} does not answer")
