"""Until when a certificate of the table's own is valid: the ssl module tells that only of a peer's.

Source: RFC 5280, section 4.1 (the certificate's fields) and X.690 (their encoding).
"""

from __future__ import annotations

import re
import ssl
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

_SEQUENCE: Final = 0x30
_VERSION: Final = 0xA0
_UTC_TIME: Final = 0x17
_PEM: Final = re.compile(r"-----BEGIN CERTIFICATE-----.*?-----END CERTIFICATE-----", re.DOTALL)


def valid_until(path: Path) -> datetime:
    """Return when the first certificate in a PEM file ends.

    Raises OSError where the file cannot be read, ValueError where it holds no certificate.
    """
    found = _PEM.search(path.read_text("ascii"))
    if found is None:
        raise ValueError(f"{path} holds no certificate in PEM")
    try:
        return _end_of(ssl.PEM_cert_to_DER_cert(found[0]))
    except IndexError as error:
        raise ValueError(f"{path} holds a certificate that breaks off") from error


def _end_of(der: bytes) -> datetime:
    _, signed, _ = _field(der, 0)
    kind, fields, _ = _field(der, signed)
    if kind != _SEQUENCE:
        raise ValueError("not a certificate")
    kind, _, behind = _field(der, fields)
    # Serial number, algorithm and issuer stand before the validity; the version may be left out.
    for _ in range(3 if kind == _VERSION else 2):
        _, _, behind = _field(der, behind)
    _, begin, _ = _field(der, behind)
    _, _, end = _field(der, begin)
    kind, start, stop = _field(der, end)
    text = der[start:stop].decode("ascii")
    if kind == _UTC_TIME:
        # Two digits of the year, which stand for 1950 to 2049.
        text = f"{'19' if text[:2] >= '50' else '20'}{text}"
    return datetime.strptime(text, "%Y%m%d%H%M%SZ").replace(tzinfo=UTC)


def _field(der: bytes, at: int) -> tuple[int, int, int]:
    """Return kind, start of content, and end of the field that begins at ``at``."""
    kind, length, start = der[at], der[at + 1], at + 2
    if length & 0x80:
        digits = length & 0x7F
        length, start = int.from_bytes(der[start : start + digits]), start + digits
    return kind, start, start + length
