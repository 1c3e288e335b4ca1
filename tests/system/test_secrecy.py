"""Between the deal and the reveal nobody can learn anything of a hand, whichever way they look.

Two rounds with the same bets and different hands must look the same on the feed, in the log, on
the lamps and on the sign. What must not be told cannot then be told in any words.
"""

from __future__ import annotations

import json
import logging
import re
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pygame
import pytest

from firmware_app.cards import DECK, parse_hand
from firmware_app.feed.demo_broker import DemoBroker
from firmware_app.rules.lines import Line
from firmware_app.signage.settings import SignSettings
from firmware_app.signage.window import SignWindow
from firmware_app.simulation.stage import Places, Stage
from firmware_app.table.values import Phase
from hw.lines import ADVANCE

DEALER = "AS KH JD 9C 7S 4H 2D"
# Spot 1 holds a line that pays and triggers envy, or nothing at all.
RICH = "QS QH QD QC JK 4D 9H"
POOR = "QS TH 8D 6C 5H 3D 2C"
CARD = re.compile(r"(?<![0-9A-Za-z])(?:10|[2-9TJQKA])[SHDC](?![0-9A-Za-z])|\bJK\b")
LINE_NAMES = [line.value for line in Line if line is not Line.STRAIGHT]


@dataclass
class Seen:
    """What could be seen while the results were secret."""

    events: list[Any]
    state: Any
    log: list[str]
    lamps: dict[int, bool]
    picture: bytes
    raw: list[bytes]


def hands(first: str) -> dict[int, list[str]]:
    given = {0: DEALER, 1: first}
    used = {card for text in given.values() for card in parse_hand(text, count=7)}
    rest = [card for card in DECK if card not in used]
    dealt = {place: text.split() for place, text in given.items()}
    for spot in range(2, 7):
        dealt[spot] = [str(rest.pop()) for _ in range(7)]
    return dealt


def play_until_dealt(
    rules: str, first: str, broker: DemoBroker, wiretap: Any, out: Path, caplog: Any
) -> Seen:
    places = Places(out)
    places.prepare()
    caplog.clear()
    with (
        caplog.at_level(logging.DEBUG),
        Stage(rules, places, seed=1, broker_url=broker.url, sign={"driver": "dummy"}) as stage,
    ):
        stage.start()
        for spot in (1, 2, 3):
            stage.panel.main(spot)
            stage.panel.bet(spot)
            stage.panel.envy(spot)
        stage.watch.until(
            lambda view: all(view.spots[n].envy_button for n in (0, 1, 2)), "the bets", 10
        )
        stage.reader.start(1)
        stage.watch.until(lambda view: view.phase is Phase.DEALING, "the lock", 10)
        secret_from = time.monotonic()
        log_from = len(caplog.records)
        dealt = hands(first)
        for position in (1, 2, 3, 4, 5, 6, 0):
            stage.reader.hand(position, dealt[position])
        stage.reader.dealt(4)
        view = stage.watch.until(lambda view: view.phase is Phase.DEALT, "the deal", 10)
        assert stage.finish()
        assert wiretap.wait(
            lambda topic, payload: topic.endswith("/state") and b'"dealt"' in payload
        )
        stage.table.tick()
        window = SignWindow(SignSettings(driver="dummy", size="1280x720"), stage.profile)
        window.open()
        window.show(view)
        path = out / "secret.png"
        assert window.screenshot(path) is None
        window.close()
        lamps = {spot: stage.panel.lamp(spot) for spot in range(1, 7)}
        carried = [
            (topic, payload) for at_s, topic, payload in wiretap.heard if at_s >= secret_from
        ]
        told = [json.loads(payload) for payload in wiretap.events()]
        log = [record.getMessage() for record in caplog.records[log_from:]]
        stage.panel.press(ADVANCE)
        time.sleep(0.1)
        stage.panel.release(ADVANCE)
        shown = stage.watch.until(lambda view: view.phase is Phase.REVEALED, "the reveal", 10)
        assert shown.spots[0].cards == parse_hand(first, count=7), "the reveal shows it at last"
    picture = pygame.image.tobytes(pygame.image.load(path), "RGB")
    locked = next(n for n, event in enumerate(told) if event["type"] == "fpg.v1.round-locked")
    events = told[locked:]
    for event in events:
        # Two starts may differ in what they told before the round, and so in numbers and times.
        del event["time"], event["id"], event["sequence"]
    # Of the retained state only the latest is promised, so intermediate ones may differ in number.
    states = [json.loads(payload) for topic, payload in carried if topic.endswith("/state")]
    return Seen(events, states[-1], log, lamps, picture, [payload for _, payload in carried])


@pytest.mark.parametrize("rules", ["envy", "face-up"])
def test_two_deals_cannot_be_told_apart_before_the_reveal(
    rules: str, tmp_path: Path, caplog: pytest.LogCaptureFixture, listening: Any
) -> None:
    seen = []
    for number, first in enumerate((RICH, POOR)):
        with DemoBroker() as broker, listening(broker) as tap:
            out = tmp_path / str(number)
            seen.append(play_until_dealt(rules, first, broker, tap, out, caplog))
    rich, poor = seen
    assert rich.events == poor.events
    assert rich.state == poor.state
    assert rich.lamps == poor.lamps == {1: True, 2: True, 3: True, 4: False, 5: False, 6: False}
    assert rich.picture == poor.picture
    for one in seen:
        assert {event["type"] for event in one.events} >= {"fpg.v1.round-dealt"}
        for text in [payload.decode() for payload in one.raw] + one.log:
            words = text
            if rules == "face-up":
                for card in DEALER.split():
                    words = words.replace(f'"{card}"', "")
            assert not CARD.search(words), text
            assert not any(line in words for line in LINE_NAMES), text
