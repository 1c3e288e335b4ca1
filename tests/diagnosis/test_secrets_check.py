"""Files that prove who the table is are closed to others."""

from __future__ import annotations

from pathlib import Path

from firmware_app.diagnosis.secrets_check import check_secrets
from firmware_app.feed.settings import FeedSettings


def settings(**files: object) -> FeedSettings:
    return FeedSettings.model_validate({"host": "broker", "site": "s", "table": "t"} | files)


def secret(path: Path, mode: int) -> Path:
    path.write_text("secret")
    path.chmod(mode)
    return path


def test_a_file_that_others_may_read_is_named_with_its_mode(tmp_path: Path) -> None:
    key = secret(tmp_path / "table.key", 0o644)
    password = secret(tmp_path / "password", 0o640)

    found = list(
        check_secrets(
            settings(
                username="table-1",
                password_file=password,
                tls={"ca": tmp_path / "ca", "certificate": tmp_path / "crt", "key": key},
            )
        )
    )

    assert [one.status for one in found] == ["warning", "ok"]
    assert found[0].detail == f"mqtt.tls.key {key} is open to every user: -rw-r--r--"
    assert f"chmod o= {key}" in found[0].cure
    assert found[1].detail == f"mqtt.password_file {password} is closed to others"


def test_a_missing_file_is_told_by_its_key(tmp_path: Path) -> None:
    (found,) = check_secrets(settings(username="t", password_file=tmp_path / "none"))

    assert found.status == "warning"
    assert found.detail == f"mqtt.password_file {tmp_path}/none: No such file or directory"


def test_a_table_without_secrets_has_nothing_to_close() -> None:
    (found,) = check_secrets(settings())
    assert found.status == "ok"
