"""What a disk may hold after the power went, at any point of a recorded run.

What was synced is there. Of what was written since, anything may be there: each sector of each
write by itself, and of the changes of names any number from the first on. A sector is whole or
not there at all, and its neighbours are left alone, as SQLite expects of a disk.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import PurePosixPath

from storage_recorder import (
    Create,
    CreateFolder,
    Delete,
    Operation,
    Promise,
    Rename,
    Sync,
    SyncFolder,
    Truncate,
    Write,
)

SECTOR_BYTES = 512
_TORN_PER_POINT = 2

Files = Mapping[str, bytes]


@dataclass(frozen=True, slots=True)
class Crash:
    """The files after a crash behind ``operation`` (counted from 0), and the promises until then:
    the highest value of each kind."""

    operation: int
    how: str
    files: Files
    promised: Mapping[str, int]


@dataclass(slots=True)
class _Inode:
    safe: bytes = b""
    since: list[Write | Truncate] = field(default_factory=list)

    def content(self, keep: random.Random | bool) -> bytes:
        """Return the content with all, none or, by chance, some of what was not synced."""
        content = bytearray(self.safe)
        for change in self.since:
            if isinstance(change, Truncate):
                if _kept(keep):
                    del content[change.size :]
                    content.extend(bytes(change.size - len(content)))
                continue
            for offset, sector in _sectors(change):
                if _kept(keep):
                    content.extend(bytes(max(0, offset - len(content))))
                    content[offset : offset + len(sector)] = sector
        return bytes(content)

    def sync(self) -> None:
        self.safe = self.content(True)
        self.since.clear()


_Change = Mapping[str, _Inode | None]
"""What names stand for after one change of a folder, None for nothing. It is made whole or not."""


class _Disk:
    """The files of a folder and of those in it, as they are on the disk and as the system knows
    them."""

    def __init__(self) -> None:
        self._inodes: dict[str, _Inode] = {}
        self._folders: set[str] = set()
        self._safe_names: dict[str, _Inode] = {}
        # By folder, for the changes of two are on the disk in any order.
        self._changed: dict[str, list[_Change]] = {}

    def take(self, operation: Operation) -> None:
        match operation:
            case Create(name) | CreateFolder(name):
                if isinstance(operation, CreateFolder):
                    self._folders.add(name)
                self._inodes[name] = _Inode()
                self._change(name, {name: self._inodes[name]})
            case Delete(name):
                del self._inodes[name]
                self._change(name, {name: None})
            case Rename(name, to):
                self._inodes[to] = self._inodes.pop(name)
                self._change(name, {name: None, to: self._inodes[to]})
            case Write(name) | Truncate(name):
                self._inodes[name].since.append(operation)
            case Sync(name):
                self._inodes[name].sync()
            case SyncFolder(name):
                _make(self._safe_names, self._changed.pop(name, []))
            case Promise():
                pass

    def files(self, keep: random.Random | bool) -> Files:
        """Return what is there after a crash now."""
        names = dict(self._safe_names)
        for changes in self._changed.values():
            kept = keep.randint(0, len(changes)) if not isinstance(keep, bool) else None
            _make(names, changes[:kept] if keep else [])
        return {
            name: inode.content(keep)
            for name, inode in names.items()
            if name not in self._folders and all(each in names for each in _folders_of(name))
        }

    def _change(self, name: str, change: _Change) -> None:
        self._changed.setdefault(name.rpartition("/")[0], []).append(change)


def _make(names: dict[str, _Inode], changes: Iterable[_Change]) -> None:
    for change in changes:
        for name, inode in change.items():
            names.pop(name, None)
            if inode is not None:
                names[name] = inode


def _folders_of(name: str) -> list[str]:
    return [folder.as_posix() for folder in PurePosixPath(name).parents][:-1]


def crashes(operations: Iterable[Operation], seed: int) -> Iterator[Crash]:
    """Yield every distinct state after every operation: nothing of what was not synced kept, all
    of it, and chance mixtures of ``seed``."""
    chance = random.Random(seed)
    disk = _Disk()
    promised: dict[str, int] = {}
    seen: set[int] = set()
    ways: list[tuple[str, random.Random | bool]] = [("dropped", False), ("kept", True)]
    ways += [(f"torn {number}", chance) for number in range(_TORN_PER_POINT)]
    for number, operation in enumerate(operations):
        disk.take(operation)
        if isinstance(operation, Promise):
            value = promised.get(operation.kind, 0)
            promised[operation.kind] = max(value, operation.value)
            # The same files are another case now that something more was promised of them.
            seen.clear()
        for how, keep in ways:
            files = disk.files(keep)
            state = hash(tuple(sorted(files.items())))
            if state not in seen:
                seen.add(state)
                yield Crash(number, how, files, dict(promised))


def _sectors(write: Write) -> Iterator[tuple[int, bytes]]:
    start = write.offset
    end = start + len(write.data)
    while start < end:
        stop = min(end, (start // SECTOR_BYTES + 1) * SECTOR_BYTES)
        yield start, write.data[start - write.offset : stop - write.offset]
        start = stop


def _kept(keep: random.Random | bool) -> bool:
    return keep if isinstance(keep, bool) else keep.random() < 0.5
