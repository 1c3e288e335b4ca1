"""A simulated reader in a process of its own, as the real one is a device of its own.

In the process of the table its thread would take turns with the table's: what it does with an
acknowledgement would count as the table's work. Run as a program (with the link to keep pointed at
its pseudo-terminal) it is the far end, which takes calls of :class:`SimReader` as JSON lines.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Self

from hw.sim.reader import SimReader


class RemoteReader:
    """The near end. Use as a context manager; ``link`` is what the host opens."""

    def __init__(self, link: Path) -> None:
        self._process = subprocess.Popen(
            [sys.executable, __file__, str(link)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        self._heard()

    def say(self, name: str, *arguments: object) -> None:
        """Have the method ``name`` of the reader called."""
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps([name, *arguments]).encode() + b"\n")
        self._process.stdin.flush()

    def hand(self, position: int, cards: Sequence[str]) -> None:
        """Have a hand sent; :meth:`sent_at_ns` must be asked after each."""
        self.say("hand", position, cards)

    def sent_at_ns(self) -> int:
        """Return when the hand was handed over, by the monotonic clock that processes share."""
        return int(self._heard())

    def _heard(self) -> bytes:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            raise RuntimeError("the simulated reader has ended")
        return line

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._process.communicate()


def main() -> None:
    def tell(line: object) -> None:
        sys.stdout.write(f"{line}\n")
        sys.stdout.flush()

    with SimReader(link=Path(sys.argv[1])) as reader:
        write = reader._port.write

        def timed(data: bytes) -> None:
            now_ns = time.monotonic_ns()
            write(data)
            if b"HAND" in data:
                tell(now_ns)

        reader._port.write = timed  # type: ignore[method-assign]
        tell("ready")
        for line in sys.stdin:
            name, *arguments = json.loads(line)
            getattr(reader, name)(*arguments)


if __name__ == "__main__":
    main()
