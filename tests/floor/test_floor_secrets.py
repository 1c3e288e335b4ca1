"""A whole table on an encrypted, password-protected link: what its log and its alarms give away."""

from __future__ import annotations

import json
import logging
import random
import re
from pathlib import Path

import pytest
from floor_brokers import CERTIFICATES
from floor_story import wait_until
from soak_table import SoakDealer, SoakTable

from firmware_app.feed.connection import connect, new_client
from firmware_app.feed.demo_broker import DemoBroker
from firmware_app.feed.settings import BrokerSettings, TlsSettings
from firmware_app.feed.subscriber import Subscriber
from firmware_app.table.values import Phase
from firmware_app.table.view import TableView
from hw.reader.sentence import Sentence

RENEWAL = CERTIFICATES / "renewal"
PASSWORD = "correct horse battery staple"
CARD = re.compile(r"(?<![0-9A-Za-z])(?:10|[2-9TJQKA])[SHDC](?![0-9A-Za-z])|\bJK\b")
PATIENCE_S = 30.0


def proof(name: str) -> TlsSettings:
    return TlsSettings(
        ca=RENEWAL / "authority.pem",
        certificate=RENEWAL / f"{name}.pem",
        key=RENEWAL / f"{name}.key",
    )


def broken_hands() -> bytes:
    """Hands that cannot be: a card twice, a card that is none, a wrong sum, a number used again."""
    hands = ("QS QS QD QC JK 4D 9H", "QS QH QD QC JK 4D 9X", "KS KH KD KC JK 4D 9H 2C")
    whole = [Sentence(60_000 + n, "HAND", ("3", hand)).to_bytes() for n, hand in enumerate(hands)]
    reused = [Sentence(61_000, "HAND", ("9", f"{card} 2C")).to_bytes() for card in ("KS", "KH")]
    return b"".join([*whole, whole[0].replace(b"4D", b"5D"), *reused])


def test_neither_log_nor_alarm_names_a_card_a_password_or_a_key(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    password = tmp_path / "password"
    password.write_text(PASSWORD + "\n")
    heard: list[tuple[str, bytes]] = []
    with DemoBroker(tls=proof("broker")) as broker:
        own = BrokerSettings(
            host="localhost",
            port=broker.port,
            tls=proof("table"),
            username="fpg-01",
            password_file=password,
        )
        with (
            Subscriber(own, "fpg/v1/#", lambda *message: heard.append(message)),
            SoakTable(tmp_path, own, feed={"accept_resend_requests": True}) as played,
        ):
            dealer = SoakDealer(played, random.Random(9), voids=0.0)

            def play(phase: Phase, number: int) -> TableView:
                def there(view: TableView) -> bool:
                    return view.phase is phase and view.round_number >= number

                assert dealer.play_until(there, timeout_s=PATIENCE_S), dealer.view
                assert dealer.view is not None
                return dealer.view

            played.start()
            play(Phase.SETTLED, 2)
            # A hand that cannot be, while hands are hidden.
            play(Phase.DEALING, 3)
            played.reader.write_raw(broken_hands())
            wait_until(lambda: alarms(played, "reader-alarm"), "the alarm")
            # Words that a stranger leaves on the table's own topic.
            ask(own, played, f'{{"password": "{PASSWORD}", "hand": "QS QH"}}'.encode())
            wait_until(lambda: "no resend request" in caplog.text, "the refusal")
            # The password's file goes, and the link is made anew.
            password.unlink()
            broker.stop()
            broker.start()
            wait_until(lambda: "password_file" in (problem(played)), "the missing password")
            password.write_text(PASSWORD)
            play(Phase.SETTLED, 4)
            assert played.table.link.flush(PATIENCE_S)
            last = played.table.journal.next_sequence - 1
            wait_until(lambda: any(is_event(last, payload) for _, payload in heard), "the feed")

    records = [record.getMessage() for record in caplog.records]
    traces = [record.exc_text or "" for record in caplog.records]
    assert {record.levelno for record in caplog.records} >= {logging.DEBUG, logging.WARNING}
    keys = {line for key in RENEWAL.glob("*.key") for line in key.read_text().splitlines()[1:-1]}
    assert keys
    for text in records + traces:
        assert PASSWORD not in text
        assert not any(line in text for line in keys), text
        assert not CARD.search(text), text
    told = [json.loads(payload) for topic, payload in heard if "/event/alarm" in topic]
    texts = [event["data"]["alarm"]["text"] for event in told]
    assert any("sentence refused: HAND" in text for text in texts)
    assert not any(CARD.search(text) for text in texts), texts
    # The stranger's own words aside.
    assert not any(PASSWORD.encode() in it for topic, it in heard if "/request/" not in topic)


def alarms(played: SoakTable, code: str) -> list[str]:
    return [alarm.text for alarm in played.table.engine.shown.alarms if alarm.code == code]


def problem(played: SoakTable) -> str:
    return played.table.link.health().problem or ""


def is_event(sequence: int, payload: bytes) -> bool:
    return b'"sequence":"%012d"' % sequence in payload


def ask(broker: BrokerSettings, played: SoakTable, payload: bytes) -> None:
    client = new_client(broker, "a-stranger")
    connect(client, broker, keepalive_s=20, expiry_s=0, timeout_s=10)
    client.loop_start()
    try:
        message = client.publish(played.config.mqtt.topics.resend, payload, qos=1)
        message.wait_for_publish(10)
    finally:
        client.disconnect()
        client.loop_stop()
