"""``fortune-table support-bundle``: one archive of what the maker needs to help."""

from __future__ import annotations

import hashlib
import io
import os
import tarfile
import time
from pathlib import Path

import click

from firmware_app.diagnosis.support import parts_of


@click.command("support-bundle")
@click.option(
    "--config",
    "config_path",
    type=click.Path(dir_okay=False, path_type=Path),
    default=Path("/etc/fortune-table/table.toml"),
    show_default=True,
    help="The table's configuration.",
)
@click.option(
    "--out",
    required=True,
    metavar="FILE.tar.gz",
    type=click.Path(dir_okay=False, path_type=Path),
    help="A new file; only its owner may read it.",
)
def support_bundle(config_path: Path, out: Path) -> None:
    """Pack configuration, versions, health, log, meters and the last rounds into one archive.

    Run it as root, while the table runs or not; nothing of the table is altered. Passwords and keys
    are left out, and so are the cards of rounds that were not revealed.
    """
    try:
        stream = os.fdopen(os.open(out, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb")
    except OSError as error:
        raise click.ClickException(
            f"--out {out}: cannot be made ({error.strerror}); name a new file"
        ) from error
    now_s = int(time.time())
    with stream, tarfile.open(fileobj=stream, mode="w:gz") as archive:
        listed = []
        for name, text in parts_of(config_path):
            data = text.encode()
            _add(archive, name, data, now_s)
            listed.append(f"{hashlib.sha256(data).hexdigest()}  {name}\n")
            click.echo(f"{len(data):>9,}  {name}")
        _add(archive, "SHA256SUMS", "".join(listed).encode(), now_s)
    click.echo(f"written: {out}")


def _add(archive: tarfile.TarFile, name: str, data: bytes, at_s: int) -> None:
    member = tarfile.TarInfo(f"fortune-table-support/{name}")
    member.size, member.mtime, member.mode = len(data), at_s, 0o600
    archive.addfile(member, io.BytesIO(data))
