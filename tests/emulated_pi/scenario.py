"""An emulated Pi from power-on to ten paid rounds, seen from outside alone. ``make emulated-pi``.

Nothing in the guest is replaced: Debian's kernel, systemd, Python and packages, the package as
``make deb`` builds it, the unit with its sandbox, lgpio, KMSDRM. What is simulated is the hardware
beneath: a gpiochip (the kernel's gpio-sim), a serial card, a display, a network card.
"""

from __future__ import annotations

import json
import random
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pygame
import pytest
from architecture import asked_for
from guest_image import ROOT, cache_folder, make_guest
from guest_machine import BOOT_S, SCREEN, Machine, SerialCable
from pydantic import TypeAdapter

from firmware_app.cards import DECK
from firmware_app.config import TableConfig, load_config
from firmware_app.feed.demo_broker import DemoBroker
from firmware_app.feed.subscriber import Subscriber
from firmware_app.rules.profile import load_profile
from firmware_app.signage.staging import scene
from firmware_app.signage.still import still
from firmware_app.signage.typefaces import FontBook
from firmware_app.table.view import TableView
from hw.sim.reader import SimReader

ROUNDS = 10
SPOTS = 6
UNIT = "fortune-table.service"
JOURNAL = "/var/lib/fortune-table/journal.sqlite3"
WAIT_S = 120.0
HELD_S = 0.3
"""How long a button is held; the debounce time is a tenth of it, an emulated second is slow."""
ALIKE = 0.03
"""The share of pixels that two versions of the font library paint differently, with a margin."""
BET_LIES, BET_TAKEN = "pull-down", "pull-up"
QUADS = ["QS", "QH", "QD", "QC", "JK", "4D", "9H"]


class Outside:
    """Everything around the guest: its power, its feed, its reader, its panel and its display."""

    def __init__(
        self,
        plug_in: Callable[[], Machine],
        reader: SimReader,
        config: TableConfig,
    ) -> None:
        self._plug_in = plug_in
        self.reader = reader
        self.config = config
        self.events: list[dict[str, Any]] = []
        self.state: dict[str, Any] = {}

    def power_on(self) -> None:
        """Boot, and wait until the table has said how it stands."""
        self.state = {}
        self.machine = self._plug_in()
        self._cable = SerialCable(self.reader.path, self.machine.reader_socket)
        self.machine.boot()
        self.until(lambda: "reader_up" in self.state, "a first word of the table", BOOT_S)

    def cut_power(self) -> None:
        self._cable.close()
        self.machine.close()

    def hear(self, topic: str, payload: bytes) -> None:
        if "/event/" in topic:
            self.events.append(json.loads(payload))
        elif topic.endswith("/state"):
            self.state = json.loads(payload)

    def until(self, wanted: Callable[[], bool], what: str, timeout_s: float = WAIT_S) -> None:
        deadline_s = time.monotonic() + timeout_s
        while not wanted():
            if time.monotonic() > deadline_s:
                log = self.machine.run(f"journalctl -u {UNIT} -n 30 --no-pager")
                raise AssertionError(
                    f"waited {timeout_s:g} s for {what}; state {self.state.get('phase')}, "
                    f"last events {[event['type'] for event in self.events[-5:]]}\n{log}"
                )
            time.sleep(0.1)

    def until_phase(self, phase: str) -> None:
        self.until(lambda: self.state.get("phase") == phase, phase)

    def bet(self, spot: int, lies: bool) -> None:
        pin = self.config.panel.wiring[f"spot{spot}.bet"].number
        self.machine.pull(pin, BET_LIES if lies else BET_TAKEN)

    def advance(self) -> None:
        pin = self.config.panel.wiring["advance"].number
        self.machine.pull(pin, "pull-down")
        time.sleep(HELD_S)
        self.machine.pull(pin, "pull-up")

    def lamp(self, spot: int) -> bool:
        return self.machine.level(self.config.panel.wiring[f"spot{spot}.lamp"].number)

    def of_type(self, kind: str) -> list[dict[str, Any]]:
        return [event["data"] for event in self.events if event["type"] == f"fpg.v1.{kind}"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("guest")


@pytest.fixture(scope="module")
def outside(folder: Path) -> Iterator[Outside]:
    architecture = asked_for()
    (package,) = (ROOT / "dist").glob(f"fortune-table_*_{architecture.debian}.deb")
    files = make_guest(architecture, package, cache_folder(architecture), folder)
    config = load_config(Path(__file__).parent / "guest" / "etc" / "fortune-table" / "table.toml")
    with DemoBroker() as broker, SimReader(seed=1) as reader:
        around = Outside(lambda: Machine(files, folder, broker.port), reader, config)
        subscriber = Subscriber(broker.settings, "fpg/v1/#", around.hear)
        subscriber.start()
        reader.hello()
        around.power_on()
        try:
            yield around
        finally:
            around.cut_power()
            subscriber.stop()


def test_the_unit_is_up_and_says_how_it_stands(outside: Outside) -> None:
    shown = outside.machine.run(
        f"systemctl show {UNIT} -p ActiveState,SubState,NRestarts,StatusText"
    )
    told = dict(line.split("=", 1) for line in shown.splitlines())
    assert (told["ActiveState"], told["SubState"]) == ("active", "running")
    assert told["NRestarts"] == "0"
    outside.until(lambda: bool(outside.state.get("reader_up")), "the reader")
    status = f"systemctl show {UNIT} -p StatusText"
    outside.until(lambda: "feed connected" in outside.machine.run(status), "the unit's status")


def test_it_runs_as_its_own_user_in_its_sandbox(outside: Outside) -> None:
    pid = outside.machine.run(f"systemctl show {UNIT} -p MainPID --value").strip()
    status = outside.machine.run(f"cat /proc/{pid}/status")
    assert outside.machine.run(f"stat -c %U /proc/{pid}").strip() == "fortune-table"
    assert "NoNewPrivs:\t1" in status
    assert "CapEff:\t0000000000000000" in status
    assert "Seccomp:\t2" in status


def deal(outside: Outside, generator: random.Random, quads_at: int) -> dict[int, list[str]]:
    rest = [str(card) for card in DECK if str(card) not in QUADS]
    generator.shuffle(rest)
    hands = {}
    for position in (*range(1, SPOTS + 1), 0):
        hands[position] = QUADS if position == quads_at else [rest.pop() for _ in range(7)]
        outside.reader.hand(position, hands[position])
    outside.reader.dealt(len(rest))
    return hands


def play_round(outside: Outside, number: int, generator: random.Random) -> None:
    """Play one round, and compare what was published with the sheet and with what was dealt."""
    betting = sorted(generator.sample(range(1, SPOTS + 1), 3))

    def bets_lie() -> bool:
        spots = outside.state.get("spots", ())
        lying = [spot["number"] for spot in spots if spot["fortune_cents"]]
        return outside.state.get("phase") == "betting" and lying == betting

    for spot in betting:
        outside.bet(spot, True)
    outside.until(bets_lie, f"the bets of round {number}")
    outside.reader.start(1)
    outside.until_phase("dealing")
    hands = deal(outside, generator, quads_at=betting[0])
    outside.until_phase("dealt")
    told = json.dumps(outside.state)
    assert not any(f'"{card}"' in told for hand in hands.values() for card in hand)
    outside.advance()
    outside.until_phase("revealed")
    outside.until(lambda: outside.lamp(betting[0]), "the lamp of a spot that is owed")
    assert not any(outside.lamp(spot) for spot in range(1, SPOTS + 1) if spot not in betting)
    outside.advance()
    outside.until_phase("settled")
    outside.until(lambda: len(outside.of_type("round-settled")) == number, "the result")
    check_result(outside, outside.of_type("round-settled")[-1], betting, hands)
    for spot in betting:
        outside.bet(spot, False)


def check_result(
    outside: Outside, settled: dict[str, Any], betting: list[int], hands: dict[int, list[str]]
) -> None:
    profile = load_profile(outside.config.game.rules)
    assert profile.fortune is not None
    pays = {row.line.value: row.pays for row in profile.fortune.pay_table}
    envy = {row.line.value: row.envy_cents for row in profile.fortune.pay_table}
    result = {spot["spot"]: spot for spot in settled["spots"]}
    assert set(betting) <= set(result)
    assert result[betting[0]]["line"] == "four_of_a_kind"
    for spot in betting:
        assert result[spot]["cards"] == hands[spot]
        line = result[spot]["line"]
        assert result[spot]["fortune"]["paid_cents"] == 5_00 * (pays.get(line) or 0)
        others = [result[other]["line"] for other in betting if other != spot]
        # No envy button was pressed: a $5 wager qualifies by its amount.
        assert result[spot]["envy_cents"] == sum(envy.get(line) or 0 for line in others)


def test_ten_rounds_are_right_from_the_chip_to_the_broker(outside: Outside) -> None:
    generator = random.Random(7)
    for number in range(1, ROUNDS + 1):
        play_round(outside, number, generator)
    sequences = [int(event["sequence"]) for event in outside.events]
    assert sorted(set(sequences)) == list(range(1, max(sequences) + 1)), "no event is missing"


def test_the_display_shows_what_the_table_says(outside: Outside, folder: Path) -> None:
    """Painted anew outside from the published state, and compared pixel by pixel."""
    profile = load_profile(outside.config.game.rules)
    fonts = FontBook()

    def alike() -> bool:
        shown = TypeAdapter(TableView).validate_python(outside.state)
        wanted = still(scene(shown, profile), SCREEN, outside.config.sign, fonts)
        pygame.image.save(wanted, folder / "wanted.png")
        seen = pygame.image.load(outside.machine.screen(folder / "screen.ppm"))
        assert seen.get_size() == SCREEN
        return differing(seen, wanted) < ALIKE

    outside.until(alike, "the picture of the last round")
    # The measure can tell pictures apart: that of the same table at rest is another one.
    seen = pygame.image.load(folder / "screen.ppm")
    shown = TypeAdapter(TableView).validate_python(outside.state)
    at_rest = still(scene(shown, profile, idle=True), SCREEN, outside.config.sign, fonts)
    assert differing(seen, at_rest) > 3 * ALIKE


def differing(one: pygame.Surface, other: pygame.Surface) -> float:
    """Return the share of pixels that differ by more than what two font libraries may differ."""
    width, height = one.get_size()
    far = sum(
        max(
            abs(a - b)
            for a, b in zip(one.get_at((x, y))[:3], other.get_at((x, y))[:3], strict=True)
        )
        > 48
        for x in range(width)
        for y in range(height)
    )
    return far / (width * height)


def test_a_hung_table_is_killed_and_comes_back(outside: Outside) -> None:
    pid = outside.machine.run(f"systemctl show {UNIT} -p MainPID --value").strip()
    starts = len(outside.of_type("device-started"))
    outside.machine.run(f"kill -STOP {pid}")
    outside.until(
        lambda: len(outside.of_type("device-started")) > starts, "the watchdog's new table", BOOT_S
    )
    log = outside.machine.run(f"journalctl -u {UNIT} --no-pager")
    assert "Watchdog timeout" in log


def test_a_round_that_the_power_interrupted_goes_on_where_it_was(outside: Outside) -> None:
    outside.until(lambda: bool(outside.state.get("reader_up")), "the reader")
    outside.bet(1, True)
    outside.until_phase("betting")
    outside.reader.start(1)
    outside.until_phase("dealing")
    number = outside.state["round_number"]
    outside.cut_power()
    outside.power_on()
    outside.until_phase("suspended")
    assert (outside.state["round_number"], outside.state["suspended_from"]) == (number, "dealing")
    outside.until(lambda: bool(outside.state.get("reader_up")), "the reader")
    outside.advance()
    outside.until_phase("dealing")
    deal(outside, random.Random(8), quads_at=1)
    outside.until_phase("dealt")
    outside.advance()
    outside.until_phase("revealed")
    outside.advance()
    outside.until_phase("settled")
    outside.until(lambda: outside.of_type("round-settled")[-1]["round"] == number, "the result")
    (spot,) = (spot for spot in outside.of_type("round-settled")[-1]["spots"] if spot["spot"] == 1)
    assert spot["fortune"]["paid_cents"] == 5_00 * 25
    # Ends with 1 where a single record is wrong.
    outside.machine.run(f"fortune-table verify {JOURNAL}")
    sequences = {int(event["sequence"]) for event in outside.events}
    assert sequences == set(range(1, max(sequences) + 1)), "no event is missing"


def test_removing_the_package_for_good_leaves_the_journal(outside: Outside) -> None:
    said = outside.machine.run("dpkg --purge fortune-table 2>&1", within_s=BOOT_S)
    assert "the journal stays" in said
    outside.machine.run(f"test -s {JOURNAL}")
