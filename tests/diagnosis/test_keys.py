"""Keys come at once from a terminal, which is then as it was before."""

from __future__ import annotations

import os
import pty
import select
import termios

from firmware_app.diagnosis.keys import Keys


def test_a_key_is_there_without_the_enter_key_and_the_terminal_is_restored() -> None:
    keyboard, terminal = pty.openpty()
    try:
        before = termios.tcgetattr(terminal)
        with Keys(terminal) as keys:
            assert keys.pressed() == ""
            os.write(keyboard, b"3q")
            assert select.select([terminal], [], [], 10)[0]
            assert keys.pressed() == "3q"
        assert termios.tcgetattr(terminal) == before
    finally:
        os.close(keyboard)
        os.close(terminal)


def test_without_a_terminal_there_are_no_keys() -> None:
    reading, writing = os.pipe()
    try:
        os.write(writing, b"q")
        with Keys(reading) as keys:
            assert keys.pressed() == ""
    finally:
        os.close(reading)
        os.close(writing)
