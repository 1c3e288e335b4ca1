"""Has a painting process redraw its sign over and over, and looks at what that costs it.

Run as a program it prints the figures of many redraws: ``redraws.py 10000 1280x720``.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from types import TracebackType
from typing import Self

from firmware_app.signage.link import Painted, Setup, Show, decode_report, encode
from firmware_app.signage.samples import samples
from firmware_app.signage.settings import SignSettings
from firmware_app.signage.window import painting_environment

WARM_UP = 600
"""Redraws until every font, card and letter has been drawn once, and the caches are full."""


@dataclass(frozen=True, slots=True)
class Held:
    """What a process holds of the machine."""

    memory_kib: int
    handles: int


class RedrawnSign:
    """A painting process on SDL's dummy driver that takes one view after the other."""

    def __init__(self, size: str) -> None:
        settings = SignSettings(size=size, driver="dummy")
        shown = samples()
        self._profile = shown["reveal"].profile
        self._views = [one.view for one in shown.values() if one.profile == self._profile]
        self._open = ExitStack()
        self._process = self._open.enter_context(
            subprocess.Popen(
                [sys.executable, "-m", "firmware_app.signage.painting"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                env=painting_environment(settings, os.environ),
            )
        )
        self._count = 0
        self._send(encode(Setup(settings=settings, profile=self._profile)))

    def redraw(self, times: int) -> Held:
        """Have other pictures drawn, none with a round number or a wager seen before.

        A view is taken over once the one before it is painted, so none is left out.
        """
        for _ in range(times):
            self._count += 1
            view = self._views[self._count % len(self._views)]
            first, *others = view.spots
            wager = replace(first, fortune_cents=self._count * 1_00)
            new = replace(view, round_number=self._count, spots=(wager, *others))
            self._send(encode(Show(number=self._count, view=new)))
            while decode_report(self._line()) != Painted(number=self._count):
                continue
        return self._held()

    def _send(self, data: bytes) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(data)
        self._process.stdin.flush()

    def _line(self) -> bytes:
        assert self._process.stdout is not None
        return self._process.stdout.readline()

    def _held(self) -> Held:
        own = Path(f"/proc/{self._process.pid}")
        status = dict(
            line.split(":", 1) for line in (own / "status").read_text("ascii").splitlines()
        )
        memory = int(status["VmRSS"].split()[0])
        return Held(memory, len(list((own / "fd").iterdir())))

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        exc_type: type[BaseException] | None,
        exc: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._open.close()


def main(arguments: list[str]) -> None:
    times, size = int(arguments[0]), arguments[1]
    with RedrawnSign(size) as sign:
        before = sign.redraw(WARM_UP)
        after = sign.redraw(times)
    for bar, ratio, to_reach in (
        ("memory", after.memory_kib / before.memory_kib, 1.1),
        ("file handles", after.handles / before.handles, 1.0),
    ):
        # Nothing is timed here: the control of a count is 1.
        line = {"bar": f"{bar} over {times:,} redraws", "ratio": round(ratio, 3)}
        sys.stdout.write(json.dumps({**line, "to_reach": to_reach, "control": 1.0}) + "\n")


if __name__ == "__main__":
    main(sys.argv[1:])
