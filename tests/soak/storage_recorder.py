"""Writes down what a process does to the files of its journal, in the order in which it happens.

SQLite reaches its files through a *VFS*, a table of functions. A copy of the system's own is put
before it, which does the same and takes notes; the mark beside the journal is written through
``os``, and noted there. No kernel help, no compiler, no privilege.

Sources: sqlite.org/vfs.html, and sqlite3.h for the layout of the two structures.
"""

from __future__ import annotations

import _sqlite3
import ctypes
import os
import threading
from collections.abc import Callable
from ctypes import CFUNCTYPE, POINTER, Structure, byref, c_char_p, c_int, c_int64, c_void_p
from dataclasses import dataclass
from pathlib import Path
from typing import Any

_OPEN_WAL = 0x0008_0000
_OPEN_MAIN_JOURNAL = 0x0000_0800


@dataclass(frozen=True, slots=True)
class Create:
    """A file came into being under ``name``, its path in the folder that is watched."""

    name: str


@dataclass(frozen=True, slots=True)
class CreateFolder:
    name: str


@dataclass(frozen=True, slots=True)
class Rename:
    """A file took another name in the same folder."""

    name: str
    to: str


@dataclass(frozen=True, slots=True)
class Delete:
    name: str


@dataclass(frozen=True, slots=True)
class Write:
    name: str
    offset: int
    data: bytes


@dataclass(frozen=True, slots=True)
class Truncate:
    name: str
    size: int


@dataclass(frozen=True, slots=True)
class Sync:
    """All of the file that was written before is on the disk."""

    name: str


@dataclass(frozen=True, slots=True)
class SyncFolder:
    """So are the names of all files in the folder, which is the watched one itself or in it."""

    name: str = ""


@dataclass(frozen=True, slots=True)
class Promise:
    """Something that the table may not take back from here on: its ``kind`` and how far."""

    kind: str
    value: Any


Operation = Create | CreateFolder | Rename | Delete | Write | Truncate | Sync | SyncFolder | Promise


class StorageRecorder:
    """Notes of this process, in ``folder``. There can be one, made before any database is open."""

    def __init__(self, folder: Path) -> None:
        self.operations: list[Operation] = []
        self._folder = folder
        self._noting = threading.Lock()
        self._vfs = _RecordingVfs(self)
        self._record_os()

    def note(self, operation: Operation) -> None:
        with self._noting:
            self.operations.append(operation)

    def name_of(self, path: str | Path) -> str | None:
        """Return the name of a file in the folder or beneath it, None for one elsewhere."""
        inside = Path(path).is_relative_to(self._folder) and Path(path) != self._folder
        return Path(path).relative_to(self._folder).as_posix() if inside else None

    def _record_os(self) -> None:
        """Note what is asked of the operating system beside SQLite."""
        self._record_names()
        open_file, pwrite, fsync, fdatasync = os.open, os.pwrite, os.fsync, os.fdatasync

        def path_of(descriptor: int) -> Path:
            return Path(f"/proc/self/fd/{descriptor}").readlink()

        def opened(path: Any, flags: int, *rest: Any, **options: Any) -> int:
            name, existed = self.name_of(path), Path(path).exists()
            descriptor = open_file(path, flags, *rest, **options)
            if name is not None and not existed:
                self.note(Create(name))
            return descriptor

        def written(descriptor: int, data: Any, offset: int) -> int:
            count = pwrite(descriptor, data, offset)
            name = self.name_of(path_of(descriptor))
            if name is not None:
                self.note(Write(name, offset, bytes(data[:count])))
            return count

        def synced(sync: Callable[[int], None]) -> Any:
            def call(descriptor: int) -> None:
                sync(descriptor)
                path = path_of(descriptor)
                name = self.name_of(path)
                if path == self._folder:
                    self.note(SyncFolder())
                elif name is not None and path.is_dir():
                    self.note(SyncFolder(name))
                elif name is not None:
                    self.note(Sync(name))

            return call

        os.open = opened
        os.pwrite = written
        os.fsync, os.fdatasync = synced(fsync), synced(fdatasync)

    def _record_names(self) -> None:
        rename, unlink, mkdir = os.rename, os.unlink, os.mkdir

        def renamed(source: Any, target: Any) -> None:
            rename(source, target)
            name, to = self.name_of(source), self.name_of(target)
            if name is not None and to is not None:
                self.note(Rename(name, to))

        def unlinked(path: Any) -> None:
            unlink(path)
            name = self.name_of(path)
            # A socket came into being by another way, and holds nothing.
            if name is not None and Create(name) in self.operations:
                self.note(Delete(name))

        def made(path: Any, *rest: Any) -> None:
            mkdir(path, *rest)
            name = self.name_of(path)
            if name is not None:
                self.note(CreateFolder(name))

        os.rename, os.unlink, os.mkdir = renamed, unlinked, made  # type: ignore[assignment]


# --- SQLite's structures -----------------------------------------------------------------------

_OPEN = CFUNCTYPE(c_int, c_void_p, c_void_p, c_void_p, c_int, c_void_p)
_DELETE = CFUNCTYPE(c_int, c_void_p, c_char_p, c_int)
_CLOSE = CFUNCTYPE(c_int, c_void_p)
_WRITE = CFUNCTYPE(c_int, c_void_p, c_void_p, c_int, c_int64)
_TRUNCATE = CFUNCTYPE(c_int, c_void_p, c_int64)
_SYNC = CFUNCTYPE(c_int, c_void_p, c_int)


class _Vfs(Structure):
    _fields_ = (
        ("version", c_int),
        ("file_size", c_int),
        ("longest_path", c_int),
        ("next", c_void_p),
        ("name", c_char_p),
        ("data", c_void_p),
        ("open", _OPEN),
        ("delete", _DELETE),
        ("others", c_void_p * 14),
    )


class _Methods(Structure):
    """What can be done with an open file. The first word of every open file points at one."""

    _fields_ = (
        ("version", c_int),
        ("close", _CLOSE),
        ("read", c_void_p),
        ("write", _WRITE),
        ("truncate", _TRUNCATE),
        ("sync", _SYNC),
        ("others", c_void_p * 13),
    )


class _RecordingVfs:
    """The system's VFS with notes taken. Lives as long as the process."""

    def __init__(self, recorder: StorageRecorder) -> None:
        # Whatever library the interpreter's own module uses is found through that module.
        library = ctypes.CDLL(getattr(_sqlite3, "__file__", None))
        if not hasattr(library, "sqlite3_vfs_find"):
            raise RuntimeError(
                "this Python hides its SQLite, so its storage cannot be watched: use one that "
                "loads SQLite as a library, as Debian's does"
            )
        library.sqlite3_vfs_find.restype = POINTER(_Vfs)
        self._recorder = recorder
        self._real: _Vfs = library.sqlite3_vfs_find(None).contents
        self._names: dict[int, str] = {}
        self._unnamed: set[int] = set()
        self._methods: dict[int, _Methods] = {}
        self._own = _Vfs.from_buffer_copy(self._real)
        self._own.name = b"recording"
        self._own.open = _OPEN(self._opened)
        self._own.delete = _DELETE(self._deleted)
        if library.sqlite3_vfs_register(byref(self._own), 1) != 0:
            raise RuntimeError("SQLite does not take the recording VFS")

    def _opened(self, _vfs: int, path: int, file: int, flags: int, flags_out: int) -> int:
        text = ctypes.string_at(path).decode() if path else ""
        name, existed = self._recorder.name_of(text), Path(text).exists()
        code: int = self._real.open(ctypes.addressof(self._real), path, file, flags, flags_out)
        if code != 0 or name is None:
            return code
        self._names[file] = name
        if not existed:
            self._recorder.note(Create(name))
        if flags & (_OPEN_WAL | _OPEN_MAIN_JOURNAL):
            # The first sync of such a file brings its name to the disk as well.
            self._unnamed.add(file)
        methods = c_void_p.from_address(file)
        real = methods.value
        assert real is not None
        if real not in self._methods:
            self._methods[real] = self._noting(_Methods.from_address(real))
        methods.value = ctypes.addressof(self._methods[real])
        return code

    def _deleted(self, _vfs: int, path: bytes, sync_folder: int) -> int:
        code: int = self._real.delete(ctypes.addressof(self._real), path, sync_folder)
        name = self._recorder.name_of(path.decode())
        if code == 0 and name is not None:
            self._recorder.note(Delete(name))
            if sync_folder:
                self._recorder.note(SyncFolder())
        return code

    def _noting(self, real: _Methods) -> _Methods:
        """Return a copy of ``real`` that takes notes of what changes a file."""
        note, names = self._recorder.note, self._names

        def close(file: int) -> int:
            names.pop(file, None)
            self._unnamed.discard(file)
            code: int = real.close(file)
            return code

        def write(file: int, data: int, size: int, offset: int) -> int:
            code: int = real.write(file, data, size, offset)
            if code == 0:
                note(Write(names[file], offset, ctypes.string_at(data, size)))
            return code

        def truncate(file: int, size: int) -> int:
            code: int = real.truncate(file, size)
            if code == 0:
                note(Truncate(names[file], size))
            return code

        def sync(file: int, flags: int) -> int:
            code: int = real.sync(file, flags)
            if code == 0:
                note(Sync(names[file]))
                if file in self._unnamed:
                    self._unnamed.discard(file)
                    note(SyncFolder())
            return code

        copy = _Methods.from_buffer_copy(real)
        copy.close, copy.write = _CLOSE(close), _WRITE(write)
        copy.truncate, copy.sync = _TRUNCATE(truncate), _SYNC(sync)
        return copy
