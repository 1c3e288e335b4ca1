"""A table's feed under test: its outbox in memory, its link, and brokers to talk to."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from feed_story import TOPICS, MemoryOutbox

from firmware_app.feed.demo_broker import DemoBroker
from firmware_app.feed.link import Link
from firmware_app.feed.settings import BrokerSettings, FeedSettings


@pytest.fixture
def outbox() -> MemoryOutbox:
    return MemoryOutbox()


@pytest.fixture
def broker() -> Iterator[DemoBroker]:
    """A real broker: mosquitto where it is installed, else the embedded one."""
    with DemoBroker() as running:
        yield running


@pytest.fixture
def make_link() -> Iterator[Callable[..., Link]]:
    """Starts links with short delays, and stops them at the end."""
    links: list[Link] = []

    def make(address: int | BrokerSettings, outbox: MemoryOutbox, **settings: object) -> Link:
        reach = (
            {"host": "127.0.0.1", "port": address}
            if isinstance(address, int)
            else address.model_dump()
        )
        hurried = {"retry_first_s": 0.05, "retry_cap_s": 0.2, "events_per_s": 10_000}
        link = Link(
            FeedSettings.model_validate(
                {"site": TOPICS.site, "table": TOPICS.table} | reach | hurried | settings
            ),
            lambda: outbox,
        )
        links.append(link)
        link.start()
        return link

    yield make
    for link in links:
        assert link.stop(10)
