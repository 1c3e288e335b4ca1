"""How long a table's certificate is valid, as ``openssl x509 -enddate`` tells of the same file."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from firmware_app.diagnosis.certificate_check import check_certificate
from firmware_app.feed.certificate import valid_until
from firmware_app.feed.settings import FeedSettings

FLOOR = Path(__file__).parents[1] / "floor" / "certificates"
FEED = Path(__file__).parents[1] / "feed" / "certificates"


def settings(certificate: Path) -> FeedSettings:
    tls = {"ca": FLOOR / "authority.pem", "certificate": certificate, "key": FLOOR / "x.key"}
    return FeedSettings.model_validate({"host": "h", "site": "s", "table": "t", "tls": tls})


@pytest.mark.parametrize(
    ("file", "end"),
    [
        (FLOOR / "renewal" / "table.pem", datetime(2119, 1, 1, tzinfo=UTC)),
        (FLOOR / "renewal" / "table-expired.pem", datetime(2016, 1, 1, tzinfo=UTC)),
        (FLOOR / "fpg-01.pem", datetime(2119, 12, 31, tzinfo=UTC)),
        (FEED / "broker_of_2090.pem", datetime(2119, 1, 1, tzinfo=UTC)),
        (FEED / "authority.pem", datetime(2120, 1, 1, tzinfo=UTC)),
    ],
    ids=lambda value: getattr(value, "name", None),
)
def test_the_end_is_read(file: Path, end: datetime) -> None:
    assert valid_until(file) == end


def test_of_a_chain_the_first_counts(tmp_path: Path) -> None:
    chain = tmp_path / "chain.pem"
    expired = (FLOOR / "renewal" / "table-expired.pem").read_text()
    chain.write_text("a note before it\n" + expired + (FLOOR / "authority.pem").read_text())
    assert valid_until(chain).year == 2016


def test_what_is_no_certificate_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "x.pem"
    whole = (FLOOR / "fpg-01.pem").read_text().splitlines()
    for text in (
        "",
        (FLOOR / "fpg-01.key").read_text(),
        "\n".join([whole[0], whole[1][:8], whole[-1]]),
        "\n".join([whole[0], "bm90aGluZw==", whole[-1]]),
        "\n".join([whole[0], "MAMCAQE=", whole[-1]]),
    ):
        file.write_text(text)
        with pytest.raises(ValueError, match=r"."):
            valid_until(file)
    with pytest.raises(OSError, match=r"none\.pem"):
        valid_until(tmp_path / "none.pem")


@pytest.mark.parametrize(
    ("days_before", "status", "words"),
    [
        (31, "ok", "is valid until 2119-01-01"),
        (30, "ok", "is valid until 2119-01-01"),
        (29, "warning", "29 days more"),
        (1, "warning", "1 days more"),
        (-1, "warning", "has expired on 2119-01-01"),
    ],
)
def test_a_certificate_is_to_be_renewed_in_time(days_before: int, status: str, words: str) -> None:
    now = datetime(2119, 1, 1, tzinfo=UTC) - timedelta(days=days_before)
    [found] = check_certificate(settings(FLOOR / "renewal" / "table.pem"), now)
    assert found.status == status
    assert words in found.detail
    assert ("renewed" in found.cure) is (status == "warning")


def test_a_missing_file_is_named_and_a_table_without_one_is_left_alone(tmp_path: Path) -> None:
    [found] = check_certificate(settings(tmp_path / "gone.pem"))
    assert found.status == "warning"
    assert "gone.pem" in found.detail
    plain = FeedSettings.model_validate({"host": "h", "site": "s", "table": "t"})
    assert list(check_certificate(plain)) == []
