"""The card reader's port, and whether the reader is heard on it.

Listens only. What is not acknowledged the reader says again, so the table misses nothing of it.
"""

from __future__ import annotations

import errno
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from firmware_app.diagnosis.finding import Finding, finding_of
from hw.reader.native import NativeDecoder
from hw.reader.port import PORT_FAULTS, Port, open_port
from hw.reader.sentence import Sentence
from hw.reader.settings import ReaderSettings

LISTEN_AT_MOST_S: Final = 5.2
_BY_ID: Final = Path("/dev/serial/by-id")
_LARGEST_READ_BYTES: Final = 4096


def check_reader(
    settings: ReaderSettings, *, by_id: Path = _BY_ID, listen_at_most_s: float = LISTEN_AT_MOST_S
) -> Iterator[Finding]:
    """Yield what is seen of the port, then of the reader; first the advice on the settings."""
    for advice in settings.advice():
        yield finding_of("reader-settings", "warning", advice)
    try:
        port = open_port(settings)
    except PORT_FAULTS as error:
        yield _unopened(settings.url, error, by_id)
        return
    try:
        yield Finding(
            "reader-port", "ok", f"{settings.url} opens at {settings.line_speed_baud} baud"
        )
        if settings.line is not None:
            yield Finding(
                "reader",
                "unsupported",
                "this device gives no sign of life by itself",
                "draw a card while fortune-table hw-test shows what arrives",
            )
        else:
            yield _heard(settings, port, listen_at_most_s)
    except PORT_FAULTS as error:
        cure = "plug the reader in again and check its cable"
        yield Finding("reader", "failed", f"{settings.url} was lost while listening: {error}", cure)
    finally:
        port.close()


def _heard(settings: ReaderSettings, port: Port, listen_at_most_s: float) -> Finding:
    limit_s = settings.beat_limit_ms / 1000
    listen_s = min(limit_s, listen_at_most_s)
    decoder = NativeDecoder()
    received = 0
    begun_s = time.monotonic()
    while (now_s := time.monotonic()) - begun_s < listen_s:
        data = port.read(min(port.in_waiting, _LARGEST_READ_BYTES) or 1)
        received += len(data)
        decoder.receive(data, time.monotonic_ns())
        for event in decoder:
            if isinstance(event, Sentence):
                return Finding("reader", "ok", f"heard {event.kind} after {now_s - begun_s:.1f} s")
    if received:
        return Finding(
            "reader",
            "failed",
            f"{received} bytes in {listen_s:g} s, and no sentence among them",
            "check the line speed (reader.baud), the setting reader.protocol and the cable",
        )
    return Finding(
        "reader",
        # A reader that may be silent for longer than we listen has broken no promise yet.
        "failed" if limit_s <= listen_at_most_s else "warning",
        f"not heard in {listen_s:g} s; it may be silent for {limit_s:g} s",
        "check that the reader has power and its cable is plugged in",
    )


def _unopened(url: str, error: Exception, by_id: Path) -> Finding:
    code = getattr(error, "errno", None)
    if code == errno.ENOENT:
        found = sorted(str(entry) for entry in by_id.iterdir()) if by_id.is_dir() else []
        cure = "plug the reader in, or correct reader.url; connected now: "
        return _port(f"{url} is not there", cure + (", ".join(found) or "no serial device"))
    if code in (errno.EACCES, errno.EPERM):
        cure = "run as the service's user, or add this user to the group dialout"
        return _port(f"{url} may not be opened by this user", cure)
    if code == errno.EBUSY or "exclusively lock" in str(error):
        cure = f"stop the program that holds it; fuser -v {url} names it"
        return _port(f"{url} is in use by another program", cure)
    return _port(f"{url} cannot be opened: {error}", "check reader.url and the cable")


def _port(detail: str, cure: str) -> Finding:
    return Finding("reader-port", "failed", detail, cure)
