"""The sign's window: survives what a display can do, and shows what it was told last."""

from __future__ import annotations

import os
import select
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from redraws import WARM_UP, RedrawnSign

from firmware_app.signage import window
from firmware_app.signage.connector import is_disconnected
from firmware_app.signage.link import Lines, Setup, Show, decode_order, decode_report, encode
from firmware_app.signage.samples import samples
from firmware_app.signage.settings import SignSettings
from firmware_app.signage.theme import ThemeError
from firmware_app.signage.window import SignWindow, painting_environment

SAMPLES = samples()
PNG_HEAD = b"\x89PNG\r\n\x1a\n"
HEADLESS = SignSettings(size="640x360", driver="dummy")
BACK_WITHIN_S = 10.0


def wait_until(sign: SignWindow, holds: Callable[[], bool], timeout_s: float = 20.0) -> None:
    """Tick ``sign`` as the runtime does until ``holds``, or fail."""
    deadline = time.monotonic() + timeout_s
    while not holds():
        assert time.monotonic() < deadline, f"still {sign.status} after {timeout_s} s"
        pause = sign.tick(time.monotonic_ns())
        select.select([], [], [], min(pause or 0.02, 0.02))


def gone(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    return False


@pytest.fixture
def headless() -> Iterator[SignWindow]:
    sign = SignWindow(HEADLESS, SAMPLES["reveal"].profile)
    sign.open()
    yield sign
    sign.close()


def picture(sign: SignWindow, folder: Path, name: str) -> bytes:
    path = folder / f"{name}.png"
    assert sign.screenshot(path) is None
    return path.read_bytes()


def test_a_screenshot_is_a_png_of_what_is_shown(headless: SignWindow, tmp_path: Path) -> None:
    headless.show(SAMPLES["dealt"].view)
    dealt = picture(headless, tmp_path, "dealt")
    headless.show(SAMPLES["reveal"].view)
    reveal = picture(headless, tmp_path, "reveal")
    assert dealt.startswith(PNG_HEAD)
    assert reveal != dealt
    assert headless.status.state == "up"
    assert headless.status.detail == "dummy 640x360"


def test_the_recall_is_shown_until_the_next_view(headless: SignWindow, tmp_path: Path) -> None:
    sample = SAMPLES["last-rounds"]
    headless.show(sample.view)
    before = picture(headless, tmp_path, "before")
    headless.show_rounds(sample.view, sample.rounds)
    assert picture(headless, tmp_path, "rounds") != before
    headless.show(sample.view)
    assert picture(headless, tmp_path, "after") == before


def test_a_screenshot_that_cannot_be_written_is_told_and_nothing_is_raised(
    headless: SignWindow, tmp_path: Path
) -> None:
    headless.show(SAMPLES["dealt"].view)
    told = headless.screenshot(tmp_path / "no" / "such" / "folder.png")
    assert told is not None
    assert "cannot be written" in told
    assert headless.status.state == "up"


def test_a_killed_painting_process_is_replaced_and_shows_the_same_picture(
    headless: SignWindow, tmp_path: Path
) -> None:
    headless.show(SAMPLES["reveal"].view)
    before = picture(headless, tmp_path, "before")
    killed = headless.pid
    assert killed is not None
    os.kill(killed, signal.SIGKILL)
    wait_until(headless, lambda: headless.status.state == "down")
    wait_until(headless, lambda: headless.status.state == "up", BACK_WITHIN_S)
    assert headless.pid != killed
    assert picture(headless, tmp_path, "after") == before


def test_a_painting_process_that_hangs_is_ended_and_replaced(
    headless: SignWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(window, "_HANG_S", 4.0)
    headless.show(SAMPLES["dealt"].view)
    picture(headless, tmp_path, "before")
    hung = headless.pid
    assert hung is not None
    os.kill(hung, signal.SIGSTOP)
    headless.show(SAMPLES["reveal"].view)
    wait_until(headless, lambda: headless.pid not in (hung, None))
    assert gone(hung)
    assert picture(headless, tmp_path, "after").startswith(PNG_HEAD)


def test_views_pile_up_nowhere_while_the_painting_process_does_not_read(
    headless: SignWindow, tmp_path: Path
) -> None:
    headless.show(SAMPLES["dealt"].view)
    picture(headless, tmp_path, "before")
    assert headless.pid is not None
    os.kill(headless.pid, signal.SIGSTOP)
    began = time.monotonic()
    for _ in range(300):
        headless.show(SAMPLES["dealt"].view)
        headless.show(SAMPLES["reveal"].view)
        headless.tick(time.monotonic_ns())
    assert time.monotonic() - began < 5
    os.kill(headless.pid, signal.SIGCONT)
    headless.show(SAMPLES["betting"].view)
    last = picture(headless, tmp_path, "last")
    fresh = SignWindow(HEADLESS, SAMPLES["reveal"].profile)
    fresh.open()
    fresh.show(SAMPLES["betting"].view)
    assert picture(fresh, tmp_path, "fresh") == last
    fresh.close()


def test_closing_ends_the_painting_process_and_it_can_be_opened_again(tmp_path: Path) -> None:
    sign = SignWindow(HEADLESS, SAMPLES["reveal"].profile)
    sign.open()
    sign.show(SAMPLES["reveal"].view)
    first = picture(sign, tmp_path, "first")
    pid = sign.pid
    assert pid is not None
    sign.close()
    assert gone(pid)
    assert sign.status.state == "closed"
    assert sign.tick(time.monotonic_ns()) is None
    sign.open()
    assert picture(sign, tmp_path, "second") == first
    sign.close()


def test_a_missing_display_is_reported_and_nothing_is_raised() -> None:
    sign = SignWindow(
        SignSettings(size="640x360", driver="x11"),
        SAMPLES["betting"].profile,
        environment={"PATH": os.environ["PATH"]},
    )
    sign.open()
    sign.show(SAMPLES["betting"].view)
    wait_until(sign, lambda: sign.status.state == "down")
    assert "x11" in sign.status.detail
    # The process lives on and tries again by itself: starting one anew each time would cost more.
    assert sign.pid is not None
    sign.close()


def test_a_painting_process_that_cannot_start_is_reported(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(sys, "executable", "/nowhere/python")
    sign = SignWindow(HEADLESS, SAMPLES["betting"].profile)
    sign.open()
    assert sign.status.state == "down"
    assert "cannot start" in sign.status.detail
    wanted = sign.tick(time.monotonic_ns())
    assert wanted is not None
    sign.close()


class LostDisplay:
    """A display that goes away under a running sign and comes back.

    An X server where this machine has one. Where it has none, the painting process is ended as
    Xlib ends it when the server is gone: by ``exit`` in the middle of its work.
    """

    def __init__(self, stack: ExitStack) -> None:
        self._stack = stack
        self._binary = shutil.which("Xvfb")
        self._server: subprocess.Popen[bytes] | None = None
        self.name = ""
        if self._binary is not None:
            self.name = self.start()
        self.settings = SignSettings(size="640x360", driver="x11" if self.name else "dummy")
        self.environment = {**os.environ, "DISPLAY": self.name}

    def start(self) -> str:
        """Start the server, under the same name as before; return the name."""
        if self._binary is None:
            return ""
        reading, writing = os.pipe()
        own = [self.name] if self.name else []
        self._server = subprocess.Popen(
            [self._binary, *own, "-displayfd", str(writing), "-screen", "0", "800x600x24"],
            pass_fds=[writing],
            stderr=subprocess.DEVNULL,
        )
        self._stack.callback(self.kill)
        os.close(writing)
        number = b""
        while select.select([reading], [], [], 20)[0] and not number.endswith(b"\n"):
            number += os.read(reading, 16)
        os.close(reading)
        return f":{number.decode().strip()}"

    def kill(self) -> None:
        if self._server is not None:
            self._server.kill()
            self._server.wait()

    def lose(self, sign: SignWindow) -> None:
        """Take the display away from ``sign``."""
        if self._server is not None:
            self.kill()
        elif sign.pid is not None:
            os.kill(sign.pid, signal.SIGTERM)


def test_a_display_lost_under_the_running_sign_comes_back_with_the_current_picture(
    tmp_path: Path,
) -> None:
    with ExitStack() as stack:
        display = LostDisplay(stack)
        sign = SignWindow(
            display.settings, SAMPLES["reveal"].profile, environment=display.environment
        )
        stack.callback(sign.close)
        sign.open()
        sign.show(SAMPLES["dealt"].view)
        wait_until(sign, lambda: sign.status.state == "up")
        display.lose(sign)
        # The round goes on while players see nothing.
        sign.show(SAMPLES["reveal"].view)
        wait_until(sign, lambda: sign.status.state == "down")
        display.start()
        wait_until(sign, lambda: sign.status.state == "up", BACK_WITHIN_S)
        current = picture(sign, tmp_path, "current")
        expected = SignWindow(HEADLESS, SAMPLES["reveal"].profile)
        stack.callback(expected.close)
        expected.open()
        expected.show(SAMPLES["reveal"].view)
        assert picture(expected, tmp_path, "expected") == current


def test_the_painting_process_ends_with_the_table_however_that_ends() -> None:
    program = (
        "import sys, time\n"
        "from firmware_app.signage.samples import samples\n"
        "from firmware_app.signage.settings import SignSettings\n"
        "from firmware_app.signage.window import SignWindow\n"
        "sign = SignWindow(SignSettings(size='640x360', driver='dummy'),"
        " samples()['void'].profile)\n"
        "sign.open()\n"
        "print(sign.pid, flush=True)\n"
        "time.sleep(60)\n"
    )
    table = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True)
    assert table.stdout is not None
    painting = int(table.stdout.readline())
    assert not gone(painting)
    table.kill()
    table.wait()
    table.stdout.close()
    deadline = time.monotonic() + 20
    while not gone(painting) and time.monotonic() < deadline:
        select.select([], [], [], 0.05)
    assert gone(painting)


def test_redraws_leave_nothing_behind_in_memory_or_open_files() -> None:
    # A thousandth of one picture kept from each redraw would show.
    with RedrawnSign("480x320") as sign:
        before = sign.redraw(WARM_UP)
        after = sign.redraw(800)
    assert after.handles == before.handles
    assert after.memory_kib - before.memory_kib < 2_048


def test_a_theme_that_cannot_be_used_is_told_before_the_table_opens(tmp_path: Path) -> None:
    theme = tmp_path / "house.toml"
    theme.write_text('gold = "#000000"\n')
    with pytest.raises(ThemeError, match="contrast"):
        SignWindow(SignSettings(theme_file=theme), SAMPLES["reveal"].profile)


def test_x11_is_painted_without_opengl_and_kmsdrm_with_opengl_es() -> None:
    x11 = painting_environment(SignSettings(), {"DISPLAY": ":0"})
    assert x11["SDL_FRAMEBUFFER_ACCELERATION"] == "0"
    console = painting_environment(SignSettings(), {})
    assert console["SDL_RENDER_DRIVER"] == "opengles2"
    assert "SDL_FRAMEBUFFER_ACCELERATION" not in console
    chosen = painting_environment(SignSettings(driver="kmsdrm"), {"SDL_RENDER_DRIVER": "libgl1"})
    assert chosen["SDL_RENDER_DRIVER"] == "libgl1"


def connector(root: Path, name: str, state: str) -> None:
    folder = root / name
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "status").write_text(f"{state}\n")


def test_a_connector_is_found_by_its_name_on_whichever_card(tmp_path: Path) -> None:
    connector(tmp_path, "card0-HDMI-A-1", "connected")
    connector(tmp_path, "card1-HDMI-A-2", "disconnected")
    assert not is_disconnected("HDMI-A-1", tmp_path)
    assert is_disconnected("HDMI-A-2", tmp_path)
    (tmp_path / "card1-HDMI-A-2").rename(tmp_path / "card0-HDMI-A-2")
    assert is_disconnected("HDMI-A-2", tmp_path)
    connector(tmp_path, "card0-HDMI-A-2", "connected")
    assert not is_disconnected("HDMI-A-2", tmp_path)


def test_what_the_kernel_does_not_know_is_no_reason_to_wait(tmp_path: Path) -> None:
    connector(tmp_path, "card0-HDMI-A-1", "unknown")
    assert not is_disconnected("HDMI-A-1", tmp_path)
    assert not is_disconnected("DP-9", tmp_path)
    assert not is_disconnected(None, tmp_path)


def test_messages_come_out_as_they_went_in_however_they_are_cut() -> None:
    sample = SAMPLES["reveal-daytona"]
    setup = Setup(settings=HEADLESS, profile=sample.profile, wants_keys=True)
    show = Show(number=7, view=sample.view, rounds=SAMPLES["last-rounds"].rounds)
    stream = encode(setup) + encode(show)
    lines = Lines()
    cut = [stream[place : place + 1000] for place in range(0, len(stream), 1000)]
    decoded = [decode_order(line) for part in cut for line in lines.feed(part)]
    assert decoded == [setup, show]


def test_a_report_that_is_none_is_refused() -> None:
    with pytest.raises(ValueError, match="kind"):
        decode_report(b'{"kind": "surprise"}')
