"""A cable between a table and its site: two network namespaces of the test's own, joined by a pair
of virtual network cards. Nothing of it is seen outside, and it goes away with the test."""

from __future__ import annotations

import ctypes
import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

SITE_ADDRESS = "10.77.0.1"
TABLE_ADDRESS = "10.77.0.2"
_PREFIX = 30
_CLONE_NEWNET = 0x40000000
_HERE = Path("/proc/thread-self/ns/net")


class Cable:
    """The table's end and the site's end, each in a namespace; needs root and iproute2.

    A thread that is started at one end, or a process, stays there.
    """

    def __init__(self) -> None:
        self._site = f"fpg-site-{os.getpid()}"
        self._table = f"fpg-table-{os.getpid()}"

    def __enter__(self) -> Cable:
        try:
            for name in (self._site, self._table):
                _ip("netns", "add", name)
                _ip("-n", name, "link", "set", "lo", "up")
            _ip("link", "add", "cable", "netns", self._site, "type", "veth", "peer", "name",
                "cable", "netns", self._table)  # fmt: skip
            for name, address in ((self._site, SITE_ADDRESS), (self._table, TABLE_ADDRESS)):
                _ip("-n", name, "address", "add", f"{address}/{_PREFIX}", "dev", "cable")
                _ip("-n", name, "link", "set", "cable", "up")
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        for name in (self._site, self._table):
            if (_NAMESPACES / name).exists():
                _ip("netns", "delete", name)

    def cut(self) -> None:
        """Pull the cable: packets vanish in both directions, and no connection is told."""
        _ip("-n", self._site, "link", "set", "cable", "down")

    def mend(self) -> None:
        _ip("-n", self._site, "link", "set", "cable", "up")

    @contextmanager
    def at_the_site(self) -> Iterator[None]:
        with _inside(self._site):
            yield

    @contextmanager
    def at_the_table(self) -> Iterator[None]:
        with _inside(self._table):
            yield


_NAMESPACES = Path("/run/netns")
_LIBC = ctypes.CDLL(None, use_errno=True)


@contextmanager
def _inside(name: str) -> Iterator[None]:
    """Have this thread, and what it starts, live in namespace ``name`` for the block."""
    home = os.open(_HERE, os.O_RDONLY)
    try:
        there = os.open(_NAMESPACES / name, os.O_RDONLY)
        try:
            _enter(there)
        finally:
            os.close(there)
        try:
            yield
        finally:
            _enter(home)
    finally:
        os.close(home)


def _enter(namespace: int) -> None:
    # os.setns is of Python 3.12.
    if _LIBC.setns(namespace, _CLONE_NEWNET) != 0:
        raise OSError(ctypes.get_errno(), "setns")


def _ip(*arguments: str) -> None:
    done = subprocess.run(["ip", *arguments], capture_output=True, text=True, timeout=20)
    assert done.returncode == 0, f"ip {' '.join(arguments)}: {done.stderr}"
