"""A table knows several nodes of its casino's cluster, and goes on with another when one fails."""

from __future__ import annotations

from pathlib import Path

import pytest
from floor_story import FloorTable, wait_until
from pydantic import ValidationError

from firmware_app.feed.demo_broker import DemoBroker
from firmware_app.feed.recorder import Recorder
from firmware_app.feed.settings import FeedSettings

WHO = {"site": "casino", "table": "fpg-01", "host": "node-1.example", "port": 1884}


def test_nodes_take_turns_and_come_round_again() -> None:
    settings = FeedSettings.model_validate(
        WHO | {"fallbacks": ["node-2.example", "node-3.example:1999", "[2001:db8::1]:1885"]}
    )
    places = [(settings.node(turn).host, settings.node(turn).port_number) for turn in range(5)]
    assert places == [
        ("node-1.example", 1884),
        ("node-2.example", 1884),
        ("node-3.example", 1999),
        ("2001:db8::1", 1885),
        ("node-1.example", 1884),
    ]
    assert settings.node(2).client_name == settings.client_name


@pytest.mark.parametrize(
    "place", ["", "mqtt://node", "node:port", "node:70000", "node/x", "a@node"]
)
def test_a_fallback_that_is_no_place_is_refused_by_name(place: str) -> None:
    with pytest.raises(ValidationError) as caught:
        FeedSettings.model_validate(WHO | {"fallbacks": [place]})
    assert [error["loc"] for error in caught.value.errors()] == [("fallbacks",)]
    assert "write host or host:1883" in str(caught.value)


def test_the_link_goes_on_with_the_next_node_and_comes_back_to_the_first(tmp_path: Path) -> None:
    with DemoBroker() as first, DemoBroker() as second:
        table = FloorTable(
            tmp_path,
            first.settings,
            "fpg-01",
            site="casino",
            fallbacks=(f"127.0.0.1:{second.port}",),
        )
        topics = table.settings.topics
        with (
            table,
            Recorder(first.settings, topics, tmp_path / "first") as at_first,
            Recorder(second.settings, topics, tmp_path / "second") as at_second,
        ):
            table.play(1)
            assert table.link.flush(20)
            assert at_first.wait_for(len(table.told), 20)
            assert at_second.last_sequence == 0
            first.kill()
            begun = len(table.told)
            table.play(1)
            assert table.link.flush(20)
            assert at_second.wait_for(len(table.told), 20)
            second.kill()
            first.start()
            table.play(1)
            assert table.link.flush(20)
            wait_until(lambda: table.link.health().connected, "the first node")
        # Neither took what the other had acknowledged already.
        assert (tmp_path / "second").read_bytes().splitlines()[0] == table.told[begun]
