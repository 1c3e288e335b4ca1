"""B7 and B8: how fast a backlog leaves the table, against paho with the same backlog in memory.

Ours reads each message from the journal's outbox, publishes it, and marks it on its
acknowledgement; the other only publishes. B8 is ours over TLS with a client certificate against
ours without. Ratios are of messages a second. Run as a program; prints one JSON object a line.
"""

from __future__ import annotations

import functools
import json
import statistics
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path

from measure import Measured, report
from paho.mqtt.client import Client
from paho.mqtt.enums import CallbackAPIVersion, MQTTProtocolVersion

sys.path.append(str(Path(__file__).parents[1] / "feed"))

from door import CERTIFICATES
from feed_story import TOPICS, message

from firmware_app.feed.demo_broker import HOST, DemoBroker, find_mosquitto
from firmware_app.feed.link import Link
from firmware_app.feed.settings import BrokerSettings, FeedSettings, TlsSettings
from firmware_app.journal.outbox import Outbox
from firmware_app.journal.records import OutgoingMessage, Stamp
from firmware_app.journal.store import Journal
from firmware_app.table.facts import WagerChanged

MESSAGES = 50_000
MESSAGES_AN_ENTRY = 10
IN_FLIGHT = 50
ROUNDS = 5
LIMIT_S = 300.0

BROKER_TLS = TlsSettings(
    ca=CERTIFICATES / "authority.pem",
    certificate=CERTIFICATES / "broker.pem",
    key=CERTIFICATES / "broker.key",
)
TABLE_TLS = TlsSettings(
    ca=CERTIFICATES / "authority.pem",
    certificate=CERTIFICATES / "table.pem",
    key=CERTIFICATES / "table.key",
)


def fill(path: Path, backlog: list[OutgoingMessage]) -> None:
    """Write a journal with the backlog."""
    stamp = Stamp(wall_utc_ns=0, mono_ns=0, boot_id="bench", synchronised=True)
    with Journal.open(path) as journal:
        for start in range(0, MESSAGES, MESSAGES_AN_ENTRY):
            journal.append(
                [WagerChanged(spot=1, wager="fortune", cents=start)],
                [],
                backlog[start : start + MESSAGES_AN_ENTRY],
                round_number=start,
                stamp=stamp,
            )


def through_outbox(path: Path, broker: BrokerSettings) -> float:
    """Return how many messages a second leave the journal's outbox."""
    with Outbox(path) as outbox:
        outbox.resend(1)
    settings = FeedSettings.model_validate(
        broker.model_dump()
        | {"site": TOPICS.site, "table": TOPICS.table}
        | {"in_flight": IN_FLIGHT, "events_per_s": 100_000}
    )
    link = Link(settings, lambda: Outbox(path))
    begin_s = time.perf_counter()
    link.start()
    drained = link.flush(LIMIT_S)
    took_s = time.perf_counter() - begin_s
    health = link.health()
    link.stop(10)
    if not drained or health.unsent:
        raise RuntimeError(f"not drained: {health}")
    return MESSAGES / took_s


def bare(backlog: list[OutgoingMessage], broker: BrokerSettings) -> float:
    """Return how many messages a second leave a backlog in paho's memory."""
    version5 = broker.protocol == "5"
    client = Client(
        CallbackAPIVersion.VERSION2,
        protocol=MQTTProtocolVersion.MQTTv5 if version5 else MQTTProtocolVersion.MQTTv311,
    )
    client.max_inflight_messages_set(IN_FLIGHT)
    for item in backlog:
        client.publish(TOPICS.event(item.type), item.payload, qos=1)
    left = MESSAGES
    done = threading.Event()

    def count(*_: object) -> None:
        nonlocal left
        left -= 1
        if not left:
            done.set()

    client.on_publish = count
    begin_s = time.perf_counter()
    client.connect(HOST, broker.port_number)
    client.loop_start()
    acknowledged = done.wait(LIMIT_S)
    took_s = time.perf_counter() - begin_s
    client.disconnect()
    client.loop_stop()
    if not acknowledged:
        raise RuntimeError(f"{left} messages not acknowledged")
    return MESSAGES / took_s


def compare(ours: Callable[[], float], theirs: Callable[[], float]) -> Measured:
    """Return the ratio of the rates, ours twice in each round; ours to itself is the control."""
    ratios, controls = [], []
    ours()
    theirs()
    for _ in range(ROUNDS):
        first, reference, second = ours(), theirs(), ours()
        ratios.append((first + second) / 2 / reference)
        controls.append(second / first)
    return Measured(statistics.median(ratios), statistics.median(controls))


def main() -> None:
    with tempfile.TemporaryDirectory() as directory, DemoBroker() as plain:
        journal = Path(directory) / "journal.sqlite3"
        backlog = [message(number) for number in range(1, MESSAGES + 1)]
        fill(journal, backlog)
        ours = functools.partial(through_outbox, journal, plain.settings)
        report("B7", compare(ours, functools.partial(bare, backlog, plain.settings)), to_reach=0.9)
        if find_mosquitto() is None:
            line = {"bar": "B8", "void": True, "reason": "the embedded broker has no TLS"}
            sys.stdout.write(json.dumps(line) + "\n")
            return
        with DemoBroker(tls=BROKER_TLS) as encrypted:
            safe = encrypted.settings.model_copy(update={"tls": TABLE_TLS})
            over_tls = functools.partial(through_outbox, journal, safe)
            report("B8", compare(over_tls, ours), to_reach=0.8)


if __name__ == "__main__":
    main()
