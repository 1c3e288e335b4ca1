"""Power cuts at every moment: what anybody outside had been told is there after the restart.

A guest plays with its journal on a disk of its own, whose every request is noted. From the notes
the disk is made as a power cut after each request may have left it, with writes that were not
flushed kept, torn or lost by chance. Each such disk is looked into from outside, and from some of
them the guest is started again. ``make emulated-pi``; ``SEED=…`` plays and chooses as before.
"""

from __future__ import annotations

import json
import logging
import os
import random
import shutil
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import pytest
from architecture import asked_for
from block_log import BlockLog, Fate, copy_image
from data_disk import SUPERBLOCK, DataDisk, fit_out
from guest_image import GuestFiles, cache_folder, make_guest
from guest_machine import Machine
from outside import JOURNAL, Outside
from promises import ComeBack, Promised, Witness
from rounds import Round

from firmware_app.config import TableConfig, load_config
from firmware_app.feed.demo_broker import DemoBroker
from firmware_app.feed.subscriber import Subscriber
from firmware_app.table.values import Phase
from hw.sim.reader import SimReader

log = logging.getLogger(__name__)

SEED: Final = int(os.environ.get("SEED") or random.randrange(2**32))
ROUNDS: Final = 7
IN_PLAY: Final = (Phase.BETTING, Phase.DEALING, Phase.DEALT, Phase.REVEALED)
CONFIG: Final = Path(__file__).parent / "guest" / "etc" / "fortune-table" / "table.toml"


@dataclass(frozen=True, slots=True)
class Played:
    """A guest that has played until its power was cut, ``end`` requests into the log of its disk.

    ``began`` is the disk as it was before.
    """

    files: GuestFiles
    config: TableConfig
    began: Path
    log: BlockLog
    witness: Witness
    end: int

    @property
    def told(self) -> Promised:
        """All that it ever told."""
        return self.witness.promised(self.end)

    def crash(
        self,
        image: Path,
        position: int,
        keep: random.Random | bool,
        honest_until: int | None = None,
    ) -> Counter[Fate]:
        """Make ``image`` the disk after a power cut at ``position``."""
        return self.log.crash(
            self.began, image, position, keep, undivided=SUPERBLOCK, honest_until=honest_until
        )


@dataclass(frozen=True, slots=True)
class Cut:
    """One power cut: after how many requests, what became of the writes, and of the table."""

    position: int
    fates: Counter[Fate]
    promised: Promised
    table: ComeBack


@contextmanager
def around(
    files: GuestFiles, config: TableConfig, data: DataDisk, folder: Path, witness: Witness | None
) -> Iterator[Outside]:
    """Give everything around a guest without power. A ``witness`` hears all that the guest says."""
    with DemoBroker() as broker, SimReader(seed=1) as reader:
        outside = Outside(
            lambda: Machine(files, folder, broker.port, data), reader, broker, config, folder
        )

        def hear(topic: str, payload: bytes) -> None:
            if witness is not None:
                witness.hear(topic, payload)
            outside.hear(topic, payload)

        with Subscriber(broker.settings, "fpg/v1/#", hear):
            reader.hello()
            try:
                yield outside
            finally:
                outside.cut_power()


def switch_on(outside: Outside) -> None:
    outside.switch_on()
    outside.plug_in_reader()
    outside.until_online()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The guest's disks and its console."""
    return tmp_path_factory.mktemp("cuts")


@pytest.fixture(scope="module")
def played(folder: Path, package: Path) -> Iterator[Played]:
    """Play some rounds, and cut the power in the middle of another."""
    log.info("SEED=%d", SEED)
    architecture = asked_for()
    files = make_guest(architecture, package, cache_folder(architecture), folder)
    fit_out(files.disk, folder)
    config = load_config(CONFIG)
    data = DataDisk.new(folder)
    assert data.log is not None
    began = folder / "began.img"
    copy_image(data.image, began)
    with BlockLog(data.log) as written:
        witness = Witness(config.mqtt.topics, written.position)
        with around(files, config, data, folder, witness) as outside:
            switch_on(outside)
            for number in range(ROUNDS):
                Round.drawn(outside, SEED + number).play()
            unfinished = Round.drawn(outside, SEED + ROUNDS)
            unfinished.bet()
            unfinished.lock()
            unfinished.deal(1, 2)
        yield Played(files, config, began, written, witness, written.position())


def chance_of(position: int) -> random.Random:
    """Return what decides on the writes before a cut, the same whenever it is asked for."""
    return random.Random(SEED + position)


def looked_into(
    played: Played,
    position: int,
    folder: Path,
    keep: random.Random | bool,
    honest_until: int | None = None,
) -> Cut:
    """Cut the power at ``position``, and open what that leaves, outside, as the table would."""
    disk = DataDisk(folder / "cut.img")
    fates = played.crash(disk.image, position, keep, honest_until)
    damage = disk.faults()
    files = folder / "cut"
    disk.copy_files(files)
    promised = played.witness.promised(position)
    table = ComeBack(files, played.config, promised, played.told)
    if damage:
        table.faults.append(f"the file system is damaged: {damage}")
    disk.image.unlink()
    shutil.rmtree(files)
    return Cut(position, fates, promised, table)


@pytest.fixture(scope="module")
def cuts(played: Played, folder: Path) -> list[Cut]:
    """Every power cut that there can have been."""
    return [
        looked_into(played, position, folder, chance_of(position))
        for position in range(1, played.end + 1)
    ]


def test_no_power_cut_takes_back_what_anybody_was_told(played: Played, cuts: list[Cut]) -> None:
    faults = [
        f"SEED={SEED}, cut at {cut.position}: {fault}" for cut in cuts for fault in cut.table.faults
    ]
    assert faults == []
    phases = Counter(cut.table.phase for cut in cuts)
    fates = sum((cut.fates for cut in cuts), Counter[Fate]())
    acknowledged = played.witness.acknowledged_at()
    log.info("%d cuts in %s; writes %s; settled at %s", len(cuts), phases, fates, acknowledged)
    # What the cuts must have met for that to mean anything.
    assert list(acknowledged) == list(played.told.settlements) == list(range(1, ROUNDS + 1))
    assert all(sum(owed.values()) > 0 for owed in played.told.settlements.values())
    assert all(cut.table.facts_replayed for cut in cuts if cut.promised.events)
    assert phases.keys() >= {*IN_PLAY, Phase.SETTLED}
    assert min(fates["kept"], fates["torn"], fates["lost"]) > 20


def test_a_disk_that_confirms_a_flush_and_does_nothing_is_found_out(
    played: Played, folder: Path
) -> None:
    """The same cut at each settlement, on a disk that flushes nothing from the reveal on."""
    acknowledged = played.witness.acknowledged_at()
    assert len(acknowledged) == ROUNDS
    for number, settled_at in acknowledged.items():
        revealed_at = next(
            at
            for at, view in played.witness.shown
            if view.phase is Phase.REVEALED and view.round_number == number
        )
        cut = looked_into(played, settled_at, folder, keep=False, honest_until=revealed_at)
        assert any(
            fault.startswith(f"round {number} was settled") and fault.endswith("is lost")
            for fault in cut.table.faults
        ), cut.table.faults


@pytest.mark.parametrize(
    "phases",
    [(Phase.SETTLED,), (Phase.BETTING,), (Phase.DEALING, Phase.DEALT, Phase.REVEALED)],
    ids=["between-rounds", "betting", "dealt"],
)
def test_the_table_comes_up_by_itself_and_tells_what_is_missing(
    phases: tuple[Phase, ...], played: Played, cuts: list[Cut], folder: Path
) -> None:
    cut = random.Random(SEED).choice(
        [
            cut
            for cut in cuts
            if cut.table.phase in phases
            and cut.promised.settlements
            and (cut.fates["torn"] or cut.fates["lost"])
        ]
    )
    disk = DataDisk(folder / "cut.img")
    played.crash(disk.image, cut.position, chance_of(cut.position))
    with around(played.files, played.config, disk, folder, None) as outside:
        for payload in cut.promised.events.values():
            # What the back office has from before.
            outside.hear(played.config.mqtt.topics.event("any"), payload)
        before = len(outside.heard)
        switch_on(outside)
        started = outside.until_event("device-started", before)
        if cut.table.phase is Phase.SETTLED:
            outside.until_phase("settled")
        else:
            outside.until_phase("suspended")
            assert outside.state["suspended_from"] == cut.table.phase
        assert (outside.state["round_number"], started["resumed_phase"]) == cut.table.standing
        # Ends with 1 where a single record is wrong.
        outside.machine.run(f"fortune-table verify {JOURNAL}")
        recalled = [
            json.loads(line)
            for line in outside.machine.run(f"fortune-table rounds --json {JOURNAL}").splitlines()
        ]
        settled = {each["round"]: each["settled"] for each in recalled if each["settled"]}
        assert set(settled) >= set(cut.promised.settlements)
        outside.until(lambda: len(outside.of_type("round-settled")) == len(settled), "all results")
        assert {each["round"]: each for each in outside.of_type("round-settled")} == settled
        outside.check_feed()
        assert outside.service("NRestarts") == "0"
        mounts = outside.machine.run("findmnt --raw --noheadings --output TARGET,OPTIONS")
        options = dict(line.split(" ", 1) for line in mounts.splitlines())
        assert options["/"].startswith("ro,")
        assert "/var/lib/fortune-table" in options, "the journal is on its own disk"
