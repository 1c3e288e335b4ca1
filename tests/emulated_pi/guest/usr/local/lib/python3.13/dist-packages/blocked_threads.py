"""Lets the test outside block a thread of the table for good, as a fault in it would.

In the running table (``fortune-table run``) alone: SIGUSR1 blocks the main thread, SIGUSR2 the
engine. Neither is part of the application; the interpreter loads this through the ``.pth`` beside.
"""

import signal
import sys
import threading
from types import FrameType


def block() -> None:
    threading.Event().wait()


def block_engine(frame: FrameType, event: str, argument: object) -> None:
    if threading.current_thread().name == "engine":
        block()


if "firmware_app" in sys.orig_argv and "run" in sys.orig_argv:
    signal.signal(signal.SIGUSR1, lambda number, frame: block())
    signal.signal(
        signal.SIGUSR2, lambda number, frame: threading.setprofile_all_threads(block_engine)
    )
