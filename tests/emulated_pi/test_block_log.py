"""The block log and the disks made from it, on logs of a few requests."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from block_log import DISCARD, ENTRY, FLUSH, FUA, HEADER, MAGIC, SECTOR_BYTES, BlockLog

OLD, ONE, TWO = (letter * SECTOR_BYTES for letter in (b".", b"1", b"2"))
DISK_SECTORS = 4
LOG_BYTES = 64 * SECTOR_BYTES
Request = tuple[int, int, bytes]
"""Flags, sector, data."""


def packed(*requests: Request, discarded_sectors: int = 0) -> bytes:
    """Return requests as the log holds them. A discard covers ``discarded_sectors``."""
    log = bytearray()
    for flags, sector, data in requests:
        sectors = discarded_sectors if flags & DISCARD else len(data) // SECTOR_BYTES
        log += ENTRY.pack(sector, sectors, flags, 0).ljust(SECTOR_BYTES, b"\0") + data
    return bytes(log)


def header(entries: int) -> bytes:
    return HEADER.pack(MAGIC, 1, entries, SECTOR_BYTES).ljust(SECTOR_BYTES, b"\0")


@pytest.fixture
def base(tmp_path: Path) -> Path:
    path = tmp_path / "base"
    path.write_bytes(OLD * DISK_SECTORS)
    return path


def logged(tmp_path: Path, content: bytes) -> BlockLog:
    path = tmp_path / "log"
    path.write_bytes(content.ljust(LOG_BYTES, b"\0"))
    log = BlockLog(path)
    log.position()
    return log


def disks(
    log: BlockLog,
    base: Path,
    cut: int,
    *,
    undivided: range = range(0),
    honest_until: int | None = None,
) -> set[bytes]:
    """Return every disk that chance makes of a cut."""
    image = base.with_name("image")
    found = set()
    for seed in range(60):
        chance = random.Random(seed)
        log.crash(base, image, cut, chance, undivided=undivided, honest_until=honest_until)
        found.add(image.read_bytes())
    return found


def test_the_log_is_read_as_far_as_it_is_written(tmp_path: Path) -> None:
    path = tmp_path / "log"
    path.write_bytes(bytes(LOG_BYTES))
    written = packed((0, 1, ONE + TWO), (FLUSH, 0, b""))
    with BlockLog(path) as log:
        assert log.position() == 0, "the guest is not started yet"
        with path.open("r+b") as file:
            file.seek(SECTOR_BYTES)
            file.write(written)
            file.seek(0)
            file.write(header(2))
        assert log.position() == 2
        with path.open("r+b") as file:
            file.seek(SECTOR_BYTES + len(written))
            file.write(packed((0, 3, ONE)))
        assert log.position() == 3, "noted, though the first sector does not count it yet"
        assert [(entry.sector, entry.sectors) for entry in log.entries] == [(1, 2), (0, 0), (3, 1)]


def test_what_was_flushed_is_there_and_the_rest_may_be_kept_torn_or_lost(
    tmp_path: Path, base: Path
) -> None:
    requests = packed((0, 0, ONE), (FLUSH, 0, b""), (0, 1, TWO + TWO))
    with logged(tmp_path, header(3) + requests) as log:
        assert disks(log, base, 2) == {ONE + OLD * 3}
        assert disks(log, base, 3) == {
            ONE + OLD * 3,
            ONE + TWO + OLD * 2,
            ONE + OLD + TWO + OLD,
            ONE + TWO + TWO + OLD,
        }


def test_sectors_that_are_undivided_are_written_together(tmp_path: Path, base: Path) -> None:
    with logged(tmp_path, header(2) + packed((FLUSH, 0, b""), (0, 0, ONE + TWO + TWO))) as log:
        found = disks(log, base, 2, undivided=range(1, 3))
        assert found == {
            first + rest + OLD for first in (OLD, ONE) for rest in (OLD + OLD, TWO + TWO)
        }


def test_nothing_and_all_of_what_was_not_flushed_can_be_asked_for(
    tmp_path: Path, base: Path
) -> None:
    image = tmp_path / "image"
    requests = packed((0, 0, ONE), (FLUSH, 0, b""), (0, 1, TWO))
    with logged(tmp_path, header(3) + requests) as log:
        assert log.crash(base, image, 3, False) == {"safe": 1, "lost": 1}
        assert image.read_bytes() == ONE + OLD * 3
        assert log.crash(base, image, 3, True) == {"safe": 1, "kept": 1}
        assert image.read_bytes() == ONE + TWO + OLD * 2


def test_a_write_that_is_forced_to_the_disk_brings_no_other_along(
    tmp_path: Path, base: Path
) -> None:
    requests = packed((0, 0, ONE), (FUA, 1, TWO))
    with logged(tmp_path, header(2) + requests) as log:
        assert disks(log, base, 2) == {OLD + TWO + OLD * 2, ONE + TWO + OLD * 2}


def test_a_later_write_may_be_there_where_an_earlier_one_is_not(tmp_path: Path, base: Path) -> None:
    with logged(tmp_path, header(2) + packed((0, 0, ONE), (0, 1, TWO))) as log:
        assert OLD + TWO + OLD * 2 in disks(log, base, 2)


def test_a_disk_that_confirms_flushes_and_does_nothing_loses_what_was_confirmed(
    tmp_path: Path, base: Path
) -> None:
    requests = packed((0, 0, ONE), (FLUSH, 0, b""), (0, 0, TWO), (FLUSH, 0, b""))
    with logged(tmp_path, header(4) + requests) as log:
        assert disks(log, base, 4) == {TWO + OLD * 3}
        assert disks(log, base, 4, honest_until=2) == {ONE + OLD * 3, TWO + OLD * 3}
        assert disks(log, base, 4, honest_until=0) == {block + OLD * 3 for block in (OLD, ONE, TWO)}


def test_a_discard_has_no_data_and_may_leave_what_was_there(tmp_path: Path, base: Path) -> None:
    requests = packed((DISCARD, 0, b""), (0, 1, ONE), (FLUSH, 0, b""), discarded_sectors=4)
    with logged(tmp_path, header(3) + requests) as log:
        assert len(log.entries) == 3
        assert disks(log, base, 3) == {OLD + ONE + OLD * 2}


@pytest.mark.parametrize(
    ("content", "named"),
    [
        (b"SQLite format 3\0", "is no log"),
        (HEADER.pack(MAGIC, 1, 0, 4096), "log-sector-size=512"),
        (header(1) + packed((1 << 40, 0, ONE)), "entry 0 has flags"),
        (header(63) + packed(*[(FLUSH, 0, b"")] * 63), "is full"),
    ],
)
def test_what_is_no_log_is_refused(content: bytes, named: str, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=named):
        logged(tmp_path, content)
