"""The cost of the sign.

B11: redraw of one changed spot against a full redraw, 1080p, on SDL's dummy driver and on X11
(where this machine has Xvfb). The spot changes between two wagers; both sides paint and update the
display from finished operations, as the window does.

B12: processor time of a sign at rest, its own process, against a loop that polls and redraws
nothing 30 times a second.

Frames late: how late the worst change of a celebration is on the screen, in frames of a thirtieth
of a second, 1080p, on X11 where this machine has Xvfb. Each change counts with the best of three
celebrations: others on the machine can only make it later. The control is one more than the same of
a process beside it that only sleeps from frame to frame: what this machine costs anyone.

Redraws: memory and file handles after 10,000 redraws against those after the first few hundred.

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
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from measure import Measured, interleaved, report

B11_TO_REACH = 0.10
B12_TO_REACH = 0.2
FRAMES_LATE_TO_REACH = 1.0
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


FRAME_MS = 1000 / 30
CELEBRATION_S = 12
CELEBRATIONS = 3
REDRAWS = ("10000", "1280x720")
Late = dict[str, float]
"""How many ms after its time something was done, by its time since the beginning in ms."""


def celebrate() -> Late:
    """Paint a celebration; return how late each change of the picture was on the screen."""
    from firmware_app.signage.link import Setup, Show, encode
    from firmware_app.signage.painting import PaintingProcess
    from firmware_app.signage.samples import samples
    from firmware_app.signage.screen import Screen
    from firmware_app.signage.settings import SignSettings

    class Watched(PaintingProcess):
        """Remembers when each picture was due and when it was on the screen, in ms."""

        painted: list[tuple[int, int]]

        def _paint(self, screen: Screen) -> None:
            due_ms = self._next_ms
            assert due_ms is not None
            super()._paint(screen)
            self.painted.append((due_ms, time.monotonic_ns() // 1_000_000))

    shown = samples()
    orders_out, orders_in = os.pipe()
    reports_out, reports_in = os.pipe()
    settings = SignSettings(size="1920x1080")
    sign = Watched(orders_out, reports_in)
    sign.painted = []

    def order() -> None:
        os.write(orders_in, encode(Setup(settings=settings, profile=shown["big-win"].profile)))
        os.write(orders_in, encode(Show(number=1, view=shown["dealt"].view)))
        time.sleep(2)
        sign.painted.clear()
        os.write(orders_in, encode(Show(number=2, view=shown["big-win"].view)))
        time.sleep(CELEBRATION_S)
        os.close(orders_in)

    threading.Thread(target=order).start()
    sign.run()
    os.close(reports_out)
    begun_ms = sign.painted[0][0]
    return {str(due - begun_ms): done - due for due, done in sign.painted}


def only_sleep() -> Late:
    """Wake up for every frame of a celebration; return how late each was."""
    begun, late = time.monotonic(), {}
    for frame in range(int(CELEBRATION_S * 1000 / FRAME_MS)):
        due = begun + frame * FRAME_MS / 1000
        time.sleep(max(0.0, due - time.monotonic()))
        late[str(frame)] = (time.monotonic() - due) * 1000
    return late


JOBS = {"celebrate": celebrate, "only-sleep": only_sleep}


def frames_late(environment: dict[str, str], driver: str) -> None:
    """Measure the frames late with ``driver`` and print them."""
    best: dict[str, Late] = {job: {} for job in JOBS}
    for _ in range(CELEBRATIONS):
        running = {
            job: subprocess.Popen(
                [sys.executable, __file__, job], env=environment, stdout=subprocess.PIPE, text=True
            )
            for job in JOBS
        }
        for job, process in running.items():
            # Whatever a library prints comes before the result.
            late: Late = json.loads(process.communicate()[0].splitlines()[-1])
            for due, late_ms in late.items():
                best[job][due] = min(late_ms, best[job].get(due, late_ms))
    worst, control = (max(best[job].values()) / FRAME_MS for job in JOBS)
    report(f"frames late {driver}", Measured(worst, 1 + control), FRAMES_LATE_TO_REACH)


def main() -> None:
    if sys.argv[1:2] == ["redraw"]:
        redraw(sys.argv[2])
        return
    if sys.argv[1:] and sys.argv[1] in JOBS:
        sys.stdout.write(json.dumps(JOBS[sys.argv[1]]()) + "\n")
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
        frames_late(environment, driver)
        if not display:
            sys.stdout.write(json.dumps({"bar": "B11 x11", "left_out": "no Xvfb here"}) + "\n")
    program = Path(__file__).parents[1] / "signage" / "redraws.py"
    subprocess.run([sys.executable, str(program), *REDRAWS], check=True)


if __name__ == "__main__":
    main()
