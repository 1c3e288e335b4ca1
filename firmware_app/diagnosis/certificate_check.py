"""Until when the certificate that proves the table is valid: one that runs out stops the feed."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Final

from firmware_app.diagnosis.finding import Finding
from firmware_app.feed.certificate import valid_until
from firmware_app.feed.settings import FeedSettings

RENEW_WITHIN_DAYS: Final = 30
_CURE: Final = "have it renewed: new files in the same place need no restart"


def check_certificate(settings: FeedSettings, now: datetime | None = None) -> Iterator[Finding]:
    """Yield how long the table's own certificate is valid; nothing where it has none."""
    own = None if settings.tls is None else settings.tls.certificate
    if own is None:
        return
    now = now or datetime.now(UTC)
    name = f"mqtt.tls.certificate {own}"
    try:
        end = valid_until(own)
    except (OSError, ValueError) as error:
        cure = "put the file there, or correct mqtt.tls.certificate"
        yield Finding("certificate", "warning", f"{name}: {error}", cure)
        return
    days = (end - now).days
    if end < now:
        detail = f"{name} has expired on {end:%Y-%m-%d}, or the clock of this device is wrong"
        yield Finding("certificate", "warning", detail, _CURE)
    elif days < RENEW_WITHIN_DAYS:
        detail = f"{name} is valid until {end:%Y-%m-%d}: {days} days more"
        yield Finding("certificate", "warning", detail, _CURE)
    else:
        yield Finding("certificate", "ok", f"{name} is valid until {end:%Y-%m-%d}")
