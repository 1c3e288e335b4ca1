"""The encrypted link: who is let in, who is believed, and a clock that is not set yet."""

from __future__ import annotations

import logging
import socket
import ssl
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from door import CERTIFICATES, Door
from feed_story import TOPICS, MemoryOutbox

from firmware_app.feed.connection import LinkLostError, explain
from firmware_app.feed.demo_broker import DemoBroker
from firmware_app.feed.link import Link
from firmware_app.feed.settings import BrokerSettings, TlsSettings
from firmware_app.feed.subscriber import Subscriber

MakeLink = Callable[..., Link]

TABLE = {
    "ca": CERTIFICATES / "authority.pem",
    "certificate": CERTIFICATES / "table.pem",
    "key": CERTIFICATES / "table.key",
}


def wait_until(condition: Callable[[], object], timeout_s: float = 20) -> None:
    deadline_s = time.monotonic() + timeout_s
    while not condition():
        assert time.monotonic() < deadline_s, "not in time"
        time.sleep(0.01)


def test_the_table_proves_itself_and_publishes(broker: DemoBroker, make_link: MakeLink) -> None:
    heard: list[bytes] = []
    outbox = MemoryOutbox(100)
    with Door(broker.port, "broker") as door:
        tls = TlsSettings.model_validate(TABLE)
        inside = BrokerSettings(host="localhost", port=door.port, protocol=broker.protocol, tls=tls)
        with Subscriber(inside, TOPICS.events, lambda _topic, payload: heard.append(payload)):
            link = make_link(inside, outbox)
            assert link.flush(20)
            wait_until(lambda: len(heard) == 100)
        assert door.visitors == ["table", "table"]
    assert heard == [row.payload for row in outbox.rows.values()]


def test_a_certificate_that_is_not_valid_yet_is_tried_until_it_is(
    broker: DemoBroker, make_link: MakeLink, caplog: pytest.LogCaptureFixture
) -> None:
    """After a power cut the clock stands in the past until the network has set it."""
    caplog.set_level(logging.DEBUG)
    outbox = MemoryOutbox(3)
    with Door(broker.port, "broker_of_2090") as door:
        link = make_link(door.port, outbox, protocol=broker.protocol, tls=TABLE)
        door.wait_refused(3)
        wait_until(lambda: link.health().problem)
        assert "is not valid yet; the clock of this device" in (link.health().problem or "")
        assert outbox.sent == []
        door.certificate = "broker"
        assert link.flush(20)
        assert link.health().ok
        assert outbox.sent == [1, 2, 3]
    secret = (CERTIFICATES / "table.key").read_text().splitlines()[1]
    assert secret not in caplog.text


def test_a_broker_of_another_authority_is_not_believed(
    broker: DemoBroker, make_link: MakeLink
) -> None:
    outbox = MemoryOutbox(1)
    with Door(broker.port, "broker") as door:
        other = TABLE | {"ca": CERTIFICATES / "other_authority.pem"}
        link = make_link(door.port, outbox, protocol=broker.protocol, tls=other)
        door.wait_refused(2)
        wait_until(lambda: link.health().problem)
        assert "its certificate is refused" in (link.health().problem or "")
        assert outbox.sent == []


def test_a_broker_of_another_name_is_not_believed(broker: DemoBroker, make_link: MakeLink) -> None:
    with Door(broker.port, "broker_of_another_name") as door:
        link = make_link(door.port, MemoryOutbox(1), protocol=broker.protocol, tls=TABLE)
        door.wait_refused(2)
        wait_until(lambda: link.health().problem)
        assert "its certificate is refused: IP address mismatch" in (link.health().problem or "")


def test_a_port_that_does_not_encrypt_is_named(make_link: MakeLink) -> None:
    with socket.create_server(("127.0.0.1", 0)) as plain:
        link = make_link(plain.getsockname()[1], MemoryOutbox(1), tls=TABLE)
        visitor, _ = plain.accept()
        visitor.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n")
        wait_until(lambda: link.health().problem)
        assert "the TLS handshake failed" in (link.health().problem or "")
        visitor.close()


def test_a_table_without_certificate_is_not_let_in(broker: DemoBroker, make_link: MakeLink) -> None:
    outbox = MemoryOutbox(1)
    with Door(broker.port, "broker") as door:
        nameless = {"ca": TABLE["ca"]}
        link = make_link(door.port, outbox, protocol=broker.protocol, tls=nameless)
        door.wait_refused(2)
        wait_until(lambda: link.health().problem)
        assert outbox.sent == []
        assert not link.health().connected


def test_a_missing_key_is_named_and_waited_for(
    broker: DemoBroker, make_link: MakeLink, tmp_path: Path
) -> None:
    key = tmp_path / "table.key"
    with Door(broker.port, "broker") as door:
        tls = TABLE | {"key": key}
        link = make_link(door.port, MemoryOutbox(1), protocol=broker.protocol, tls=tls)
        wait_until(lambda: link.health().problem)
        assert "tls certificate or key" in (link.health().problem or "")
        key.write_bytes((CERTIFICATES / "table.key").read_bytes())
        assert link.flush(20)


def test_a_password_is_read_from_its_file(tmp_path: Path) -> None:
    settings = BrokerSettings(
        host="127.0.0.1", username="table", password_file=tmp_path / "password"
    )
    with pytest.raises(LinkLostError, match=r"^password_file .*password: .*No such file"):
        Subscriber(settings, "x", print)


def verification_error(code: int) -> ssl.SSLCertVerificationError:
    error = ssl.SSLCertVerificationError("certificate verify failed")
    error.verify_code, error.verify_message = code, "words of OpenSSL"
    return error


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (verification_error(9), "not valid yet; the clock of this device is probably not set"),
        (verification_error(10), "has expired, or the clock of this device is wrong"),
        (verification_error(18), "its certificate is refused: words of OpenSSL"),
        (socket.gaierror(-2, "Name or service not known"), "its name cannot be found"),
        (TimeoutError("timed out"), "no answer; is the address right"),
        (ConnectionRefusedError(111, "refused"), "connection refused; is the broker running"),
        (OSError(113, "No route to host"), "No route to host"),
    ],
)
def test_a_failure_to_connect_says_where_to_look(error: OSError, words: str) -> None:
    assert words in explain(error)
