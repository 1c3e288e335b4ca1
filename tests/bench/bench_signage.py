"""The cost of the sign.

B11: redraw of one changed spot against a full redraw, 1080p, on SDL's dummy driver and on X11
(where this machine has Xvfb). The spot changes between two wagers; both sides paint and update the
display from finished operations, as the window does.

B12: processor time of a sign at rest, its own process, against a loop that polls and redraws
nothing 30 times a second.

Run as a program: ``bench_signage.py [SECONDS]``, the seconds of each measurement of B12.
"""

from __future__ import annotations

import json
import os
import select
import shutil
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from measure import Measured, interleaved, report

B11_TO_REACH = 0.10
B12_TO_REACH = 0.2
FULL_REDRAWS = 20
SPOT_REDRAWS = 200
"""More of the cheaper ones, so that both sides take long enough to be timed."""
SIZE = (1920, 1080)


@contextmanager
def x_server() -> Iterator[str | None]:
    """An X server for the time of a measurement; None where the machine has none."""
    binary = shutil.which("Xvfb")
    if binary is None:
        yield None
        return
    reading, writing = os.pipe()
    server = subprocess.Popen(
        [binary, "-displayfd", str(writing), "-screen", "0", "1920x1080x24"],
        pass_fds=[writing],
        stderr=subprocess.DEVNULL,
    )
    os.close(writing)
    try:
        select.select([reading], [], [], 20)
        yield f":{os.read(reading, 16).decode().strip()}"
    finally:
        os.close(reading)
        server.kill()
        server.wait()


def redraw(driver: str) -> None:
    """Measure B11 with ``driver`` and print it. SDL takes one driver a process."""
    from firmware_app.signage.layout import layout
    from firmware_app.signage.samples import samples
    from firmware_app.signage.screen import Screen
    from firmware_app.signage.settings import SignSettings
    from firmware_app.signage.staging import scene
    from firmware_app.signage.text import Texts
    from firmware_app.signage.theme import Theme
    from firmware_app.signage.typefaces import FontBook

    fonts, texts = FontBook(), Texts(("en",))
    screen = Screen(SignSettings(size="1920x1080"), Theme(), fonts)
    screen.open()
    sample = samples()["betting"]
    spots = sample.view.spots
    other = replace(sample.view, spots=(replace(spots[0], fortune_cents=15_00), *spots[1:]))
    pictures = [
        layout(scene(view, sample.profile), SIZE, texts, fonts) for view in (sample.view, other)
    ]

    def changed_spot() -> None:
        for _ in range(SPOT_REDRAWS // 2):
            for operations in pictures:
                screen.paint(operations)

    def everything() -> None:
        for _ in range(FULL_REDRAWS // 2):
            for operations in pictures:
                screen.repaint_all()
                screen.paint(operations)

    measured = interleaved(changed_spot, everything)
    one_each = replace(measured, ratio=measured.ratio * FULL_REDRAWS / SPOT_REDRAWS)
    report(f"B11 {driver}", one_each, B11_TO_REACH)


POLLING_LOOP = """
import pygame
pygame.display.init()
pygame.display.set_mode((1920, 1080))
clock = pygame.time.Clock()
print("ready", flush=True)
while True:
    pygame.event.get()
    clock.tick(30)
"""


def cpu_seconds(pid: int) -> float:
    """Return the processor time that all threads of a process have used, to the microsecond."""
    threads = Path(f"/proc/{pid}/task").glob("*/schedstat")
    return sum(int(thread.read_text("ascii").split()[0]) for thread in threads) / 1e9


def idle(environment: dict[str, str], driver: str, seconds: float) -> None:
    """Measure B12 with ``driver`` and print it."""
    from firmware_app.signage.samples import samples
    from firmware_app.signage.settings import SignSettings
    from firmware_app.signage.window import SignWindow

    sample = samples()["attract"]
    settings = SignSettings.model_validate({"size": "1920x1080", "driver": driver})
    sign = SignWindow(settings, sample.profile, environment=environment)
    sign.open()
    sign.show(sample.view)
    while sign.status.state != "up":
        sign.tick(time.monotonic_ns())
        time.sleep(0.05)
    polling = subprocess.Popen(
        [sys.executable, "-c", POLLING_LOOP],
        env={**environment, "SDL_VIDEODRIVER": driver, "SDL_FRAMEBUFFER_ACCELERATION": "0"},
        stdout=subprocess.PIPE,
    )
    try:
        assert polling.stdout is not None
        while b"ready" not in polling.stdout.readline():
            continue
        time.sleep(2)
        assert sign.pid is not None
        shares, controls = [], []
        for _ in range(5):
            before = cpu_seconds(sign.pid), cpu_seconds(polling.pid)
            time.sleep(seconds)
            half = cpu_seconds(polling.pid)
            time.sleep(seconds)
            after = cpu_seconds(sign.pid), cpu_seconds(polling.pid)
            shares.append((after[0] - before[0]) / (after[1] - before[1]))
            controls.append((after[1] - half) / (half - before[1]))
        report(
            f"B12 {driver}",
            Measured(statistics.median(shares), statistics.median(controls)),
            B12_TO_REACH,
        )
    finally:
        polling.kill()
        polling.wait()
        sign.close()


def main() -> None:
    if sys.argv[1:2] == ["redraw"]:
        redraw(sys.argv[2])
        return
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 4.0
    with x_server() as display:
        for driver in ("dummy", "x11") if display else ("dummy",):
            environment = {
                **os.environ,
                "SDL_VIDEODRIVER": driver,
                "SDL_FRAMEBUFFER_ACCELERATION": "0",
            }
            if display:
                environment["DISPLAY"] = display
            command = [sys.executable, __file__, "redraw", driver]
            subprocess.run(command, env=environment, check=True)
            idle(environment, driver, seconds)
        if not display:
            sys.stdout.write(json.dumps({"bar": "B11 x11", "left_out": "no Xvfb here"}) + "\n")


if __name__ == "__main__":
    main()
