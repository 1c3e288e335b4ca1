"""The link against a broker that misbehaves to order, byte by byte."""

from __future__ import annotations

import json
import logging
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from feed_story import TOPICS, MemoryOutbox
from scripted_broker import (
    BAD_USER_NAME_OR_PASSWORD,
    NOT_AUTHORIZED,
    QUOTA_EXCEEDED,
    Connection,
    Published,
    ScriptedBroker,
    maximum_packet_size,
    receive_maximum,
)

from firmware_app.feed.link import Link

MakeLink = Callable[..., Link]


def sequences(broker: ScriptedBroker) -> list[int]:
    return [int(json.loads(payload)["sequence"]) for payload in broker.payloads()]


def wait_until(condition: Callable[[], object], timeout_s: float = 10) -> None:
    deadline_s = time.monotonic() + timeout_s
    while not condition():
        assert time.monotonic() < deadline_s, "not in time"
        time.sleep(0.01)


def test_it_introduces_itself_with_will_and_kept_session(make_link: MakeLink) -> None:
    with ScriptedBroker() as broker:
        make_link(broker.port, MemoryOutbox(), session_expiry_s=3600, keepalive_s=7)
        broker.wait(lambda b: b.published)
        [hello] = broker.hellos
        assert (hello.client_id, hello.clean) == ("fpg-harbour-pg-7", False)
        assert (hello.session_expiry_s, hello.keepalive_s) == (3600, 7)
        assert (hello.will_topic, hello.will_retained) == (TOPICS.status, True)
        assert json.loads(hello.will) == {"status": "offline", "reason": "connection lost"}
        birth = broker.published[0]
        assert (birth.topic, birth.retain, birth.qos) == (TOPICS.status, True, 1)
        assert json.loads(birth.payload) == {"status": "online", "reason": None}


def test_a_password_is_read_anew_at_each_connection_and_never_logged(
    make_link: MakeLink, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    password = tmp_path / "password"
    password.write_text("opensesame\n")
    with ScriptedBroker(lambda c: c.accept(code=BAD_USER_NAME_OR_PASSWORD)) as broker:
        make_link(broker.port, MemoryOutbox(), username="pg-7", password_file=password)
        broker.wait(lambda b: b.hellos)
        assert (broker.hellos[0].username, broker.hellos[0].password) == ("pg-7", "opensesame")
        password.write_text("changed-meanwhile")
        broker.wait(lambda b: b.hellos[-1].password == "changed-meanwhile")
    assert "refuses the table: bad user name or password" in caplog.text
    assert "opensesame" not in caplog.text


def test_the_older_protocol_keeps_its_session_too(make_link: MakeLink) -> None:
    with ScriptedBroker() as broker:
        outbox = MemoryOutbox(3)
        link = make_link(broker.port, outbox, protocol="3.1.1")
        assert link.flush(10)
        assert broker.hellos[0].clean is False
        assert broker.payloads() == [row.payload for row in outbox.rows.values()]


def test_it_says_that_it_stopped_and_leaves_in_good_order(make_link: MakeLink) -> None:
    with ScriptedBroker() as broker:
        link = make_link(broker.port, MemoryOutbox(1))
        assert link.flush(10)
        assert link.stop(10)
        broker.wait(lambda b: b.farewells)
        last = broker.published[-1]
        assert (last.topic, last.retain) == (TOPICS.status, True)
        assert json.loads(last.payload) == {"status": "offline", "reason": "stopped"}


def test_events_go_to_the_topic_of_their_kind_at_qos_1(make_link: MakeLink) -> None:
    with ScriptedBroker() as broker:
        outbox = MemoryOutbox(1)
        assert make_link(broker.port, outbox).flush(10)
        [event] = [item for item in broker.published if "/event/" in item.topic]
        assert event.topic == "fpg/v1/harbour/pg-7/event/payout"
        assert (event.qos, event.retain, event.payload) == (1, False, outbox.rows[1].payload)


@pytest.mark.parametrize(("ours", "theirs", "expected"), [(8, None, 8), (50, 5, 5), (1, 20, 1)])
def test_never_more_are_under_way_than_either_side_allows(
    make_link: MakeLink, ours: int, theirs: int | None, expected: int
) -> None:
    held: list[Published] = []
    most = 0
    full = threading.Event()

    def hold(connection: Connection, item: Published) -> None:
        nonlocal most
        held.append(item)
        most = max(most, len(held))
        if len(held) == expected and "/event/" in item.topic:
            full.set()
        if "/status" in item.topic or full.is_set():
            # Answers only one at a time, and only when the window is full.
            connection.acknowledge(held.pop(0).packet_id)

    properties = b"" if theirs is None else receive_maximum(theirs)
    with ScriptedBroker(lambda c: c.accept(properties=properties), hold) as broker:
        outbox = MemoryOutbox(60)
        make_link(broker.port, outbox, in_flight=ours)
        broker.wait(lambda b: len(b.payloads()) >= 60 - expected)
        assert most == expected


def test_only_what_is_acknowledged_is_marked_sent(make_link: MakeLink) -> None:
    def first_two(connection: Connection, item: Published) -> None:
        if "/event/" not in item.topic or len(seen) < 2:
            connection.acknowledge(item.packet_id)
        if "/event/" in item.topic:
            seen.append(item)

    seen: list[Published] = []
    with ScriptedBroker(on_publish=first_two) as broker:
        outbox = MemoryOutbox(5)
        link = make_link(broker.port, outbox)
        broker.wait(lambda b: len(b.payloads()) == 5)
        wait_until(lambda: len(outbox.sent) >= 2)
        link.publish_state(b"{}")
        broker.wait(lambda b: b.payloads("/state"))
        assert outbox.sent == [1, 2]


def test_a_cut_link_goes_on_with_the_same_bytes_in_order(make_link: MakeLink) -> None:
    """Cut again and again with messages under way, at another place each time."""

    def cut_sometimes(connection: Connection, item: Published) -> None:
        if "/event/" in item.topic:
            if len(broker.published) % 7 == 6:
                connection.cut()
                return
            if len(broker.published) % 3:
                return  # received, but the acknowledgement is lost
        connection.acknowledge(item.packet_id)

    with ScriptedBroker(on_publish=cut_sometimes) as broker:
        outbox = MemoryOutbox(40)
        link = make_link(broker.port, outbox, in_flight=6, retry_first_s=0.01, retry_cap_s=0.02)
        broker.wait(lambda b: len(b.hellos) >= 5)
        broker.on_publish = None
        assert link.flush(20)
        firsts = list(dict.fromkeys(broker.payloads()))
        assert firsts == [row.payload for row in outbox.rows.values()]
        assert sorted(set(outbox.sent)) == list(outbox.rows)


def test_answers_out_of_order_are_understood(make_link: MakeLink) -> None:
    held: list[int] = []

    def backwards(connection: Connection, item: Published) -> None:
        if "/event/" not in item.topic:
            connection.acknowledge(item.packet_id)
            return
        held.append(item.packet_id)
        if len(held) == 5:
            for packet_id in reversed(held):
                connection.acknowledge(packet_id)

    with ScriptedBroker(on_publish=backwards) as broker:
        outbox = MemoryOutbox(5)
        assert make_link(broker.port, outbox).flush(10)
        assert sorted(outbox.sent) == [1, 2, 3, 4, 5]
        assert sequences(broker) == [1, 2, 3, 4, 5]


def test_a_refused_event_is_sent_again_with_all_that_follow(make_link: MakeLink) -> None:
    refusals = 0

    def refuse_third(connection: Connection, item: Published) -> None:
        nonlocal refusals
        if b'"sequence":"000000000003"' in item.payload and refusals < 2:
            refusals += 1
            connection.acknowledge(item.packet_id, QUOTA_EXCEEDED)
        else:
            connection.acknowledge(item.packet_id)

    with ScriptedBroker(on_publish=refuse_third) as broker:
        outbox = MemoryOutbox(5)
        link = make_link(broker.port, outbox, in_flight=1)
        assert link.flush(10)
        assert sequences(broker) == [1, 2, 3, 3, 3, 4, 5]


def test_a_refused_state_does_not_hold_up_events(
    make_link: MakeLink, caplog: pytest.LogCaptureFixture
) -> None:
    def refuse_state(connection: Connection, item: Published) -> None:
        code = NOT_AUTHORIZED if item.topic == TOPICS.state else 0
        connection.acknowledge(item.packet_id, code)

    with ScriptedBroker(on_publish=refuse_state) as broker:
        link = make_link(broker.port, MemoryOutbox(3))
        link.publish_state(b"{}")
        broker.wait(lambda b: b.payloads("/state"))
        assert link.flush(10)
        assert len(broker.hellos) == 1
        assert (
            "broker refuses a message on fpg/v1/harbour/pg-7/state: not authorized" in caplog.text
        )


def test_a_message_above_the_brokers_limit_is_named_and_not_sent(make_link: MakeLink) -> None:
    limit = maximum_packet_size(1000)
    with ScriptedBroker(lambda c: c.accept(properties=limit)) as broker:
        link = make_link(broker.port, MemoryOutbox(1))
        assert link.flush(10)
        link.publish_state(b"x" * 2000)
        wait_until(lambda: link.health().problem)
        assert "/state is" in (link.health().problem or "")
        assert "above the broker's limit of 1000" in (link.health().problem or "")
        assert link.flush(10)
        assert len(broker.hellos) == 1, "the link must not be lost over it"


def test_an_event_above_the_brokers_limit_waits_without_a_storm(make_link: MakeLink) -> None:
    limit = maximum_packet_size(100)
    with ScriptedBroker(lambda c: c.accept(properties=limit)) as broker:
        outbox = MemoryOutbox(2)
        link = make_link(broker.port, outbox)
        wait_until(lambda: link.health().problem)
        assert "/event/payout is" in (link.health().problem or "")
        assert not link.health().ok
        link.publish_state(b"{}")
        broker.wait(lambda b: b.payloads("/state"))
        assert (broker.payloads(), outbox.sent, len(broker.hellos)) == ([], [], 1)


def test_a_broker_that_never_acknowledges_is_left(make_link: MakeLink) -> None:
    def deaf(connection: Connection, item: Published) -> None:
        if "/event/" not in item.topic:
            connection.acknowledge(item.packet_id)

    with ScriptedBroker(on_publish=deaf) as broker:
        outbox = MemoryOutbox(2)
        link = make_link(broker.port, outbox, ack_timeout_s=0.2)
        broker.wait(lambda b: len(b.hellos) >= 2)
        assert outbox.sent == []
        broker.on_publish = None
        assert link.flush(20)
        assert list(dict.fromkeys(sequences(broker))) == [1, 2]


def test_a_broker_that_does_not_answer_connect_is_tried_again(make_link: MakeLink) -> None:
    with ScriptedBroker(on_connect=lambda connection: None) as broker:
        link = make_link(broker.port, MemoryOutbox(1), connect_timeout_s=0.2)
        broker.wait(lambda b: len(b.hellos) >= 2)
        wait_until(lambda: "does not answer CONNECT" in (link.health().problem or ""))
        broker.on_connect = lambda connection: connection.accept()
        assert link.flush(20)


def test_a_refused_connection_says_why(make_link: MakeLink) -> None:
    with ScriptedBroker(lambda c: c.accept(code=NOT_AUTHORIZED)) as broker:
        link = make_link(broker.port, MemoryOutbox())
        wait_until(lambda: link.health().problem)
        assert link.health().problem == (
            f"broker 127.0.0.1:{broker.port} refuses the table: not authorized"
        )
        assert not link.health().connected


def test_a_broker_of_another_protocol_is_recognised(make_link: MakeLink) -> None:
    with ScriptedBroker(on_connect=lambda connection: connection.cut()) as broker:
        link = make_link(broker.port, MemoryOutbox())
        wait_until(lambda: link.health().problem)
        assert "does it speak MQTT 5? If not, change mqtt.protocol" in (link.health().problem or "")


@pytest.mark.parametrize(
    "noise", [b"\xff" * 64, b"\x20\x7f", b"HTTP/1.1 400 Bad Request\r\n\r\n", b"\x40\x01\x00"]
)
def test_noise_instead_of_mqtt_is_survived(make_link: MakeLink, noise: bytes) -> None:
    def babble(connection: Connection) -> None:
        connection.send(noise)
        connection.cut()

    with ScriptedBroker(babble) as broker:
        link = make_link(broker.port, MemoryOutbox(1), connect_timeout_s=0.3)
        broker.wait(lambda b: len(b.hellos) >= 2)
        broker.on_connect = lambda connection: connection.accept()
        assert link.flush(20)
        assert link.health().restarts == 0


def test_only_the_latest_state_waits_behind_a_slow_broker(make_link: MakeLink) -> None:
    slow = threading.Event()

    def hold_state(connection: Connection, item: Published) -> None:
        if item.topic == TOPICS.state and not slow.is_set():
            waiting.append((connection, item.packet_id))
        else:
            connection.acknowledge(item.packet_id)

    waiting: list[tuple[Connection, int]] = []
    with ScriptedBroker(on_publish=hold_state) as broker:
        link = make_link(broker.port, MemoryOutbox())
        link.publish_state(b"1")
        broker.wait(lambda b: b.payloads("/state"))
        for number in range(2, 100):
            link.publish_state(b"%d" % number)
        slow.set()
        connection, packet_id = waiting[0]
        connection.acknowledge(packet_id)
        broker.wait(lambda b: b.payloads("/state")[-1] == b"99")
        assert broker.payloads("/state") == [b"1", b"99"]


def test_retained_messages_are_told_again_on_a_new_connection(make_link: MakeLink) -> None:
    connections: list[Connection] = []

    def accept(connection: Connection) -> None:
        connections.append(connection)
        connection.accept()

    with ScriptedBroker(accept) as broker:
        link = make_link(broker.port, MemoryOutbox())
        link.publish_state(b"state")
        link.publish_meters(b"meters")
        broker.wait(lambda b: b.payloads("/state") and b.payloads("/meters"))
        connections[0].cut()
        broker.wait(lambda b: len(b.payloads("/meters")) == 2)
        again = {item.topic: item.payload for item in broker.published if item.connection == 1}
        assert again[TOPICS.state] == b"state"
        assert again[TOPICS.meters] == b"meters"


def test_health_is_told_once_and_never_kept(make_link: MakeLink) -> None:
    with ScriptedBroker(on_connect=lambda connection: None) as broker:
        link = make_link(broker.port, MemoryOutbox(), connect_timeout_s=0.2)
        link.publish_health(b"stale")
        broker.wait(lambda b: b.hellos)
        broker.on_connect = lambda connection: connection.accept()
        wait_until(lambda: link.health().connected)
        link.publish_health(b"fresh")
        broker.wait(lambda b: b.payloads("/health"))
        [health] = [item for item in broker.published if item.topic == TOPICS.health]
        assert (health.payload, health.qos, health.retain) == (b"fresh", 0, False)


def test_a_resend_is_made_on_request_only_where_switched_on(make_link: MakeLink) -> None:
    requests = [b"", b"{", b"\xff", b"[]", b"x" * 2**20, b'{"from_sequence": 0}',
                b'{"from_sequence": "2"}', b'{"from_sequence": 2, "cards": "AS"}',
                b'{"from_sequence": 2.5}', b'{"from_sequence": true}', b"[" * 10**5]  # fmt: skip
    connections: list[Connection] = []

    def accept(connection: Connection) -> None:
        connections.append(connection)
        connection.accept()

    for switched_on, expected in ((True, [1, 2, 3, 2, 3]), (False, [1, 2, 3])):
        connections.clear()
        with ScriptedBroker(accept) as broker:
            outbox = MemoryOutbox(3)
            link = make_link(broker.port, outbox, accept_resend_requests=switched_on)
            assert link.flush(10)
            for number, request in enumerate([*requests, b'{"from_sequence": 2}'], start=1):
                connections[0].publish(TOPICS.resend, request, number)
            if switched_on:
                broker.wait(lambda b: len(b.payloads()) == 5)
            link.publish_meters(b"after")
            broker.wait(lambda b: b.payloads("/meters"))
            assert sequences(broker) == expected
            assert len(broker.hellos) == 1
            assert link.stop(10)


def test_a_request_that_is_none_is_logged_without_its_content(
    make_link: MakeLink, caplog: pytest.LogCaptureFixture
) -> None:
    connections: list[Connection] = []

    def accept(connection: Connection) -> None:
        connections.append(connection)
        connection.accept()

    with ScriptedBroker(accept) as broker:
        link = make_link(broker.port, MemoryOutbox(1), accept_resend_requests=True)
        assert link.flush(10)
        connections[0].publish(TOPICS.resend, b'{"secret": "' + b"s" * 5000 + b'"}', 1)
        wait_until(lambda: "no resend request" in caplog.text)
        assert "ssss" not in caplog.text
        assert 'write {"from_sequence": 1}' in caplog.text


def test_a_full_disk_neither_ends_the_link_nor_repeats_messages(make_link: MakeLink) -> None:
    with ScriptedBroker() as broker:
        outbox = MemoryOutbox(5)
        outbox.fail |= {"mark_sent", "flush", "unsent_count"}
        link = make_link(broker.port, outbox)
        broker.wait(lambda b: len(b.payloads()) == 5)
        link.publish_state(b"{}")
        broker.wait(lambda b: b.payloads("/state"))
        outbox.fail.clear()
        outbox.add(1)
        link.wake()
        assert link.flush(10)
        assert sequences(broker) == [1, 2, 3, 4, 5, 6]
        assert sorted(outbox.sent) == [1, 2, 3, 4, 5, 6]
        assert len(broker.hellos) == 1


def test_the_same_failure_is_logged_once(
    make_link: MakeLink, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.WARNING, "firmware_app.feed")
    with ScriptedBroker(lambda c: c.accept(code=NOT_AUTHORIZED)) as broker:
        make_link(broker.port, MemoryOutbox(), retry_first_s=0.01, retry_cap_s=0.02)
        broker.wait(lambda b: len(b.hellos) >= 6)
    refusals = [record for record in caplog.records if "refuses the table" in record.message]
    assert len(refusals) == 1
