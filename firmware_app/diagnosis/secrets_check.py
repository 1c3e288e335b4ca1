"""Files that prove who the table is: nobody but the table may read them."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path

from firmware_app.diagnosis.finding import Finding
from firmware_app.feed.settings import FeedSettings


def check_secrets(settings: FeedSettings) -> Iterator[Finding]:
    """Yield a finding for each secret file, or one that says that there is none."""
    key = None if settings.tls is None else settings.tls.key
    named = {"mqtt.tls.key": key, "mqtt.password_file": settings.password_file}
    files = {name: path for name, path in named.items() if path is not None}
    if not files:
        yield Finding("secrets", "ok", "none configured")
    for name, path in files.items():
        yield _secret(name, path)


def _secret(name: str, path: Path) -> Finding:
    try:
        status = path.stat()
    except OSError as error:
        detail = f"{name} {path}: {error.strerror}"
        return Finding("secrets", "warning", detail, f"put the file there, or correct {name}")
    if status.st_mode & stat.S_IRWXO:
        mode = stat.filemode(status.st_mode)
        cure = f"chmod o= {path}; then have it renewed, since others could read it"
        return Finding("secrets", "warning", f"{name} {path} is open to every user: {mode}", cure)
    if not os.access(path, os.R_OK):
        cure = f"run as the service's user, or give the file to it (chown, ls -l {path})"
        return Finding("secrets", "warning", f"{name} {path} cannot be read by this user", cure)
    return Finding("secrets", "ok", f"{name} {path} is closed to others")
